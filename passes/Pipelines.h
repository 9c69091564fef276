// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The orders in which passes run. Nothing else knows one. `mpc-opt` has each
/// whole one by its name.
#ifndef MPC_PASSES_PIPELINES_H
#define MPC_PASSES_PIPELINES_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace mpc::amp {
class RecipeOp;
} // namespace mpc::amp
namespace mpc::nn {
struct AutocastPolicy;
} // namespace mpc::nn

namespace mpc {

/// What a recipe leaves open, as it is no part of the training.
struct StepOptions {
  /// The module writes its step out: its recipe says only how models are
  /// computed.
  bool ownStep = false;
  bool explain = false; ///< Keep in locations why each op has its precision.
  bool fuse = true;     ///< Join structured ops into kernels.
  /// What stands beside the step, as evaluations compute it; not of a module
  /// that writes its step out, which has the entries that it has.
  bool evaluates = false; ///< Entry "eval".
  bool measures = false;  ///< Entry "measure".
};

struct EvaluationOptions : StepOptions {
  bool gradients = false; ///< Also yield the gradients of the loss.
  bool training = false;  ///< In training mode, with statistics of the batch.
  int64_t seed = 0;       ///< Of random numbers.
};

//===----------------------------------------------------------------------===//
// From a module with its amp.recipe and its kernel.target to planned entries
// and emitted kernels
//===----------------------------------------------------------------------===//

/// mpc-training-pipeline: the entries of a training step.
void buildTrainingPipeline(mlir::OpPassManager &manager,
                           const StepOptions &options);

/// mpc-probe-pipeline: the same entries, which yield the largest magnitude of
/// each of their values instead (amp-add-probes).
void buildProbePipeline(mlir::OpPassManager &manager,
                        const StepOptions &options);

/// mpc-evaluation-pipeline: the entry of one evaluation.
void buildEvaluationPipeline(mlir::OpPassManager &manager,
                             const EvaluationOptions &options);

/// mpc-optimizer-pipeline: the step of an optimizer alone, whose gradients are
/// inputs.
void buildOptimizerPipeline(mlir::OpPassManager &manager, bool fuse = true);

//===----------------------------------------------------------------------===//
// Their parts
//===----------------------------------------------------------------------===//

/// What comes before gradients: amp-prepare-model, and amp-mark-entries before
/// that where the module writes its step out.
void buildPreparationPipeline(mlir::OpPassManager &manager,
                              const EvaluationOptions &options);

/// The model in its mode, with its outputs' types and its loss, as `recipe`
/// says; and with what its loss adds up to over a file.
void buildModelPipeline(mlir::OpPassManager &manager, amp::RecipeOp recipe,
                        bool training, bool measures = false);

/// Casts, as `recipe` says: autocast by `policy`, then placement and sharing.
void buildPrecisionPipeline(mlir::OpPassManager &manager, amp::RecipeOp recipe,
                            std::shared_ptr<const nn::AutocastPolicy> policy,
                            bool explain);

/// mpc-autodiff-pipeline: expands vjps; afterwards only bit-exact folds run.
void buildAutodiffPipeline(mlir::OpPassManager &manager);

/// mpc-state-pipeline: state in slabs, and what is done to gradients joined.
void buildStatePipeline(mlir::OpPassManager &manager);

/// mpc-kernel-pipeline: bodies, fusion, schedules, memory. Leaves kernels and
/// planned entries.
void buildKernelPipeline(mlir::OpPassManager &manager, bool fuse = true);

/// Makes the names above known to whatever parses a pipeline.
void registerPipelines();

} // namespace mpc

#endif // MPC_PASSES_PIPELINES_H
