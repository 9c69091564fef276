// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Training a program as a command-line tool does: mpc-train and mpc-run.
#ifndef MPC_RUNTIME_COMMANDLINE_TRAINTOOL_H
#define MPC_RUNTIME_COMMANDLINE_TRAINTOOL_H

#include "runtime/CommandLine/ProfileFlags.h"
#include "runtime/CommandLine/RankFlags.h"
#include "runtime/CommandLine/TrainFlags.h"
#include "runtime/Program/Program.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Recompiler.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mpc::rt {

struct TrainTool {
  std::string name; ///< "mpc-train", for messages.
  DataFlags data;
  OutputFlags output;
  Schedule schedule;
  ProfileFlags profile;
  RunnerOptions runner;
  RankFlags ranks;
  /// The ranks, where they are open already; null: trainProgram() opens them.
  std::shared_ptr<Ranks> openRanks = nullptr;
  int64_t replays = 0;
  double compileSeconds = 0;
  StageSeconds compileStages;     ///< See RunSummary.
  std::vector<GivenNumber> given; ///< See TrainOptions.
  /// Compiles the step again; empty where there is no compiler.
  Recompile recompile;
  std::function<Status(const Runner &)> exportModel; ///< See TrainHooks.
};

/// Adds the flags on how mpc-train runs a program, except those of the data:
/// schedule, threads, outputs. None of them changes the program.
void addLoopFlags(CLI::App &app, TrainTool &tool);

/// Creates the runner and its first state (see initializeState), opens the
/// data, and trains by the program's protocol until the end or a stop. Returns
/// the exit code: 0, or 128 + the signal.
Result<int> trainProgram(std::shared_ptr<const Program> program,
                         const TrainTool &tool);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_TRAINTOOL_H
