// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// --profile and --timeline, for tools that run programs.
#ifndef MPC_RUNTIME_COMMANDLINE_PROFILEFLAGS_H
#define MPC_RUNTIME_COMMANDLINE_PROFILEFLAGS_H

#include "runtime/Profile/Profiler.h"
#include "runtime/Runner/Runner.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace mpc::rt {

/// The values of the flags: see ProfilerOptions.
struct ProfileFlags {
  std::string profile, timeline;
};

/// Registers the flags; the struct must outlive parsing.
void addProfileFlags(CLI::App &app, ProfileFlags &flags);

/// Calls `body`, which runs `program` by `options`, and then reports what the
/// flags ask for, even where it has failed. Its error comes first.
Result<int> runProfiled(const ProfileFlags &flags, const Program &program,
                        RunnerOptions &options,
                        const std::function<Result<int>()> &body);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_PROFILEFLAGS_H
