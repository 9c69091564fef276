// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// When a run loads and saves checkpoints, and which numbers hold after a load.
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
  /// `tell` prints a line of kind "note" or "warning".
  using Tell = std::function<void(std::string_view, std::string_view)>;

  /// `options` must outlive this.
  CheckpointKeeper(const TrainOptions &options, Tell tell)
      : options_(options), tell_(std::move(tell)) {}

  /// Opens the folder, where there is to be one. Usage errors for flags that
  /// need one, and for one that another run's checkpoints lie in.
  Status open();
  /// The state and the place to go on from; empty to start from scratch.
  Result<std::optional<TrainPosition>> load(Runner &runner);
  /// A flag that was given holds for the rest of the training, whatever the run
  /// that is resumed was told; what was not given stays as it was.
  Status replaceNumbers(Runner &runner);
  /// Of the checkpoint of a step, for messages.
  [[nodiscard]] std::string fileOf(int64_t step) const {
    return folder_->fileOf(step);
  }

  [[nodiscard]] bool isKept() const { return folder_.has_value(); }
  /// Whether this position is to be saved and is not yet.
  [[nodiscard]] bool isDue(int64_t step) const {
    return folder_ && savedStep_ != step;
  }
  Status save(const Runner &runner, const TrainPosition &position);
  /// Keeps the best state so far, beside the newest.
  Status afterStep(Training &training, StepReport &report) override {
    return report.isBest
               ? folder_->saveBest(training.runner(), training.position())
               : Status();
  }

private:
  void warnOfUselessScale(const Runner &runner);

  const TrainOptions &options_;
  Tell tell_;
  std::optional<CheckpointFolder> folder_;
  int64_t savedStep_ = -1;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_CHECKPOINTKEEPER_H
