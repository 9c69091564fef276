// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From scaled gradients to new parameters and a new scale.
#ifndef MPC_PASSES_AMP_STEPUPDATE_H
#define MPC_PASSES_AMP_STEPUPDATE_H

#include "passes/AMP/EntryBuilder.h"

namespace mpc::amp {

/// What an update finds. Scalars.
struct StepFindings {
  mlir::Value found;   ///< i1: a gradient that is checked is not finite.
  mlir::Value norm;    ///< f64, of the unscaled gradients, before clipping.
  mlir::Value counter; ///< The policy's, after the step.
  mlir::Value error;   ///< The policy's, after the step.
};

/// Updates the parameters of the plan by `gradients`, one for each set, which
/// are scaled by `scale`, at the rate `lr`; updates the scale.
StepFindings buildUpdate(EntryBuilder &entry,
                         llvm::ArrayRef<mlir::Value> gradients,
                         mlir::Value scale, mlir::Value lr);

/// The update of a step of which no parameter has a gradient: it counts as
/// finite.
StepFindings buildEmptyUpdate(EntryBuilder &entry);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_STEPUPDATE_H
