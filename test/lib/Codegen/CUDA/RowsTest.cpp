// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows whose results lie in the memory of what they read: by value, and by the
// emulator, which finds what is stored before all have read it.
#include "test/lib/Codegen/CUDA/Emulated.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mpc;
using namespace mpc::test;

namespace {

constexpr const char *kMaps =
    "#mn = affine_map<(m, n) -> (m, n)>\n#m = affine_map<(m, n) -> (m)>\n";

/// e = x * y, which may lie in y; f = e / sum(e).
std::string normalized(int rows, int columns) {
  return std::string(kMaps) + llvm::formatv(R"(
kernel.func @k(%x: tensor<{0}x{1}xf32>, %y: tensor<{0}x{1}xf32>, %f: tensor<{0}x{1}xf32>, %e: tensor<{0}x{1}xf32>) -> (tensor<{0}x{1}xf32>, tensor<{0}x{1}xf32>) {{
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<{0}xf32>
  %none = linalg.fill ins(%zero : f32) outs(%m : tensor<{0}xf32>) -> tensor<{0}xf32>
  %p = linalg.generic {{indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<{0}x{1}xf32>, tensor<{0}x{1}xf32>) outs(%e : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<{0}x{1}xf32>
  %s = linalg.generic {{indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<{0}x{1}xf32>) outs(%none : tensor<{0}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<{0}xf32>
  %r = linalg.generic {{indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<{0}x{1}xf32>, tensor<{0}xf32>) outs(%f : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<{0}x{1}xf32>
  kernel.return %r, %p : tensor<{0}x{1}xf32>, tensor<{0}x{1}xf32>
})",
                                            rows, columns)
                                  .str();
}

// Of a row of 9000 elements nothing is kept: a later pass computes the product
// again, from a y that must still be there.
TEST(CudaRows, AResultOverAnInputWaitsForTheLastPass) {
  for (auto [rows, columns] : {std::pair(3, 90), {2, 9000}}) {
    size_t count = rows * columns;
    std::vector<float> x = randoms(count, 1, 2, 1), y = randoms(count, 1, 2, 2);
    Emitted kernel = emitAll(normalized(rows, columns), 80).front();
    ASSERT_EQ(kernel.schedule.substr(0, 10), "#cuda.rows");
    Buffers after = runOnGpu(
        kernel, {bytes(x), bytes(y), room<float>(count), room<float>(count)},
        {.seed = 2, .over = 1});
    std::vector<float> quotients = values<float>(after[2]);
    std::vector<float> products = values<float>(after[3]);
    for (int row = 0; row < rows; ++row) {
      double sum = 0;
      for (int i = row * columns; i < (row + 1) * columns; ++i)
        sum += double(x[i]) * y[i];
      for (int i = row * columns; i < (row + 1) * columns; ++i) {
        ASSERT_EQ(products[i], x[i] * y[i]) << i;
        ASSERT_NEAR(quotients[i], double(x[i]) * y[i] / sum,
                    1e-6 / columns * 50)
            << i;
      }
    }
  }
}

/// d = z * sum of a row of x, which may lie in z; e = x * d.
std::string scaledSums(int rows, int columns) {
  return std::string(kMaps) + llvm::formatv(R"(
kernel.func @k(%x: tensor<{0}x{1}xf32>, %z: tensor<{0}xf32>, %e: tensor<{0}x{1}xf32>, %d: tensor<{0}xf32>) -> (tensor<{0}x{1}xf32>, tensor<{0}xf32>) {{
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<{0}xf32>
  %none = linalg.fill ins(%zero : f32) outs(%m : tensor<{0}xf32>) -> tensor<{0}xf32>
  %s = linalg.generic {{indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<{0}x{1}xf32>) outs(%none : tensor<{0}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<{0}xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%s, %z : tensor<{0}xf32>, tensor<{0}xf32>) outs(%d : tensor<{0}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<{0}xf32>
  %p = linalg.generic {{indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<{0}x{1}xf32>, tensor<{0}xf32>) outs(%e : tensor<{0}x{1}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<{0}x{1}xf32>
  kernel.return %p, %r : tensor<{0}x{1}xf32>, tensor<{0}xf32>
})",
                                            rows, columns)
                                  .str();
}

// All threads of a row read z, which all need, before the one that stores does:
// a warp's, and a block's. Small whole numbers, so that the sums are exact.
TEST(CudaRows, AUnitIsStoredOverAnInputWhenAllHaveReadIt) {
  for (auto [rows, columns] : {std::pair(9, 40), {3, 1500}}) {
    size_t count = rows * columns;
    std::vector<float> x = values<float>(wholeNumbers(count, 1, "f32"));
    std::vector<float> z = randoms(rows);
    Emitted kernel = emitAll(scaledSums(rows, columns), 80).front();
    ASSERT_EQ(kernel.schedule.substr(0, 10), "#cuda.rows");
    for (uint32_t seed : {1u, 2u, 3u}) {
      Buffers after = runOnGpu(
          kernel, {bytes(x), bytes(z), room<float>(count), room<float>(rows)},
          {.seed = seed, .over = 1});
      std::vector<float> products = values<float>(after[2]);
      std::vector<float> got = values<float>(after[3]);
      for (int row = 0; row < rows; ++row) {
        float sum = 0;
        for (int i = 0; i < columns; ++i)
          sum += x[row * columns + i];
        EXPECT_EQ(got[row], sum * z[row]) << row;
        for (int i = row * columns; i < (row + 1) * columns; ++i)
          ASSERT_EQ(products[i], x[i] * (sum * z[row])) << i;
      }
    }
  }
}

/// The sum of `x` over its first axis, or over its last one.
std::string sumOver(bool first, int rows, int columns) {
  return std::string(kMaps) +
         llvm::formatv(R"(
kernel.func @k(%x: tensor<{0}x{1}xf32>, %d: tensor<{2}xf32>) -> tensor<{2}xf32> {{
  %zero = arith.constant 0.0 : f32
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<{2}xf32>) -> tensor<{2}xf32>
  %s = linalg.generic {{indexing_maps = [#mn, affine_map<(m, n) -> ({3})>], iterator_types = [{4}]}
      ins(%x : tensor<{0}x{1}xf32>) outs(%none : tensor<{2}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<{2}xf32>
  kernel.return %s : tensor<{2}xf32>
})",
                       rows, columns, first ? columns : rows, first ? "n" : "m",
                       first ? R"("reduction", "parallel")"
                             : R"("parallel", "reduction")")
             .str();
}

/// The terms of a thread, of which the threads have at most `most`: one after
/// another up to 32, else chains of 16, chains of these, and so on while there
/// are more than 23.
float sumOfThread(std::vector<float> terms, size_t most) {
  for (bool isLong = most > 32; isLong && most > 23; most = (most + 15) / 16) {
    std::vector<float> chains((terms.size() + 15) / 16);
    for (size_t i = 0; i < terms.size(); ++i)
      chains[i / 16] += terms[i];
    terms = chains;
  }
  float sum = 0;
  for (float term : terms)
    sum += term;
  return sum;
}

/// The terms of thread `first` of `threads`, which get runs of `run` in turn.
std::vector<float> termsOf(const std::vector<float> &x, size_t first,
                           size_t threads, size_t run = 1) {
  std::vector<float> terms;
  for (size_t i = first * run; i < x.size(); i += threads * run)
    terms.insert(terms.end(), x.begin() + i, x.begin() + i + run);
  return terms;
}

/// The order that CUDA_RowsAttr documents for a row of `threads`.
float sumOfRow(const std::vector<float> &x, size_t threads, size_t run) {
  size_t most = termsOf(x, 0, threads, run).size();
  float whole = 0;
  for (size_t warp = 0; warp < threads / 32; ++warp) {
    std::vector<float> lanes;
    for (size_t lane = 0; lane < 32; ++lane)
      lanes.push_back(
          sumOfThread(termsOf(x, warp * 32 + lane, threads, run), most));
    for (size_t half = 16; half > 0; half /= 2)
      for (size_t lane = 0; lane < half; ++lane)
        lanes[lane] += lanes[lane + half];
    whole = warp == 0 ? lanes[0] : whole + lanes[0];
  }
  return whole;
}

// The terms of one thread are a cascade where they are many: of a row by a
// warp, by a block, and of a column by eight warps. The number of columns is
// prime, or the sum would be sliced. Where memory is aligned for no vector, the
// order is the same.
TEST(CudaRows, LongSumsAreCascades) {
  struct Case {
    int columns, threads, run;
  };
  for (auto [columns, threads, run] : {Case{900, 32, 4},
                                       {901, 32, 1},
                                       {1000, 32, 8},
                                       {8100, 256, 4},
                                       {8101, 256, 1},
                                       {9000, 256, 8},
                                       {16384, 256, 8},
                                       {16392, 512, 8},
                                       {150000, 512, 8}})
    for (size_t offset : {0, 4}) {
      std::vector<float> x = randoms(columns);
      Emitted kernel = emitAll(sumOver(false, 1, columns), 80,
                               {.alignment = offset == 0 ? 64u : 4u})
                           .front();
      ASSERT_EQ(kernel.schedule.substr(0, 10), "#cuda.rows");
      EXPECT_EQ(kernel.text.find("some0") != std::string::npos,
                run > 1 && offset == 0);
      Buffers after =
          runOnGpu(kernel, {bytes(x), room<float>(1)}, {.offset = offset});
      EXPECT_EQ(values<float>(after[1])[0], sumOfRow(x, threads, run))
          << columns << " " << kernel.schedule;
    }
}

// A sum has the same bits alone, with all of its row kept or with its row read
// again.
TEST(CudaRows, FusingChangesNoSum) {
  for (int columns : {520, 1000, 1500, 2056, 9000}) {
    std::vector<float> x = randoms(3 * columns), ones(3, 1);
    Emitted alone = emitAll(sumOver(false, 3, columns), 80).front();
    Emitted fused = emitAll(scaledSums(3, columns), 80).front();
    Buffers sums = runOnGpu(alone, {bytes(x), room<float>(3)}, {});
    Buffers after = runOnGpu(
        fused,
        {bytes(x), bytes(ones), room<float>(3 * columns), room<float>(3)}, {});
    EXPECT_EQ(values<float>(after[3]), values<float>(sums[1])) << columns;
  }
}

TEST(CudaColumns, LongSumsAreCascades) {
  for (int rows : {191, 257, 1009, 3631}) {
    std::vector<float> x = randoms(rows * 33);
    Emitted kernel = emitAll(sumOver(true, rows, 33), 80).front();
    ASSERT_EQ(kernel.schedule.substr(0, 13), "#cuda.columns");
    Buffers after = runOnGpu(kernel, {bytes(x), room<float>(33)}, {});
    std::vector<float> got = values<float>(after[1]);
    for (int column = 0; column < 33; ++column) {
      std::vector<float> terms;
      for (int row = 0; row < rows; ++row)
        terms.push_back(x[row * 33 + column]);
      size_t most = termsOf(terms, 0, 8).size();
      float want = sumOfThread(termsOf(terms, 0, 8), most);
      for (size_t warp = 1; warp < 8; ++warp)
        want += sumOfThread(termsOf(terms, warp, 8), most);
      EXPECT_EQ(got[column], want) << rows << " " << column;
    }
  }
}

} // namespace
