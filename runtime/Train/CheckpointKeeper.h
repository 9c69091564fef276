// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides when a run loads and saves checkpoints, and which numbers are used
/// after a load.
#ifndef MPC_RUNTIME_TRAIN_CHECKPOINTKEEPER_H
#define MPC_RUNTIME_TRAIN_CHECKPOINTKEEPER_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/Training.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mpc::rt {

struct TrainOptions;

class CheckpointKeeper : public TrainObserver {
public:
  /// Prints a line of kind "note" or "warning".
  using Tell = std::function<void(std::string_view, std::string_view)>;

  /// `options` must outlive this object.
  CheckpointKeeper(const TrainOptions &options, Tell tell)
      : options_(options), tell_(std::move(tell)) {}

  /// Opens the folder, where a flag names one. Usage errors for flags that need
  /// a folder, and for a folder with another run's checkpoints.
  Status open();
  /// Loads the state and returns the position from which to continue; empty to
  /// start from the beginning.
  Result<std::optional<TrainPosition>> load(Runner &runner);
  /// A given flag replaces the checkpoint's number for the rest of the
  /// training. Numbers without a given flag stay.
  Status replaceNumbers(Runner &runner);
  /// The file of a step's checkpoint, for messages.
  [[nodiscard]] std::string fileOf(int64_t step) const {
    return folder_->fileOf(step);
  }

  [[nodiscard]] bool isKept() const { return folder_.has_value(); }
  /// Whether this position must be saved and is not saved yet.
  [[nodiscard]] bool isDue(int64_t step) const;
  /// The training goes on from the checkpoint of this step.
  void resumeFrom(int64_t step) { savedStep_ = step; }
  /// The folder of the parts that were loaded: see CheckpointFolder.
  [[nodiscard]] std::string loadedParts() const {
    return folder_ ? folder_->loadedParts() : std::string();
  }
  /// Rank 0 saves, or each rank its part. All ranks must call it.
  Status save(Runner &runner, const TrainPosition &position);
  /// Saves the best state so far, beside the newest.
  Status afterStep(Training &training, StepReport &report) override;

private:
  Status saveNow(Runner &runner, const TrainPosition &position);
  void warnOfUselessScale(const Runner &runner);

  const TrainOptions &options_;
  Tell tell_;
  std::optional<CheckpointFolder> folder_;
  int64_t savedStep_ = -1;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_CHECKPOINTKEEPER_H
