// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags of an evaluation that mpc-eval and mpc-run share.
#ifndef MPC_RUNTIME_COMMANDLINE_EVALFLAGS_H
#define MPC_RUNTIME_COMMANDLINE_EVALFLAGS_H

#include "runtime/Train/Evaluation.h"

#include <CLI/CLI.hpp>

#include <string>

namespace mpc::rt {

/// --inputs, --ema, --outputs, --expect, --rtol and --atol; `request` must
/// outlive parsing.
void addEvaluationFlags(CLI::App &app, EvaluationRequest &request);

/// Prints the comparisons on standard error. Returns the exit code: 1 where one
/// failed.
int reportEvaluation(const std::string &tool, const EvaluationReport &report);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_EVALFLAGS_H
