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

} // namespace
