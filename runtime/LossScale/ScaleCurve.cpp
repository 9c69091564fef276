// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws the curve of a replay as an SVG.
#include "runtime/LossScale/Replay.h"
#include "runtime/Support/Plot.h"

namespace mpc::rt {

std::string scaleCurveSvg(const ReplayResult &result, std::string_view title) {
  Plot plot;
  plot.title = title;
  plot.xLabel = "step";
  plot.markLabel = "runs of skipped steps";
  PlotSeries scale{"loss scale", {}};
  double step = 0;
  // The line is a staircase: a scale holds for all steps of its run.
  for (const ScaleRun &run : result.curve) {
    double end = step + static_cast<double>(run.steps);
    scale.points.emplace_back(step, run.scale);
    scale.points.emplace_back(end, run.scale);
    if (run.skipped)
      plot.marks.push_back(step);
    step = end;
  }
  plot.panels = {{"loss scale", PlotScale::Log2, {std::move(scale)}}};
  return renderSvg(plot);
}

} // namespace mpc::rt
