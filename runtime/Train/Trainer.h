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
#include "runtime/Train/TrainingRule.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// What happens on a step that is not finite where the loss scale is at its
/// floor and cannot fall.
enum class AtFloor : uint8_t {
  Warn, ///< A warning once; skipping goes on up to maxSkipsInRow.
  Stop, ///< The training ends as diverged.
  Hold, ///< Skipping goes on, however many in a row.
  Fp32, ///< The nodes at fault compute in fp32 from there on.
};

struct TrainOptions {
  int64_t steps = 0;      ///< Optimizer steps in all; 0 means by `epochs`.
  double epochs = 1;      ///< Passes over the data, where `steps` is 0.
  Schedule schedule;      ///< Its totalSteps is set by train().
  int64_t accumulate = 1; ///< Batches of one optimizer step.
  int64_t replays = 0;    ///< Times that a skipped step is run again at once.
  int64_t maxSkipsInRow = 50; ///< That many end the training; 0 for never.
  std::string metrics;        ///< CSV file, "-" for standard output, or empty.
  std::string plot;           ///< SVG file, or empty.
  std::string tensorboard;    ///< Folder for an event file, or empty.
  std::string record;         ///< Trace of the loss scale, or empty.
  /// Report steps that are not finite: NanWatchOptions::report.
  std::string nanReport;
  /// A step that is not finite changes more than the loss scale.
  bool keepState = false;
  AtFloor atFloor = AtFloor::Warn;
  /// StepProtocol::floorName: the floor of "scale".
  std::string floorName;
  std::string checkpointDir;
  int64_t checkpointEvery = 0; ///< Steps between checkpoints; 0: only the last.
  bool resume = false;
  EvaluatorOptions evaluation;
  DataOptions evaluationData; ///< Bounds and shared inputs of its file.
  /// What checkpoints say of how they were trained; a resume warns of what is
  /// another then.
  TrainingRule rule;
  /// These replace what a checkpoint holds, with a note that says so.
  std::vector<GivenNumber> given;
  /// Where the weights go at the end, for the model's framework; or empty.
  std::string exportedWeights;
  bool json = false;         ///< Print the summary line.
  double compileSeconds = 0; ///< For the summary, as all of its stages.
  StageSeconds compileStages;
};

/// Writes to the process's standard output.
void writeStandardOutput(std::string_view text);

/// The world around a training.
struct TrainHooks {
  Terminal terminal = Terminal::standardError();
  std::string tool = "mpc-train"; ///< In front of notes and warnings.
  std::function<int()> signal;    ///< The signal that asks to stop, or 0.
  NanProbe probe;                 ///< Runs a batch again; may be empty.
  /// A runner of the step with these nodes in fp32, its state not yet set; may
  /// be empty.
  std::function<Result<std::unique_ptr<Runner>>(
      const std::vector<std::string> &nodes)>
      keepFp32;
  /// Writes the trained model, at the end; may be empty.
  std::function<Status(const Runner &)> exportModel;
  /// Where the summary, and a plot to "-", go.
  std::function<void(std::string_view)> output = writeStandardOutput;
};

struct TrainResult {
  TrainPosition position;
  int signal = 0; ///< What stopped the run, if anything; it was saved.
};

/// Trains. Each optimizer step runs entry "step"; with `accumulate` > 1, entry
/// "accumulate" on each batch and then "apply", as it does where there is no
/// "step". Inputs are batches by name, and
/// "lr" f32[]. Outputs are scalars by name, all optional, of any type: "loss"
/// (of "step" or "accumulate"), "underflow" and "hidden_inf" of the same entry,
/// which batches add up, "scale" in force, "found_inf", "grad_norm",
/// "good_steps"; "skipped" where a policy applies non-finite steps, else it is
/// found_inf; "scale_error", not 0 where the policy gives up.
/// Returns after a clean stop; a Diverged status is a training that stopped
/// making steps.
Result<TrainResult> train(Runner &runner, DataLoader &loader,
                          const TrainOptions &options, const TrainHooks &hooks);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TRAINER_H
