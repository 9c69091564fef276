// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emitted kernels in the emulator, several orders of warps each, against the
// same kernels run by scalar loops on the CPU.
#include "test/lib/Codegen/CUDA/Emulated.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mpc;
using namespace mpc::test;

namespace {

constexpr const char *kMaps =
    "#mn = affine_map<(m, n) -> (m, n)>\n#m = affine_map<(m, n) -> (m)>\n"
    "#n = affine_map<(m, n) -> (n)>\n";

/// max, sum of exponentials, quotient; `rows` x `columns`.
std::string softmax(int rows, int columns) {
  std::string x = llvm::formatv("tensor<{0}x{1}xf32>", rows, columns);
  std::string r = llvm::formatv("tensor<{0}xf32>", rows);
  return std::string(kMaps) + llvm::formatv(R"(
kernel.func @k(%x: {0}, %d: {0}) -> {0} {{
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {1}
  %least = linalg.fill ins(%low : f32) outs(%e : {1}) -> {1}
  %none = linalg.fill ins(%zero : f32) outs(%e : {1}) -> {1}
  %max = linalg.generic {{indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : {0}) outs(%least : {1}) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> {1}
  %f = tensor.empty() : {0}
  %exp = linalg.generic {{indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : {0}, {1}) outs(%f : {0}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> {0}
  %sum = linalg.generic {{indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%exp : {0}) outs(%none : {1}) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> {1}
  %r = linalg.generic {{indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : {0}, {1}) outs(%d : {0}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> {0}
  kernel.return %r : {0}
})",
                                            x, r)
                                  .str();
}

// A row of a warp keeps its exponentials in registers, one of 9000 elements
// computes them again.
TEST(CudaKernels, Softmax) {
  for (auto [rows, columns] : {std::pair(9, 70), {3, 1500}, {2, 9000}})
    expectAsOnCpu<float>(
        softmax(rows, columns),
        {bytes(randoms(rows * columns, -8, 8)), room<float>(rows * columns)},
        "#cuda.rows", 1, 1e-6);
}

/// The sums of columns, and of their squares in f64.
std::string columnSums(int rows, int columns) {
  std::string x = llvm::formatv("tensor<{0}x{1}xf32>", rows, columns);
  return std::string(kMaps) + llvm::formatv(R"(
kernel.func @k(%x: {0}, %c: tensor<{1}xf32>, %d: tensor<{1}xf64>) -> (tensor<{1}xf32>, tensor<{1}xf64>) {{
  %zero = arith.constant 0.0 : f32
  %wide = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<{1}xf32>
  %f = tensor.empty() : tensor<{1}xf64>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<{1}xf32>) -> tensor<{1}xf32>
  %nil = linalg.fill ins(%wide : f64) outs(%f : tensor<{1}xf64>) -> tensor<{1}xf64>
  %r:2 = linalg.generic {{indexing_maps = [#mn, #n, #n], iterator_types = ["reduction", "parallel"]}
      ins(%x : {0}) outs(%none, %nil : tensor<{1}xf32>, tensor<{1}xf64>) {{
  ^bb0(%a: f32, %o: f32, %p: f64):
    %0 = arith.addf %o, %a : f32
    %1 = arith.extf %a : f32 to f64
    %2 = arith.mulf %1, %1 : f64
    %3 = arith.addf %p, %2 : f64
    linalg.yield %0, %3 : f32, f64
  } -> (tensor<{1}xf32>, tensor<{1}xf64>)
  kernel.return %r#0, %r#1 : tensor<{1}xf32>, tensor<{1}xf64>
})",
                                            x, columns)
                                  .str();
}

/// The column sums of `summed`: of %x, or of what `maps` compute of %x and of
/// further `arguments`.
std::string columnSum(int rows, int columns, const std::string &arguments = "",
                      const std::string &maps = "",
                      const std::string &summed = "%x") {
  std::string text = std::string(kMaps) + R"(
kernel.func @k(%x: MATRIX, ARGUMENTS%d: tensor<COLUMNSxf32>) -> tensor<COLUMNSxf32> {
  %zero = arith.constant 0.0 : f32
  MAPS
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<COLUMNSxf32>) -> tensor<COLUMNSxf32>
  %r = linalg.generic {indexing_maps = [#mn, #n], iterator_types = ["reduction", "parallel"]}
      ins(SUMMED : MATRIX) outs(%none : tensor<COLUMNSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<COLUMNSxf32>
  kernel.return %r : tensor<COLUMNSxf32>
})";
  std::string matrix = llvm::formatv("tensor<{0}x{1}xf32>", rows, columns);
  for (const auto &[name, value] :
       {std::pair<std::string, std::string>("ARGUMENTS", arguments),
        {"MAPS", maps},
        {"SUMMED", summed},
        {"MATRIX", matrix},
        {"COLUMNS", std::to_string(columns)}})
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, name.size(), value);
  return text;
}

// Columns that do not fill a block, of one warp's elements and of many.
TEST(CudaKernels, ColumnSums) {
  for (auto [rows, columns] : {std::pair(3, 40), {200, 33}, {77, 64}}) {
    Buffers buffers = {bytes(randoms(rows * columns)), room<float>(columns),
                       room<double>(columns)};
    std::string text = columnSums(rows, columns);
    expectAsOnCpu<float>(text, buffers, "#cuda.columns", 1, 1e-5);
    expectAsOnCpu<double>(text, buffers, "#cuda.columns", 2, 1e-13);
  }
}

/// d = relu(a * b^T), or of transposed factors, rounded to 16 bits.
struct Product {
  int m, n, k;
  const char *first, *second; ///< Maps of the factors.
  std::string type = "f16";

  [[nodiscard]] std::string shape(const std::string &map) const {
    auto size = [&](char dim) { return dim == 'm' ? m : dim == 'n' ? n : k; };
    return llvm::formatv("{0}x{1}", size(map[0]), size(map[1]));
  }
  [[nodiscard]] std::string product() const {
    if (type == "f32")
      return "%2 = math.fma %x, %y, %o : f32";
    return llvm::formatv("%0 = arith.extf %x : {0} to f32\n"
                         "    %1 = arith.extf %y : {0} to f32\n"
                         "    %2 = math.fma %0, %1, %o : f32",
                         type);
  }
  [[nodiscard]] std::string text() const {
    auto list = [](std::string map) {
      return std::string(1, map[0]) + ", " + map[1];
    };
    return std::string(kMaps) + llvm::formatv(
                                    R"(
kernel.func @k(%a: tensor<{0}x{6}>, %b: tensor<{1}x{6}>, %d: tensor<{2}x{3}xf32>) -> tensor<{2}x{3}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{2}x{3}xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<{2}x{3}xf32>) -> tensor<{2}x{3}xf32>
  %p = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> ({4})>, affine_map<(m, n, k) -> ({5})>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<{0}x{6}>, tensor<{1}x{6}>) outs(%none : tensor<{2}x{3}xf32>) {{
  ^bb0(%x: {6}, %y: {6}, %o: f32):
    {7}
    linalg.yield %2 : f32
  } -> tensor<{2}x{3}xf32>
  %r = linalg.generic {{indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<{2}x{3}xf32>) outs(%d : tensor<{2}x{3}xf32>) {{
  ^bb0(%x: f32, %o: f32):
    %0 = arith.maximumf %x, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<{2}x{3}xf32>
  kernel.return %r : tensor<{2}x{3}xf32>
})",
                                    shape(first), shape(second), m, n,
                                    list(first), list(second), type, product())
                                    .str();
  }
  [[nodiscard]] Buffers buffers() const {
    return {wholeNumbers(m * k, 1, type), wholeNumbers(n * k, 2, type),
            room<float>(m * n)};
  }
  void expectExact(const std::string &schedule, int arch) const {
    expectAsOnCpu<float>(text(), buffers(), schedule, 2, 0, arch);
  }
  /// The same with this schedule, which the kernel would not get.
  void expectExactAs(const std::string &schedule) const {
    std::string scheduled = text(), head = "kernel.func @k";
    std::string body = llvm::formatv("-> tensor<{0}x{1}xf32> {{", m, n);
    scheduled.replace(scheduled.find(body), body.size() - 1,
                      llvm::formatv("-> tensor<{0}x{1}xf32> attributes "
                                    "{{schedule = {2}} ",
                                    m, n, schedule));
    scheduled.replace(scheduled.find(head), head.size(),
                      "kernel.func contraction @k");
    expectAsOnCpu<float>(text(), buffers(), schedule, 2, 0, 80, scheduled);
  }
};

// Sums of small whole numbers are exact on Tensor Cores too: every way to load
// a tile, edges in each direction, and more steps than stages.
TEST(CudaKernels, ProductsOnTensorCoresAreExact) {
  for (const Product &product :
       {Product{64, 64, 64, "mk", "nk"}, Product{96, 72, 40, "mk", "kn"},
        Product{40, 136, 200, "km", "kn"}, Product{24, 16, 72, "km", "nk"},
        Product{33, 17, 50, "mk", "nk"}, Product{35, 19, 51, "km", "kn"}})
    product.expectExact("#cuda.mma", 80);
}

TEST(CudaKernels, ProductsOfOtherTypesAndDevices) {
  Product{72, 40, 48, "mk", "kn", "bf16"}.expectExact("#cuda.mma", 80);
  Product{72, 40, 48, "mk", "kn"}.expectExact("#cuda.mma", 75);
  // sm_75 has no bf16 product.
  Product{24, 16, 48, "mk", "kn", "bf16"}.expectExact("#cuda.simt", 75);
  Product{8, 8, 8, "mk", "kn"}.expectExact("#cuda.dot", 80);
}

// f32 by multiply-adds: lines along k and across it on each side, rows and
// columns that do not fill a tile, one step and many, elements one by one.
TEST(CudaKernels, ProductsOfF32AreExact) {
  for (const Product &product : {Product{64, 64, 64, "mk", "nk", "f32"},
                                 {96, 72, 40, "mk", "kn", "f32"},
                                 {40, 136, 20, "km", "kn", "f32"},
                                 {24, 16, 72, "km", "nk", "f32"},
                                 {33, 5, 50, "mk", "nk", "f32"},
                                 {35, 19, 51, "km", "kn", "f32"}})
    product.expectExact("#cuda.simt", 80);
}

// What results of many tiles get, in few.
TEST(CudaKernels, LargeTiles) {
  Product{150, 140, 104, "mk", "kn"}.expectExactAs(
      "#cuda.mma<chunks = 4, threads = 256, rows = 0, tile = [128, 32], stages "
      "= 4>");
  for (const char *second : {"nk", "kn"})
    Product{150, 140, 36, "mk", second, "f32"}.expectExactAs(
        "#cuda.simt<chunks = 4, threads = 256, rows = 0, tile = [128, 16], "
        "stages = 2>");
  Product{131, 133, 35, "km", "kn", "f32"}.expectExactAs(
      "#cuda.simt<chunks = 4, threads = 256, rows = 0, tile = [128, 16], "
      "stages = 3>");
}

/// Element (m, n) of the product of two transposed f32 factors whose sum is cut
/// into `slices`, which are added up in order, or the other way around.
float sumOfSlices(const Product &product, const Buffers &buffers, int slices,
                  size_t m, size_t n, bool isReversed) {
  std::vector<float> a = values<float>(buffers[0]);
  std::vector<float> b = values<float>(buffers[1]);
  std::vector<float> parts(slices);
  for (int k = 0; k < product.k; ++k) {
    float &part = parts[k / (product.k / slices)];
    part = std::fma(a[k * product.m + m], b[k * product.n + n], part);
  }
  if (isReversed)
    std::reverse(parts.begin(), parts.end());
  return std::accumulate(parts.begin(), parts.end(), 0.0F);
}

// Few columns and many rows. Rows of a slice are neighbours.
TEST(CudaKernels, SlicesOfColumnsAreAddedUpInOrder) {
  constexpr int kRows = 2048, kColumns = 40, kSlices = 8;
  std::vector<float> x = randoms(kRows * kColumns);
  std::vector<Emitted> kernels = emitAll(columnSum(kRows, kColumns), 80);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].schedule.substr(0, 27), "#cuda.columns<chunks = 10, ");
  Buffers sliced = runOnGpu(
      kernels[0], {bytes(x), room<float>(kSlices * kColumns)}, {80, 3});
  Buffers summed =
      runOnGpu(kernels[1], {sliced[1], room<float>(kColumns)}, {80, 3});
  std::vector<float> slices = values<float>(sliced[1]);
  std::vector<float> sums = values<float>(summed[1]);
  for (int column = 0; column < kColumns; ++column) {
    float sum = 0;
    for (int slice = 0; slice < kSlices; ++slice) {
      double exact = 0;
      for (int row = 0; row < kRows / kSlices; ++row)
        exact += x[(slice * (kRows / kSlices) + row) * kColumns + column];
      float got = slices[slice * kColumns + column];
      EXPECT_NEAR(got, exact, 1e-4) << slice << " " << column;
      sum += got;
    }
    EXPECT_EQ(sums[column], sum) << column;
  }
}

/// (x + x) y, by two maps.
constexpr const char *kTwiceTimes = R"(
  %e = tensor.empty() : MATRIX
  %twice = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : MATRIX) outs(%e : MATRIX) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> MATRIX
  %product = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%twice, %y : MATRIX, MATRIX) outs(%e : MATRIX) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> MATRIX)";

// The maps before a sum are computed by its slices.
TEST(CudaKernels, SlicesComputeTheMapsBeforeTheSum) {
  constexpr int kRows = 2048, kColumns = 40, kSlices = 8;
  std::vector<float> x = randoms(kRows * kColumns);
  std::vector<float> y = randoms(kRows * kColumns);
  std::vector<Emitted> kernels = emitAll(
      columnSum(kRows, kColumns, "%y: MATRIX, ", kTwiceTimes, "%product"), 80);
  ASSERT_EQ(kernels.size(), 2u);
  Buffers sliced =
      runOnGpu(kernels[0],
               {bytes(x), bytes(y), room<float>(kSlices * kColumns)}, {80, 3});
  Buffers summed =
      runOnGpu(kernels[1], {sliced[2], room<float>(kColumns)}, {80, 3});
  std::vector<float> sums = values<float>(summed[1]);
  for (int column = 0; column < kColumns; ++column) {
    double exact = 0;
    for (int row = 0; row < kRows; ++row)
      exact += 2.0 * x[row * kColumns + column] * y[row * kColumns + column];
    EXPECT_NEAR(sums[column], exact, 1e-3) << column;
  }
}

// Few tiles and a long sum: slices of it, then their sum, to the bit.
TEST(CudaKernels, SlicesAreAddedUpInOrder) {
  Product product{20, 17, 1024, "km", "kn", "f32"};
  constexpr int kSlices = 4;
  size_t count = product.m * product.n;
  Buffers factors = {bytes(randoms(product.m * product.k)),
                     bytes(randoms(product.n * product.k)),
                     room<float>(kSlices * count)};
  std::vector<Emitted> kernels = emitAll(product.text(), 80);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].schedule.substr(0, 23), "#cuda.simt<chunks = 4, ");
  EXPECT_EQ(kernels[1].schedule.substr(0, 13), "#cuda.columns");
  Buffers sliced = runOnGpu(kernels[0], factors, {80, 3});
  Buffers summed =
      runOnGpu(kernels[1], {sliced[2], room<float>(count)}, {80, 3});
  std::vector<float> got = values<float>(summed[1]);
  int differing = 0;
  for (size_t i = 0; i < count; ++i) {
    auto want = [&](bool isReversed) {
      float sum = sumOfSlices(product, factors, kSlices, i / product.n,
                              i % product.n, isReversed);
      return std::max(sum, 0.0F);
    };
    EXPECT_EQ(got[i], want(false)) << i;
    differing += want(false) != want(true) ? 1 : 0;
  }
  // Another order would have been seen.
  EXPECT_GT(differing, 20);
}

/// The gradient of a lookup.
std::string scatter(const char *by) {
  return llvm::formatv(R"(
kernel.func @k(%u: tensor<2x6x5xf16>, %i: tensor<2x6xi64>, %d: tensor<2x7x5xf32>) -> tensor<2x7x5xf32> {{
  %one = arith.constant 1.0 : f32
  %first = linalg.fill ins(%one : f32) outs(%d : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %r = kernel.scatter ins(%u, %i : tensor<2x6x5xf16>, tensor<2x6xi64>) outs(%first : tensor<2x7x5xf32>) by {0}
  kernel.return %r : tensor<2x7x5xf32>
})",
                       by);
}

// Rows that are named several times, from the end, and beyond it.
TEST(CudaKernels, ScatterInIndexOrder) {
  std::vector<uint16_t> updates;
  for (float value : randoms(60))
    updates.push_back(toHalf(value));
  std::vector<int64_t> rows = {0, 3, 3, -1, 9, 3, 6, 6, -7, -20, 2, 6};
  for (const char *by : {"sum", "product", "maximum", "minimum"})
    expectAsOnCpu<float>(scatter(by),
                         {bytes(updates), bytes(rows), room<float>(70)},
                         "#cuda.scatter", 2);
}

// Sums and products that wrap around, and numbers of both signs.
TEST(CudaKernels, ScatterOfIntegers) {
  std::vector<int16_t> updates;
  for (int number = 0; number < 60; ++number)
    updates.push_back(static_cast<int16_t>(number * 9973 - 20000));
  std::vector<int64_t> rows = {0, 3, 3, -1, 9, 3, 6, 6, -7, -20, 2, 6};
  for (const char *by : {"sum", "product", "maximum", "minimum"}) {
    std::string text = llvm::formatv(R"(
kernel.func @k(%u: tensor<2x6x5xi16>, %i: tensor<2x6xi64>, %d: tensor<2x7x5xi16>) -> tensor<2x7x5xi16> {{
  %three = arith.constant 3 : i16
  %first = linalg.fill ins(%three : i16) outs(%d : tensor<2x7x5xi16>) -> tensor<2x7x5xi16>
  %r = kernel.scatter ins(%u, %i : tensor<2x6x5xi16>, tensor<2x6xi64>) outs(%first : tensor<2x7x5xi16>) by {0}
  kernel.return %r : tensor<2x7x5xi16>
})",
                                     by);
    expectAsOnCpu<int16_t>(text,
                           {bytes(updates), bytes(rows), room<int16_t>(70)},
                           "#cuda.scatter", 2);
  }
}

/// The gradient of a table of `size` rows of which `count` were looked up.
std::string lookups(int count, int size, int inner) {
  std::string table = llvm::formatv("tensor<1x{0}x{1}xf32>", size, inner);
  return llvm::formatv(R"(
kernel.func @k(%u: tensor<1x{0}x{1}xf32>, %i: tensor<{0}xi64>, %d: {2}) -> {2} {{
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : {2}) -> {2}
  %r = kernel.scatter ins(%u, %i : tensor<1x{0}x{1}xf32>, tensor<{0}xi64>) outs(%first : {2}) by sum
  kernel.return %r : {2}
})",
                       count, inner, table)
      .str();
}

// More indices than are looked at together; columns of one block, of several
// and one alone; rows of many blocks and fewer than a block has.
TEST(CudaKernels, ScatterOfManyRows) {
  for (auto [count, size, inner] :
       {std::tuple(600, 1100, 3), {300, 5, 300}, {520, 70, 1}}) {
    std::mt19937 engine(7);
    std::vector<int64_t> rows(count);
    for (int64_t &row : rows)
      row = static_cast<int64_t>(engine() % size);
    expectAsOnCpu<float>(
        lookups(count, size, inner),
        {bytes(randoms(count * inner)), bytes(rows), room<float>(size * inner)},
        "#cuda.scatter", 2);
  }
}

// Rows of fewer keys than a block has threads, and of more; equal keys.
TEST(CudaKernels, RanksOfKeys) {
  for (auto [rows, size, bits] :
       {std::tuple(5, 33, 8), {1, 300, 16}, {5, 33, 32}, {2, 20, 64}}) {
    std::string text = llvm::formatv(R"(
kernel.func @k(%x: tensor<{0}x{1}xi{2}>, %d: tensor<{0}x{1}xi64>) -> tensor<{0}x{1}xi64> {{
  %r = kernel.rank ins(%x : tensor<{0}x{1}xi{2}>) outs(%d : tensor<{0}x{1}xi64>)
  kernel.return %r : tensor<{0}x{1}xi64>
})",
                                     rows, size, bits);
    std::mt19937 engine(bits);
    std::vector<uint8_t> keys(rows * size * bits / 8);
    for (uint8_t &byte : keys)
      byte = engine() % 2 ? 0x80 : 0x7f;
    expectAsOnCpu<int64_t>(text, {keys, room<int64_t>(rows * size)},
                           "#cuda.loops", 1);
  }
}

/// Sums up to each element of 2 x `size` x `inner`.
std::string cumsumOf(int size, int inner, const std::string &element,
                     const std::string &how) {
  return llvm::formatv(R"(
kernel.func @k(%x: tensor<2x{0}x{1}x{2}>, %d: tensor<2x{0}x{1}x{2}>) -> tensor<2x{0}x{1}x{2}> {{
  %r = kernel.cumsum ins(%x : tensor<2x{0}x{1}x{2}>) outs(%d : tensor<2x{0}x{1}x{2}>) {3}
  kernel.return %r : tensor<2x{0}x{1}x{2}>
})",
                       size, inner, element, how)
      .str();
}

// Lines side by side have the order of a CPU's. Neighbouring elements have
// another one, which integers do not tell.
TEST(CudaKernels, SumsUpToEachElement) {
  std::vector<float> x = randoms(2 * 300 * 3);
  expectAsOnCpu<float>(cumsumOf(300, 3, "f32", "reverse"),
                       {bytes(x), room<float>(x.size())}, "#cuda.loops", 1);
  std::vector<uint16_t> low;
  for (float value : randoms(2 * 20 * 5))
    low.push_back(toBFloat(value));
  expectAsOnCpu<uint16_t>(cumsumOf(20, 5, "bf16", ""),
                          {bytes(low), room<uint16_t>(low.size())},
                          "#cuda.loops", 1);
  std::vector<int32_t> numbers(2 * 300);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<int32_t>(i * i) - 1000;
  expectAsOnCpu<int32_t>(cumsumOf(300, 1, "i32", ""),
                         {bytes(numbers), room<int32_t>(numbers.size())},
                         "#cuda.loops", 1);
}

/// d = max(x + b, 0) in bf16, b along the last axis.
std::string biasMap(int rows, int columns) {
  return std::string(kMaps) + llvm::formatv(R"(
kernel.func @k(%x: tensor<{0}x{1}xbf16>, %b: tensor<{1}xf32>, %d: tensor<{0}x{1}xbf16>) -> tensor<{0}x{1}xbf16> {{
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {{indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<{0}x{1}xbf16>, tensor<{1}xf32>) outs(%d : tensor<{0}x{1}xbf16>) {{
  ^bb0(%a: bf16, %c: f32, %o: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %0, %c : f32
    %2 = arith.maximumf %1, %zero : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<{0}x{1}xbf16>
  kernel.return %r : tensor<{0}x{1}xbf16>
})",
                                            rows, columns)
                                  .str();
}

// Vectors of 8, of 2 and of 1; more elements than a block has, and fewer.
TEST(CudaKernels, MapsToTheBit) {
  for (auto [rows, columns] : {std::pair(40, 72), {7, 6}, {5, 7}}) {
    std::vector<uint16_t> x;
    for (float value : randoms(rows * columns))
      x.push_back(toBFloat(value));
    expectAsOnCpu<uint16_t>(
        biasMap(rows, columns),
        {bytes(x), bytes(randoms(columns)), room<uint16_t>(rows * columns)},
        "#cuda.map", 2);
  }
}

// A table's rows by numbers that may lie outside of it, which are clamped.
TEST(CudaKernels, GatherStaysInside) {
  std::string text = std::string(kMaps) + R"(
kernel.func @k(%t: tensor<7x5xf32>, %i: tensor<9xi64>, %d: tensor<9x5xf32>) -> tensor<9x5xf32> {
  %zero = arith.constant 0 : index
  %last = arith.constant 6 : index
  %r = linalg.generic {indexing_maps = [#m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<9xi64>) outs(%d : tensor<9x5xf32>) {
  ^bb0(%a: i64, %o: f32):
    %0 = arith.index_cast %a : i64 to index
    %1 = arith.maxsi %0, %zero : index
    %2 = arith.minsi %1, %last : index
    %n = linalg.index 1 : index
    %3 = tensor.extract %t[%2, %n] : tensor<7x5xf32>
    linalg.yield %3 : f32
  } -> tensor<9x5xf32>
  kernel.return %r : tensor<9x5xf32>
})";
  std::vector<int64_t> rows = {0, 6, -3, 2, 2, 100, 5, 1, 7};
  expectAsOnCpu<float>(text, {bytes(randoms(35)), bytes(rows), room<float>(45)},
                       "#cuda.map", 2);
}

// Backwards into the middle of what is there: one block, behind a copy.
TEST(CudaKernels, LoopsThatLeaveARestAlone) {
  std::string text = R"(
kernel.func @k(%x: tensor<1500xf32>, %y: tensor<1800xf32>, %d: tensor<1800xf32>) -> tensor<1800xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (-i + 1599)>], iterator_types = ["parallel"]}
      ins(%x : tensor<1500xf32>) outs(%y : tensor<1800xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.subf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<1800xf32>
  kernel.return %r : tensor<1800xf32>
})";
  expectAsOnCpu<float>(
      text, {bytes(randoms(1500)), bytes(randoms(1800)), room<float>(1800)},
      "#cuda.loops<chunks = 1, ", 2);
}

// Numbers without an integer become the least one, as they do on the CPU.
TEST(CudaKernels, IntegersOfNumbersBeyondThem) {
  std::vector<float> numbers = {NAN,    INFINITY, -INFINITY,     3e9F,
                                -3e9F,  1e20F,    -2147483648.F, 2147483648.F,
                                -1.75F, 0.99F,    -9.3e18F,      7e15F};
  for (const char *type : {"i32", "i64"}) {
    std::string text = llvm::formatv(R"(
kernel.func @k(%x: tensor<12xf32>, %d: tensor<12x{0}>) -> tensor<12x{0}> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<12xf32>) outs(%d : tensor<12x{0}>) {{
  ^bb0(%a: f32, %o: {0}):
    %0 = arith.fptosi %a : f32 to {0}
    linalg.yield %0 : {0}
  } -> tensor<12x{0}>
  kernel.return %r : tensor<12x{0}>
})",
                                     type);
    Buffers buffers = {bytes(numbers), room<int64_t>(12)};
    buffers[1].resize(type == std::string("i32") ? 48 : 96);
    Emitted kernel = emitAll(text, 80).front();
    EXPECT_EQ(runOnGpu(kernel, buffers, {80, 1}), runOnCpu(text, buffers))
        << type;
  }
}

} // namespace
