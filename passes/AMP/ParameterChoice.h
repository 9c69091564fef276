// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Chooses the parameters of a model that a step trains, by the recipe's lists
/// of names.
#ifndef MPC_PASSES_AMP_PARAMETERCHOICE_H
#define MPC_PASSES_AMP_PARAMETERCHOICE_H

#include "passes/AMP/StepWriter.h"

namespace mpc::amp {

/// Fills in the parameters of `plan`, those without weight decay, and their
/// sets. Each set gets an optimizer, a copy of the module's @optimizer. Other
/// parameters become frozen; trained ones get the type in which they are kept.
/// Emits an error where a list has an entry that is not a regular expression, a
/// type cannot be trained or nothing is left to train.
mlir::LogicalResult chooseParameters(mlir::ModuleOp module, StepPlan &plan);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_PARAMETERCHOICE_H
