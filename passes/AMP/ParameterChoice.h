// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which parameters of a model a step trains, by the recipe's lists of names.
#ifndef MPC_PASSES_AMP_PARAMETERCHOICE_H
#define MPC_PASSES_AMP_PARAMETERCHOICE_H

#include "passes/AMP/StepWriter.h"

namespace mpc::amp {

/// Fills in the parameters of `plan`, those that see no decay, and their sets,
/// each with an optimizer, copies of the module's @optimizer. Parameters that
/// are not trained become frozen; those that are get the type in which they are
/// kept. Emits an error where a list has no regular expression, a type cannot
/// be trained or nothing is left to train.
mlir::LogicalResult chooseParameters(mlir::ModuleOp module, StepPlan &plan);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_PARAMETERCHOICE_H
