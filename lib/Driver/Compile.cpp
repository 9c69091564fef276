// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilation of evaluations and training steps.
#include "lib/Driver/Compile.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Codegen/CPU/Target.h"
#include "lib/Driver/Diagnostics.h"
#include "lib/Driver/OwnStep.h"
#include "lib/Driver/Patterns.h"
#include "lib/Driver/ProgramBuilder.h"
#include "passes/AMP/Passes.h"
#include "passes/NN/AutocastPolicy.h"
#include "passes/NN/Passes.h"

using namespace mlir;
using namespace mpc;

rt::Result<LossOptions> mpc::parseLoss(const std::string &text) {
  auto [kind, output] = StringRef(text).split(':');
  if (kind != "cross_entropy" && kind != "mse" && kind != "output")
    return rt::usageError("--loss='" + text +
                          "': known are cross_entropy[:OUTPUT], "
                          "mse[:OUTPUT] and output:NAME");
  if (kind == "output" && output.empty())
    return rt::usageError("--loss=output needs the output's name, as in "
                          "--loss=output:loss");
  LossOptions options;
  options.kind = kind.str();
  options.output = output.str();
  return options;
}

/// The range of an input that is read as `size` rows or classes.
static void addBound(func::FuncOp function, Value indices, int64_t low,
                     int64_t size, CompileReport &report) {
  auto argument = dyn_cast<BlockArgument>(indices);
  if (!argument)
    return;
  auto name =
      function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "nn.name");
  if (name)
    report.bounds.push_back({name.str(), low, size});
}

static void findBounds(func::FuncOp function, CompileReport &report) {
  function.walk([&](nn::GatherOp op) {
    int64_t size = cast<RankedTensorType>(op.getInput().getType())
                       .getDimSize(op.getAxis());
    addBound(function, op.getIndices(), -size, size, report);
  });
  function.walk([&](nn::CrossEntropyOp op) {
    int64_t size = cast<RankedTensorType>(op.getLogits().getType())
                       .getDimSize(op.getAxis());
    if (!op.getIgnoreIndex())
      addBound(function, op.getTarget(), 0, size, report);
  });
}

static rt::Status runPasses(ImportedModel &model, PassManager &manager,
                            CompileReport &report, const char *stage) {
  DiagnosticCollector diagnostics(model.module->getContext());
  LogicalResult result = manager.run(*model.module);
  llvm::append_range(report.warnings, diagnostics.warnings());
  return failed(result) ? diagnostics.status(stage) : rt::Status();
}

/// Gives the model's outputs their type, where one is asked for.
static rt::Status castOutputs(ImportedModel &model,
                              const PrecisionOptions &options,
                              CompileReport &report) {
  if (!options.outputType)
    return {};
  PassManager manager(model.module->getContext());
  nn::CastOutputsPassOptions outputs;
  outputs.type = *options.outputType;
  manager.addPass(nn::createCastOutputsPass(outputs));
  return runPasses(model, manager, report, "casting the outputs");
}

/// Lets the model use the batch's statistics and keep the running ones.
static rt::Status setTrainingMode(ImportedModel &model, CompileReport &report) {
  PassManager manager(model.module->getContext());
  manager.addPass(nn::createTrainingModePass());
  return runPasses(model, manager, report, "setting the training mode");
}

/// Makes @loss, where there is a loss, and finds out about the inputs.
static rt::Status addLoss(ImportedModel &model, const LossOptions &options,
                          CompileReport &report) {
  if (options.kind.empty()) {
    if (auto function = model.module->lookupSymbol<func::FuncOp>("model"))
      findBounds(function, report);
    return {};
  }
  PassManager manager(model.module->getContext());
  nn::AddLossPassOptions loss;
  loss.loss = options.kind;
  loss.output = options.output;
  loss.targetShape = llvm::to_vector(options.targetShape);
  manager.addPass(nn::createAddLossPass(loss));
  DiagnosticCollector diagnostics(model.module->getContext());
  if (failed(manager.run(*model.module)))
    return diagnostics.status("adding the loss");
  findBounds(model.module->lookupSymbol<func::FuncOp>("loss"), report);
  return {};
}

rt::Status mpc::readAutocastPolicy(PrecisionOptions &options,
                                   MLIRContext &context) {
  auto [policy, error] = nn::loadAutocastPolicy(options.policy, context);
  options.loadedPolicy = policy;
  if (policy)
    return {};
  if (error.kind == nn::PolicyError::Kind::Usage)
    return rt::usageError("--autocast-policy=" + error.message);
  return rt::invalidInput(error.message);
}

static rt::Status checkPrecision(ImportedModel &model,
                                 const PrecisionOptions &options,
                                 CompileReport &report) {
  std::vector<PatternFlag> flags = {{"--keep-fp32", options.keepFp32},
                                    {"--lower", options.lower}};
  MPC_RETURN_IF_ERROR(checkPatterns(flags));
  warnOfUnmatchedNodes(*model.module, flags, report.warnings);
  if (options.precision == Precision::FP32 &&
      options.policy != PrecisionOptions().policy)
    report.warnings.push_back("--autocast-policy=" + options.policy +
                              " changes nothing with --precision=fp32");
  return {};
}

static rt::Status checkParameterPatterns(ImportedModel &model,
                                         const TrainingOptions &options,
                                         CompileReport &report) {
  std::vector<PatternFlag> flags = {{"--no-decay", options.noDecay},
                                    {"--freeze", options.freeze},
                                    {"--trainable", options.trainable}};
  MPC_RETURN_IF_ERROR(checkPatterns(flags));
  warnOfUnmatchedParameters(*model.module, flags, report.warnings);
  return {};
}

/// Gives every op its precision, and explains it where that is asked for:
/// before gradients, whose ops follow those of the forward pass.
static rt::Status placeCasts(ImportedModel &model,
                             const PrecisionOptions &options, bool trains,
                             CompileReport &report) {
  PassManager manager(model.module->getContext());
  buildPrecisionPipeline(manager, options);
  MPC_RETURN_IF_ERROR(runPasses(model, manager, report, "casting"));
  if (options.explain) {
    report.explanation = explainPrecision(*model.module, trains);
    report.explanation.precision = stringifyPrecision(options.precision);
    StringRef policy = options.policy;
    policy.consume_front("preset:");
    report.explanation.policy = policy.str();
  }
  return {};
}

static ModelMode findMode(ModuleOp module) {
  ModelMode mode = ModelMode::Either;
  module.walk([&](Operation *op) {
    if (isa<nn::BatchNormTrainingOp>(op))
      mode = ModelMode::Training;
    else if (isa<nn::BatchNormOp>(op) && mode == ModelMode::Either)
      mode = ModelMode::Inference;
  });
  return mode;
}

rt::Status mpc::explainModel(ImportedModel &model, const EvalOptions &options,
                             CompileReport &report) {
  MPC_RETURN_IF_ERROR(checkPrecision(model, options.precision, report));
  MPC_RETURN_IF_ERROR(castOutputs(model, options.precision, report));
  if (options.training)
    MPC_RETURN_IF_ERROR(setTrainingMode(model, report));
  report.mode = findMode(*model.module);
  MPC_RETURN_IF_ERROR(addLoss(model, options.loss, report));
  return placeCasts(model, options.precision, /*trains=*/false, report);
}

/// Runs `manager` on the model, then makes the program.
static rt::Result<std::shared_ptr<rt::Program>>
finish(ImportedModel &model, PassManager &manager, const TargetOptions &target,
       CompileReport &report) {
  llvm::Expected<cpu::CpuTarget> cpuTarget = cpu::getCpuTarget(target.cpu);
  if (!cpuTarget)
    return rt::usageError(llvm::toString(cpuTarget.takeError()));
  KernelOptions kernels;
  kernels.lanes = cpuTarget->lanes;
  kernels.fuse = target.fuse;
  kernels.naive = target.naive;
  buildKernelPipeline(manager, kernels);
  MPC_RETURN_IF_ERROR(runPasses(model, manager, report, "compilation"));
  if (llvm::Error error = cpu::checkRunsHere(*cpuTarget))
    return rt::environmentError(llvm::toString(std::move(error)));
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       buildProgram(*model.module, *cpuTarget));
  program->bounds = std::move(report.bounds);
  return program;
}

static void lowerState(PassManager &manager,
                       const PrecisionOptions &precision) {
  amp::LowerStatePassOptions options;
  options.saturate = precision.saturateWeights;
  manager.addPass(amp::createLowerStatePass(options));
  manager.addPass(amp::createFuseOptimizerPass());
}

static rt::Status makeEval(ImportedModel &model, const EvalOptions &options,
                           CompileReport &report) {
  MPC_RETURN_IF_ERROR(explainModel(model, options, report));
  PassManager manager(model.module->getContext());
  nn::BuildEvalPassOptions eval;
  eval.gradients = options.gradients;
  manager.addPass(nn::createBuildEvalPass(eval));
  buildAutodiffPipeline(manager);
  return runPasses(model, manager, report, "compilation");
}

LarcOptions LarcOptions::of(const std::string &mode) {
  LarcOptions options;
  options.mode = mode;
  if (options.isApex()) {
    options.eta = 0.02;
    options.eps = 1e-8;
  }
  return options;
}

static amp::BuildStepPassOptions stepOptions(const TrainingOptions &options) {
  amp::BuildStepPassOptions step;
  step.policy = options.policy;
  step.settings = llvm::to_vector(options.settings);
  step.optimizer = options.optimizer;
  step.hyper = llvm::to_vector(options.hyper);
  step.flags = llvm::to_vector(options.flags);
  step.noDecay = llvm::to_vector(options.noDecay);
  step.freeze = llvm::to_vector(options.freeze);
  step.trainable = llvm::to_vector(options.trainable);
  step.clipGlobalNorm = options.clipGlobalNorm;
  step.clipNorm = options.clipNorm;
  step.clipValue = options.clipValue;
  step.clipScaled = options.clipScaled;
  step.clipNormOrder = options.clipNormOrder;
  step.larc = options.larc.mode;
  step.larcEta = options.larc.eta;
  step.larcMinUpdate = options.larc.minUpdate;
  step.larcEps = options.larc.eps;
  step.l1 = options.l1;
  step.l2 = options.l2;
  step.ema = options.ema;
  step.masterWeights = options.masterWeights;
  step.slotType = options.slotType;
  // It is state, an f64: no more than 53 bits.
  constexpr uint64_t kSeedMask = (uint64_t{1} << 53) - 1;
  step.roundingSeed = static_cast<int64_t>(
      (options.roundingSeed ^ (options.roundingSeed >> 53)) & kSeedMask);
  step.accumulate = options.accumulate;
  step.gradientType = options.gradientType;
  step.noGradient = llvm::to_vector(options.noGradient);
  step.gradientSets = llvm::to_vector(options.gradientSets);
  return step;
}

/// Everything up to state in slabs, of a step that is made from a recipe.
static rt::Status makeStep(ImportedModel &model, const TrainingOptions &options,
                           CompileReport &report) {
  MPC_RETURN_IF_ERROR(checkPrecision(model, options.precision, report));
  MPC_RETURN_IF_ERROR(checkParameterPatterns(model, options, report));
  MPC_RETURN_IF_ERROR(castOutputs(model, options.precision, report));
  MPC_RETURN_IF_ERROR(setTrainingMode(model, report));
  MPC_RETURN_IF_ERROR(addLoss(model, options.loss, report));
  MPC_RETURN_IF_ERROR(
      placeCasts(model, options.precision, /*trains=*/true, report));
  PassManager manager(model.module->getContext());
  manager.addPass(amp::createBuildStepPass(stepOptions(options)));
  buildAutodiffPipeline(manager);
  return runPasses(model, manager, report, "compilation");
}

/// Everything up to state in slabs, of a step that the module writes out.
static rt::Status makeOwnStep(ImportedModel &model,
                              const PrecisionOptions &precision,
                              CompileReport &report) {
  if (precision.outputType)
    return rt::usageError("--output-dtype: the module writes its step out; an "
                          "nn.cast in it says what type a result has");
  MPC_RETURN_IF_ERROR(checkPrecision(model, precision, report));
  nameResults(*model.module);
  {
    DiagnosticCollector diagnostics(model.module->getContext());
    if (failed(checkEntries(*model.module)))
      return diagnostics.status("compilation");
  }
  MPC_RETURN_IF_ERROR(placeCasts(model, precision, /*trains=*/true, report));
  PassManager manager(model.module->getContext());
  manager.addPass(amp::createCheckScalingPass());
  buildAutodiffPipeline(manager);
  MPC_RETURN_IF_ERROR(runPasses(model, manager, report, "differentiation"));
  // Models are part of the entries by now, and entries know the inputs.
  for (auto entry : model.module->getOps<func::FuncOp>())
    if (entry.isPublic())
      findBounds(entry, report);
  return {};
}

/// A module without a model to evaluate is evaluated by its own step.
static rt::Status makeAnyEval(ImportedModel &model, const EvalOptions &options,
                              CompileReport &report) {
  if (hasModel(model))
    return makeEval(model, options, report);
  if (!hasOwnStep(model))
    return rt::invalidInput("has no function @model to evaluate, and no step: "
                            "@step, or @accumulate and @apply");
  if (!options.loss.kind.empty())
    return rt::usageError("--loss: the module writes its step out, with losses "
                          "of its own; what the step returns is written, "
                          "gradients too");
  return makeOwnStep(model, options.precision, report);
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileEval(ImportedModel &model, const EvalOptions &options,
                 CompileReport &report) {
  MPC_RETURN_IF_ERROR(makeAnyEval(model, options, report));
  PassManager manager(model.module->getContext());
  lowerState(manager, options.precision);
  return finish(model, manager, options.target, report);
}

static rt::Status makeAnyStep(ImportedModel &model,
                              const TrainingOptions &options,
                              CompileReport &report) {
  return hasOwnStep(model) ? makeOwnStep(model, options.precision, report)
                           : makeStep(model, options, report);
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileTraining(ImportedModel &model, const TrainingOptions &options,
                     CompileReport &report) {
  MPC_RETURN_IF_ERROR(makeAnyStep(model, options, report));
  PassManager manager(model.module->getContext());
  if (options.countUnderflow)
    manager.addPass(amp::createCountUnderflowPass());
  lowerState(manager, options.precision);
  return finish(model, manager, options.target, report);
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileProbe(ImportedModel &model, const TrainingOptions &options,
                  CompileReport &report,
                  llvm::function_ref<void(func::FuncOp)> inspect) {
  MPC_RETURN_IF_ERROR(makeAnyStep(model, options, report));
  PassManager manager(model.module->getContext());
  manager.addPass(amp::createAddProbesPass());
  MPC_RETURN_IF_ERROR(runPasses(model, manager, report, "compilation"));
  for (auto function : model.module->getOps<func::FuncOp>())
    if (amp::isEntry(function))
      inspect(function);
  PassManager rest(model.module->getContext());
  lowerState(rest, options.precision);
  return finish(model, rest, options.target, report);
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileOptimizer(ImportedModel &model, const TrainingOptions &options,
                      CompileReport &report) {
  PassManager manager(model.module->getContext());
  manager.addPass(amp::createBuildStepPass(stepOptions(options)));
  lowerState(manager, options.precision);
  return finish(model, manager, options.target, report);
}
