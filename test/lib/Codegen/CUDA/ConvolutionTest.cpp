// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and their gradients by tiles, in the emulator against scalar
// loops on the CPU: to the bit, on small whole numbers.
#include "test/lib/Codegen/CUDA/Emulated.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mpc;
using namespace mpc::test;

namespace {

/// One sum of products over windows of an input that is padded already:
/// output (n, o, y, x) of input (n, c, y * stride + i, x * stride + j) and
/// weight (o, c, i, j).
struct Convolution {
  int n, c, o, side, window, stride = 1;
  std::string type = "f16";

  [[nodiscard]] int width() const {
    return (side - 1) * stride + window; // Of the input.
  }
  [[nodiscard]] std::string inputShape() const {
    return llvm::formatv("{0}x{1}x{2}x{2}", n, c, width());
  }
  [[nodiscard]] std::string weightShape() const {
    return llvm::formatv("{0}x{1}x{2}x{2}", o, c, window);
  }
  [[nodiscard]] std::string outputShape() const {
    return llvm::formatv("{0}x{1}x{2}x{2}", n, o, side);
  }
  [[nodiscard]] std::string inputMap() const {
    return llvm::formatv("n, c, y * {0} + i, x * {0} + j", stride);
  }
  [[nodiscard]] size_t inputCount() const { return n * c * width() * width(); }
  [[nodiscard]] size_t weightCount() const { return o * c * window * window; }
  [[nodiscard]] size_t outputCount() const { return n * o * side * side; }

  [[nodiscard]] std::string forward() const {
    return sum("n, o, y, x, c, i, j", 4, inputMap(), "o, c, i, j", "n, o, y, x",
               inputShape(), weightShape(), outputShape());
  }
  [[nodiscard]] std::string weightGradient() const {
    return sum("o, c, i, j, n, y, x", 4, "n, o, y, x", inputMap(), "o, c, i, j",
               outputShape(), inputShape(), weightShape());
  }

private:
  /// The product of factors that lie by `first` and `second`, of which loops
  /// from `kept` on are summed over.
  [[nodiscard]] std::string
  sum(const std::string &loops, int kept, const std::string &first,
      const std::string &second, const std::string &result,
      const std::string &firstShape, const std::string &secondShape,
      const std::string &shape) const {
    std::string iterators;
    for (int loop = 0; loop < 7; ++loop)
      iterators += (loop > 0 ? ", " : "") +
                   std::string(loop < kept ? "\"parallel\"" : "\"reduction\"");
    std::string widen =
        type == "f32" ? "%2 = math.fma %x, %y, %s : f32"
                      : llvm::formatv("%0 = arith.extf %x : {0} to f32\n"
                                      "    %1 = arith.extf %y : {0} to f32\n"
                                      "    %2 = math.fma %0, %1, %s : f32",
                                      type)
                            .str();
    return llvm::formatv(R"(
kernel.func @k(%a: tensor<{0}x{3}>, %b: tensor<{1}x{3}>, %d: tensor<{2}xf32>) -> tensor<{2}xf32> {{
  %zero = arith.constant 0.0 : f32
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<{2}xf32>) -> tensor<{2}xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<({4}) -> ({5})>, affine_map<({4}) -> ({6})>, affine_map<({4}) -> ({7})>],
      iterator_types = [{8}]}
      ins(%a, %b : tensor<{0}x{3}>, tensor<{1}x{3}>) outs(%none : tensor<{2}xf32>) {{
  ^bb0(%x: {3}, %y: {3}, %s: f32):
    {9}
    linalg.yield %2 : f32
  } -> tensor<{2}xf32>
  kernel.return %r : tensor<{2}xf32>
})",
                         firstShape, secondShape, shape, type, loops, first,
                         second, result, iterators, widen)
        .str();
  }
};

void expectExact(const Convolution &conv, const std::string &schedule,
                 int arch) {
  auto numbers = [&](size_t count, unsigned seed) {
    return wholeNumbers(count, seed, conv.type);
  };
  expectAsOnCpu<float>(conv.forward(),
                       {numbers(conv.inputCount(), 1),
                        numbers(conv.weightCount(), 2),
                        room<float>(conv.outputCount())},
                       schedule, 2, 0, arch);
  expectAsOnCpu<float>(conv.weightGradient(),
                       {numbers(conv.outputCount(), 3),
                        numbers(conv.inputCount(), 4),
                        room<float>(conv.weightCount())},
                       schedule, 2, 0, arch);
}

// A window that overlaps, one that steps by 2, one of a single element whose
// factors are copied 16 bytes at a time. The gradient of the input is a
// convolution of this form too.
TEST(CudaConvolutions, OnTensorCores) {
  expectExact({2, 3, 16, 5, 3}, "#cuda.mma", 80);
  expectExact({2, 16, 9, 4, 3, 2}, "#cuda.mma", 80);
}

TEST(CudaConvolutions, OfOneElement) {
  expectExact({2, 24, 16, 4, 1}, "#cuda.mma", 80);
}

TEST(CudaConvolutions, OnOlderAndInF32) {
  expectExact({2, 3, 16, 5, 3}, "#cuda.mma", 75);
  expectExact({2, 3, 16, 5, 3, 2, "f32"}, "#cuda.simt", 80);
}

} // namespace
