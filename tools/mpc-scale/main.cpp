// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-scale: loss-scale policies on the command line.
#include "runtime/CommandLine/Tool.h"
#include "tools/mpc-scale/Commands.h"

#include <vector>

using namespace mpc;

static std::vector<Command> addCommands(CLI::App &app) {
  app.require_subcommand(1);
  return {
      addReplayCommand(app),
#ifdef MPC_HAS_COMPILER
      addStepCommand(app),
#endif
  };
}

static rt::Result<int> runCommand(const std::vector<Command> &commands) {
  for (const Command &command : commands)
    if (command.app->parsed()) {
      MPC_RETURN_IF_ERROR(command.run());
      return 0;
    }
  return rt::internalError("no command was run");
}

int main(int argc, char **argv) {
  std::vector<Command> commands;
  rt::Tool tool;
  tool.name = "mpc-scale";
  tool.description = "Runs loss-scale policies outside of training.";
  tool.addFlags = [&](CLI::App &app) { commands = addCommands(app); };
  tool.run = [&] { return runCommand(commands); };
  return rt::runTool(tool, argc, argv);
}
