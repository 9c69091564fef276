// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arena over time, as SVG.
#include "runtime/Program/ArenaMap.h"
#include "runtime/Program/Inspection.h"

#include <fmt/format.h>

namespace mpc::rt {
namespace {

constexpr double kWidth = 960, kHeight = 480, kMargin = 40;

/// Text escaped for SVG.
std::string escapeXml(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    default:
      // XML allows no other control characters, not even as references.
      result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return result;
}

/// Neighbours have different hues, which advance by the golden angle.
int hueOf(size_t index) { return static_cast<int>(index * 137 % 360); }

std::string drawValue(const Entry &entry, const ArenaValue &value,
                      size_t index) {
  double step = kWidth / static_cast<double>(entry.launches.size());
  double scale = kHeight / static_cast<double>(entry.arenaBytes);
  return fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
      "fill=\"hsl({},60%,65%)\" stroke=\"#333\" stroke-width=\"0.3\">"
      "<title>{} bytes at {}, launches {} to {}: {}</title></rect>\n",
      kMargin + static_cast<double>(value.first) * step,
      kMargin + static_cast<double>(value.offset) * scale,
      static_cast<double>(value.last - value.first + 1) * step,
      static_cast<double>(value.bytes) * scale, hueOf(index), value.bytes,
      value.offset, value.first, value.last,
      escapeXml(entry.launches[value.first].symbol));
}

} // namespace

std::string drawArena(const Entry &entry) {
  ArenaMap map = mapArena(entry);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<text x=\"{2}\" y=\"24\">{3}: arena of {4} bytes over {5} launches; no "
      "plan needs less than {6}</text>\n"
      "<rect x=\"{2}\" y=\"{2}\" width=\"{7}\" height=\"{8}\" fill=\"none\" "
      "stroke=\"#333\"/>\n",
      kWidth + 2 * kMargin, kHeight + 2 * kMargin, kMargin,
      escapeXml(entry.name), entry.arenaBytes, entry.launches.size(),
      map.lowerBound, kWidth, kHeight);
  for (size_t i = 0; i < map.values.size(); ++i)
    svg += drawValue(entry, map.values[i], i);
  return svg + fmt::format("<text x=\"{}\" y=\"{}\">launches</text>\n</svg>\n",
                           kMargin, kHeight + 2 * kMargin - 16);
}

} // namespace mpc::rt
