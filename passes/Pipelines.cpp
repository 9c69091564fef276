// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The orders in which passes run, and their names.
#include "passes/Pipelines.h"

#include "dialects/AMP/Recipe.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/AMP/Passes.h"
#include "passes/Kernel/Passes.h"
#include "passes/NN/AutocastPolicy.h"
#include "passes/NN/Passes.h"

using namespace mlir;
using namespace mpc;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static void addLoss(OpPassManager &manager, amp::RecipeOp recipe,
                    bool measures) {
  if (!recipe.getLoss())
    return;
  nn::AddLossPassOptions loss;
  loss.measures = measures;
  loss.outputs = recipe.getStepOutputs();
  nn::LossSettings settings = recipe.getLossSettings();
  loss.loss = recipe.getLoss()->getName().str();
  loss.output = recipe.getLossOutput().str();
  loss.reduction = settings.reduction;
  if (settings.ignoreIndex)
    loss.ignoreIndex.push_back(*settings.ignoreIndex);
  loss.classWeights = settings.classWeights;
  loss.labelSmoothing = settings.labelSmoothing;
  loss.delta = settings.delta;
  if (settings.classAxis)
    loss.classAxis.push_back(*settings.classAxis);
  if (ArrayAttr target = recipe.getTargetAttr())
    for (auto size : target.getAsRange<IntegerAttr>())
      loss.targetShape.push_back(size.getInt());
  manager.addPass(nn::createAddLossPass(loss));
}

void mpc::buildModelPipeline(OpPassManager &manager, amp::RecipeOp recipe,
                             bool training, bool measures) {
  if (recipe.getOutputs()) {
    nn::CastOutputsPassOptions outputs;
    outputs.type = *recipe.getOutputs();
    manager.addPass(nn::createCastOutputsPass(outputs));
  }
  nn::TrainingModePassOptions mode;
  mode.training = training;
  manager.addPass(nn::createTrainingModePass(mode));
  nn::KeyRandomPassOptions random;
  random.dropout = training && !recipe.getNoDropout();
  if (!random.dropout)
    manager.addPass(nn::createExpectGatesPass());
  manager.addPass(nn::createKeyRandomPass(random));
  addLoss(manager, recipe, measures);
}

void mpc::buildPrecisionPipeline(
    OpPassManager &manager, amp::RecipeOp recipe,
    std::shared_ptr<const nn::AutocastPolicy> policy, bool explain) {
  // This runs first, so that a weight is cast as it is stored: transposes fold
  // into the ops that read them.
  manager.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  // f32 leaves the program as it is written.
  if (recipe.getPrecision() != Precision::FP32)
    manager.addNestedPass<func::FuncOp>(nn::createRewriteBannedPass());
  nn::FindNormsPassOptions norms;
  norms.precision = recipe.getPrecision();
  norms.policy = recipe.getAutocast().str();
  manager.addNestedPass<func::FuncOp>(nn::createFindNormsPass(norms, policy));
  nn::FindAttentionPassOptions attention;
  attention.precision = recipe.getPrecision();
  attention.policy = recipe.getAutocast().str();
  for (ArrayAttr names : {recipe.getKeepFp32(), recipe.getLower()})
    llvm::append_range(attention.named, amp::stringsOf(names));
  manager.addNestedPass<func::FuncOp>(
      nn::createFindAttentionPass(attention, policy));
  nn::AutocastPassOptions autocast;
  autocast.precision = recipe.getPrecision();
  autocast.keepF32 = llvm::to_vector(amp::stringsOf(recipe.getKeepFp32()));
  autocast.lower = llvm::to_vector(amp::stringsOf(recipe.getLower()));
  autocast.leaveOpen = true;
  autocast.policy = recipe.getAutocast().str();
  autocast.explain = explain;
  bool isOwn = policy->base->isOwn;
  manager.addPass(nn::createAutocastPass(autocast, std::move(policy)));
  manager.addPass(nn::createExpandGradPass());
  nn::SimplifyCastsPassOptions casts;
  casts.refuse = recipe.getCostAware();
  manager.addNestedPass<func::FuncOp>(nn::createSimplifyCastsPass(casts));
  manager.addPass(nn::createHoistInvariantsPass());
  // This runs before casts of constants are folded, since the original
  // constants are lost then.
  manager.addPass(nn::createCheckEpsilonPass());
  // Other systems skip steps with such gradients, so that only our own policy
  // bounds them.
  if (isOwn && recipe.getPrecision() == Precision::FP16)
    manager.addPass(nn::createBoundGradientsPass());
}

void mpc::buildPreparationPipeline(OpPassManager &manager,
                                   const EvaluationOptions &options) {
  if (options.ownStep)
    manager.addPass(amp::createMarkEntriesPass());
  amp::PrepareModelPassOptions prepare;
  prepare.ownStep = options.ownStep;
  prepare.explain = options.explain;
  prepare.training = options.training;
  prepare.evaluates = options.evaluates;
  prepare.measures = options.measures;
  manager.addPass(amp::createPrepareModelPass(prepare));
}

void mpc::buildAutodiffPipeline(OpPassManager &manager) {
  manager.addPass(nn::createDifferentiatePass());
  manager.addPass(createSymbolDCEPass());
  manager.addPass(nn::createHoistInvariantsPass());
  // This runs while ops still read arguments unchanged.
  manager.addNestedPass<func::FuncOp>(nn::createFindRangesPass());
  // Then forward and backward share what they have in common.
  manager.addNestedPass<func::FuncOp>(nn::createExpandAttentionPass());
  manager.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  manager.addNestedPass<func::FuncOp>(nn::createSimplifyCastsPass());
}

void mpc::buildStatePipeline(OpPassManager &manager) {
  manager.addPass(amp::createLowerStatePass());
  manager.addPass(amp::createFuseOptimizerPass());
}

void mpc::buildKernelPipeline(OpPassManager &manager, bool fuse) {
  manager.addNestedPass<func::FuncOp>(kernel::createLowerBodiesPass());
  manager.addNestedPass<func::FuncOp>(kernel::createSplitSumsPass());
  if (fuse)
    manager.addNestedPass<func::FuncOp>(kernel::createFusePass());
  manager.addPass(kernel::createOutlinePass());
  manager.addPass(kernel::createSchedulePass());
  manager.addPass(kernel::createPlanMemoryPass());
}

//===----------------------------------------------------------------------===//
// Whole pipelines
//===----------------------------------------------------------------------===//

/// Appends the passes from entries with expanded gradients to emitted code.
static void addCode(OpPassManager &manager, bool fuse) {
  buildStatePipeline(manager);
  buildKernelPipeline(manager, fuse);
  manager.addPass(kernel::createEmitPass());
  manager.addPass(kernel::createFinishPass());
}

/// The least bytes that a value must save where a step keeps to a budget.
static constexpr int64_t kLeastUnderBudget = 1 << 16;

/// Appends the passes for entries whose gradients are still ops.
static void addStep(OpPassManager &manager, const StepOptions &options) {
  buildPreparationPipeline(manager,
                           {options, /*gradients=*/true, /*training=*/true});
  if (options.ownStep)
    manager.addPass(amp::createCheckScalingPass());
  else
    manager.addPass(amp::createBuildStepPass());
  manager.addPass(amp::createDataParallelPass());
  buildAutodiffPipeline(manager);
  // This runs after the last pass that merges equal ops.
  nn::RecomputePassOptions recompute;
  recompute.contractions = options.repeatsContractions;
  if (options.repeatsContractions)
    recompute.minBytes = kLeastUnderBudget;
  manager.addNestedPass<func::FuncOp>(nn::createRecomputePass(recompute));
}

void mpc::buildTrainingPipeline(OpPassManager &manager,
                                const StepOptions &options) {
  addStep(manager, options);
  manager.addPass(amp::createCountUnderflowPass());
  manager.addPass(amp::createCountHiddenInfinitiesPass());
  addCode(manager, options.fuse);
}

void mpc::buildProbePipeline(OpPassManager &manager,
                             const StepOptions &options) {
  addStep(manager, options);
  manager.addPass(amp::createAddProbesPass());
  addCode(manager, options.fuse);
}

void mpc::buildEvaluationPipeline(OpPassManager &manager,
                                  const EvaluationOptions &options) {
  if (options.ownStep) {
    addStep(manager, options);
  } else {
    buildPreparationPipeline(manager, options);
    nn::BuildEvalPassOptions eval;
    eval.gradients = options.gradients;
    eval.seed = options.seed;
    manager.addPass(nn::createBuildEvalPass(eval));
    buildAutodiffPipeline(manager);
  }
  addCode(manager, options.fuse);
}

void mpc::buildOptimizerPipeline(OpPassManager &manager, bool fuse) {
  manager.addPass(amp::createBuildStepPass());
  addCode(manager, fuse);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {

template <typename Pipeline>
struct KernelFlags : PassPipelineOptions<Pipeline> {
  template <typename T>
  using Option = typename PassPipelineOptions<Pipeline>::template Option<T>;

  Option<bool> fuse{*this, "fuse",
                    llvm::cl::desc("join structured ops into kernels"),
                    llvm::cl::init(true)};
};

struct KernelPipeline : KernelFlags<KernelPipeline> {};

template <typename Pipeline>
struct StepFlags : KernelFlags<Pipeline> {
  template <typename T>
  using Option = typename PassPipelineOptions<Pipeline>::template Option<T>;

  Option<bool> ownStep{*this, "own-step",
                       llvm::cl::desc("the module writes its step out"),
                       llvm::cl::init(false)};
  Option<bool> explain{*this, "explain",
                       llvm::cl::desc("keep in locations why each op has its "
                                      "precision"),
                       llvm::cl::init(false)};
  Option<bool> evaluates{*this, "evaluates",
                         llvm::cl::desc("with an evaluation beside the step"),
                         llvm::cl::init(false)};
  Option<bool> measures{*this, "measures",
                        llvm::cl::desc("with what an evaluation over a file "
                                       "adds up beside the step"),
                        llvm::cl::init(false)};

  [[nodiscard]] StepOptions step() const {
    return {ownStep, explain, this->fuse, evaluates, measures};
  }
};

struct StepPipeline : StepFlags<StepPipeline> {};

struct EvaluationPipeline : StepFlags<EvaluationPipeline> {
  Option<bool> gradients{*this, "gradients",
                         llvm::cl::desc("yield the gradients of the loss"),
                         llvm::cl::init(false)};
  Option<bool> training{*this, "training",
                        llvm::cl::desc("use the statistics of the batch and "
                                       "drop at random"),
                        llvm::cl::init(false)};
  Option<int64_t> seed{*this, "seed", llvm::cl::desc("key of random numbers"),
                       llvm::cl::init(0)};
};

} // namespace

/// Registers the parts that can run alone.
static void registerParts() {
  PassPipelineRegistration<>("mpc-autodiff-pipeline",
                             "Expand gradients and fold",
                             buildAutodiffPipeline);
  PassPipelineRegistration<>("mpc-state-pipeline",
                             "Put the state into slabs and fuse the optimizer",
                             buildStatePipeline);
  PassPipelineRegistration<KernelPipeline>(
      "mpc-kernel-pipeline", "From ops to planned kernels",
      [](OpPassManager &manager, const KernelPipeline &flags) {
        buildKernelPipeline(manager, flags.fuse);
      });
}

void mpc::registerPipelines() {
  registerParts();
  PassPipelineRegistration<StepPipeline>(
      "mpc-training-pipeline",
      "From a model and its recipe to the code of a training step",
      [](OpPassManager &manager, const StepPipeline &flags) {
        buildTrainingPipeline(manager, flags.step());
      });
  PassPipelineRegistration<StepPipeline>(
      "mpc-probe-pipeline",
      "The same, with entries that yield the magnitude of every value",
      [](OpPassManager &manager, const StepPipeline &flags) {
        buildProbePipeline(manager, flags.step());
      });
  PassPipelineRegistration<EvaluationPipeline>(
      "mpc-evaluation-pipeline",
      "From a model and its recipe to the code of an evaluation",
      [](OpPassManager &manager, const EvaluationPipeline &flags) {
        buildEvaluationPipeline(manager, {flags.step(), flags.gradients,
                                          flags.training, flags.seed});
      });
  PassPipelineRegistration<KernelPipeline>(
      "mpc-optimizer-pipeline",
      "From parameters and a recipe to the code of an optimizer's step",
      [](OpPassManager &manager, const KernelPipeline &flags) {
        buildOptimizerPipeline(manager, flags.fuse);
      });
}
