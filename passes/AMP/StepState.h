// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The state of a training step that follows from a recipe: its scaler and its
/// optimizer.
#ifndef MPC_PASSES_AMP_STEPSTATE_H
#define MPC_PASSES_AMP_STEPSTATE_H

#include "passes/AMP/StepWriter.h"

namespace mpc::amp {

/// Adds the loss scaler @scaler, with all settings of the recipe's policy.
void addScaler(mlir::ModuleOp module, RecipeOp recipe);

/// Adds the recipe's optimizer @optimizer, which trains nothing yet. Warns of
/// an epsilon that f32 cannot hold.
void addOptimizer(mlir::ModuleOp module, const StepPlan &plan);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_STEPSTATE_H
