// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The DATA and OUTPUT flags that mpc-train and mpc-run share.
#ifndef MPC_RUNTIME_COMMANDLINE_TRAINFLAGS_H
#define MPC_RUNTIME_COMMANDLINE_TRAINFLAGS_H

#include "runtime/Train/Data.h"
#include "runtime/Train/Trainer.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace mpc::rt {

/// The values of the DATA flags.
struct DataFlags {
  DataOptions data;
  std::string init;      ///< The file of initial weights; or empty.
  int64_t batchSize = 0; ///< The size of a batch; 0 where the model decides.
  int64_t steps = 0;     ///< The number of steps; 0: by epochs.
  double epochs = 1;
};

/// The values of the OUTPUT flags.
struct OutputFlags {
  std::string metrics, plot, tensorboard, record, checkpointDir;
  std::string exportedWeights, exportedModel;
  int64_t checkpointEvery = 0;
  bool savesInParts = false;
  bool resume = false;
  bool json = false;
  std::string explain;   ///< File; "-" for standard output; empty for none.
  std::string nanReport; ///< See NanWatchOptions::report.
  AtFloor atFloor = AtFloor::Warn;
  EvaluatorOptions evaluation;
};

/// Registers the flags; the structs must outlive parsing.
void addDataFlags(CLI::App &app, DataFlags &flags);
/// Refuses data that can be read only once, where it is read more than once.
Status checkData(const DataFlags &flags, const EvaluatorOptions &evaluation);
void addOutputFlags(CLI::App &app, OutputFlags &flags);
/// Adds --eval-data and the flags that belong to it.
void addFileEvaluationFlags(CLI::App &app, EvaluatorOptions &options);
/// Adds --at-floor, for tools that can compile.
void addFloorFlag(CLI::App &app, OutputFlags &flags);
/// Adds --lr, --lr-schedule, its parameters and --warmup-steps. A step gets the
/// rate at run time, so that mpc-run has these flags too. Schedule::check()
/// tells whether they fit together.
void addScheduleFlags(CLI::App &app, Schedule &schedule);
/// Whether `flag` is one of them.
[[nodiscard]] bool isScheduleFlag(std::string_view flag);
/// Adds --steps and --epochs.
void addLengthFlags(CLI::App &app, DataFlags &flags);
/// Adds --seed, --order and --last-batch.
void addOrderFlags(CLI::App &app, DataOptions &data);
/// Adds --replay.
void addReplayFlag(CLI::App &app, int64_t &replays);
/// Adds --threads.
void addThreadFlag(CLI::App &app, RunnerOptions &options);

/// The options of train() that these flags set.
[[nodiscard]] TrainOptions toTrainOptions(const DataFlags &data,
                                          const OutputFlags &output,
                                          const Schedule &schedule);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_TRAINFLAGS_H
