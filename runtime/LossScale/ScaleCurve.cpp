// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws the curve of a replay as an SVG.
#include "runtime/LossScale/Replay.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

constexpr double kLeft = 60, kTop = 40, kWidth = 720, kHeight = 300;

bool drawable(double scale) { return std::isfinite(scale) && scale > 0; }

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '&':
      out += "&amp;";
      break;
    default:
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return out;
}

/// Maps steps and powers of two to the drawing.
struct Axes {
  double low, high; // log2 of the scale
  double steps;

  double x(double step) const { return kLeft + kWidth * step / steps; }
  double y(double log2Scale) const {
    return kTop + kHeight * (high - log2Scale) / (high - low);
  }
};

Axes axesOf(const std::vector<ScaleRun> &curve) {
  double low = INFINITY;
  double high = -INFINITY;
  double steps = 0;
  for (const ScaleRun &run : curve) {
    steps += static_cast<double>(run.steps);
    if (!drawable(run.scale))
      continue;
    low = std::min(low, std::floor(std::log2(run.scale)));
    high = std::max(high, std::ceil(std::log2(run.scale)));
  }
  if (low > high)
    low = high = 0;
  return {low - 1, high + 1, std::max(1.0, steps)};
}

/// Stairs that break where the scale is 0 or not finite.
std::string pathOf(const std::vector<ScaleRun> &curve, const Axes &axes) {
  std::string path;
  bool drawing = false;
  double step = 0;
  for (const ScaleRun &run : curve) {
    const double x = axes.x(step);
    step += static_cast<double>(run.steps);
    const bool visible = drawable(run.scale);
    if (visible) {
      const double y = axes.y(std::log2(run.scale));
      path += drawing ? fmt::format("V{:.2f}", y)
                      : fmt::format("M{:.2f} {:.2f}", x, y);
      path += fmt::format("H{:.2f}", axes.x(step));
    }
    drawing = visible;
  }
  return path;
}

/// A bar at the bottom below each run of skipped steps.
std::string marksOf(const std::vector<ScaleRun> &curve, const Axes &axes) {
  std::string path;
  double step = 0;
  for (const ScaleRun &run : curve) {
    const double width =
        std::max(1.0, axes.x(static_cast<double>(run.steps)) - kLeft);
    if (run.skipped)
      path += fmt::format("M{:.2f} {}h{:.2f}v-8h-{:.2f}z", axes.x(step),
                          kTop + kHeight, width, width);
    step += static_cast<double>(run.steps);
  }
  return path;
}

std::string gridOf(const Axes &axes) {
  std::string grid;
  const double every = std::max(1.0, std::ceil((axes.high - axes.low) / 8));
  for (double p = axes.low; p <= axes.high; p += every)
    grid += fmt::format(
        "<path d='M{0} {1:.2f}h{2}' stroke='#ddd'/><text x='{3}' y='{4:.2f}' "
        "text-anchor='end'>2^{5}</text>\n",
        kLeft, axes.y(p), kWidth, kLeft - 8, axes.y(p) + 4, p);
  for (double part : {0.0, 0.5, 1.0})
    grid +=
        fmt::format("<text x='{:.2f}' y='{}' text-anchor='middle'>{}</text>\n",
                    kLeft + kWidth * part, kTop + kHeight + 24,
                    std::floor(axes.steps * part));
  return grid;
}

} // namespace

std::string scaleCurveSvg(const ReplayResult &result, std::string_view title) {
  const Axes axes = axesOf(result.curve);
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {}' "
      "font-family='sans-serif' font-size='12'>\n"
      "<title>{}</title>\n<rect width='100%' height='100%' fill='white'/>\n"
      "<text x='{}' y='24' font-size='14'>{}</text>\n{}"
      "<path d='{}' fill='none' stroke='#06c' stroke-width='1.5'/>\n"
      "<path d='{}' fill='#c00'><title>skipped steps</title></path>\n"
      "<text x='{}' y='{}' text-anchor='middle'>step (red: skipped)</text>\n"
      "</svg>\n",
      kLeft + kWidth + 40, kTop + kHeight + 60, escaped(title), kLeft,
      escaped(title), gridOf(axes), pathOf(result.curve, axes),
      marksOf(result.curve, axes), kLeft + kWidth / 2, kTop + kHeight + 48);
}

} // namespace mpc::rt
