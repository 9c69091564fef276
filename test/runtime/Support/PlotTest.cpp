// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structure of the SVG: well-formed, gaps, marks, thinning.
#include "runtime/Support/Plot.h"

#include <cmath>
#include <gtest/gtest.h>
#include <regex>

namespace mpc::rt {
namespace {

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Every element is closed and no number is inf or nan.
void expectWellFormed(const std::string &svg) {
  std::vector<std::string> open;
  std::regex tag("<(/?)([a-z]+)([^>]*)>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), tag), end; it != end;
       ++it) {
    std::string attributes = (*it)[3];
    if ((*it)[1] == "/") {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), (*it)[2]);
      open.pop_back();
    } else if (!attributes.ends_with("/")) {
      open.push_back((*it)[2]);
    }
    EXPECT_FALSE(std::regex_search(attributes, std::regex("\\b(nan|inf)\\b")))
        << attributes;
  }
  EXPECT_TRUE(open.empty());
}

Plot makePlot(int points) {
  Plot plot;
  plot.title = "a < b & c";
  plot.xLabel = "step";
  plot.markLabel = "skipped";
  PlotSeries loss{"loss", {}}, scale{"scale", {}};
  for (int i = 0; i < points; ++i) {
    loss.points.emplace_back(i, i == 3 ? NAN : std::sin(i));
    scale.points.emplace_back(i, i == 4 ? 0.0 : 65536.0);
  }
  plot.panels = {{"loss", PlotScale::Linear, {loss}},
                 {"loss scale", PlotScale::Log2, {scale}}};
  plot.marks = {3, 4};
  return plot;
}

TEST(Plot, HasPanelsTicksMarksAndLegend) {
  std::string svg = renderSvg(makePlot(10));
  expectWellFormed(svg);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(countOf(svg, "<path class=\"l s0\""), 2u);
  EXPECT_NE(svg.find(">16</tspan>"), std::string::npos);
  EXPECT_NE(svg.find("skipped (2)"), std::string::npos);
  EXPECT_EQ(countOf(svg, "<line class=\"m\""), 4u);
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(Plot, AGapBreaksTheLine) {
  std::string svg = renderSvg(makePlot(10));
  std::regex path("class=\"l s0\" d=\"([^\"]*)\"");
  for (std::sregex_iterator it(svg.begin(), svg.end(), path), end; it != end;
       ++it)
    EXPECT_EQ(countOf((*it)[1], "M"), 2u);
}

TEST(Plot, EmptyConstantAndSinglePointsAreFine) {
  expectWellFormed(renderSvg(Plot{}));
  expectWellFormed(renderSvg(makePlot(0)));
  expectWellFormed(renderSvg(makePlot(1)));
  Plot plot = makePlot(2);
  plot.panels[0].series[0].points = {{0, INFINITY}, {1, NAN}};
  expectWellFormed(renderSvg(plot));
  plot.panels[0].series[0].points = {{0, 1e-30}, {1, 1e30}};
  expectWellFormed(renderSvg(plot));
}

TEST(Plot, LongRunsStaySmallAndKeepTheirExtremes) {
  Plot plot = makePlot(100'000);
  plot.panels[0].series[0].points[54'321].second = 100;
  std::string svg = renderSvg(plot);
  EXPECT_LT(svg.size(), 200'000u);
  // The highest point lies just under the top of the first panel.
  Plot flat = plot;
  flat.panels[0].series[0].points = {{0, -1}, {54'321, 100}, {99'999, -1}};
  std::string wanted = renderSvg(flat);
  std::smatch peak;
  ASSERT_TRUE(std::regex_search(wanted, peak,
                                std::regex("d=\"M[^L]*L([0-9.]+ [0-9.]+)")));
  EXPECT_NE(svg.find(peak[1]), std::string::npos);
}

} // namespace
} // namespace mpc::rt
