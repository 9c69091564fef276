// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags of a recipe and of a compilation request, on a command line.
#ifndef MPC_LIB_DRIVER_FLAGS_RECIPEFLAGS_H
#define MPC_LIB_DRIVER_FLAGS_RECIPEFLAGS_H

#include "lib/Driver/Request.h"

#include <CLI/CLI.hpp>

namespace mpc {

/// Registers the flags of the clauses of `section`; `flags` must outlive
/// parsing.
void addClauseFlags(CLI::App &app, RecipeFlags &flags, amp::Section section);

/// Registers the flags of a CPU's code; `target` must outlive parsing.
void addTargetFlags(CLI::App &app, TargetOptions &target);

/// Registers the flags of a step's model, recipe and target; `request` must
/// outlive parsing. --lr and its schedule are flags of the runtime.
void addRequestFlags(CLI::App &app, CompileRequest &request);

} // namespace mpc

#endif // MPC_LIB_DRIVER_FLAGS_RECIPEFLAGS_H
