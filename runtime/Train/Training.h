// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A training between its steps, whoever runs them: how far it is, and who
/// looks at what each step has come to.
#ifndef MPC_RUNTIME_TRAIN_TRAINING_H
#define MPC_RUNTIME_TRAIN_TRAINING_H

#include "runtime/Runner/Runner.h"
#include "runtime/Runner/StepRun.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/Metrics.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// What a step has come to.
struct StepOutcome {
  int64_t step = 0;    ///< Steps done before it.
  int64_t applied = 0; ///< Those of them that changed the parameters.
  double loss = 0;     ///< NaN where the step has none, as the norm.
  double gradNorm = 0;
  std::optional<double> scale, goodSteps;
  bool hasLoss = false, foundInf = false, skipped = false;
  bool hasScaleError = false; ///< The policy has given up.
};

/// A step that is done, on its way through the observers.
struct StepReport {
  StepOutcome outcome;
  MetricsRow row;      ///< To which an observer may add columns.
  bool isBest = false; ///< An evaluation has found the best state so far.

  /// A step without a loss has NaN in its row, and nothing wrong with it.
  [[nodiscard]] bool hasBadLoss() const;
};

class Training;

/// Looks at a training. What fails ends it.
class TrainObserver {
public:
  virtual ~TrainObserver() = default;

  /// A step begins, or is tried again.
  virtual Status beforeStep(Training & /*training*/) { return {}; }
  /// A step was tried, and may be tried again.
  virtual Status afterTry(Training & /*training*/,
                          const StepOutcome & /*outcome*/) {
    return {};
  }
  /// A step is done and counted.
  virtual Status afterStep(Training & /*training*/, StepReport & /*report*/) {
    return {};
  }
  /// A checkpoint will say that the steps so far are done: what tells of them
  /// must outlive it.
  virtual Status beforeSave() { return {}; }
  virtual Status afterSave() { return {}; }
};

class Training {
public:
  /// `runner` must outlive this.
  explicit Training(Runner &runner) : runner_(&runner) {}

  /// Observers are told in the order in which they were added, and must outlive
  /// this.
  void add(TrainObserver &observer) { observers_.push_back(&observer); }

  [[nodiscard]] Runner &runner() const { return *runner_; }
  [[nodiscard]] TrainPosition &position() { return position_; }
  [[nodiscard]] const TrainPosition &position() const { return position_; }

  /// What the entries say of a step that has ended and is not counted yet.
  [[nodiscard]] StepOutcome outcomeOf(const StepRun &step) const;
  void count(const StepOutcome &outcome);

  Status begin();
  Status endTry(const StepOutcome &outcome);
  /// Counts the step of the report.
  Status end(StepReport &report);
  /// Tells the observers around `save`, which writes a checkpoint.
  template <typename Save>
  Status save(Save save);

  /// Goes on with another runner, which gets the state of this one.
  Status moveTo(std::unique_ptr<Runner> next);

private:
  template <typename Tell>
  Status tellAll(Tell tell);

  Runner *runner_;
  std::unique_ptr<Runner> owned_; ///< Null until moveTo().
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
