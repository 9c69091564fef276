// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The RECIPE flags on a command line.
#ifndef MPC_TOOLS_FLAGS_RECIPEFLAGS_H
#define MPC_TOOLS_FLAGS_RECIPEFLAGS_H

#include "lib/Driver/Recipe.h"

#include <CLI/CLI.hpp>

namespace mpc {

/// Registers the flags of the group Precision that every tool has.
void addPrecisionFlags(CLI::App &app, PrecisionFlags &flags);

/// Registers --loss and what may be said of a loss.
void addLossFlags(CLI::App &app, std::string &loss, LossOptions &options);

/// Registers --no-dropout.
void addNoDropoutFlag(CLI::App &app, bool &noDropout);

/// Registers the flags; `flags` must outlive parsing. --lr and its schedule
/// are the runtime's.
void addRecipeFlags(CLI::App &app, RecipeFlags &flags);

} // namespace mpc

#endif // MPC_TOOLS_FLAGS_RECIPEFLAGS_H
