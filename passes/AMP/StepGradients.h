// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where a step's gradients come from: one batch's loss, or the caller.
#ifndef MPC_PASSES_AMP_STEPGRADIENTS_H
#define MPC_PASSES_AMP_STEPGRADIENTS_H

#include "passes/AMP/EntryBuilder.h"

namespace mpc::amp {

/// What an update starts from.
struct StepGradients {
  mlir::Value scale; ///< f32, in force for these gradients.
  mlir::Value loss;  ///< f32, unscaled; null where gradients are inputs.
  llvm::SmallVector<mlir::Value> gradients; ///< Scaled, one for each set.
  llvm::SmallVector<mlir::Value> buffers;   ///< The next, one for each.
  /// What the step yields beside the loss, each with its name.
  llvm::SmallVector<std::pair<std::string, mlir::Value>> outputs;
};

/// The scale in force, in f32: 1 where the policy has none.
mlir::Value readScale(EntryBuilder &entry);

/// Adds the inputs of one batch, and differentiates its scaled loss.
StepGradients differentiateBatch(EntryBuilder &entry);

/// Adds an input for each parameter's scaled gradient.
StepGradients readGradients(EntryBuilder &entry);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_STEPGRADIENTS_H
