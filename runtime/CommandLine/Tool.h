// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The common parts of command-line tools: parsing flags, reporting a Status,
/// returning an exit code.
#ifndef MPC_RUNTIME_COMMANDLINE_TOOL_H
#define MPC_RUNTIME_COMMANDLINE_TOOL_H

#include "runtime/Support/Status.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace mpc::rt {

struct Tool {
  std::string name;        ///< "mpc-train"
  std::string description; ///< The line under the usage in --help.
  /// Registers flags and positionals.
  std::function<void(CLI::App &)> addFlags;
  /// Does the work after parsing. Returns the exit code, 0 or 128 + a signal.
  /// May throw: std::bad_alloc becomes exit 3, anything else exit 70.
  std::function<Result<int>()> run;
};

/// The main() of a tool. Help and --version go to standard output; an error is
/// one line "NAME: error: MESSAGE" on standard error, and the exit code is that
/// of its Status.
[[nodiscard]] int runTool(const Tool &tool, int argc, const char *const *argv);

/// The main() of a tool whose `run` parses the flags itself.
[[nodiscard]] int runReporting(const std::string &tool,
                               const std::function<Result<int>()> &run);

/// Registers the flags of `tool` in `app`, a new one, and parses them. Returns
/// the text of --help or --version if one was given, else an empty text.
[[nodiscard]] Result<std::string> readFlags(const Tool &tool, CLI::App &app,
                                            int argc, const char *const *argv);

/// Parses into `app`. Returns the text of --help or --version if one was given,
/// else an empty text. CLI11's exceptions do not leave this function.
[[nodiscard]] Result<std::string> parseFlags(CLI::App &app, int argc,
                                             const char *const *argv);

/// Prints "NAME: error: MESSAGE" and returns the exit code of a failure.
int reportError(const std::string &tool, const Status &status);

/// Prints "NAME: warning: MESSAGE".
void reportWarning(const std::string &tool, const std::string &message);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_TOOL_H
