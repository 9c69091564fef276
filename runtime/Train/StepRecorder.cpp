// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the table, the event file and the curves of a training.
#include "runtime/Train/StepRecorder.h"

#include "runtime/Support/Output.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace mpc::rt {

static double wallTime() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Status StepRecorder::checkPlot() const {
  return options_.plot.empty() ? Status() : checkOutput(options_.plot);
}

Status StepRecorder::open(int64_t step, const std::vector<std::string> &others,
                          size_t numEvaluated) {
  others_ = others;
  numEvaluated_ = numEvaluated;
  if (!options_.tensorboard.empty()) {
    MPC_ASSIGN_OR_RETURN(tensorboard_, TensorBoardWriter::create(
                                           options_.tensorboard, wallTime()));
  }
  if (options_.metrics.empty())
    return {};
  std::string header = metricsHeader(others);
  if (!options_.resume) {
    MPC_ASSIGN_OR_RETURN(metrics_,
                         MetricsWriter::create(options_.metrics, header));
    return {};
  }
  std::vector<MetricsRow> kept;
  MPC_ASSIGN_OR_RETURN(
      metrics_, MetricsWriter::resume(options_.metrics, step, kept, header));
  for (const MetricsRow &row : kept)
    history_.push_back(pointOf(row));
  return {};
}

StepRecorder::Point StepRecorder::pointOf(const MetricsRow &row) const {
  size_t count = std::min(numEvaluated_, row.others.size());
  return {row.step,
          row.loss,
          row.scale,
          row.skipped,
          {row.others.end() - static_cast<ptrdiff_t>(count), row.others.end()}};
}

Status StepRecorder::afterStep(Training & /*training*/, StepReport &report) {
  const MetricsRow &row = report.row;
  if (!options_.plot.empty())
    history_.push_back(pointOf(row));
  if (metrics_)
    MPC_RETURN_IF_ERROR(metrics_->append(row));
  return tensorboard_ ? addScalars(row) : Status();
}

Status StepRecorder::addScalars(const MetricsRow &row) {
  const std::pair<const char *, float> scalars[] = {
      {"loss", static_cast<float>(row.loss)},
      {"lr", row.lr},
      {"scale", static_cast<float>(row.scale)},
      {"skipped", row.skipped ? 1.0f : 0.0f},
      {"grad_norm", static_cast<float>(row.gradNorm)}};
  double now = wallTime();
  for (auto [tag, value] : scalars)
    MPC_RETURN_IF_ERROR(tensorboard_->scalar(tag, row.step, value, now));
  for (size_t i = 0; i < others_.size(); ++i)
    if (row.others[i])
      MPC_RETURN_IF_ERROR(tensorboard_->scalar(
          others_[i], row.step, static_cast<float>(*row.others[i]), now));
  return {};
}

Status StepRecorder::beforeSave() {
  return metrics_ ? metrics_->sync() : Status();
}

Status StepRecorder::afterSave() {
  if (options_.plot.empty())
    return {};
  MPC_ASSIGN_OR_RETURN(OutputPlace place, OutputPlace::find(options_.plot));
  return place.isFile() ? writePlot() : Status();
}

/// A panel with one metric of the evaluations.
static PlotPanel panelOf(const std::string &name, PlotSeries series) {
  return {name, PlotScale::Linear, {std::move(series)}};
}

Plot StepRecorder::draw() const {
  Plot plot;
  plot.title = "Training loss and loss scale";
  plot.xLabel = "step";
  plot.markLabel = "skipped step";
  PlotSeries loss{"loss", {}}, scale{"loss scale", {}};
  std::vector<PlotSeries> evaluated;
  for (size_t i = others_.size() - numEvaluated_; i < others_.size(); ++i)
    evaluated.push_back({others_[i], {}});
  for (const Point &point : history_) {
    auto x = static_cast<double>(point.step);
    loss.points.emplace_back(x, point.loss);
    scale.points.emplace_back(x, point.scale);
    if (point.skipped)
      plot.marks.push_back(x);
    for (size_t i = 0; i < point.evaluated.size(); ++i)
      if (point.evaluated[i])
        evaluated[i].points.emplace_back(x, *point.evaluated[i]);
  }
  plot.panels = {panelOf("loss", std::move(loss))};
  for (PlotSeries &series : evaluated) {
    std::string name = series.label;
    if (name == "eval_loss")
      plot.panels[0].series.push_back(std::move(series));
    else
      plot.panels.push_back(panelOf(name, std::move(series)));
  }
  plot.panels.push_back({"loss scale", PlotScale::Log2, {std::move(scale)}});
  return plot;
}

Status StepRecorder::writePlot() const {
  if (options_.plot.empty() || history_.empty())
    return {};
  std::string svg = renderSvg(draw());
  if (options_.plot == "-") {
    output_(svg);
    return {};
  }
  return writeOutput(options_.plot, svg);
}

} // namespace mpc::rt
