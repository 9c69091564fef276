// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions whose windows slide over an image, bit for bit against chains of
// std::fma over whole taps.
#include "ExactContractions.h"
#include "gtest/gtest.h"

using namespace mpc::test;

namespace {

/// An axis along which windows slide.
struct Axis {
  int64_t positions, taps, stride = 1, dilation = 1, border = 0;
};

/// A convolution of an input that lies in NCHW with its border.
struct Window {
  int64_t batch, groups, inputs, outputs; ///< Channels: of one group.
  std::vector<Axis> axes;
};

} // namespace

/// The loops with channels before taps, as convolutions are written. Windows
/// have them last, so that the result is the same.
static Loops moveChannelFirst(Loops loops) {
  size_t first = loops.kinds.find('r');
  auto move = [&](std::vector<int64_t> &row) {
    std::rotate(row.begin() + first, row.end() - 1, row.end());
  };
  move(loops.extents);
  for (std::vector<int64_t> &row : loops.a)
    move(row);
  for (std::vector<int64_t> &row : loops.b)
    move(row);
  return loops;
}

/// A row of a map: the coefficients of some of `count` loops.
static std::vector<int64_t>
getRow(size_t count, std::vector<std::pair<size_t, int64_t>> coefficients) {
  std::vector<int64_t> row(count, 0);
  for (auto [loop, coefficient] : coefficients)
    row[loop] = coefficient;
  return row;
}

/// Output (n, g, o, y..) over (k.., c).
static Loops convolve(const Window &window) {
  size_t rank = window.axes.size(), count = 4 + 2 * rank, c = count - 1;
  Loops loops;
  loops.windows = true;
  loops.extents = {window.batch, window.groups, window.outputs};
  for (const Axis &axis : window.axes)
    loops.extents.push_back(axis.positions);
  for (const Axis &axis : window.axes)
    loops.extents.push_back(axis.taps);
  loops.extents.push_back(window.inputs);
  loops.kinds = std::string(3 + rank, 'p') + std::string(rank + 1, 'r');
  loops.a = {getRow(count, {{0, 1}}), getRow(count, {{1, 1}}),
             getRow(count, {{c, 1}})};
  loops.b = {getRow(count, {{1, 1}}), getRow(count, {{2, 1}}),
             getRow(count, {{c, 1}})};
  loops.aBorder = {0, 0, 0};
  loops.result = {0, 1, 2};
  for (size_t number = 0; number < rank; ++number) {
    const Axis &axis = window.axes[number];
    loops.a.push_back(getRow(count, {{3 + number, axis.stride},
                                     {3 + rank + number, axis.dilation}}));
    loops.b.push_back(getRow(count, {{3 + rank + number, 1}}));
    loops.aBorder.push_back(axis.border);
    loops.result.push_back(3 + number);
  }
  const Axis &last = window.axes.back();
  loops.run = (last.dilation == 1 ? last.taps : 1) * window.inputs;
  return loops;
}

/// The gradient of its weight, (g, o, c, k..) over (y.., n).
static Loops convolveWeightGradient(const Window &window) {
  size_t rank = window.axes.size(), count = 4 + 2 * rank, n = count - 1;
  Loops loops;
  loops.windows = true;
  loops.extents = {window.groups, window.outputs, window.inputs};
  for (const Axis &axis : window.axes)
    loops.extents.push_back(axis.taps);
  for (const Axis &axis : window.axes)
    loops.extents.push_back(axis.positions);
  loops.extents.push_back(window.batch);
  loops.kinds = std::string(3 + rank, 'p') + std::string(rank + 1, 'r');
  loops.a = {getRow(count, {{n, 1}}), getRow(count, {{0, 1}}),
             getRow(count, {{1, 1}})};
  loops.b = {getRow(count, {{n, 1}}), getRow(count, {{0, 1}}),
             getRow(count, {{2, 1}})};
  loops.bBorder = {0, 0, 0};
  loops.result = {0, 1, 2};
  for (size_t number = 0; number < rank; ++number) {
    const Axis &axis = window.axes[number];
    loops.a.push_back(getRow(count, {{3 + rank + number, 1}}));
    loops.b.push_back(getRow(count, {{3 + number, axis.dilation},
                                     {3 + rank + number, axis.stride}}));
    loops.bBorder.push_back(axis.border);
    loops.result.push_back(3 + number);
  }
  const Axis &last = window.axes.back();
  loops.run = (last.stride == 1 ? last.positions : 1) * window.batch;
  return loops;
}

static void expectExactIn(Loops loops, std::vector<Format> formats,
                          const std::string &schedule = "windows") {
  for (Format format : formats) {
    loops.aFormat = loops.bFormat = format;
    expectExact(loops, schedule);
  }
}

/// The same where the kernel is given the image without its border.
static void expectExactUnpadded(Loops loops, std::vector<Format> formats) {
  loops.pads = true;
  expectExactIn(loops, formats);
}

static std::vector<Axis> square(int64_t positions, int64_t taps,
                                int64_t stride = 1, int64_t border = 1) {
  return {{positions, taps, stride, 1, border},
          {positions, taps, stride, 1, border}};
}

// A chain has all taps, a line of them, one, or a part of one.
TEST(SlidingWindows, ChainsOfEveryLength) {
  for (int64_t channels : {8, 16, 64, 96, 128, 384})
    expectExactIn(convolve({2, 1, channels, 24, square(6, 3)}),
                  {Format::F32, Format::BF16});
}

// Positions that fill micro-tiles or do not, in lines or along images.
TEST(SlidingWindows, ManyShapes) {
  for (const Window &window :
       {Window{1, 1, 16, 33, square(13, 3)}, Window{3, 1, 16, 40, square(7, 3)},
        Window{9, 1, 8, 20, square(4, 3)}, Window{16, 1, 130, 33, square(2, 3)},
        Window{8, 1, 264, 16, square(4, 3)}, Window{2, 1, 20, 17, square(3, 2)},
        Window{40, 1, 16, 48, square(8, 3)}, Window{2, 3, 8, 12, square(5, 3)},
        Window{1, 1, 16, 32, square(40, 3)}})
    expectExactIn(convolve(window), {Format::F32, Format::BF16});
}

TEST(SlidingWindows, StridesAndDilations) {
  for (const Window &window :
       {Window{2, 1, 32, 32, square(5, 3, 2)},
        Window{9, 1, 32, 16, square(3, 3, 2)},
        Window{1, 1, 8, 24, square(9, 5, 3, 2)},
        Window{2, 1, 96, 32, {{6, 3, 1, 2, 2}, {6, 3, 1, 2, 2}}},
        Window{8, 1, 64, 16, {{3, 3, 1, 3, 3}, {4, 4, 1, 2, 2}}},
        Window{2, 1, 200, 16, {{4, 3, 2, 2, 1}, {4, 3, 2, 3, 3}}}})
    expectExactIn(convolve(window), {Format::F32, Format::BF16});
}

TEST(SlidingWindows, OneToThreeAxes) {
  for (const Window &window :
       {Window{4, 1, 16, 24, {{30, 5, 1, 1, 2}}},
        Window{9, 1, 64, 24, {{3, 3, 1, 1, 1}}},
        Window{
            2, 1, 64, 16, {{3, 3, 1, 1, 1}, {4, 3, 1, 1, 1}, {5, 3, 1, 1, 1}}},
        Window{
            8, 1, 96, 16, {{2, 3, 2, 1, 1}, {2, 1, 1, 1, 0}, {2, 3, 1, 1, 1}}},
        Window{3, 1, 16, 24, {{6, 1, 1, 1, 0}, {9, 5, 1, 1, 2}}},
        Window{3, 1, 16, 24, {{9, 5, 1, 1, 2}, {6, 1, 1, 1, 0}}}})
    expectExactIn(convolve(window), {Format::F32, Format::BF16});
}

TEST(SlidingWindows, WeightGradients) {
  for (const Window &window :
       {Window{4, 1, 10, 24, square(6, 3)}, Window{8, 1, 16, 40, square(4, 3)},
        Window{2, 1, 3, 24, square(8, 3)},
        Window{16, 1, 24, 32, square(8, 3, 2)},
        Window{32, 2, 9, 16, square(2, 3)},
        Window{6, 1, 8, 16, square(9, 5, 1, 2)},
        Window{4, 1, 8, 24, {{30, 5, 1, 1, 2}}}})
    expectExactIn(convolveWeightGradient(window),
                  {Format::F32, Format::BF16, Format::F16});
}

// Borders that have no memory: read as zeros along lines, and left out.
TEST(SlidingWindows, UnpaddedImages) {
  for (const Window &window :
       {Window{2, 1, 64, 24, square(6, 3)}, Window{3, 1, 16, 40, square(13, 3)},
        Window{9, 1, 8, 20, square(4, 3)}, Window{16, 2, 130, 12, square(2, 3)},
        Window{2, 1, 10, 17, square(7, 5, 1, 2)},
        Window{2, 1, 32, 32, square(5, 3, 2)},
        Window{9, 1, 32, 16, square(3, 3, 2)},
        Window{1, 1, 4, 24, square(9, 5, 1, 2)},
        Window{8, 1, 64, 16, {{3, 3, 1, 3, 3}, {4, 4, 1, 2, 2}}},
        Window{4, 1, 16, 24, {{30, 5, 1, 1, 2}}},
        Window{
            2, 1, 64, 16, {{3, 3, 1, 1, 1}, {4, 3, 1, 1, 1}, {5, 3, 1, 1, 1}}},
        Window{3, 1, 16, 24, {{6, 1, 1, 1, 0}, {9, 5, 1, 1, 2}}}})
    expectExactUnpadded(convolve(window), {Format::F32, Format::BF16});
  for (const Window &window :
       {Window{4, 1, 10, 24, square(6, 3)}, Window{8, 1, 16, 40, square(4, 3)},
        Window{3, 1, 9, 16, square(6, 3)},
        Window{16, 1, 24, 32, square(8, 3, 2)},
        Window{16, 1, 8, 8, {{90, 3, 1, 1, 1}, {20, 3, 1, 1, 1}}}})
    expectExactUnpadded(convolveWeightGradient(window),
                        {Format::F32, Format::F16});
}

// Tiles that several chunks share by lines, and by columns, too. The last ones
// have fewer.
TEST(SlidingWindows, PiecesOfTiles) {
  Loops lines = convolve({1, 1, 64, 16, square(13, 3)});
  expectExactIn(lines, {Format::F32}, "row_pieces = ");
  Loops both = convolve({1, 1, 32, 32, square(13, 3)});
  expectExactIn(both, {Format::BF16}, "row_pieces = ");
  expectExactUnpadded(both, {Format::F32});
  Loops columns = convolve({2, 1, 32, 70, square(6, 3)});
  expectExactIn(columns, {Format::F32}, "column_pieces = ");
  Loops gradient = convolveWeightGradient({8, 1, 8, 32, square(12, 3)});
  expectExactIn(gradient, {Format::F32}, "row_pieces = ");
  expectExactUnpadded(gradient, {Format::BF16});
}

// dY is packed once, in runs of taps that are whole channels.
TEST(SlidingWindows, WeightsOfLargeImages) {
  for (const Window &window : {Window{16, 1, 8, 32, square(19, 3)},
                               Window{8, 1, 8, 16, square(23, 2)}})
    expectExactIn(convolveWeightGradient(window), {Format::F32, Format::BF16});
}

// A convolution that is written in another order has the same sums.
TEST(SlidingWindows, OneOrderOfSums) {
  for (const Loops &loops :
       {convolve({2, 1, 16, 24, square(6, 3)}),
        convolveWeightGradient({4, 1, 10, 24, square(6, 3)})})
    for (int64_t lanes : {kScalarLoops, int64_t(0)}) {
      Tensor a(countElements(loops.getShape(loops.a)), Format::F32, 1);
      Tensor b(countElements(loops.getShape(loops.b)), Format::F32, 2);
      auto kernels = GemmKernels::compile(
          getText(moveChannelFirst(loops), After::Nothing), lanes);
      ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
      Loops whole = loops;
      whole.aBorder = whole.bBorder = {};
      std::vector<float> result(countElements(loops.getResultShape()));
      a.clearBorder(loops.getShape(loops.a), loops.aBorder);
      b.clearBorder(loops.getShape(loops.b), loops.bBorder);
      kernels->run({a.data(), b.data(), result.data()});
      EXPECT_EQ(getBits(result), getBits(evaluate(whole, a.values, b.values)));
      EXPECT_NE(getBits(result),
                getBits(evaluate(moveChannelFirst(whole), a.values, b.values)));
    }
}

// An odd number of channels is no whole steps of pairs.
TEST(SlidingWindows, OddChannels) {
  for (Loops loops : {convolve({2, 1, 9, 16, square(6, 3)}),
                      convolveWeightGradient({3, 1, 16, 16, square(6, 3)})})
    expectExactIn(loops, {Format::F32, Format::F16});
}

// Chains that are several lines of taps apart from each other have no windows.
TEST(SlidingWindows, FewChannelsAndDilations) {
  Loops loops = convolve({2, 1, 16, 32, {{6, 3, 1, 2, 2}, {6, 3, 1, 2, 2}}});
  loops.windows = false;
  expectExactIn(loops, {Format::F32, Format::BF16}, "#cpu.gemm");
}

// More taps, or more lines, than the cache holds.
TEST(SlidingWindows, BlocksOfTapsAndLines) {
  expectExactIn(convolveWeightGradient(
                    {16, 1, 8, 8, {{90, 3, 1, 1, 1}, {20, 3, 1, 1, 1}}}),
                {Format::F32, Format::BF16});
  expectExactIn(convolve({1, 1, 1000, 16, square(9, 3)}), {Format::F32});
}

TEST(SlidingWindows, MapOnTheResult) {
  expectEverything(convolve({2, 1, 16, 33, square(6, 3)}));
  expectEverything(convolve({9, 1, 16, 24, square(4, 3)}));
  expectEverything(convolve({3, 1, 64, 40, square(13, 3)}));
  expectTruncated(convolve({2, 2, 16, 12, square(7, 3)}));
  expectTruncated(convolveWeightGradient({8, 1, 16, 40, square(4, 3)}));
}

// A product with a zero of the border would be NaN.
TEST(SlidingWindows, BordersAreNotMultiplied) {
  Loops loops = convolve({8, 1, 16, 16, square(2, 3)});
  Tensor a(countElements(loops.getShape(loops.a)), Format::F32, 1);
  a.clearBorder(loops.getShape(loops.a), loops.aBorder);
  Tensor b(countElements(loops.getShape(loops.b)), Format::F32, 2);
  auto *weights = static_cast<float *>(b.data());
  // The first and the last tap of each window: positions that read them where
  // there is no border are infinite.
  for (size_t place = 0; place < b.values.size(); place += 9)
    weights[place] = weights[place + 8] = INFINITY;
  auto kernels = GemmKernels::compile(getText(loops, After::Nothing), 0);
  ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
  std::vector<float> result(countElements(loops.getResultShape()));
  kernels->run({a.data(), b.data(), result.data()});
  for (size_t place = 0; place < result.size(); ++place) {
    size_t position = place % 4;
    bool isCorner = position == 0 || position == 3;
    EXPECT_EQ(std::isfinite(result[place]), !isCorner) << place;
  }
}
