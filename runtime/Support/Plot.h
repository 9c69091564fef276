// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Line charts as self-contained SVG, on a light or a dark page.
#ifndef MPC_RUNTIME_SUPPORT_PLOT_H
#define MPC_RUNTIME_SUPPORT_PLOT_H

#include <string>
#include <utility>
#include <vector>

namespace mpc::rt {

/// One line: (x, y) in order of x. A y that is not finite is a gap.
struct PlotSeries {
  std::string label;
  std::vector<std::pair<double, double>> points;
};

enum class PlotScale { Linear, Log2 };

/// One chart; on a Log2 axis, values that are not positive are gaps.
struct PlotPanel {
  std::string yLabel;
  PlotScale scale = PlotScale::Linear;
  std::vector<PlotSeries> series;
};

/// Charts on top of each other with a common x axis. A mark is a vertical line
/// through all of them, as for a skipped step.
struct Plot {
  std::string title;
  std::string xLabel;
  std::vector<PlotPanel> panels;
  std::string markLabel;
  std::vector<double> marks;
};

[[nodiscard]] std::string renderSvg(const Plot &plot);

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_PLOT_H
