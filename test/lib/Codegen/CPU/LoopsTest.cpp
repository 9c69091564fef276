// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels run by scalar loops, against straightforward C++.
#include "Harness.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>

using namespace mpc::test;

static Config naive(int64_t pieces = 1) {
  Config config;
  config.naive = true;
  config.pieces = pieces;
  return config;
}

// c = a @ b, cut over rows and columns of the result.
static const char *matmul = R"mlir(
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
kernel.func @k(%a: tensor<5x7xf32>, %b: tensor<7x3xf32>, %c: tensor<5x3xf32>)
    -> tensor<5x3xf32> attributes {schedule = #cpu.loops<chunks = 15>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x3xf32>) -> tensor<5x3xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x7xf32>, tensor<7x3xf32>) outs(%init : tensor<5x3xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<5x3xf32>
  kernel.return %r : tensor<5x3xf32>
}
)mlir";

TEST(Loops, MatmulMatchesSequentialSums) {
  std::vector<float> a = randoms(35), b = randoms(21, -2, 2, 2), want(15);
  for (int m = 0; m < 5; ++m)
    for (int n = 0; n < 3; ++n)
      for (int k = 0; k < 7; ++k)
        want[m * 3 + n] += a[m * 7 + k] * b[k * 3 + n];
  for (int64_t pieces : {1, 2, 15}) {
    Kernels kernels(matmul, naive(pieces));
    EXPECT_EQ(kernels.chunks(), 15);
    std::vector<float> c(15, 1e9f);
    kernels.run({a.data(), b.data(), c.data()});
    EXPECT_EQ(c, want);
  }
}

// Partial writes keep what the destination holds.
TEST(Loops, StridedWriteKeepsTheRest) {
  Kernels kernels(R"mlir(
kernel.func @k(%x: tensor<4xf32>, %d: tensor<9xf32>) -> tensor<9xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i * 2 + 1)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%d : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<9xf32>
  kernel.return %r : tensor<9xf32>
}
)mlir",
                  naive());
  std::vector<float> x = {1, 2, 3, 4}, d(9, -1);
  kernels.run({x.data(), d.data()});
  EXPECT_EQ(d, (std::vector<float>{-1, 1, -1, 2, -1, 3, -1, 4, -1}));
}

// A fill shared by two statements is two buffers.
TEST(Loops, SharedFillIsNotShared) {
  Kernels kernels(R"mlir(
#i = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
kernel.func @k(%x: tensor<6xf32>, %a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#i, #s], iterator_types = ["reduction"]}
      ins(%x : tensor<6xf32>) outs(%init : tensor<f32>) {
  ^bb0(%e: f32, %s: f32):
    %t = arith.addf %s, %e : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %prod = linalg.generic {indexing_maps = [#i, #s, #s], iterator_types = ["reduction"]}
      ins(%x, %sum : tensor<6xf32>, tensor<f32>) outs(%init : tensor<f32>) {
  ^bb0(%e: f32, %m: f32, %s: f32):
    %q = arith.mulf %e, %m : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  kernel.return %sum, %prod : tensor<f32>, tensor<f32>
}
)mlir",
                  naive());
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  float a = 0, b = 0;
  kernels.run({x.data(), &a, &b});
  EXPECT_EQ(a, 22);
  EXPECT_EQ(b, 21 * 22 + 1);
}

// The select drops what lies outside; it is not read either.
TEST(Loops, GatherClampsAndI1IsAByte) {
  Kernels kernels(R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<3xf32>, %at: tensor<4xi64>, %d: tensor<4xf32>, %f: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %r:2 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%at : tensor<4xi64>) outs(%d, %f : tensor<4xf32>, tensor<4xi1>) {
  ^bb0(%p: i64, %o: f32, %of: i1):
    %j = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%j] : tensor<3xf32>
    %c = arith.constant 2.5 : f32
    %b = arith.cmpf ogt, %v, %c : f32
    linalg.yield %v, %b : f32, i1
  } -> (tensor<4xf32>, tensor<4xi1>)
  kernel.return %r#0, %r#1 : tensor<4xf32>, tensor<4xi1>
}
)mlir",
                  naive());
  std::vector<float> x = {1, 2, 3}, d(4);
  std::vector<int64_t> at = {-1000000000000, 1, 2, 1000000000000};
  std::vector<uint8_t> flags(4, 77);
  kernels.run({x.data(), at.data(), d.data(), flags.data()});
  EXPECT_EQ(d, (std::vector<float>{1, 2, 3, 3}));
  EXPECT_EQ(flags, (std::vector<uint8_t>{0, 0, 1, 1}));
}

// Updates sum in index order; a negative index counts from the end.
// Features: H9.
TEST(Loops, ScatterAddsInIndexOrder) {
  for (int64_t pieces : {1, 3}) {
    Kernels kernels(R"mlir(
kernel.func @k(%u: tensor<2x4x3xf32>, %at: tensor<4xi64>, %d: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> attributes {schedule = #cpu.loops<chunks = 6>} {
  %r = kernel.scatter ins(%u, %at : tensor<2x4x3xf32>, tensor<4xi64>) outs(%d : tensor<2x3x3xf32>)
  kernel.return %r : tensor<2x3x3xf32>
}
)mlir",
                    naive(pieces));
    std::vector<float> u = randoms(24), d(18, 0.5f), want = d;
    std::vector<int64_t> at = {2, -1, 0, 77};
    std::vector<int> rows = {2, 2, 0, 2};
    for (int o = 0; o < 2; ++o)
      for (int k = 0; k < 4; ++k)
        for (int n = 0; n < 3; ++n)
          want[(o * 3 + rows[k]) * 3 + n] += u[(o * 4 + k) * 3 + n];
    kernels.run({u.data(), at.data(), d.data()});
    EXPECT_EQ(d, want);
  }
}

// Blocks of columns give what scalar loops give, to the bit: whole vectors and
// a rest, from zeros and from the destination's own values.
TEST(Scatter, BlocksHaveTheBitsOfScalarLoops) {
  std::vector<int64_t> at(100);
  for (size_t i = 0; i < at.size(); ++i)
    at[i] = static_cast<int64_t>(i * i % 9) - 2;
  for (llvm::StringRef by : {"sum", "maximum"})
    for (int inner : {1, 3, 40})
      for (llvm::StringRef first : {"%zeros", "%d"}) {
        std::string text = llvm::formatv(R"mlir(
kernel.func scatter @k(%u: tensor<2x50x{0}xf32>, %at: tensor<2x50xi64>, %d: tensor<2x7x{0}xf32>) -> tensor<2x7x{0}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x7x{0}xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x7x{0}xf32>) -> tensor<2x7x{0}xf32>
  %r = kernel.scatter ins(%u, %at : tensor<2x50x{0}xf32>, tensor<2x50xi64>) outs({1} : tensor<2x7x{0}xf32>) by {2}
  kernel.return %r : tensor<2x7x{0}xf32>
}
)mlir",
                                         inner, first, by);
        Buffers buffers = {bytes(randoms(100 * inner)), bytes(at),
                           bytes(std::vector<float>(14 * inner, 0.5f))};
        runAllWays(text, buffers, "#cpu.scatter<");
      }
}

// Of a large result a unit has a block of rows, the last one fewer. Each update
// is added once, at its row.
TEST(Scatter, BlocksOfRowsAddEachUpdateOnce) {
  const int size = 3000, count = 500, inner = 64;
  std::vector<int64_t> at(count);
  for (int i = 0; i < count; ++i)
    at[i] = i % 2 ? static_cast<int64_t>(i) * 37 % size : i * 2 - 500;
  std::vector<float> u = randoms(count * inner), want(size * inner);
  for (int i = 0; i < count; ++i)
    for (int n = 0; n < inner; ++n)
      want[(at[i] < 0 ? at[i] + size : at[i]) * inner + n] += u[i * inner + n];
  for (int row = 0; row < size; ++row)
    at.push_back(row);
  for (int i = 0; i < size * inner; ++i)
    u.push_back(1), want[i] += 1;
  for (const char *first : {"%zeros", "%d"}) {
    std::string text = llvm::formatv(R"mlir(
kernel.func scatter @k(%u: tensor<1x3500x64xf32>, %at: tensor<3500xi64>, %d: tensor<1x3000x64xf32>) -> tensor<1x3000x64xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x3000x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x3000x64xf32>) -> tensor<1x3000x64xf32>
  %r = kernel.scatter ins(%u, %at : tensor<1x3500x64xf32>, tensor<3500xi64>) outs({0} : tensor<1x3000x64xf32>) by sum
  kernel.return %r : tensor<1x3000x64xf32>
}
)mlir",
                                     first);
    // A block that writes its first values hides what another added before.
    std::vector<float> d(size * inner, first[1] == 'd' ? 0.0f : -1.0f);
    Kernels kernels(text, Config{});
    EXPECT_NE(kernels.schedule().find("rows = "), std::string::npos)
        << kernels.schedule();
    kernels.run({u.data(), at.data(), d.data()});
    EXPECT_EQ(d, want) << first;
  }
}

namespace {

/// The sums of one block, as kernel.cumsum states their order.
std::vector<float> sumsOfBlock(std::vector<float> block, bool isLine) {
  if (!isLine) {
    for (size_t i = 1; i < block.size(); ++i)
      block[i] = block[i - 1] + block[i];
    return block;
  }
  for (size_t distance = 1; distance < 16; distance *= 2)
    for (size_t i = block.size(); i-- > distance;)
      block[i] = block[i] + block[i - distance];
  return block;
}

/// The sums of a run of `span` elements, behind the sum `base`; returns its
/// own.
float sumRun(std::vector<float> &line, size_t span, size_t begin, float base,
             bool isLine) {
  size_t end = std::min(begin + span, line.size());
  if (span == 16) {
    std::vector<float> sums =
        sumsOfBlock({line.begin() + begin, line.begin() + end}, isLine);
    for (size_t i = begin; i < end; ++i)
      line[i] = base + sums[i - begin];
    return sums.back();
  }
  float sum = 0;
  for (size_t at = begin; at < end; at += span / 16)
    sum = sum + sumRun(line, span / 16, at, base + sum, isLine);
  return sum;
}

/// Compares the bits of a cumsum of 2 x `size` x `inner` with its stated order.
void expectStatedOrder(int size, int inner, bool isReverse) {
  std::string type = llvm::formatv("tensor<2x{0}x{1}xf32>", size, inner);
  std::string text = llvm::formatv(R"mlir(
kernel.func @k(%x: {0}, %d: {0}) -> {0} {{
  %r = kernel.cumsum ins(%x : {0}) outs(%d : {0}) {1}
  kernel.return %r : {0}
}
)mlir",
                                   type, isReverse ? "reverse" : "");
  std::vector<float> x = randoms(2 * size * inner), want = x;
  for (int line = 0; line < 2 * inner; ++line) {
    auto at = [&](int i) -> float & {
      int row = isReverse ? size - 1 - i : i;
      return want[(line / inner * size + row) * inner + line % inner];
    };
    std::vector<float> sums(size);
    for (int i = 0; i < size; ++i)
      sums[i] = at(i);
    size_t span = 16;
    while (span < sums.size())
      span *= 16;
    sumRun(sums, span, 0, 0, inner == 1);
    for (int i = 0; i < size; ++i)
      at(i) = sums[i];
  }
  Buffers buffers = {bytes(x), bytes(std::vector<float>(x.size()))};
  buffers = runAllWays(text, buffers, "#cpu.loops<");
  EXPECT_EQ(values<float>(buffers[1]), want) << text;
}

} // namespace

TEST(Loops, CumsumAddsInItsStatedOrder) {
  for (bool isReverse : {false, true}) {
    expectStatedOrder(16, 1, isReverse);
    expectStatedOrder(5000, 1, isReverse);
    expectStatedOrder(700, 37, isReverse);
    expectStatedOrder(9, 3, isReverse);
  }
}

namespace {

/// Ranks `rows` x `size` keys, some of them equal, in several pieces, and
/// compares with std::sort.
template <typename Key>
void expectStableRanks(int rows, int size) {
  int bits = 8 * sizeof(Key);
  std::string keysType =
      llvm::formatv("tensor<{0}x{1}xi{2}>", rows, size, bits);
  std::string ranksType = llvm::formatv("tensor<{0}x{1}xi64>", rows, size);
  std::string text = llvm::formatv(R"mlir(
kernel.func @k(%x: {0}, %d: {1}) -> {1} attributes {{schedule = #cpu.loops<chunks = {2}>} {{
  %r = kernel.rank ins(%x : {0}) outs(%d : {1})
  kernel.return %r : {1}
}
)mlir",
                                   keysType, ranksType, rows);
  std::mt19937_64 engine(size);
  std::vector<Key> keys(rows * size);
  for (Key &key : keys)
    key = static_cast<Key>(engine());
  for (size_t i = 0; i < keys.size(); i += 3)
    keys[i] = keys[i / 2];
  std::vector<int64_t> want(keys.size()), order(size);
  for (int row = 0; row < rows; ++row) {
    std::iota(order.begin(), order.end(), 0);
    const Key *own = keys.data() + row * size;
    std::sort(order.begin(), order.end(), [own](int64_t a, int64_t b) {
      return std::pair(own[a], a) < std::pair(own[b], b);
    });
    for (int rank = 0; rank < size; ++rank)
      want[row * size + order[rank]] = rank;
  }
  for (int64_t pieces : {1, rows}) {
    std::vector<int64_t> ranks(keys.size(), -1);
    Kernels(text, naive(pieces)).run({keys.data(), ranks.data()});
    EXPECT_EQ(ranks, want) << bits << " bits, rows of " << size;
  }
}

} // namespace

TEST(Loops, RankIsTheStableOrder) {
  for (auto [rows, size] : {std::pair(1, 1), {3, 2}, {2, 1000}, {1, 32000}}) {
    expectStableRanks<int8_t>(rows, size);
    expectStableRanks<int16_t>(rows, size);
    expectStableRanks<int32_t>(rows, size);
    expectStableRanks<int64_t>(rows, size);
  }
}
