// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composition of a training program.
#include "lib/Driver/TrainingProgram.h"

#include "dialects/AMP/Optimizers.h"
#include "dialects/NN/EntryNames.h"
#include "lib/Driver/BatchShapes.h"
#include "lib/Driver/CompileCache.h"
#include "lib/Driver/OwnStep.h"
#include "lib/Driver/Parameters.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/Program/Link.h"
#include "runtime/Train/DataFiles.h"

using namespace mpc;

/// Shape of one batch of labels, as the data and the batch size have it.
static rt::Result<std::vector<int64_t>>
targetShape(const std::vector<std::string> &files, int64_t batch) {
  if (files.empty())
    return std::vector<int64_t>();
  MPC_ASSIGN_OR_RETURN(rt::DataFiles data, rt::DataFiles::open(files));
  std::optional<std::vector<int64_t>> shape = data.shapeOf("target");
  if (!shape || shape->empty() || batch == 0)
    return std::vector<int64_t>();
  shape->front() = batch;
  return *std::move(shape);
}

static rt::Status planOwnStep(const TrainingRequest &request,
                              TrainingPlan &plan) {
  MPC_RETURN_IF_ERROR(checkOwnStep(request.recipe, plan.model));
  if ((request.evaluates || request.measures) && !hasOwnEvaluation(plan.model))
    return rt::usageError(request.evaluationFlag +
                          ": the module writes its step out and has no "
                          "function @eval that evaluates it");
  amp::RecipeOp recipe = addRecipe(*plan.model.module);
  MPC_RETURN_IF_ERROR(writePrecision(request.recipe, recipe));
  if (const auto *batches = request.recipe.find<int64_t>("--accumulate"))
    recipe.setAccumulate(*batches);
  auto floor = findFloor(plan.model, "--at-floor");
  plan.floorName = floor.ok() ? *floor : "";
  return {};
}

/// Gives a model its recipe. The samples of a batch; 0 where it is none.
static rt::Result<int64_t> planStep(const TrainingRequest &request,
                                    int64_t batchSize, ImportedModel &model) {
  amp::RecipeOp recipe = addRecipe(*model.module);
  MPC_RETURN_IF_ERROR(writeRecipe(request.recipe, recipe));
  MPC_ASSIGN_OR_RETURN(int64_t batch,
                       checkBatchSize(model, batchSize, request.sharedInputs));
  MPC_ASSIGN_OR_RETURN(std::vector<int64_t> shape,
                       targetShape(request.dataFiles, batch));
  writeTarget(shape, recipe);
  return batch;
}

/// Further names of parameters, each with the parameter's own.
static std::map<std::string, std::string>
tiedNames(const ImportedModel &model) {
  std::map<std::string, std::string> names;
  for (const InitializerRole &initializer : model.initializers)
    for (const std::string &other : initializer.otherNames)
      names[other] = initializer.name;
  return names;
}

static rt::Result<ImportedModel> readModel(const TrainingRequest &request,
                                           const ImportFlags &import,
                                           mlir::MLIRContext &context) {
  MPC_ASSIGN_OR_RETURN(ImportOptions options, toImportOptions(import));
  if (request.modelBytes)
    return loadModel(*request.modelBytes, request.modelPath, context, options);
  return loadModel(request.modelPath, context, options);
}

static rt::Result<TrainingPlan> planFirst(const TrainingRequest &request,
                                          const ImportFlags &import,
                                          mlir::MLIRContext &context) {
  TrainingPlan plan;
  MPC_ASSIGN_OR_RETURN(plan.model, readModel(request, import, context));
  llvm::append_range(plan.model.warnings, plan.model.gradientWarnings);
  llvm::append_range(plan.model.warnings, plan.model.trainingWarnings);
  // A file of that name is looked for even where a policy is built in.
  plan.model.files.push_back(request.recipe.autocastPolicy());
  if (!import.allowLosses)
    MPC_RETURN_IF_ERROR(refuseLosses(plan.model, request.modelPath));
  plan.options.target = request.recipe.target;
  plan.options.target.fuse = !request.recipe.noFuse;
  plan.options.evaluates = request.evaluates;
  plan.options.measures = request.measures;
  plan.hasOwnStep = hasOwnStep(plan.model);
  if (plan.hasOwnStep) {
    MPC_RETURN_IF_ERROR(planOwnStep(request, plan));
    return plan;
  }
  MPC_ASSIGN_OR_RETURN(plan.batch,
                       planStep(request, import.batchSize, plan.model));
  return plan;
}

static rt::Status addShape(const TrainingRequest &request,
                           const ImportFlags &import,
                           mlir::MLIRContext &context, TrainingPlan &plan) {
  if (plan.hasOwnStep)
    return rt::usageError("the module writes its step out, for batches of the "
                          "shapes that it names, and has no others");
  MPC_RETURN_IF_ERROR(
      checkReadAgain(request.modelPath, request.modelBytes != nullptr));
  MPC_ASSIGN_OR_RETURN(ImportedModel model,
                       readModel(request, import, context));
  MPC_RETURN_IF_ERROR(planStep(request, import.batchSize, model).status());
  plan.otherShapes.push_back(std::move(model));
  return {};
}

/// The samples that fill no batch at the end of an epoch.
static rt::Result<int64_t> restOf(const TrainingRequest &request,
                                  TrainingPlan &plan) {
  if (!request.smallerLastBatch || plan.batch == 0)
    return 0;
  MPC_ASSIGN_OR_RETURN(rt::DataFiles data,
                       rt::DataFiles::open(request.dataFiles));
  for (const std::string &name : batchInputs(plan.model, request.sharedInputs))
    if (auto shape = data.shapeOf(name); shape && !shape->empty())
      return shape->front() % plan.batch;
  return 0; // What reads the data says what it lacks.
}

rt::Result<TrainingPlan> mpc::planTraining(const TrainingRequest &request,
                                           mlir::MLIRContext &context) {
  MPC_ASSIGN_OR_RETURN(std::vector<ImportFlags> shapes,
                       splitShapes(request.recipe.import, request.batchSizes));
  MPC_ASSIGN_OR_RETURN(TrainingPlan plan,
                       planFirst(request, shapes.front(), context));
  for (const ImportFlags &shape : llvm::drop_begin(shapes))
    MPC_RETURN_IF_ERROR(addShape(request, shape, context, plan));
  MPC_ASSIGN_OR_RETURN(int64_t rest, restOf(request, plan));
  if (rest > 0)
    MPC_RETURN_IF_ERROR(addShape(request,
                                 withBatch(shapes.front(), plan.batch, rest,
                                           request.sharedInputs),
                                 context, plan)
                            .withContext("--last-batch=smaller"));
  plan.initialValues = takeInitialValues(plan.model);
  plan.tied = tiedNames(plan.model);
  return plan;
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileShapes(const TrainingPlan &plan,
                   llvm::function_ref<rt::Result<std::shared_ptr<rt::Program>>(
                       const ImportedModel &)>
                       compile) {
  std::vector<std::shared_ptr<rt::Program>> programs;
  MPC_ASSIGN_OR_RETURN(programs.emplace_back(), compile(plan.model));
  for (const ImportedModel &other : plan.otherShapes) {
    MPC_ASSIGN_OR_RETURN(programs.emplace_back(), compile(other));
  }
  return rt::linkPrograms(programs);
}

static rt::Result<std::shared_ptr<rt::Program>>
compileOrFind(const ImportedModel &model, const CompileOptions &options,
              CompileReport &report) {
  auto compile = [&] {
    ImportedModel copy;
    copy.module = model.module.get().clone();
    return compileTraining(copy, options, report);
  };
  // Explanations and texts are made on the way.
  if (options.explain || options.target.isPartial())
    return compile();
  MPC_ASSIGN_OR_RETURN(std::string passes, trainingPasses(model, options));
  CompileKey key = {model.module.get(), passes, options.target.cpu};
  return compileOnce(key, compile, report.warnings);
}

/// Warnings that are new, and what each stage took; the first explanation.
static void addReport(CompileReport own, CompileReport &report) {
  for (std::string &warning : own.warnings)
    if (!llvm::is_contained(report.warnings, warning))
      report.warnings.push_back(std::move(warning));
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

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileTrainingProgram(const TrainingPlan &plan, const std::string &cpu,
                            bool runsHere, CompileReport &report) {
  CompileOptions options = plan.options;
  options.target.cpu = cpu;
  options.target.runsHere = runsHere;
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compileShapes(plan, [&](const ImportedModel &model) {
                         // Warnings and times of all; what is explained is the
                         // first.
                         CompileReport own;
                         auto made = compileOrFind(model, options, own);
                         addReport(std::move(own), report);
                         return made;
                       }));
  setInitialValues(*program, plan.initialValues);
  program->tied = plan.tied;
  if (!plan.hasOwnStep)
    drawBySeed(*program);
  amp::RecipeOp recipe =
      amp::findRecipe(mlir::ModuleOp(plan.model.module.get()));
  // A step that the module writes out changes what it likes.
  auto batches = static_cast<int64_t>(recipe.getAccumulate());
  program->protocol = {.accumulate = batches,
                       .keepState = plan.hasOwnStep || changesState(recipe),
                       .floorName = plan.floorName,
                       .rule = plan.hasOwnStep
                                   ? recordOf(recipe, amp::Section::Precision)
                                   : recordOf(recipe)};
  if (!plan.hasOwnStep && recipe.getRule()->isCallback())
    program->protocol.callerUpdates = callerUpdates(*program, batches);
  program->recipe = textOf(recipe);
  return program;
}
