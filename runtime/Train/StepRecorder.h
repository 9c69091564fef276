// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the numbers of each step go: a table, an event file, curves.
#ifndef MPC_RUNTIME_TRAIN_STEPRECORDER_H
#define MPC_RUNTIME_TRAIN_STEPRECORDER_H

#include "runtime/Support/Plot.h"
#include "runtime/Train/Metrics.h"
#include "runtime/Train/TensorBoard.h"
#include "runtime/Train/Training.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The places that were asked for.
struct RecorderOptions {
  std::string metrics;     ///< CSV file, "-" for standard output, or empty.
  std::string plot;        ///< SVG file, "-" for `output`, or empty.
  std::string tensorboard; ///< Folder for an event file, or empty.
  bool resume = false;     ///< Keep the rows of steps that are done.
};

class StepRecorder : public TrainObserver {
public:
  StepRecorder(RecorderOptions options,
               std::function<void(std::string_view)> output)
      : options_(std::move(options)), output_(std::move(output)) {}

  /// A plot is written at the end; that it cannot be must not cost a training.
  [[nodiscard]] Status checkPlot() const;
  /// Opens the places. The next row is that of `step`; `others` name what a row
  /// holds beside its own columns, of which the last `numEvaluated` are those
  /// of evaluations.
  [[nodiscard]] Status open(int64_t step,
                            const std::vector<std::string> &others,
                            size_t numEvaluated = 0);
  Status afterStep(Training &training, StepReport &report) override;
  /// Puts the rows so far on the disk.
  Status beforeSave() override;
  /// Draws the curves so far into a file, whose older curves they replace; what
  /// is no file gets them once, at the end.
  Status afterSave() override;
  /// Draws the curves of the whole run.
  [[nodiscard]] Status writePlot() const;

private:
  /// What the plot shows of a step.
  struct Point {
    int64_t step;
    double loss, scale;
    bool skipped;
    std::vector<std::optional<double>> evaluated;
  };
  Status addScalars(const MetricsRow &row);
  [[nodiscard]] Point pointOf(const MetricsRow &row) const;
  [[nodiscard]] Plot draw() const;

  RecorderOptions options_;
  std::function<void(std::string_view)> output_;
  std::vector<std::string> others_;
  size_t numEvaluated_ = 0;
  std::optional<MetricsWriter> metrics_;
  std::optional<TensorBoardWriter> tensorboard_;
  std::vector<Point> history_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_STEPRECORDER_H
