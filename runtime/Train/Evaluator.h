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

class Evaluator {
public:
  /// `tell` prints a line of kind "note" or "warning".
  using Tell = std::function<void(std::string_view, std::string_view)>;

  /// Reads the names of --keep-best and opens the file; of `data`, the
  /// training's, bounds and shared inputs count.
  static Result<Evaluator> open(const EvaluatorOptions &options, Runner &runner,
                                DataOptions data, const Tell &tell);

  /// Columns of a table: "eval_loss".
  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] bool isDue(int64_t step, int64_t totalSteps) const {
    return step == totalSteps || (every_ > 0 && step % every_ == 0);
  }
  /// Evaluates the state as `position` has left it. Whether that is the best so
  /// far is put there.
  Status run(TrainPosition &position);
  /// What the last run found, as columns().
  [[nodiscard]] const std::vector<double> &values() const { return values_; }
  /// The same for a line of progress: "eval loss 0.31  accuracy 0.9".
  [[nodiscard]] std::string describe() const;
  /// Whether the last run found the best state so far, which is to be kept.
  [[nodiscard]] bool hasBest() const { return keepsBest_ && isBest_; }
  /// Why the training is to stop; empty where it goes on.
  [[nodiscard]] std::string reasonToStop(const TrainPosition &position) const;
  [[nodiscard]] bool keepsBest() const { return keepsBest_; }
  /// What a checkpoint says holds where it is of the same metric.
  void resume(TrainPosition &position, const Tell &tell) const;
  Status bind(Runner &runner);

private:
  Evaluator() = default;
  Status chooseMetric(const std::string &text);
  Status chooseWeights(bool averaged, const Tell &tell);
  Result<std::vector<double>> measure(const TrainPosition &position);

  std::unique_ptr<FileEvaluation> file_;
  Runner *runner_ = nullptr;
  std::optional<AveragedWeights> averages_; ///< Where these are evaluated.
  int64_t every_ = 0, stopAfter_ = 0;
  bool keepsBest_ = false, isBest_ = false;
  size_t metric_ = 0;   ///< Which decides.
  bool larger_ = false; ///< Which value is better.
  std::vector<double> values_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_EVALUATOR_H
