// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed contractions, bit for bit against chains of std::fma.
#include "ExactContractions.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mpc::test;

TEST(Gemm, SmallSizesInAllLayouts) {
  for (auto [m, n, k] : {std::array{1, 1, 2},
                         {2, 3, 4},
                         {5, 16, 8},
                         {6, 17, 9},
                         {7, 31, 16},
                         {13, 8, 33},
                         {24, 40, 40},
                         {40, 1, 37},
                         {1, 39, 5},
                         {37, 33, 21}})
    for (bool aTransposed : {false, true})
      for (bool bTransposed : {false, true}) {
        Loops loops = matmul(m, n, k, aTransposed, bTransposed);
        expectExact(loops);
        loops.aFormat = loops.bFormat = Format::BF16;
        expectExact(loops);
      }
}

TEST(Gemm, Formats) {
  for (Format a : {Format::F32, Format::F16, Format::BF16})
    for (Format b : {Format::F32, Format::F16, Format::BF16})
      for (bool transposed : {false, true}) {
        Loops loops = matmul(29, 35, 26, transposed, !transposed);
        loops.aFormat = a;
        loops.bFormat = b;
        expectExact(loops);
      }
}

// Several tiles of rows and columns, several blocks of k.
TEST(Gemm, ManyTilesAndBlocks) {
  for (auto [m, n, k] : {std::array{301, 203, 70},
                         {130, 70, 905},
                         {20, 700, 401},
                         {700, 20, 401},
                         {9, 9, 3000}})
    for (bool transposed : {false, true})
      for (Format format : {Format::F16, Format::BF16}) {
        Loops loops = matmul(m, n, k, transposed, !transposed);
        loops.aFormat = format;
        loops.bFormat = Format::BF16;
        expectExact(loops);
      }
}

// Tiles that several chunks share by rows, or by columns where there are few
// rows; the last one has fewer.
TEST(Gemm, PiecesOfTiles) {
  expectExact(matmul(301, 103, 170), "row_pieces = ");
  expectExact(matmul(100, 60, 600, true, true), "_pieces = ");
  expectExact(matmul(5, 700, 1470), "column_pieces = ");
}

// Panels that are packed once, by several chunks each: runs of k, the last of
// which is shorter, in all layouts of the columns; an odd number of k.
TEST(Gemm, PanelsPackedInRuns) {
  for (bool transposed : {false, true})
    for (Format format : {Format::F32, Format::BF16}) {
      Loops loops = matmul(96, 40, 2501, false, transposed);
      loops.aFormat = loops.bFormat = format;
      expectExact(loops);
    }
}

// Pieces of tiles that begin inside of an image: of pixels that are columns,
// and of pixels that are rows, eight of which are packed at once.
TEST(Gemm, PiecesOfImages) {
  Loops rows;
  rows.extents = {4, 64, 96, 300}; // image, pixel, column, k
  rows.kinds = "pppr";
  rows.a = {{1, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}};
  rows.b = {{0, 0, 1, 0}, {0, 0, 0, 1}};
  rows.result = {0, 1, 2};
  for (Format format : {Format::F32, Format::BF16})
    for (Loops loops :
         {rows, convolve({7, 1, 90, 150, 7, 7, 1, 1, 1}),
          convolveWeightGradient({7, 1, 90, 150, 7, 7, 1, 1, 1})}) {
      loops.aFormat = loops.bFormat = format;
      expectExact(loops, "_pieces = ");
    }
}

// Lengths about those at which there is a chain more, in one block of k and in
// several.
TEST(Gemm, Chains) {
  for (Format format : {Format::F32, Format::BF16}) {
    auto expect = [&](Loops loops) {
      loops.aFormat = loops.bFormat = format;
      expectExact(loops);
    };
    for (int64_t k :
         {127, 128, 129, 191, 192, 193, 320, 383, 384, 385, 767, 769, 2049})
      expect(matmul(7, 19, k));
    for (int64_t k : {191, 193, 211, 385, 2053})
      expect(batched(3, 1, 21, k));
  }
}

static double getError(const std::vector<float> &values,
                       const std::vector<double> &exact) {
  double squares = 0, error = 0;
  for (size_t place = 0; place < values.size(); ++place) {
    squares += exact[place] * exact[place];
    error += (values[place] - exact[place]) * (values[place] - exact[place]);
  }
  return std::sqrt(error / squares);
}

// Sums of random signs grow with the root of what was added, each addition
// rounds by up to half a unit: a chain of n is off by the root of n / 2 of such
// roundings, n in chains of 128 by that of 64 + n / 256.
TEST(Gemm, LongSumsAreAccurate) {
  constexpr int64_t kSize = 24, kSteps = 4608;
  Loops loops = matmul(kSize, kSize, kSteps);
  Tensor a(kSize * kSteps, Format::F32, 1), b(kSteps * kSize, Format::F32, 2);
  std::vector<double> exact(kSize * kSize);
  std::vector<float> chains(kSize * kSize);
  for (int64_t place = 0; place < kSize * kSize; ++place)
    for (int64_t k = 0; k < kSteps; ++k) {
      float x = a.values[place / kSize * kSteps + k];
      float y = b.values[k * kSize + place % kSize];
      exact[place] += static_cast<double>(x) * y;
      chains[place] = std::fma(x, y, chains[place]);
    }
  auto kernels = GemmKernels::compile(getText(loops, After::Nothing), 8);
  ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
  std::vector<float> result(kSize * kSize);
  kernels->run({a.data(), b.data(), result.data()});
  EXPECT_LT(getError(result, exact), 3e-7);
  EXPECT_GT(getError(chains, exact), 4 * getError(result, exact));
}

TEST(Gemm, Batches) {
  for (Format format : {Format::F32, Format::BF16})
    for (Loops loops : {batched(5, 19, 23, 11), batched(3, 150, 40, 30)}) {
      loops.aFormat = loops.bFormat = format;
      expectExact(loops);
    }
}

// Attention's heads: batch and rows interleaved in memory.
TEST(Gemm, InterleavedBatch) {
  Loops loops;
  loops.extents = {2, 3, 21, 18, 10}; // batch, head, row, column, k
  loops.kinds = "ppppr";
  loops.a = {
      {1, 0, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 0, 0, 1}};
  loops.b = {
      {1, 0, 0, 0, 0}, {0, 0, 0, 1, 0}, {0, 1, 0, 0, 0}, {0, 0, 0, 0, 1}};
  loops.result = {0, 2, 1, 3};
  expectExact(loops);
  loops.aFormat = loops.bFormat = Format::BF16;
  expectExact(loops);
}

TEST(Gemm, Convolutions) {
  for (Convolution c : {Convolution{2, 1, 3, 8, 8, 8, 3, 1, 1},
                        Convolution{1, 1, 4, 5, 7, 7, 3, 2, 1},
                        Convolution{3, 2, 3, 4, 4, 8, 3, 1, 2},
                        Convolution{2, 3, 2, 3, 5, 6, 1, 2, 1},
                        Convolution{4, 1, 16, 24, 8, 8, 3, 1, 1}})
    for (Loops loops :
         {convolve(c), convolveWeightGradient(c), convolveInputGradient(c)})
      for (Format format : {Format::F16, Format::BF16}) {
        loops.aFormat = loops.bFormat = format;
        expectExact(loops);
      }
}

// Windows that are 2 apart: elements of a line are taken by twos, several at
// once where the line is long enough.
TEST(Gemm, ConvolutionsOfEverySecond) {
  for (Convolution c : {Convolution{1, 1, 4, 5, 8, 8, 3, 2, 1},
                        Convolution{2, 1, 3, 8, 4, 16, 3, 2, 1},
                        Convolution{1, 2, 5, 7, 3, 24, 1, 2, 1},
                        Convolution{2, 1, 2, 9, 5, 12, 5, 2, 1}})
    for (Loops loops : {convolve(c), convolveWeightGradient(c)})
      for (Format format : {Format::F32, Format::BF16}) {
        loops.aFormat = loops.bFormat = format;
        expectExact(loops);
      }
}

TEST(Gemm, TwoRoundingsWhereTheRegionSaysSo) {
  Loops loops = matmul(20, 30, 40);
  loops.fused = false;
  expectExact(loops);
}

// Chunks in any order, on several threads at once.
TEST(Gemm, Threads) {
  Loops loops = matmul(301, 203, 470);
  Tensor a(301 * 470, Format::F32, 1), b(470 * 203, Format::F32, 2);
  auto kernels = GemmKernels::compile(getText(loops, After::Nothing), 8);
  ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
  EXPECT_GT(kernels->chunks(), 3);
  Workers workers(3);
  std::vector<float> result(301 * 203);
  kernels->runParallel({a.data(), b.data(), result.data()}, workers);
  EXPECT_EQ(getBits(result), getBits(evaluate(loops, a.values, b.values)));
}

// What the comparison is worth: the chain the other way round differs.
TEST(Gemm, ReferenceTellsOrders) {
  Loops loops = matmul(20, 30, 40);
  Tensor a(800, Format::F32, 1), b(1200, Format::F32, 2);
  std::vector<float> forward = evaluate(loops, a.values, b.values);
  std::reverse(a.values.begin(), a.values.end());
  std::reverse(b.values.begin(), b.values.end());
  std::vector<float> backward = evaluate(loops, a.values, b.values);
  std::reverse(backward.begin(), backward.end());
  EXPECT_NE(getBits(forward), getBits(backward));
  Loops twice = loops;
  twice.fused = false;
  EXPECT_NE(getBits(evaluate(twice, a.values, b.values)),
            getBits(evaluate(loops, a.values, b.values)));
}

TEST(Gemm, TruncatedResult) {
  expectTruncated(matmul(50, 37, 29));
  expectTruncated(matmul(130, 64, 900, true));
  expectTruncated(convolve({2, 1, 3, 8, 7, 7, 3, 1, 1}));
  // Vectors of pixels, some of them of two images.
  expectTruncated(convolve({3, 1, 40, 24, 5, 5, 1, 1, 1}));
}

TEST(Gemm, MapOnTheResult) {
  expectEverything(matmul(50, 37, 29));
  expectEverything(matmul(64, 48, 32));
  expectEverything(matmul(130, 64, 900, false, true));
  expectEverything(batched(3, 20, 17, 12));
  expectEverything(convolve({2, 1, 3, 8, 7, 7, 3, 1, 1}));
}
