// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The training loop over a compiled program.
#ifndef MPC_RUNTIME_TRAIN_TRAINER_H
#define MPC_RUNTIME_TRAIN_TRAINER_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/Data.h"
#include "runtime/Train/Evaluator.h"
#include "runtime/Train/Metrics.h"
#include "runtime/Train/NanReport.h"
#include "runtime/Train/Progress.h"
#include "runtime/Train/Schedule.h"
#include "runtime/Train/StepCalls.h"
#include "runtime/Train/Training.h"
#include "runtime/Train/TrainingRule.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The reaction to a step that is not finite where the loss scale is at its
/// floor and cannot fall.
enum class AtFloor : uint8_t {
  Warn, ///< Warn once, and skip steps up to maxSkipsInRow.
  Stop, ///< End the training as diverged.
  Hold, ///< Skip steps without a limit.
  Fp32, ///< Compute the nodes at fault in fp32 from there on.
};

struct TrainOptions {
  int64_t steps = 0; ///< The number of optimizer steps in all; 0: by `epochs`.
  double epochs = 1; ///< The passes over the data, where `steps` is 0.
  Schedule schedule; ///< The schedule; train() sets its totalSteps.
  /// The batches of one optimizer step on each rank.
  int64_t accumulate = 1;
  int64_t replays = 0; ///< How often a skipped step is repeated at once.
  /// The number of skipped steps in a row that ends the training; 0 for never.
  int64_t maxSkipsInRow = 50;
  std::string metrics;     ///< CSV file, "-" for standard output, or empty.
  std::string plot;        ///< The SVG file of curves; or empty.
  std::string tensorboard; ///< The folder of an event file; or empty.
  std::string record; ///< The file for a trace of the loss scale; or empty.
  /// Reports on steps that are not finite: NanWatchOptions::report.
  std::string nanReport;
  /// Whether a step that is not finite changes more than the loss scale.
  bool keepState = false;
  AtFloor atFloor = AtFloor::Warn;
  /// The name of the floor of "scale": StepProtocol::floorName.
  std::string floorName;
  std::string checkpointDir;
  /// The steps between checkpoints; 0: only the last.
  int64_t checkpointEvery = 0;
  /// Whether each rank writes what it has of the state.
  bool savesInParts = false;
  bool resume = false;
  /// Whether rank 0 saves checkpoints, where another rank has no folder.
  bool sharesCheckpoints = false;
  /// The steps after which the states of all ranks are compared; 0: never.
  int64_t checkRanksEvery = 0;
  EvaluatorOptions evaluation;
  /// The bounds and shared inputs of the evaluation's files.
  DataOptions evaluationData;
  /// The rule of this training, which checkpoints record. A resume warns of
  /// differences.
  TrainingRule rule;
  /// Numbers that replace those of a checkpoint. A note reports each.
  std::vector<GivenNumber> given;
  /// The file for the weights at the end, for the model's framework; or empty.
  std::string exportedWeights;
  bool json = false; ///< Whether to print the summary line.
  /// The time of all stages of the compilation, for the summary.
  double compileSeconds = 0;
  StageSeconds compileStages;
};

/// Writes to the process's standard output.
void writeStandardOutput(std::string_view text);

/// The functions that connect a training with its surroundings.
struct TrainHooks {
  Terminal terminal = Terminal::standardError();
  std::string tool = "mpc-train"; ///< The prefix of notes and warnings.
  std::function<int()> signal; ///< Returns the signal that asks to stop, or 0.
  NanProbe probe;              ///< Runs a batch again; may be empty.
  KeepFp32 keepFp32;
  /// Writes the trained model, at the end; may be empty.
  std::function<Status(const Runner &)> exportModel;
  /// The destination of the summary, and of a plot to "-".
  std::function<void(std::string_view)> output = writeStandardOutput;
};

struct TrainResult {
  TrainPosition position;
  int signal = 0; ///< The signal that stopped the run, or 0. The run was saved.
};

/// Trains. Each optimizer step runs entry "step"; with `accumulate` > 1, or
/// where there is no "step", it runs entry "accumulate" on each batch and then
/// "apply". Inputs are batches by name, and "lr" f32[]. Outputs are scalars by
/// name, all optional, of any type: "loss" (of "step" or "accumulate");
/// "underflow" and "hidden_inf" of the same entry, which are summed over
/// batches; the current "scale", "found_inf", "grad_norm", "good_steps";
/// "skipped" where a policy applies non-finite steps, else it equals found_inf;
/// "scale_error", which is not 0 where the policy gives up. Returns after a
/// clean stop. Where the runner has ranks, a step takes the batches of all in
/// turn, and rank 0 alone writes files and has something to say. A Diverged
/// status means that the training no longer makes
/// progress.
Result<TrainResult> train(Runner &runner, DataLoader &loader,
                          const TrainOptions &options, const TrainHooks &hooks);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TRAINER_H
