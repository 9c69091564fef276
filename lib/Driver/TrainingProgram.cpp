// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composition of a training program.
#include "lib/Driver/TrainingProgram.h"

#include "dialects/AMP/Optimizers.h"
#include "dialects/NN/EntryNames.h"
#include "lib/Driver/CompileCache.h"
#include "lib/Driver/OwnStep.h"
#include "lib/Driver/Parameters.h"
#include "lib/Driver/RuleRecord.h"
#include "mlir/IR/MLIRContext.h"
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
  writePrecision(request.recipe.precision, recipe);
  recipe.setAccumulate(request.recipe.accumulate);
  auto floor = findFloor(plan.model, "--at-floor");
  plan.floorName = floor.ok() ? *floor : "";
  return {};
}

static rt::Status planStep(const TrainingRequest &request, TrainingPlan &plan) {
  amp::RecipeOp recipe = addRecipe(*plan.model.module);
  MPC_RETURN_IF_ERROR(writeRecipe(request.recipe, recipe));
  MPC_ASSIGN_OR_RETURN(
      int64_t batch,
      checkBatchSize(plan.model, request.batchSize, request.sharedInputs));
  MPC_ASSIGN_OR_RETURN(std::vector<int64_t> shape,
                       targetShape(request.dataFiles, batch));
  writeTarget(shape, recipe);
  return {};
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
                                           mlir::MLIRContext &context,
                                           const ImportOptions &options) {
  if (request.modelBytes)
    return loadModel(*request.modelBytes, request.modelPath, context, options);
  return loadModel(request.modelPath, context, options);
}

rt::Result<TrainingPlan> mpc::planTraining(const TrainingRequest &request,
                                           mlir::MLIRContext &context) {
  ImportFlags import = request.recipe.import;
  import.batchSize = request.batchSize;
  MPC_ASSIGN_OR_RETURN(ImportOptions importOptions, toImportOptions(import));
  TrainingPlan plan;
  MPC_ASSIGN_OR_RETURN(plan.model, readModel(request, context, importOptions));
  llvm::append_range(plan.model.warnings, plan.model.gradientWarnings);
  llvm::append_range(plan.model.warnings, plan.model.trainingWarnings);
  // A file of that name is looked for even where a policy is built in.
  plan.model.files.push_back(request.recipe.precision.policy);
  if (!import.allowLosses)
    MPC_RETURN_IF_ERROR(refuseLosses(plan.model, request.modelPath));
  plan.options.target = request.recipe.target;
  plan.options.target.fuse = !request.recipe.noFuse;
  plan.options.evaluates = request.evaluates;
  plan.options.measures = request.measures;
  plan.hasOwnStep = hasOwnStep(plan.model);
  MPC_RETURN_IF_ERROR(plan.hasOwnStep ? planOwnStep(request, plan)
                                      : planStep(request, plan));
  plan.initialValues = takeInitialValues(plan.model);
  plan.tied = tiedNames(plan.model);
  return plan;
}

static rt::Result<std::shared_ptr<rt::Program>>
compileOrFind(const TrainingPlan &plan, const CompileOptions &options,
              CompileReport &report) {
  auto compile = [&] {
    ImportedModel copy;
    copy.module = plan.model.module.get().clone();
    return compileTraining(copy, options, report);
  };
  // Explanations and texts are made on the way.
  if (options.explain || options.target.isPartial())
    return compile();
  MPC_ASSIGN_OR_RETURN(std::string passes, trainingPasses(plan.model, options));
  CompileKey key = {plan.model.module.get(), passes, options.target.cpu};
  return compileOnce(key, compile, report.warnings);
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
                       compileOrFind(plan, options, report));
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
                       .rule = plan.hasOwnStep ? recordOwnRule(recipe)
                                               : recordRule(recipe)};
  if (!plan.hasOwnStep && recipe.getRule()->isCallback())
    program->protocol.callerUpdates = callerUpdates(*program, batches);
  program->recipe = textOf(recipe);
  return program;
}
