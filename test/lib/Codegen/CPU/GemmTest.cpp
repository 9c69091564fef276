// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed contractions, bit for bit against chains of std::fma.
#include "Contractions.h"
#include "Harness.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace mpc::test;

namespace {

/// A tensor's elements as kernels see them, and what they stand for.
struct Tensor {
  Tensor(size_t count, Format format, unsigned seed);
  void *data() { return bytes.data(); }

  std::vector<char> bytes;
  std::vector<float> values;
};

} // namespace

static uint16_t encode(float value, Format format) {
  return format == Format::F16 ? toHalf(value) : toBFloat(value);
}

Tensor::Tensor(size_t count, Format format, unsigned seed)
    : bytes(count * getBytes(format)), values(randoms(count, -2, 2, seed)) {
  for (size_t number = 0; number < count; ++number) {
    char *place = bytes.data() + number * getBytes(format);
    if (format == Format::F32) {
      std::memcpy(place, &values[number], 4);
      continue;
    }
    uint16_t bits = encode(values[number], format);
    values[number] = format == Format::F16 ? fromHalf(bits) : fromBFloat(bits);
    std::memcpy(place, &bits, 2);
  }
}

static size_t countElements(const std::vector<int64_t> &shape) {
  size_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

static std::vector<uint32_t> getBits(const std::vector<float> &values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * 4);
  return bits;
}

// Runs `loops` for both vector widths that the machine has and for several
// splits of the chunks, and compares all bits.
static void expectExact(const Loops &loops, const std::string &what) {
  Tensor a(countElements(loops.getShape(loops.a)), loops.aFormat, 1);
  Tensor b(countElements(loops.getShape(loops.b)), loops.bFormat, 2);
  std::vector<uint32_t> want = getBits(evaluate(loops, a.values, b.values));
  for (int64_t lanes : {8, 0}) {
    auto kernels = GemmKernels::compile(getText(loops, After::Nothing), lanes);
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    ASSERT_NE(kernels->schedule().find("#cpu.gemm"), std::string::npos)
        << what << ": " << kernels->schedule();
    for (int64_t pieces : {1, 3}) {
      std::vector<float> result(want.size(), 12345.0f);
      kernels->run({a.data(), b.data(), result.data()}, pieces);
      ASSERT_EQ(getBits(result), want)
          << what << " lanes " << lanes << " " << kernels->schedule();
    }
  }
}

static std::string describe(const Loops &loops) {
  std::string text;
  for (int64_t extent : loops.extents)
    text += std::to_string(extent) + " ";
  return text + getText(loops, After::Nothing);
}

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
        expectExact(loops, describe(loops));
      }
}

TEST(Gemm, Formats) {
  for (Format a : {Format::F32, Format::F16, Format::BF16})
    for (Format b : {Format::F32, Format::F16, Format::BF16})
      for (bool transposed : {false, true}) {
        Loops loops = matmul(29, 35, 26, transposed, !transposed);
        loops.aFormat = a;
        loops.bFormat = b;
        expectExact(loops, describe(loops));
      }
}

// Several tiles of rows and columns, several blocks of k.
TEST(Gemm, ManyTilesAndBlocks) {
  for (auto [m, n, k] : {std::array{301, 203, 70},
                         {130, 70, 905},
                         {20, 700, 401},
                         {700, 20, 401},
                         {9, 9, 3000}})
    for (bool transposed : {false, true}) {
      Loops loops = matmul(m, n, k, transposed, !transposed);
      loops.aFormat = Format::F16;
      loops.bFormat = Format::BF16;
      expectExact(loops, describe(loops));
    }
}

TEST(Gemm, Batches) {
  Loops loops = batched(5, 19, 23, 11);
  expectExact(loops, describe(loops));
  loops = batched(3, 150, 40, 30);
  expectExact(loops, describe(loops));
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
  expectExact(loops, describe(loops));
}

TEST(Gemm, Convolutions) {
  for (Convolution c : {Convolution{2, 1, 3, 8, 8, 8, 3, 1, 1},
                        Convolution{1, 1, 4, 5, 7, 7, 3, 2, 1},
                        Convolution{3, 2, 3, 4, 4, 8, 3, 1, 2},
                        Convolution{2, 3, 2, 3, 5, 6, 1, 2, 1},
                        Convolution{2, 8, 1, 1, 9, 9, 3, 1, 1},
                        Convolution{4, 1, 16, 24, 8, 8, 3, 1, 1}})
    for (Loops loops :
         {convolve(c), convolveWeightGradient(c), convolveInputGradient(c)}) {
      loops.aFormat = Format::F16;
      loops.bFormat = Format::F16;
      expectExact(loops, describe(loops));
    }
}

TEST(Gemm, TwoRoundingsWhereTheRegionSaysSo) {
  Loops loops = matmul(20, 30, 40);
  loops.fused = false;
  expectExact(loops, describe(loops));
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

static void expectTruncated(Loops loops) {
  Tensor a(countElements(loops.getShape(loops.a)), loops.aFormat, 1);
  Tensor b(countElements(loops.getShape(loops.b)), loops.bFormat, 2);
  std::vector<uint16_t> want;
  for (float value : evaluate(loops, a.values, b.values))
    want.push_back(toHalf(value));
  for (int64_t lanes : {8, 0}) {
    auto kernels = GemmKernels::compile(getText(loops, After::Truncate), lanes);
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    std::vector<uint16_t> result(want.size(), 0x1234);
    kernels->run({a.data(), b.data(), result.data()});
    ASSERT_EQ(result, want) << describe(loops) << kernels->schedule();
  }
}

TEST(Gemm, TruncatedResult) {
  expectTruncated(matmul(50, 37, 29));
  expectTruncated(matmul(130, 64, 900, true));
  expectTruncated(convolve({2, 1, 3, 8, 7, 7, 3, 1, 1}));
}

static void expectEverything(const Loops &loops) {
  std::vector<int64_t> shape = loops.getResultShape();
  size_t count = countElements(shape);
  Tensor a(countElements(loops.getShape(loops.a)), loops.aFormat, 1);
  Tensor b(countElements(loops.getShape(loops.b)), loops.bFormat, 2);
  Tensor bias(shape.back(), Format::F32, 3), residual(count, Format::F16, 4);
  std::vector<float> product = evaluate(loops, a.values, b.values);
  std::vector<uint16_t> want(count);
  std::vector<uint8_t> wantMask(count);
  for (size_t place = 0; place < count; ++place) {
    float sum = product[place] + bias.values[place % shape.back()];
    wantMask[place] = sum > 0;
    float value = (sum > 0 ? sum : 0.0f) + residual.values[place];
    // The same dimensions, the last outermost.
    size_t rest = place, reversed = 0, stride = count;
    for (size_t dim = shape.size(); dim-- > 0;) {
      stride /= shape[dim];
      reversed += rest % shape[dim] * stride;
      rest /= shape[dim];
    }
    want[reversed] = toHalf(value);
  }
  for (int64_t lanes : {8, 0}) {
    auto kernels =
        GemmKernels::compile(getText(loops, After::Everything), lanes);
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    ASSERT_NE(kernels->schedule().find("#cpu.gemm"), std::string::npos);
    std::vector<uint16_t> result(count, 0x1234);
    std::vector<uint8_t> mask(count, 7);
    kernels->run({a.data(), b.data(), bias.data(), residual.data(),
                  result.data(), mask.data()});
    ASSERT_EQ(result, want) << describe(loops) << kernels->schedule();
    ASSERT_EQ(mask, wantMask);
  }
}

TEST(Gemm, MapOnTheResult) {
  expectEverything(matmul(50, 37, 29));
  expectEverything(matmul(64, 48, 32));
  expectEverything(matmul(130, 64, 900, false, true));
  expectEverything(batched(3, 20, 17, 12));
  expectEverything(convolve({2, 1, 3, 8, 7, 7, 3, 1, 1}));
}
