// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolutions and their gradients, bit for bit against chains of
// std::fma.
#include "ExactContractions.h"
#include "gtest/gtest.h"
#include <array>

using namespace mpc::test;

static const std::string kSchedule = "#cpu.depthwise";

/// A depthwise convolution: `channels` of one input and one output each.
static Convolution depthwise(int64_t batch, int64_t channels, int64_t height,
                             int64_t width, int64_t kernel, int64_t stride = 1,
                             int64_t dilation = 1) {
  return {batch, channels, 1, 1, height, width, kernel, stride, dilation};
}

static std::vector<Loops> getPasses(const Convolution &convolution) {
  return {convolve(convolution), convolveInputGradient(convolution),
          convolveWeightGradient(convolution)};
}

static void expectExactPasses(const Convolution &convolution,
                              Format format = Format::F32) {
  for (Loops loops : getPasses(convolution)) {
    loops.aFormat = loops.bFormat = format;
    expectExact(loops, kSchedule);
  }
}

/// A window over lines or volumes: n, channel, positions.., window..
static Loops slide(int64_t batch, int64_t channels,
                   const std::vector<int64_t> &positions,
                   const std::vector<int64_t> &window) {
  Loops loops;
  loops.extents = {batch, channels};
  loops.extents.insert(loops.extents.end(), positions.begin(), positions.end());
  loops.extents.insert(loops.extents.end(), window.begin(), window.end());
  size_t axes = positions.size(), count = loops.extents.size();
  loops.kinds = std::string(2 + axes, 'p') + std::string(axes, 'r');
  auto row = [&](std::vector<size_t> of) {
    std::vector<int64_t> row(count, 0);
    for (size_t loop : of)
      row[loop] = 1;
    return row;
  };
  loops.a = {row({0}), row({1})};
  loops.b = {row({1})};
  loops.result = {0, 1};
  for (size_t axis = 0; axis < axes; ++axis) {
    loops.a.push_back(row({2 + axis, 2 + axes + axis}));
    loops.b.push_back(row({2 + axes + axis}));
    loops.result.push_back(2 + axis);
  }
  return loops;
}

TEST(Depthwise, KernelsStridesAndDilations) {
  for (auto [kernel, stride, dilation] :
       {std::array{3, 2, 1}, {5, 1, 2}, {7, 1, 1}, {3, 2, 3}})
    expectExactPasses(depthwise(2, 16, 5, 6, kernel, stride, dilation));
}

// Vectors that are not full, lines and planes that no block divides.
TEST(Depthwise, OddSizes) {
  for (auto [channels, height, width] :
       {std::array{5, 2, 2}, {4, 1, 5}, {13, 5, 1}, {8, 7, 7}, {33, 3, 13}})
    expectExactPasses(depthwise(2, channels, height, width, 3));
}

TEST(Depthwise, Formats) {
  for (Format format : {Format::F16, Format::BF16}) {
    expectExactPasses(depthwise(2, 24, 9, 10, 3), format);
    expectExactPasses(depthwise(3, 7, 6, 6, 5, 2), format);
  }
}

// Windows and images of several chains: whole lines, parts of a line, lines
// that have no good part.
TEST(Depthwise, Chains) {
  expectExactPasses(depthwise(1, 8, 4, 5, 15));
  for (auto [batch, height, width] :
       {std::array{3, 14, 14}, {2, 3, 224}, {1, 2, 211}, {5, 7, 7}})
    for (Loops loops : getPasses(depthwise(batch, 8, height, width, 3)))
      expectExact(loops, kSchedule);
}

// Several tiles, the last of which is smaller.
TEST(Depthwise, Tiles) {
  expectExactPasses(depthwise(2, 12, 61, 47, 3));
  expectExactPasses(depthwise(37, 8, 5, 6, 3, 2));
}

TEST(Depthwise, LinesAndVolumes) {
  for (const Loops &loops :
       {slide(3, 16, {50}, {3}), slide(2, 9, {1000}, {31}),
        slide(1, 16, {20}, {2}), slide(2, 8, {5, 6, 7}, {3, 3, 3}),
        slide(1, 12, {17, 18, 19}, {2, 3, 1})})
    expectExact(loops, kSchedule);
}

enum class Image { A, B };

/// The same where the kernel is given the image without its border, which is
/// around its last `axes` axes.
static void expectExactUnpadded(Loops loops, Image image, size_t axes,
                                int64_t border) {
  loops.aBorder.assign(loops.a.size(), 0);
  loops.bBorder.assign(loops.b.size(), 0);
  auto &borders = image == Image::A ? loops.aBorder : loops.bBorder;
  std::fill(borders.end() - static_cast<int64_t>(axes), borders.end(), border);
  loops.pads = true;
  for (Format format : {Format::F32, Format::BF16}) {
    loops.aFormat = loops.bFormat = format;
    expectExact(loops, kSchedule);
  }
}

// Borders of zeros that have no memory, in tiles that have both, one or none of
// them, along lines of which little is inside.
TEST(Depthwise, UnpaddedImages) {
  for (const Convolution &convolution :
       {depthwise(2, 16, 8, 8, 3), depthwise(2, 5, 61, 47, 5),
        depthwise(1, 9, 3, 3, 3), depthwise(3, 8, 6, 20, 3, 2)})
    expectExactUnpadded(convolve(convolution), Image::A, 2, 1);
  expectExactUnpadded(convolve(depthwise(2, 24, 9, 9, 5)), Image::A, 2, 2);
  expectExactUnpadded(slide(3, 16, {50}, {3}), Image::A, 1, 1);
  expectExactUnpadded(slide(2, 8, {3000}, {3}), Image::A, 1, 2);
  expectExactUnpadded(slide(2, 8, {5, 6, 7}, {3, 3, 3}), Image::A, 3, 1);
}

TEST(Depthwise, UnpaddedImagesOfWeightGradients) {
  for (const Convolution &convolution :
       {depthwise(4, 8, 9, 10, 3), depthwise(37, 8, 5, 6, 3, 2),
        depthwise(2, 13, 61, 47, 3)})
    expectExactUnpadded(convolveWeightGradient(convolution), Image::B, 2, 1);
}

TEST(Depthwise, TwoRoundingsWhereTheRegionSaysSo) {
  for (Loops loops : getPasses(depthwise(2, 16, 6, 6, 3))) {
    loops.fused = false;
    expectExact(loops, kSchedule);
  }
}

TEST(Depthwise, MapOnTheResult) {
  for (const Convolution &convolution :
       {depthwise(2, 16, 8, 8, 3), depthwise(3, 11, 7, 9, 3),
        depthwise(2, 5, 40, 37, 3)})
    for (const Loops &loops : getPasses(convolution)) {
      expectTruncated(loops, kSchedule);
      expectEverything(loops, kSchedule);
    }
}

// Chunks in any order, on several threads at once.
TEST(Depthwise, Threads) {
  for (const Loops &loops : getPasses(depthwise(8, 64, 7, 7, 3))) {
    Tensor a(countElements(loops.getShape(loops.a)), Format::F32, 1);
    Tensor b(countElements(loops.getShape(loops.b)), Format::F32, 2);
    auto kernels = GemmKernels::compile(getText(loops, After::Nothing), 8);
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    EXPECT_GT(kernels->chunks(), 3);
    Workers workers(3);
    std::vector<float> result(countElements(loops.getResultShape()));
    kernels->runParallel({a.data(), b.data(), result.data()}, workers);
    EXPECT_EQ(getBits(result), getBits(evaluate(loops, a.values, b.values)));
  }
}

// Channels that are summed over, too few channels, windows that do not slide.
TEST(Depthwise, LeavesOthersToGemm) {
  for (const Loops &loops :
       {convolve({2, 1, 16, 16, 6, 6, 3, 1, 1}),
        convolve({2, 3, 1, 1, 6, 6, 3, 1, 1}), batched(16, 10, 1, 20)})
    expectExact(loops, "#cpu.gemm");
}
