// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The defaults of a run in a program file. mpc-compile records them, and
/// mpc-run uses them for flags that are not given.
#ifndef MPC_RUNTIME_COMMANDLINE_RUNDEFAULTS_H
#define MPC_RUNTIME_COMMANDLINE_RUNDEFAULTS_H

#include "runtime/CommandLine/TrainFlags.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <CLI/CLI.hpp>

namespace mpc::rt {

/// The flags of a run that a file may have: the rate with its schedule,
/// replays, length, seed and order.
struct RunFlags {
  DataFlags data; ///< Only its length, seed and order are used.
  Schedule schedule;
  int64_t replays = 0;
};

/// Registers them; `flags` must outlive parsing.
void addRunFlags(CLI::App &app, RunFlags &flags);

/// The flags that `app` was given, in `flags`, as texts that need no other
/// file. A usage error where they contradict each other.
[[nodiscard]] Result<RunDefaults> givenRunFlags(const CLI::App &app,
                                                const RunFlags &flags);

/// Gives `app` those of `defaults` that its command line did not give and that
/// fit to it. `app` has parsed already, and has all flags of a run. `schedule`
/// is the object into which it parses the schedule. Fails on flags and values
/// that a file cannot have.
[[nodiscard]] Status applyRunDefaults(const RunDefaults &defaults,
                                      CLI::App &app, Schedule &schedule);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_RUNDEFAULTS_H
