// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What every command-line tool does alike: parse its flags, report a Status,
/// return an exit code.
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
  /// Does the work after parsing; the value is the exit code, 0 or 128 + a
  /// signal. May throw: std::bad_alloc is exit 3, anything else exit 70.
  std::function<Result<int>()> run;
};

/// The main() of a tool. Help and --version go to standard output; an error is
/// one line "NAME: error: MESSAGE" on standard error, and the exit code is that
/// of its Status.
[[nodiscard]] int runTool(const Tool &tool, int argc, const char *const *argv);

/// The same of a tool whose flags `run` reads itself.
[[nodiscard]] int runReporting(const std::string &tool,
                               const std::function<Result<int>()> &run);

/// Registers the flags of `tool` in `app`, a new one, and parses them. An empty
/// text means: go on; else it is what --help or --version asked for.
[[nodiscard]] Result<std::string> readFlags(const Tool &tool, CLI::App &app,
                                            int argc, const char *const *argv);

/// Parses into `app`. An empty text means: go on; else it is what --help or
/// --version asked for. None of CLI11's exceptions leaves it.
[[nodiscard]] Result<std::string> parseFlags(CLI::App &app, int argc,
                                             const char *const *argv);

/// Prints "NAME: error: MESSAGE" and returns the exit code of a failure.
int reportError(const std::string &tool, const Status &status);

/// Prints "NAME: warning: MESSAGE".
void reportWarning(const std::string &tool, const std::string &message);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_TOOL_H
