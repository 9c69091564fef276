// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From scaled gradients to new parameters and a new scale.
#ifndef MPC_PASSES_AMP_STEPUPDATE_H
#define MPC_PASSES_AMP_STEPUPDATE_H

#include "passes/AMP/EntryBuilder.h"

namespace mpc::amp {

/// The findings of an update, as scalars.
struct StepFindings {
  mlir::Value found; ///< i1: whether a checked gradient is not finite.
  /// f64: the norm of the unscaled gradients, before clipping.
  mlir::Value norm;
  mlir::Value counter; ///< The policy's counter after the step.
  mlir::Value error;   ///< The policy's error state after the step.
};

/// Updates the parameters of the plan by `gradients` at the rate `lr`, and
/// updates the scale. There are gradients for each set, scaled by `scale`.
StepFindings buildUpdate(EntryBuilder &entry,
                         llvm::ArrayRef<mlir::Value> gradients,
                         mlir::Value scale, mlir::Value lr);

/// The update of a step in which no parameter has a gradient. It counts as
/// finite.
StepFindings buildEmptyUpdate(EntryBuilder &entry);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_STEPUPDATE_H
