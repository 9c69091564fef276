// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SVG of line charts: axes, ticks, thinned lines, marks, legends.
#include "runtime/Support/Plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace mpc::rt {
namespace {

constexpr double kWidth = 860, kLeft = 74, kRight = 20, kTop = 40;
constexpr double kPanelHeight = 230, kPanelGap = 30, kBottom = 46;
constexpr double kInnerWidth = kWidth - kLeft - kRight;

/// The colours differ in lightness too, on either background. Viewers without
/// media queries show the colours for light pages.
constexpr std::string_view kStyle = R"(<style>
text{font:12px system-ui,sans-serif;fill:#1f2328}.t{font-size:15px;font-weight:600}.k{fill:#6e7781;font-size:11px}
.p{fill:#ffffff}.g{stroke:#d8dee4;stroke-width:1}.a{stroke:#6e7781;stroke-width:1;fill:none}
.l{fill:none;stroke-width:1.6;stroke-linejoin:round}.s0{stroke:#0969da}.s1{stroke:#bc4c00}.s2{stroke:#1a7f37}.s3{stroke:#8250df}
.h{paint-order:stroke;stroke:#ffffff;stroke-width:4px}
.m{stroke:#cf222e;stroke-width:1;stroke-opacity:.55;stroke-dasharray:2 3}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.k{fill:#8d96a0}.p{fill:#0d1117}.g{stroke:#30363d}.a{stroke:#8d96a0}
.s0{stroke:#58a6ff}.s1{stroke:#f0883e}.s2{stroke:#3fb950}.s3{stroke:#bc8cff}.m{stroke:#ff7b72}.h{stroke:#0d1117}}
</style>
)";

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// The range, widened so that it is never empty and can be a divisor.
  [[nodiscard]] Range widened() const {
    if (low > high)
      return {0, 1};
    if (low == high)
      return {low - std::max(0.5, std::fabs(low) * 0.05),
              high + std::max(0.5, std::fabs(high) * 0.05)};
    return *this;
  }
};

std::string xmlText(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      result += ' '; // XML allows no control characters.
    else
      result += c;
  }
  return result;
}

/// About `count` ticks at multiples of 1, 2 or 5 times a power of ten.
std::vector<double> niceTicks(Range range, int count) {
  double raw = (range.high - range.low) / count;
  double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power * 10;
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  std::vector<double> ticks;
  double first = std::ceil(range.low / step - 1e-9);
  for (int i = 0; i <= 4 * count; ++i) {
    double tick = (first + i) * step;
    if (tick > range.high + step * 1e-9)
      break;
    ticks.push_back(tick);
  }
  return ticks;
}

/// Ticks at whole steps of an axis over log2; at least one.
std::vector<double> logTicks(Range range) {
  double step = std::max(1.0, std::ceil((range.high - range.low) / 7));
  std::vector<double> ticks;
  for (double t = std::ceil(range.low / step) * step; t <= range.high;
       t += step)
    ticks.push_back(t);
  return ticks;
}

double onAxis(double y, PlotScale scale) {
  return scale == PlotScale::Log2 ? std::log2(y) : y;
}

/// One chart in the page, and the maps from values to the page.
struct Frame {
  const PlotPanel &panel;
  double top;
  Range x, y;

  [[nodiscard]] double pageX(double value) const {
    return kLeft + (value - x.low) / (x.high - x.low) * kInnerWidth;
  }
  /// The position of a value on the axis, after any logarithm.
  [[nodiscard]] double pageY(double value) const {
    return top + kPanelHeight -
           (value - y.low) / (y.high - y.low) * kPanelHeight;
  }
};

std::string tickLabel(double tick, PlotScale scale) {
  if (scale == PlotScale::Linear)
    return fmt::format("{:.6g}", tick == 0 ? 0.0 : tick);
  return fmt::format("2<tspan dy=\"-4\" font-size=\"8\">{:g}</tspan>", tick);
}

void drawAxes(const Frame &frame, bool last, std::string &out) {
  PlotScale scale = frame.panel.scale;
  std::vector<double> ticks =
      scale == PlotScale::Log2 ? logTicks(frame.y) : niceTicks(frame.y, 5);
  double right = kLeft + kInnerWidth, bottom = frame.top + kPanelHeight;
  for (double tick : ticks)
    out += fmt::format("<line class=\"g\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.2f}\" "
                       "y2=\"{2:.2f}\"/><text class=\"k\" x=\"{3}\" "
                       "y=\"{4:.2f}\" text-anchor=\"end\">{5}</text>\n",
                       kLeft, right, frame.pageY(tick), kLeft - 7,
                       frame.pageY(tick) + 4, tickLabel(tick, scale));
  for (double tick : niceTicks(frame.x, 8)) {
    out += fmt::format("<line class=\"g\" x1=\"{0:.2f}\" x2=\"{0:.2f}\" "
                       "y1=\"{1}\" y2=\"{2}\"/>",
                       frame.pageX(tick), frame.top, bottom);
    if (last)
      out += fmt::format("<text class=\"k\" x=\"{:.2f}\" y=\"{}\" "
                         "text-anchor=\"middle\">{}</text>",
                         frame.pageX(tick), bottom + 16,
                         tickLabel(tick, PlotScale::Linear));
    out += '\n';
  }
  out += fmt::format("<path class=\"a\" d=\"M{0} {1}V{2}H{3}\"/>"
                     "<text transform=\"translate(16 {4}) rotate(-90)\" "
                     "text-anchor=\"middle\">{5}</text>\n",
                     kLeft, frame.top, bottom, right,
                     frame.top + kPanelHeight / 2, xmlText(frame.panel.yLabel));
}

/// A line with at most a few points in a pixel column. The first, lowest,
/// highest and last point of a column look the same as all of them.
std::string pathOf(const Frame &frame, const PlotSeries &series) {
  std::string path;
  bool open = false;
  std::vector<std::pair<double, double>> column;
  auto flush = [&] {
    if (column.size() > 4) {
      auto byY = [](auto &a, auto &b) { return a.second < b.second; };
      auto [low, high] = std::minmax_element(column.begin(), column.end(), byY);
      auto inner = std::minmax(low, high);
      column = {column.front(), *inner.first, *inner.second, column.back()};
    }
    for (auto &[x, y] : column) {
      path += fmt::format("{}{:.2f} {:.2f}", open ? "L" : "M", x, y);
      open = true;
    }
    column.clear();
  };
  for (auto [x, y] : series.points) {
    double value = onAxis(y, frame.panel.scale);
    if (!std::isfinite(value) || !std::isfinite(x)) {
      flush();
      open = false;
      continue;
    }
    double pageX = frame.pageX(x);
    if (!column.empty() && std::floor(column[0].first) != std::floor(pageX))
      flush();
    column.emplace_back(pageX, frame.pageY(value));
  }
  flush();
  return path;
}

void drawLines(const Frame &frame, std::string &out) {
  for (size_t i = 0; i < frame.panel.series.size(); ++i) {
    std::string path = pathOf(frame, frame.panel.series[i]);
    if (!path.empty())
      out += fmt::format("<path class=\"l s{}\" d=\"{}\"/>\n", i % 4, path);
  }
}

void drawMarks(const Plot &plot, const Frame &frame, std::string &out) {
  double previous = -1;
  for (double mark : plot.marks) {
    double x = std::round(frame.pageX(mark) * 2) / 2;
    if (x == previous)
      continue;
    previous = x;
    out += fmt::format("<line class=\"m\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" "
                       "y2=\"{2}\"/>\n",
                       x, frame.top, frame.top + kPanelHeight);
  }
}

void drawLegend(const Plot &plot, const Frame &frame, std::string &out) {
  double y = frame.top + 14, x = kLeft + kInnerWidth - 8;
  auto entry = [&](const std::string &label, const std::string &line) {
    out += fmt::format("<text class=\"h\" x=\"{}\" y=\"{}\" "
                       "text-anchor=\"end\">{}</text>"
                       "<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" {}/>\n",
                       x - 30, y + 4, xmlText(label), x - 24, x, y, y, line);
    y += 17;
  };
  for (size_t i = 0; i < frame.panel.series.size(); ++i)
    entry(frame.panel.series[i].label, fmt::format("class=\"l s{}\"", i % 4));
  if (!plot.marks.empty())
    entry(fmt::format("{} ({})", plot.markLabel, plot.marks.size()),
          "class=\"m\"");
}

Range rangeOfX(const Plot &plot) {
  Range range;
  for (const PlotPanel &panel : plot.panels)
    for (const PlotSeries &series : panel.series)
      for (auto [x, y] : series.points)
        if (std::isfinite(x))
          range.include(x);
  return range.widened();
}

Range rangeOfY(const PlotPanel &panel) {
  Range range;
  for (const PlotSeries &series : panel.series)
    for (auto [x, y] : series.points)
      if (double value = onAxis(y, panel.scale); std::isfinite(value))
        range.include(value);
  if (panel.scale == PlotScale::Log2 && range.low <= range.high)
    return Range{std::floor(range.low) - 1, std::ceil(range.high) + 1};
  range = range.widened();
  double margin = (range.high - range.low) * 0.05;
  return {range.low - margin, range.high + margin};
}

} // namespace

std::string renderSvg(const Plot &plot) {
  auto panels = static_cast<double>(plot.panels.size());
  double height = kTop + panels * kPanelHeight +
                  std::max(0.0, panels - 1) * kPanelGap + kBottom;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\">\n<title>{2}</title>\n{3}"
      "<rect width=\"{0}\" height=\"{1}\" class=\"p\"/>\n"
      "<text class=\"t\" x=\"{4}\" y=\"24\">{2}</text>\n",
      kWidth, height, xmlText(plot.title), kStyle, kLeft);
  Range x = rangeOfX(plot);
  double top = kTop;
  for (size_t i = 0; i < plot.panels.size(); ++i) {
    const PlotPanel &panel = plot.panels[i];
    Frame frame{panel, top, x, rangeOfY(panel)};
    drawAxes(frame, i + 1 == plot.panels.size(), out);
    drawMarks(plot, frame, out);
    drawLines(frame, out);
    drawLegend(plot, frame, out);
    top += kPanelHeight + kPanelGap;
  }
  out +=
      fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>"
                  "\n</svg>\n",
                  kLeft + kInnerWidth / 2, height - 10, xmlText(plot.xLabel));
  return out;
}

} // namespace mpc::rt
