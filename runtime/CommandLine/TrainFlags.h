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

/// What the DATA flags say.
struct DataFlags {
  DataOptions data;
  std::string init;      ///< Initial weights, or empty.
  int64_t batchSize = 0; ///< 0 where it is left to the model.
  int64_t steps = 0;     ///< 0 means by epochs.
  double epochs = 1;
};

/// What the OUTPUT flags say.
struct OutputFlags {
  std::string metrics, plot, tensorboard, record, checkpointDir;
  std::string exportedWeights, exportedModel;
  int64_t checkpointEvery = 0;
  bool resume = false;
  bool json = false;
  std::string explain;   ///< File; "-" for standard output; empty for none.
  std::string nanReport; ///< NanWatchOptions::report.
  AtFloor atFloor = AtFloor::Warn;
  EvaluatorOptions evaluation;
};

/// Registers the flags; the structs must outlive parsing.
void addDataFlags(CLI::App &app, DataFlags &flags);
/// Refuses data that can be read only once.
Status checkData(const DataFlags &flags, const EvaluatorOptions &evaluation);
void addOutputFlags(CLI::App &app, OutputFlags &flags);
/// --eval-data and the flags that go with it.
void addFileEvaluationFlags(CLI::App &app, EvaluatorOptions &options);
/// --at-floor, of tools that can compile.
void addFloorFlag(CLI::App &app, OutputFlags &flags);
/// --lr, --lr-schedule, its parameters and --warmup-steps: what a step is given
/// at run time, so that mpc-run has them too. Schedule::check() tells whether
/// they go together.
void addScheduleFlags(CLI::App &app, Schedule &schedule);
/// Whether it is one of those.
[[nodiscard]] bool isScheduleFlag(std::string_view flag);
/// --steps and --epochs.
void addLengthFlags(CLI::App &app, DataFlags &flags);
/// --seed, --order and --last-batch.
void addOrderFlags(CLI::App &app, DataOptions &data);
/// --replay
void addReplayFlag(CLI::App &app, int64_t &replays);
/// --threads
void addThreadFlag(CLI::App &app, RunnerOptions &options);

/// The options of train() that these flags set.
[[nodiscard]] TrainOptions toTrainOptions(const DataFlags &data,
                                          const OutputFlags &output,
                                          const Schedule &schedule);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_TRAINFLAGS_H
