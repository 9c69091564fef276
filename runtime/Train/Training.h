// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A training between its steps, whoever runs them: its progress, and the
/// observers of each step's outcome.
#ifndef MPC_RUNTIME_TRAIN_TRAINING_H
#define MPC_RUNTIME_TRAIN_TRAINING_H

#include "runtime/Runner/Runner.h"
#include "runtime/Runner/StepRun.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/Metrics.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The outcome of a step.
struct StepOutcome {
  int64_t step = 0;    ///< The number of steps before it.
  int64_t applied = 0; ///< The number of them that changed the parameters.
  /// The loss; NaN where the step has none, and likewise the norm.
  double loss = 0;
  double gradNorm = 0;
  std::optional<double> scale, goodSteps;
  bool hasLoss = false, foundInf = false, skipped = false;
  bool hasScaleError = false; ///< Whether the policy has given up.
};

/// The report of a finished step, which passes through the observers.
struct StepReport {
  StepOutcome outcome;
  /// The row of the step, to which an observer may add columns.
  MetricsRow row;
  /// Whether an evaluation has found that this is the best state so far.
  bool isBest = false;

  /// Whether the loss is not finite. The NaN of a step without a loss is no
  /// fault.
  [[nodiscard]] bool hasBadLoss() const;
};

/// Whether `step` ends an interval of `every` steps; false where that is 0.
[[nodiscard]] constexpr bool endsInterval(int64_t step, int64_t every) {
  return every > 0 && step % every == 0;
}

class Training;

/// An observer of a training. An error that it returns ends the training.
class TrainObserver {
public:
  virtual ~TrainObserver() = default;

  /// Called before a step begins or is repeated.
  virtual Status beforeStep(Training & /*training*/) { return {}; }
  /// Called after a step was tried; it may be repeated.
  virtual Status afterTry(Training & /*training*/,
                          const StepOutcome & /*outcome*/) {
    return {};
  }
  /// Called after a step is finished and counted.
  virtual Status afterStep(Training & /*training*/, StepReport & /*report*/) {
    return {};
  }
  /// Called before a checkpoint that contains the steps so far. Records of
  /// these steps must then be on disk.
  virtual Status beforeSave() { return {}; }
  virtual Status afterSave() { return {}; }
};

/// Makes a runner of the step with these nodes in fp32, whose state is not set
/// yet. Null where there is no compiler.
using KeepFp32 = std::function<Result<std::unique_ptr<Runner>>(
    const std::vector<std::string> &nodes)>;

class Training {
public:
  /// `runner` must outlive this object.
  explicit Training(Runner &runner) : runner_(&runner) {}

  /// Adds an observer, which must outlive this object. Observers are called in
  /// the order in which they were added.
  void add(TrainObserver &observer) { observers_.push_back(&observer); }

  [[nodiscard]] Runner &runner() const { return *runner_; }
  [[nodiscard]] TrainPosition &position() { return position_; }
  [[nodiscard]] const TrainPosition &position() const { return position_; }

  /// The outcome of a step that has ended and is not counted yet.
  [[nodiscard]] StepOutcome outcomeOf(const StepRun &step) const;

  /// Calls the observers before a step begins or is repeated.
  Status begin();
  /// Calls the observers after a step was tried.
  Status endTry(const StepOutcome &outcome);
  /// Counts the step of the report, and calls the observers.
  Status end(StepReport &report);

  /// Runs the next batch of a step, for a caller who gives batches one by one.
  /// The first batch of a window begins the step.
  Status addBatch(StepRun &step);
  /// Ends such a step, which has run and is not repeated.
  Result<StepOutcome> end(const StepRun &step);

  /// Calls the observers before and after `save`, which writes a checkpoint.
  template <typename Save>
  Status save(Save save);

  /// Continues with the runner that `compile` makes of the step with these
  /// nodes in fp32. Without nodes nothing changes, and `compile` may be null.
  Status keepFp32(const std::vector<std::string> &nodes,
                  const KeepFp32 &compile);

private:
  /// Continues with another runner, to which the state is copied.
  Status moveTo(std::unique_ptr<Runner> next);
  void count(const StepOutcome &outcome);
  template <typename Tell>
  Status tellAll(Tell tell);

  Runner *runner_;
  std::unique_ptr<Runner> owned_; ///< The runner of moveTo(); null before.
  TrainPosition position_;
  std::vector<TrainObserver *> observers_;
};

template <typename Tell>
Status Training::tellAll(Tell tell) {
  for (TrainObserver *observer : observers_)
    MPC_RETURN_IF_ERROR(tell(*observer));
  return {};
}

template <typename Save>
Status Training::save(Save save) {
  MPC_RETURN_IF_ERROR(tellAll([](auto &one) { return one.beforeSave(); }));
  MPC_RETURN_IF_ERROR(save());
  return tellAll([](auto &one) { return one.afterSave(); });
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TRAINING_H
