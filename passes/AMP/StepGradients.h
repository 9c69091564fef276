// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The gradients of a step: from one batch's loss, or from the caller.
#ifndef MPC_PASSES_AMP_STEPGRADIENTS_H
#define MPC_PASSES_AMP_STEPGRADIENTS_H

#include "passes/AMP/EntryBuilder.h"

namespace mpc::amp {

/// The values from which an update starts.
struct StepGradients {
  mlir::Value scale; ///< The scale of these gradients, f32.
  /// The unscaled loss, f32; null where gradients are inputs.
  mlir::Value loss;
  /// The scaled gradients, one for each set.
  llvm::SmallVector<mlir::Value> gradients;
  llvm::SmallVector<mlir::Value> buffers; ///< The next value of each buffer.
  /// Further values that the step yields beside the loss, each with its name.
  llvm::SmallVector<std::pair<std::string, mlir::Value>> outputs;
};

/// The current scale in f32; 1 where the policy has none.
mlir::Value readScale(EntryBuilder &entry);

/// Adds the inputs of one batch, and differentiates its scaled loss.
StepGradients differentiateBatch(EntryBuilder &entry);

/// Adds an input for each parameter's scaled gradient.
StepGradients readGradients(EntryBuilder &entry);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_STEPGRADIENTS_H
