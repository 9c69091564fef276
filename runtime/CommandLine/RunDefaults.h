// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Numbers of a run that a program file brings along: mpc-compile is told them,
/// and mpc-run has them where it is told no others.
#ifndef MPC_RUNTIME_COMMANDLINE_RUNDEFAULTS_H
#define MPC_RUNTIME_COMMANDLINE_RUNDEFAULTS_H

#include "runtime/CommandLine/TrainFlags.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <CLI/CLI.hpp>

namespace mpc::rt {

/// What a file may say of a run, which the flags of a run say else: the rate
/// with its schedule, replays, how long it is, its seed and order.
struct RunFlags {
  DataFlags data; ///< Its length, seed and order alone.
  Schedule schedule;
  int64_t replays = 0;
};

/// Registers them; `flags` must outlive parsing.
void addRunFlags(CLI::App &app, RunFlags &flags);

/// Those that `app` was given, into `flags`, as texts that need no other file.
/// A usage error where they do not go together.
[[nodiscard]] Result<RunDefaults> givenRunFlags(const CLI::App &app,
                                                const RunFlags &flags);

/// Gives `app`, which has parsed and has all flags of a run, those of
/// `defaults` that it was not given and that go with what it was given.
/// `schedule` is what it parses the schedule into. Fails on flags and values
/// that a file cannot have.
[[nodiscard]] Status applyRunDefaults(const RunDefaults &defaults,
                                      CLI::App &app, Schedule &schedule);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_RUNDEFAULTS_H
