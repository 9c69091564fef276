// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The subcommands of mpc-scale. Each adds its flags to the program and returns
/// a function that runs it.
#ifndef MPC_TOOLS_MPC_SCALE_COMMANDS_H
#define MPC_TOOLS_MPC_SCALE_COMMANDS_H

#include "runtime/Support/Status.h"

#include <CLI/CLI.hpp>
#include <functional>

namespace mpc {

struct Command {
  CLI::App *app;
  std::function<rt::Status()> run;
};

Command addReplayCommand(CLI::App &program);
/// Exists only where the compiler is built.
Command addStepCommand(CLI::App &program);

} // namespace mpc

#endif // MPC_TOOLS_MPC_SCALE_COMMANDS_H
