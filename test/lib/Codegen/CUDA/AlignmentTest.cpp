// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose tensors begin at any element of 16 bytes, in the emulator,
// which refuses an access that is wider than the address allows. What they
// should give is computed here in f64.
#include "test/lib/Codegen/CUDA/Emulated.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mpc;
using namespace mpc::test;

namespace {

/// Expects `want` in the last of `buffers`, of elements of `type`, wherever in
/// 16 bytes all of them begin, and that the widest access is what that allows.
void expectAtEveryOffset(const std::string &text, const Buffers &buffers,
                         const std::string &type,
                         const std::vector<double> &want, double tolerance,
                         const std::string &schedule, bool hasVectors = true) {
  for (size_t offset = 0; offset < 16; offset += sizeOf(type)) {
    size_t alignment = std::gcd(size_t{64}, offset);
    std::vector<Emitted> kernels = emitAll(text, 80, {false, alignment});
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(kernels[0].schedule.substr(0, schedule.size()), schedule);
    Buffers after = runOnGpu(kernels[0], buffers,
                             {.arch = 80, .seed = 3, .offset = offset});
    SCOPED_TRACE(offset);
    expectNear(decode(after.back(), type), want, tolerance);
    // The kernel's text knows that it has to do without.
    bool isWide = kernels[0].text.find("mpc_vector<mpc_u16, 8>::load(input",
                                       kernels[0].text.find("// End")) !=
                      std::string::npos ||
                  kernels[0].text.find("mpc_vector<float, 4>::load(input",
                                       kernels[0].text.find("// End")) !=
                      std::string::npos ||
                  kernels[0].text.find("mpc_copy_async16(mpc_",
                                       kernels[0].text.find("// End")) !=
                      std::string::npos;
    EXPECT_EQ(isWide, hasVectors && alignment >= 16) << kernels[0].text;
  }
}

constexpr const char *kMaps =
    "#mn = affine_map<(m, n) -> (m, n)>\n#m = affine_map<(m, n) -> (m)>\n"
    "#n = affine_map<(m, n) -> (n)>\n";

TEST(CudaAlignment, Maps) {
  for (const std::string &type : {std::string("f32"), std::string("bf16")}) {
    bool isWide = type == "f32";
    std::string text =
        std::string(kMaps) +
        llvm::formatv(R"(
kernel.func @k(%x: tensor<40x64x{0}>, %b: tensor<64x{0}>, %d: tensor<40x64x{0}>) -> tensor<40x64x{0}> {{
  %r = linalg.generic {{indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<40x64x{0}>, tensor<64x{0}>) outs(%d : tensor<40x64x{0}>) {{
  ^bb0(%a: {0}, %c: {0}, %o: {0}):
    {1}
    linalg.yield %r : {0}
  } -> tensor<40x64x{0}>
  kernel.return %r : tensor<40x64x{0}>
})",
                      type,
                      isWide ? "%r = arith.addf %a, %c : f32"
                             : "%0 = arith.extf %a : bf16 to f32\n"
                               "    %1 = arith.extf %c : bf16 to f32\n"
                               "    %2 = arith.addf %0, %1 : f32\n"
                               "    %r = arith.truncf %2 : f32 to bf16")
            .str();
    std::vector<double> x = quarters(40 * 64, 1), b = quarters(64, 2);
    std::vector<double> want(x);
    for (size_t i = 0; i < want.size(); ++i)
      want[i] += b[i % 64];
    expectAtEveryOffset(text,
                        {encode(x, type), encode(b, type), encode(x, type)},
                        type, want, 0, "#cuda.map");
  }
}

/// Rows of `columns` of f16, to each of which the sum of its row is added.
void expectRowsAtEveryOffset(size_t columns, bool hasVectors) {
  std::string text = std::string(kMaps) + R"(
kernel.func @k(%x: tensor<6xCOLUMNSxf16>, %d: tensor<6xCOLUMNSxf16>) -> tensor<6xCOLUMNSxf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6xCOLUMNSxf16>) outs(%none : tensor<6xf32>) {
  ^bb0(%a: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<6xCOLUMNSxf16>, tensor<6xf32>) outs(%d : tensor<6xCOLUMNSxf16>) {
  ^bb0(%a: f16, %b: f32, %o: f16):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.addf %0, %b : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<6xCOLUMNSxf16>
  kernel.return %r : tensor<6xCOLUMNSxf16>
})";
  replaceAll(text, "COLUMNS", std::to_string(columns));
  std::vector<double> x = quarters(6 * columns, 5), want(x);
  for (size_t row = 0; row < 6; ++row) {
    double sum = std::accumulate(x.begin() + row * columns,
                                 x.begin() + (row + 1) * columns, 0.0);
    for (size_t i = 0; i < columns; ++i)
      want[row * columns + i] += sum;
  }
  expectAtEveryOffset(text, {encode(x, "f16"), encode(x, "f16")}, "f16", want,
                      0, "#cuda.rows", hasVectors);
}

TEST(CudaAlignment, Rows) {
  expectRowsAtEveryOffset(70, false);
  expectRowsAtEveryOffset(512, true);
  expectRowsAtEveryOffset(2056, true);
}

/// d = a * b + c, factors along k and across it, of the type that they have or
/// as a function of it; the result has the type of `c`.
struct Product {
  std::string type;
  bool isFunction = false;
  static constexpr int kM = 40, kN = 32, kK = 48;

  [[nodiscard]] std::string text() const {
    auto widen = [&](const char *to, const char *from) {
      return type == "f32"
                 ? llvm::formatv("{0} = arith.addf {1}, %zero : f32", to, from)
                       .str()
                 : llvm::formatv("{0} = arith.extf {1} : {2} to f32", to, from,
                                 type)
                       .str();
    };
    std::string product = widen("%0", "%x") + "\n    " + widen("%1", "%y");
    if (isFunction)
      product += "\n    %two = arith.addf %0, %one : f32"
                 "\n    %2 = math.fma %two, %1, %o : f32";
    else if (type == "f32")
      product = "%2 = math.fma %x, %y, %o : f32";
    else
      product += "\n    %2 = math.fma %0, %1, %o : f32";
    std::string sum =
        type == "f32" ? "%s = arith.addf %x, %y : f32"
                      : llvm::formatv("%0 = arith.extf %y : {0} to f32\n"
                                      "    %1 = arith.addf %x, %0 : f32\n"
                                      "    %s = arith.truncf %1 : f32 to {0}",
                                      type)
                            .str();
    return std::string(kMaps) + llvm::formatv(R"(
kernel.func @k(%a: tensor<40x48x{0}>, %b: tensor<48x32x{0}>, %c: tensor<40x32x{0}>, %d: tensor<40x32x{0}>) -> tensor<40x32x{0}> {{
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<40x32xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<40x32xf32>) -> tensor<40x32xf32>
  %p = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x48x{0}>, tensor<48x32x{0}>) outs(%none : tensor<40x32xf32>) {{
  ^bb0(%x: {0}, %y: {0}, %o: f32):
    {1}
    linalg.yield %2 : f32
  } -> tensor<40x32xf32>
  %r = linalg.generic {{indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<40x32xf32>, tensor<40x32x{0}>) outs(%d : tensor<40x32x{0}>) {{
  ^bb0(%x: f32, %y: {0}, %o: {0}):
    {2}
    linalg.yield %s : {0}
  } -> tensor<40x32x{0}>
  kernel.return %r : tensor<40x32x{0}>
})",
                                              type, product, sum)
                                    .str();
  }

  void expectAtEveryOffset(const std::string &schedule) const {
    std::vector<double> a = quarters(kM * kK, 1), b = quarters(kK * kN, 2),
                        c = quarters(kM * kN, 3), want(c);
    for (int m = 0; m < kM; ++m)
      for (int n = 0; n < kN; ++n)
        for (int k = 0; k < kK; ++k)
          want[m * kN + n] +=
              (a[m * kK + k] + (isFunction ? 1 : 0)) * b[k * kN + n];
    Buffers buffers = {encode(a, type), encode(b, type), encode(c, type),
                       encode(c, type)};
    // A sum of sixteenths is exact in f32, and rounded once to the type.
    double tolerance = type == "f32" ? 0 : type == "f16" ? 0x1p-11 : 0x1p-8;
    ::expectAtEveryOffset(text(), buffers, type, want, tolerance, schedule);
  }
};

TEST(CudaAlignment, ProductsOnTensorCores) {
  Product{"f16"}.expectAtEveryOffset("#cuda.mma");
  Product{"bf16"}.expectAtEveryOffset("#cuda.mma");
}

TEST(CudaAlignment, ProductsOfF32) {
  Product{"f32"}.expectAtEveryOffset("#cuda.simt");
}

// Factors that pass through registers.
TEST(CudaAlignment, ProductsOfFunctions) {
  Product{"f16", true}.expectAtEveryOffset("#cuda.simt");
  Product{"f32", true}.expectAtEveryOffset("#cuda.simt");
}

} // namespace
