// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops on vectors and loads of every second element: the bits are those of
// scalar loops, and those are the right ones.
#include "Harness.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mpc::test;

namespace {

/// Two images of 7 lines, in windows of 3 x 2.
constexpr int kImages = 2, kLines = 5, kInputLines = 7;

struct Pool {
  int width, stride;
  [[nodiscard]] int inputWidth() const { return (width - 1) * stride + 2; }
  [[nodiscard]] int outputs() const { return kImages * kLines * width; }
  [[nodiscard]] int inputs() const {
    return kImages * kInputLines * inputWidth();
  }
  /// The element that tap (y, x) of output (image, line, column) reads.
  [[nodiscard]] int at(int output, int y, int x) const {
    int column = output % width, line = output / width % kLines;
    return (output / width / kLines * kInputLines + line + y) * inputWidth() +
           column * stride + x;
  }
};

/// The largest element of a window, and the column of the last NaN or of the
/// first of equal ones.
std::string largest(const Pool &pool) {
  return llvm::formatv(
      R"mlir(
#in = affine_map<(i, y, x, v, w) -> (i, y + v, x * {2} + w)>
#window = affine_map<(i, y, x, v, w) -> (v, w)>
#out = affine_map<(i, y, x, v, w) -> (i, y, x)>
kernel.func @k(%x: tensor<2x7x{1}xf32>, %d: tensor<2x5x{0}xf32>, %p: tensor<2x5x{0}xi64>) -> (tensor<2x5x{0}xf32>, tensor<2x5x{0}xi64>) {{
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i64
  %window = tensor.empty() : tensor<3x2xi1>
  %values = linalg.fill ins(%low : f32) outs(%d : tensor<2x5x{0}xf32>) -> tensor<2x5x{0}xf32>
  %places = linalg.fill ins(%none : i64) outs(%p : tensor<2x5x{0}xi64>) -> tensor<2x5x{0}xi64>
  %r:2 = linalg.generic {{indexing_maps = [#in, #window, #out, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : tensor<2x7x{1}xf32>, tensor<3x2xi1>) outs(%values, %places : tensor<2x5x{0}xf32>, tensor<2x5x{0}xi64>) {{
  ^bb0(%a: f32, %b: i1, %best: f32, %place: i64):
    %scale = arith.constant {2} : index
    %column = linalg.index 2 : index
    %tap = linalg.index 4 : index
    %start = arith.muli %column, %scale : index
    %here = arith.addi %start, %tap : index
    %number = arith.index_cast %here : index to i64
    %larger = arith.cmpf ugt, %a, %best : f32
    %0 = arith.select %larger, %a, %best : f32
    %1 = arith.select %larger, %number, %place : i64
    linalg.yield %0, %1 : f32, i64
  } -> (tensor<2x5x{0}xf32>, tensor<2x5x{0}xi64>)
  kernel.return %r#0, %r#1 : tensor<2x5x{0}xf32>, tensor<2x5x{0}xi64>
}
)mlir",
      pool.width, pool.inputWidth(), pool.stride);
}

/// Every second element of `width` pairs, negated.
std::string everySecond(int width) {
  return llvm::formatv(
      R"mlir(
kernel.func @k(%x: tensor<3x{1}xf32>, %d: tensor<3x{0}xf32>) -> tensor<3x{0}xf32> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(i, x) -> (i, x * 2 + 1)>, affine_map<(i, x) -> (i, x)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x{1}xf32>) outs(%d : tensor<3x{0}xf32>) {{
  ^bb0(%a: f32, %s: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<3x{0}xf32>
  kernel.return %r : tensor<3x{0}xf32>
}
)mlir",
      width, 2 * width);
}

} // namespace

// Lines of vectors, of a part of one, and of one element; steps of 1 and 2.
TEST(Lanes, LargestOfAWindowAndItsPlace) {
  for (int width : {3, 7, 8, 33})
    for (int stride : {1, 2}) {
      Pool pool{width, stride};
      std::vector<float> x = randoms(pool.inputs()), want(pool.outputs());
      for (size_t i = 0; i < x.size(); i += 5)
        x[i] = i % 3 == 0 ? NAN : 1.5F;
      std::vector<int64_t> places(pool.outputs());
      for (int output = 0; output < pool.outputs(); ++output) {
        float best = -INFINITY;
        for (int y = 0; y < 3; ++y)
          for (int tap = 0; tap < 2; ++tap)
            if (float value = x[pool.at(output, y, tap)]; !(value <= best)) {
              best = value;
              places[output] = output % width * stride + tap;
            }
        want[output] = best;
      }
      Buffers got = runAllWays(
          largest(pool), {bytes(x), bytes(want), bytes(places)}, "#cpu.lanes");
      EXPECT_EQ(got[1], bytes(want)) << width << " by " << stride;
      EXPECT_EQ(values<int64_t>(got[2]), places) << width << " by " << stride;
    }
}

// Maps read every second element too, up to the last of the operand.
TEST(Lanes, MapOfEverySecond) {
  for (int width : {4, 9, 16, 33}) {
    std::vector<float> x = randoms(3 * 2 * width), want;
    for (size_t i = 1; i < x.size(); i += 2)
      want.push_back(-x[i]);
    std::vector<float> nothing(want.size());
    Buffers got =
        runAllWays(everySecond(width), {bytes(x), bytes(nothing)}, "#cpu.map");
    EXPECT_EQ(values<float>(got[1]), want) << width;
  }
}
