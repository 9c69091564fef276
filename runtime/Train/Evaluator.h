// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// When a training is evaluated, and what follows from it: the best state so
/// far, and the end of a training that gains nothing.
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
  /// The samples, as DataFiles names them; none for no evaluation.
  std::vector<std::string> files;
  int64_t every = 0; ///< Steps between evaluations; 0: only at the end.
  /// METRIC, METRIC:min or METRIC:max: what the best state is best by.
  std::string keepBest;
  int64_t stopAfter = 0; ///< Evaluations without gain; 0 for never.
  /// Takes the averages of weights that the training keeps, and not the
  /// weights.
  bool averaged = false;
};

class Evaluator : public TrainObserver {
public:
  /// `tell` prints a line of kind "note" or "warning".
  using Tell = std::function<void(std::string_view, std::string_view)>;

  /// Evaluates nothing.
  Evaluator() = default;
  /// Reads the names of --keep-best and opens the file, where there is one; of
  /// `data`, the training's, bounds and shared inputs count.
  static Result<Evaluator> open(const EvaluatorOptions &options, Runner &runner,
                                DataOptions data, int64_t totalSteps,
                                const Tell &tell);

  /// Columns of a table: "eval_loss".
  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] bool isDue(int64_t step) const {
    return file_ && (step == totalSteps_ || (every_ > 0 && step % every_ == 0));
  }
  /// Evaluates the state that the step has left, where it is time to: the
  /// report gets the columns, and is told of the best state so far.
  Status afterStep(Training &training, StepReport &report) override;
  /// What the last evaluation found, for a line of progress: "eval loss 0.31
  /// accuracy 0.9"; empty before the first.
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] const EvaluationSummary &summary() const { return summary_; }
  /// Why the training is to stop; empty where it goes on.
  [[nodiscard]] std::string reasonToStop(const TrainPosition &position) const;
  /// What a checkpoint says holds where it is of the same metric.
  void resume(TrainPosition &position, const Tell &tell) const;

private:
  Status bind(Runner &runner);
  Status run(TrainPosition &position);
  void summarize(const TrainPosition &position);
  Status chooseMetric(const std::string &text);
  Status chooseWeights(bool averaged, const Tell &tell);
  Result<std::vector<double>> measure(const TrainPosition &position);

  std::unique_ptr<FileEvaluation> file_; ///< Null where nothing is evaluated.
  Runner *runner_ = nullptr;
  std::optional<AveragedWeights> averages_; ///< Where these are evaluated.
  int64_t every_ = 0, stopAfter_ = 0, totalSteps_ = 0;
  bool keepsBest_ = false, isBest_ = false;
  size_t metric_ = 0;          ///< Which decides.
  bool larger_ = false;        ///< Which value is better.
  std::vector<double> values_; ///< Of the last evaluation, as columns().
  EvaluationSummary summary_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_EVALUATOR_H
