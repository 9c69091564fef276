// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes the numbers of each step to a table, an event file, and curves.
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

/// The outputs that were asked for.
struct RecorderOptions {
  std::string metrics;     ///< CSV file, "-" for standard output, or empty.
  std::string plot;        ///< SVG file, "-" for `output`, or empty.
  std::string tensorboard; ///< The folder of an event file; or empty.
  bool resume = false;     ///< Whether to keep the rows of earlier steps.
};

class StepRecorder : public TrainObserver {
public:
  StepRecorder(RecorderOptions options,
               std::function<void(std::string_view)> output)
      : options_(std::move(options)), output_(std::move(output)) {}

  /// Checks beforehand that the plot, which is written at the end, can be
  /// written, so that no training is lost for it.
  [[nodiscard]] Status checkPlot() const;
  /// Opens the outputs. The next row is that of `step`. `others` has the names
  /// of further columns; the last `numEvaluated` of them belong to evaluations.
  [[nodiscard]] Status open(int64_t step,
                            const std::vector<std::string> &others,
                            size_t numEvaluated = 0);
  Status afterStep(Training &training, StepReport &report) override;
  /// Writes the rows so far to disk.
  Status beforeSave() override;
  /// Draws the curves so far, and replaces those in the file. Another output
  /// gets them once, at the end.
  Status afterSave() override;
  /// Draws the curves of the whole run.
  [[nodiscard]] Status writePlot() const;

private:
  /// A step's point in the plot.
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
