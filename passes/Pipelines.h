// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The orders in which passes run. No other file has such an order. `mpc-opt`
/// has each whole pipeline by its name.
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

/// Choices that are no part of the training, and so not in the recipe.
struct StepOptions {
  /// Whether the module writes its step out. Its recipe then says only how
  /// models are computed.
  bool ownStep = false;
  /// Whether locations keep the reason of each op's precision.
  bool explain = false;
  bool fuse = true; ///< Whether structured ops are joined into kernels.
  /// The entries beside the step, for evaluations. A module that writes its
  /// step out has its own entries instead.
  bool evaluates = false; ///< There is an entry "eval".
  bool measures = false;  ///< There is an entry "measure".
  /// Whether contractions are computed again, too, where a step would keep more
  /// than its target's `memory`.
  bool repeatsContractions = false;
};

struct EvaluationOptions : StepOptions {
  bool gradients = false; ///< Whether it also yields the gradients of the loss.
  /// Whether it runs in training mode, with statistics of the batch.
  bool training = false;
  int64_t seed = 0; ///< The seed of random numbers.
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

/// The passes before differentiation: amp-prepare-model, and before it
/// amp-mark-entries where the module writes its step out.
void buildPreparationPipeline(mlir::OpPassManager &manager,
                              const EvaluationOptions &options);

/// The passes that give the model its mode, its outputs' types and its loss, as
/// `recipe` says, and the sums for an evaluation over a file.
void buildModelPipeline(mlir::OpPassManager &manager, amp::RecipeOp recipe,
                        bool training, bool measures = false);

/// The passes that insert casts, as `recipe` says: autocast by `policy`, then
/// placement and sharing.
void buildPrecisionPipeline(mlir::OpPassManager &manager, amp::RecipeOp recipe,
                            std::shared_ptr<const nn::AutocastPolicy> policy,
                            bool explain);

/// mpc-autodiff-pipeline: expands vjps; afterwards only bit-exact folds run.
void buildAutodiffPipeline(mlir::OpPassManager &manager);

/// mpc-state-pipeline: lowers state to slabs, and joins ops on gradients.
void buildStatePipeline(mlir::OpPassManager &manager);

/// mpc-kernel-pipeline: bodies, fusion, schedules, memory. Leaves kernels and
/// planned entries.
void buildKernelPipeline(mlir::OpPassManager &manager, bool fuse = true);

/// Registers the names above for all parsers of pipelines.
void registerPipelines();

} // namespace mpc

#endif // MPC_PASSES_PIPELINES_H
