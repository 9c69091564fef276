// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loss-scale policies from the command line.
#include "tools/mpc-scale/Commands.h"

#include <cstdio>
#include <exception>

using namespace mpc;

static int report(const rt::Status &status) {
  // Not fmt::print, which throws where stderr cannot be written.
  if (!status.ok())
    std::fprintf(stderr, "mpc-scale: error: %s\n", status.message().c_str());
  return static_cast<int>(status.code());
}

static int run(int argc, char **argv) {
  CLI::App program("Runs loss-scale policies outside of training.",
                   "mpc-scale");
  program.require_subcommand(1);
  const Command commands[] = {
      addReplayCommand(program),
#ifdef MPC_HAS_COMPILER
      addStepCommand(program),
#endif
  };
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return program.exit(help);
  } catch (const CLI::ParseError &error) {
    return report(rt::usageError(error.what()));
  }
  for (const Command &command : commands)
    if (command.app->parsed())
      return report(command.run());
  return report(rt::internalError("no command was run"));
}

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fputs("mpc-scale: error: out of memory\n", stderr);
    return static_cast<int>(rt::StatusCode::Environment);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "mpc-scale: error: internal: %s\n", error.what());
    return static_cast<int>(rt::StatusCode::Internal);
  }
}
