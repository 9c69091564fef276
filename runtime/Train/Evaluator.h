// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides when a training is evaluated, keeps track of the best state, and
/// ends a training that does not improve.
#ifndef MPC_RUNTIME_TRAIN_EVALUATOR_H
#define MPC_RUNTIME_TRAIN_EVALUATOR_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/AveragedWeights.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/FileEvaluation.h"
#include "runtime/Train/Training.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

struct EvaluatorOptions {
  /// The samples, by names as in DataFiles; none for no evaluation.
  std::vector<std::string> files;
  int64_t every = 0; ///< Steps between evaluations; 0: only at the end.
  /// METRIC, METRIC:min or METRIC:max, by which the best state is chosen.
  std::string keepBest;
  /// The number of evaluations without improvement that ends the training; 0
  /// for never.
  int64_t stopAfter = 0;
  /// Whether the averages of weights are evaluated in place of the weights.
  bool averaged = false;
};

class Evaluator : public TrainObserver {
public:
  /// Prints a line of kind "note" or "warning".
  using Tell = std::function<void(std::string_view, std::string_view)>;

  /// An evaluator that does nothing.
  Evaluator() = default;
  /// Reads the names in --keep-best and opens the files, where there are some.
  /// It uses the bounds and shared inputs of `data`, which belongs to the
  /// training.
  static Result<Evaluator> open(const EvaluatorOptions &options, Runner &runner,
                                DataOptions data, int64_t totalSteps,
                                const Tell &tell);

  /// The columns of a table: "eval_loss".
  [[nodiscard]] std::vector<std::string> columns() const;
  /// The samples of an evaluation; 0 where there is none.
  [[nodiscard]] int64_t numSamples() const {
    return file_ ? file_->numSamples() : 0;
  }
  [[nodiscard]] bool isDue(int64_t step) const {
    return file_ && (step == totalSteps_ || endsInterval(step, every_));
  }
  /// Evaluates the state after the step, where it is time to. The report gets
  /// the values, and learns whether the state is the best so far.
  Status afterStep(Training &training, StepReport &report) override;
  /// The last results, for a line of progress: "eval loss 0.31 accuracy 0.9";
  /// empty before the first.
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] const EvaluationSummary &summary() const { return summary_; }
  /// The reason to stop the training; empty to go on.
  [[nodiscard]] std::string reasonToStop(const TrainPosition &position) const;
  /// Continues from a checkpoint's record, if it is about the same metric.
  void resume(TrainPosition &position, const Tell &tell) const;

private:
  Status bind(Runner &runner);
  Status run(TrainPosition &position);
  void summarize(const TrainPosition &position);
  Status chooseMetric(const std::string &text);
  Status chooseWeights(bool averaged, const Tell &tell);
  Result<std::vector<double>> measure(const TrainPosition &position);

  /// The evaluation; null where nothing is evaluated.
  std::unique_ptr<FileEvaluation> file_;
  Runner *runner_ = nullptr;
  /// The averages, where these are evaluated.
  std::optional<AveragedWeights> averages_;
  int64_t every_ = 0, stopAfter_ = 0, totalSteps_ = 0;
  bool keepsBest_ = false, isBest_ = false;
  size_t metric_ = 0;          ///< The index of the metric that decides.
  bool larger_ = false;        ///< Whether larger values are better.
  std::vector<double> values_; ///< The last results, in the order of columns().
  EvaluationSummary summary_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_EVALUATOR_H
