// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads models as requests say, and compiles them to programs or takes these
// from the cache.
#include "lib/Driver/Request.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/RandomState.h"
#include "dialects/Kernel/Philox.h"
#include "dialects/NN/EntryNames.h"
#include "lib/Driver/BatchShapes.h"
#include "lib/Driver/Compile.h"
#include "lib/Driver/CompileCache.h"
#include "lib/Driver/OwnStep.h"
#include "lib/Driver/Parameters.h"
#include "lib/Driver/Patterns.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/Program/Link.h"
#include "runtime/Train/DataFiles.h"

#include <chrono>

using namespace mpc;

struct mpc::ReadModel {
  std::shared_ptr<mlir::MLIRContext> context;
  /// The model with its recipe for each batch shape. The first shape is the
  /// model's own.
  std::vector<ImportedModel> shapes;
  bool hasOwnStep = false; ///< Whether the module writes its step out.
  /// The name of the scale's floor: StepProtocol::floorName.
  std::string floorName{rt::settingKey(rt::Setting::MinScale)};
  /// The first values. They share memory with the model's values.
  std::vector<rt::InitialValue> initialValues;
  std::map<std::string, std::string> tied; ///< The tied names: Program::tied.
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The shape of one batch of labels, from the data and the batch size; empty
/// where it is not known.
static rt::Result<std::vector<int64_t>> targetShape(const DataShape &data,
                                                    int64_t batch) {
  for (const ModelTensor &tensor : data.batch)
    if (tensor.desc.name == "target")
      return tensor.desc.shape;
  if (data.files.empty())
    return std::vector<int64_t>();
  MPC_ASSIGN_OR_RETURN(rt::DataFiles files, rt::DataFiles::open(data.files));
  std::optional<std::vector<int64_t>> shape = files.shapeOf("target");
  if (!shape || shape->empty() || batch == 0)
    return std::vector<int64_t>();
  shape->front() = batch;
  return *std::move(shape);
}

/// Further names of parameters, each with the parameter's main name.
static std::map<std::string, std::string>
tiedNames(const ImportedModel &model) {
  std::map<std::string, std::string> names;
  for (const InitializerRole &initializer : model.initializers)
    for (const std::string &other : initializer.otherNames)
      names[other] = initializer.name;
  return names;
}

namespace {

/// Reads the models of a request, and adds its recipe to each.
class ModelReader {
public:
  explicit ModelReader(const CompileRequest &request)
      : request_(request), recipe_(request.recipe),
        read_(std::make_shared<ReadModel>()) {}

  rt::Result<std::shared_ptr<ReadModel>> run();

private:
  rt::Status readShapes();
  rt::Status add(const ImportFlags &import);
  rt::Result<ImportedModel> load(const ImportFlags &import);
  rt::Status write(const ImportFlags &import, ImportedModel &model);
  rt::Status writeEvaluation(ImportedModel &model);
  rt::Status writeStep(int64_t batchSize, ImportedModel &model);
  rt::Status writeOwnStep(ImportedModel &model);
  rt::Status addRest(const ImportFlags &import);
  rt::Result<int64_t> countRest();

  const CompileRequest &request_;
  RecipeFlags recipe_;
  std::shared_ptr<ReadModel> read_;
  /// The samples of a batch of the model; 0 where it has none.
  int64_t batch_ = 0;
};

} // namespace

rt::Result<ImportedModel> ModelReader::load(const ImportFlags &import) {
  MPC_ASSIGN_OR_RETURN(ImportOptions options, toImportOptions(import));
  options.inputTensors = request_.data.batch;
  if (request_.modelBytes)
    return loadModel(*request_.modelBytes, request_.modelPath, *read_->context,
                     options);
  return loadModel(request_.modelPath, *read_->context, options);
}

rt::Status ModelReader::writeEvaluation(ImportedModel &model) {
  amp::RecipeOp recipe = addRecipe(*model.module);
  MPC_RETURN_IF_ERROR(writePrecision(recipe_, recipe));
  MPC_RETURN_IF_ERROR(writeLoss(recipe_, recipe));
  if (!recipe.getLoss())
    return {};
  MPC_ASSIGN_OR_RETURN(std::vector<int64_t> shape,
                       targetShape(request_.data, 0));
  writeTarget(shape, recipe);
  return {};
}

rt::Status ModelReader::writeStep(int64_t batchSize, ImportedModel &model) {
  amp::RecipeOp recipe = addRecipe(*model.module);
  MPC_RETURN_IF_ERROR(writeRecipe(recipe_, recipe));
  MPC_ASSIGN_OR_RETURN(int64_t batch,
                       checkBatchSize(model, batchSize, request_.data.shared));
  MPC_ASSIGN_OR_RETURN(std::vector<int64_t> shape,
                       targetShape(request_.data, batch));
  writeTarget(shape, recipe);
  if (read_->shapes.empty())
    batch_ = batch;
  return {};
}

rt::Status ModelReader::writeOwnStep(ImportedModel &model) {
  MPC_RETURN_IF_ERROR(checkOwnStep(recipe_, model));
  if ((request_.evaluates || request_.measures) && !hasOwnEvaluation(model))
    return rt::usageError(request_.evaluationFlag +
                          ": the module writes its step out and has no "
                          "function @eval that evaluates it");
  amp::RecipeOp recipe = addRecipe(*model.module);
  MPC_RETURN_IF_ERROR(writePrecision(recipe_, recipe));
  if (const auto *batches = recipe_.find<int64_t>("--accumulate"))
    recipe.setAccumulate(*batches);
  auto floor = findFloor(model, "--at-floor");
  read_->floorName = floor.ok() ? *floor : "";
  return {};
}

rt::Status ModelReader::write(const ImportFlags &import, ImportedModel &model) {
  if (request_.kind == ProgramKind::Evaluation)
    return writeEvaluation(model);
  // A file of that name would be used even where a policy is built in, so that
  // its path counts.
  model.files.push_back(recipe_.autocastPolicy());
  if (!import.allowLosses)
    MPC_RETURN_IF_ERROR(refuseLosses(model, request_.modelPath));
  if (hasOwnStep(model))
    return writeOwnStep(model);
  return writeStep(import.batchSize, model);
}

rt::Status ModelReader::add(const ImportFlags &import) {
  bool isFirst = read_->shapes.empty();
  if (!isFirst && read_->hasOwnStep)
    return rt::usageError("the module writes its step out, for batches of the "
                          "shapes that it names, and has no others");
  if (!isFirst)
    MPC_RETURN_IF_ERROR(
        checkReadAgain(request_.modelPath, request_.modelBytes != nullptr));
  MPC_ASSIGN_OR_RETURN(ImportedModel model, load(import));
  MPC_RETURN_IF_ERROR(write(import, model));
  read_->hasOwnStep =
      request_.kind != ProgramKind::Evaluation && hasOwnStep(model);
  read_->shapes.push_back(std::move(model));
  return {};
}

/// The number of samples at the end of an epoch that fill no batch.
rt::Result<int64_t> ModelReader::countRest() {
  const DataShape &data = request_.data;
  if (!data.smallerLastBatch || batch_ == 0)
    return 0;
  MPC_ASSIGN_OR_RETURN(rt::DataFiles files, rt::DataFiles::open(data.files));
  for (const std::string &name :
       batchInputs(read_->shapes.front(), data.shared))
    if (auto shape = files.shapeOf(name); shape && !shape->empty())
      return shape->front() % batch_;
  return 0; // Errors in the data are reported when it is read.
}

rt::Status ModelReader::addRest(const ImportFlags &import) {
  MPC_ASSIGN_OR_RETURN(int64_t rest, countRest());
  if (rest == 0)
    return {};
  return add(withBatch(import, batch_, rest, request_.data.shared))
      .withContext("--last-batch=smaller");
}

/// Checks that a step that a module writes out returns what the loop around it
/// needs.
static rt::Status checkOwnNeeds(const StepNeeds &needs, ImportedModel &model) {
  if (needs.nanReport)
    MPC_RETURN_IF_ERROR(checkTellsFinite(model, "--nan-report"));
  return needs.floor ? findFloor(model, "--at-floor").status() : rt::Status();
}

/// Checks that a step has what the loop around it needs.
static rt::Status checkNeeds(const StepNeeds &needs, bool hasOwnStep,
                             ImportedModel &model) {
  if (hasOwnStep)
    return checkOwnNeeds(needs, model);
  amp::RecipeOp recipe = amp::findRecipe(*model.module);
  if (needs.floor && floorOf(recipe) == 0)
    return rt::usageError("--at-floor: the loss scale of policy '" +
                          recipe.getPolicy().str() + "' has no floor");
  return needs.replays ? checkReplay(recipe) : rt::Status();
}

rt::Status ModelReader::readShapes() {
  const DataShape &data = request_.data;
  MPC_ASSIGN_OR_RETURN(std::vector<ImportFlags> shapes,
                       splitShapes(request_.import, data.batchSizes));
  if (request_.kind == ProgramKind::Evaluation && request_.gradients &&
      !recipe_.find<std::string>("--loss"))
    return rt::usageError("--gradients needs --loss");
  for (const ImportFlags &shape : shapes)
    MPC_RETURN_IF_ERROR(add(shape));
  return addRest(shapes.front());
}

rt::Result<std::shared_ptr<ReadModel>> ModelReader::run() {
  read_->context = request_.context;
  if (!read_->context)
    read_->context = std::make_shared<mlir::MLIRContext>(
        mlir::MLIRContext::Threading::DISABLED);
  MPC_RETURN_IF_ERROR(readAutocastPolicy(recipe_, *read_->context));
  MPC_RETURN_IF_ERROR(readShapes());
  read_->initialValues = takeInitialValues(read_->shapes.front());
  read_->tied = tiedNames(read_->shapes.front());
  return read_;
}

/// A module that the caller has built. The caller owns its context.
static std::shared_ptr<ReadModel> readModule(mlir::ModuleOp module) {
  auto read = std::make_shared<ReadModel>();
  read->shapes.emplace_back().module = module.clone();
  return read;
}

static void addNew(llvm::ArrayRef<std::string> found,
                   std::vector<std::string> &all) {
  for (const std::string &text : found)
    if (!llvm::is_contained(all, text))
      all.push_back(text);
}

/// Adds the model's warnings that concern the request.
static void addWarnings(const ImportedModel &model,
                        const CompileRequest &request,
                        std::vector<std::string> &warnings) {
  bool isEvaluation = request.kind == ProgramKind::Evaluation;
  addNew(model.warnings, warnings);
  if (!isEvaluation || request.gradients)
    addNew(model.gradientWarnings, warnings);
  if (!isEvaluation || request.training)
    addNew(model.trainingWarnings, warnings);
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

rt::Status mpc::readModel(CompileRequest &request, CompileReport &report) {
  if (request.module) {
    request.model = readModule(request.module);
    return {};
  }
  auto start = std::chrono::steady_clock::now();
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<ReadModel> read,
                       ModelReader(request).run());
  for (const ImportedModel &model : read->shapes)
    addWarnings(model, request, report.warnings);
  ImportedModel &first = read->shapes.front();
  addNew(first.files, report.files);
  if (request.kind == ProgramKind::Step)
    MPC_RETURN_IF_ERROR(checkNeeds(request.needs, read->hasOwnStep, first));
  report.stages.emplace_back("import", secondsSince(start));
  request.model = std::move(read);
  return {};
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// A copy of a module that may be consumed, with the request's nodes in fp32.
static ImportedModel copyOf(const ImportedModel &source,
                            const CompileRequest &request) {
  ImportedModel copy;
  copy.module = mlir::ModuleOp(source.module.get()).clone();
  if (request.keptFp32.empty())
    return copy;
  amp::RecipeOp recipe = amp::findRecipe(*copy.module);
  mlir::Builder b(recipe.getContext());
  llvm::SmallVector<mlir::Attribute> patterns(recipe.getKeepFp32().getValue());
  for (const std::string &node : request.keptFp32)
    patterns.push_back(b.getStringAttr(exactPattern(node)));
  recipe.setKeepFp32Attr(b.getArrayAttr(patterns));
  return copy;
}

/// Compiles one shape, or takes the program of an equal compilation from the
/// cache.
static rt::Result<std::shared_ptr<rt::Program>>
compileOrFind(const ImportedModel &source, const CompileRequest &request,
              CompileReport &report) {
  ImportedModel model = copyOf(source, request);
  auto compile = [&] { return compileModule(model, request, report); };
  // Explanations and listings are by-products of a compilation, which the cache
  // does not have.
  if (!request.usesCache || request.explains ||
      request.listing != CodeListing::None || !request.target.machineCode)
    return compile();
  MPC_ASSIGN_OR_RETURN(std::string passes, passesOf(model, request));
  CompileKey key = {*model.module, passes, request.target.cpu};
  return compileOnce(key, compile, report.warnings);
}

/// Adds new warnings and the time of each stage. Keeps the first explanation.
static void addReport(CompileReport own, CompileReport &report) {
  addNew(own.warnings, report.warnings);
  for (const auto &[stage, seconds] : own.stages) {
    auto known = llvm::find_if(
        report.stages, [&](const auto &one) { return one.first == stage; });
    if (known == report.stages.end())
      report.stages.emplace_back(stage, seconds);
    else
      known->second += seconds;
  }
  if (report.explanation.precision.empty())
    report.explanation = std::move(own.explanation);
  report.listing = std::move(own.listing);
}

/// Compiles one program for all shapes.
static rt::Result<std::shared_ptr<rt::Program>>
compileShapes(const CompileRequest &request, CompileReport &report) {
  std::vector<std::shared_ptr<rt::Program>> programs;
  for (const ImportedModel &model : request.model->shapes) {
    CompileReport own;
    own.listing = report.listing;
    MPC_ASSIGN_OR_RETURN(programs.emplace_back(),
                         compileOrFind(model, request, own));
    addReport(std::move(own), report);
  }
  return rt::linkPrograms(programs);
}

/// The parameters whose gradients the step returns.
static std::map<std::string, std::string>
callerUpdates(const rt::Program &program, int64_t batches) {
  std::map<std::string, std::string> gradients;
  const rt::Entry &last = *program.stepEntries(batches).back();
  for (const rt::StateTensor &tensor : program.state) {
    std::string gradient = nn::gradientName(tensor.desc.name);
    for (const rt::TensorDesc &output : last.outputs)
      if (tensor.role == rt::StateRole::Parameter && output.name == gradient)
        gradients[tensor.desc.name] = gradient;
  }
  return gradients;
}

/// Whether the step draws random numbers by the run's seed.
static bool draws(const rt::Program &program) {
  return llvm::any_of(program.state, [](const rt::StateTensor &tensor) {
    return tensor.role == rt::StateRole::Hyperparameters &&
           llvm::StringRef(tensor.key) == amp::kRandomSeed;
  });
}

/// What a checkpoint records of the recipe, and of how random numbers follow
/// from the seed.
static std::string recordOf(amp::RecipeOp recipe, const rt::Program &program,
                            bool isOwn) {
  std::string record = isOwn ? amp::recordOf(recipe, amp::Section::Precision)
                             : amp::recordOf(recipe);
  if (draws(program))
    record += " random_rule(" + std::to_string(kernel::kRandomRule) + ")";
  return record;
}

/// Adds the facts about a step that a runner and a training need.
static void addProtocol(const ReadModel &model, amp::RecipeOp recipe,
                        rt::Program &program) {
  program.tied = model.tied;
  bool isOwn = model.hasOwnStep;
  if (!isOwn)
    drawBySeed(program);
  // A step that the module writes out may change anything.
  int64_t batches = recipe.getBatchesOfRank();
  program.protocol = {.accumulate = batches,
                      .ranks = static_cast<uint32_t>(recipe.getRanks()),
                      .keepState = isOwn || changesState(recipe),
                      .floorName = model.floorName,
                      .rule = recordOf(recipe, program, isOwn)};
  if (!isOwn && recipe.getRule()->isCallback())
    program.protocol.callerUpdates = callerUpdates(program, batches);
}

static void complete(const CompileRequest &request, rt::Program &program) {
  if (request.kind != ProgramKind::Step &&
      request.kind != ProgramKind::Evaluation)
    return;
  const ReadModel &model = *request.model;
  amp::RecipeOp recipe =
      amp::findRecipe(mlir::ModuleOp(model.shapes.front().module.get()));
  setInitialValues(program, model.initialValues);
  if (request.kind == ProgramKind::Step)
    addProtocol(model, recipe, program);
  program.recipe = textOf(recipe);
  program.runDefaults = request.runDefaults;
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileProgram(const CompileRequest &request, CompileReport &report) {
  if (!request.model) {
    CompileRequest read = request;
    MPC_RETURN_IF_ERROR(readModel(read, report));
    return compileProgram(read, report);
  }
  auto program = compileShapes(request, report);
  if (!program.ok())
    return request.modelPath.empty()
               ? program.status()
               : program.status().withContext(request.modelPath);
  complete(request, **program);
  return program;
}

rt::Result<rt::ProgramVariants>
mpc::compileVariants(CompileRequest request,
                     const std::vector<std::string> &targets,
                     CompileReport &report) {
  MPC_RETURN_IF_ERROR(readModel(request, report));
  rt::ProgramVariants programs;
  for (const std::string &target : targets) {
    request.target.cpu = target;
    MPC_ASSIGN_OR_RETURN(programs.emplace_back(),
                         compileProgram(request, report));
  }
  return programs;
}

rt::Status mpc::explainModel(CompileRequest request, CompileReport &report) {
  request.kind = ProgramKind::Evaluation;
  MPC_RETURN_IF_ERROR(readModel(request, report));
  ImportedModel model = copyOf(request.model->shapes.front(), request);
  CompileReport own;
  rt::Status status = explainModule(model, request, own);
  if (!status.ok())
    return status.withContext(request.modelPath);
  addReport(std::move(own), report);
  return {};
}
