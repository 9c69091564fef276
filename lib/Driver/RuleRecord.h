// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a checkpoint is to say of a recipe.
#ifndef MPC_LIB_DRIVER_RULERECORD_H
#define MPC_LIB_DRIVER_RULERECORD_H

#include "dialects/AMP/Recipe.h"
#include "runtime/Train/TrainingRule.h"

namespace mpc {

/// The flags of a recipe that decide how a step computes and what it does with
/// the state, as far as they are no numbers of the state themselves.
rt::TrainingRule recordRule(amp::RecipeOp recipe);

/// The same of a step that a module writes out: how its models are computed.
rt::TrainingRule recordOwnRule(amp::RecipeOp recipe);

} // namespace mpc

#endif // MPC_LIB_DRIVER_RULERECORD_H
