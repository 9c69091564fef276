// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The evaluations of a training, in the rows of its steps.
#ifndef MPC_RUNTIME_TRAIN_TRAINEVALUATION_H
#define MPC_RUNTIME_TRAIN_TRAINEVALUATION_H

#include "runtime/Train/CheckpointKeeper.h"
#include "runtime/Train/Evaluator.h"
#include "runtime/Train/Training.h"

#include <optional>
#include <string>
#include <vector>

namespace mpc::rt {

/// Does nothing where no data is given.
class TrainEvaluation : public TrainObserver {
public:
  /// `options` and `checkpoints`, which keep the best state, must outlive this.
  TrainEvaluation(const TrainOptions &options, CheckpointKeeper &checkpoints,
                  Evaluator::Tell tell)
      : options_(options), checkpoints_(checkpoints), tell_(std::move(tell)) {}

  Status open(Runner &runner, int64_t totalSteps);
  /// See Evaluator.
  void resume(TrainPosition &position) const;
  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] std::string reasonToStop(const TrainPosition &position) const;
  /// What the newest evaluation has found; or empty.
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] bool isDue(int64_t step) const {
    return evaluator_ && evaluator_->isDue(step, totalSteps_);
  }
  [[nodiscard]] const EvaluationSummary &summary() const { return summary_; }

  /// Evaluates the state that the step has left, where it is time to.
  Status afterStep(Training &training, StepReport &report) override;

private:
  void summarize(const TrainPosition &position);

  const TrainOptions &options_;
  CheckpointKeeper &checkpoints_;
  Evaluator::Tell tell_;
  std::optional<Evaluator> evaluator_;
  const Runner *bound_ = nullptr; ///< That the evaluator runs on.
  int64_t totalSteps_ = 0;
  EvaluationSummary summary_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TRAINEVALUATION_H
