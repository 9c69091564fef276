// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps: vectors, tails and reshaped spaces give the bits of scalar loops, and
// those are the right ones.
#include "Harness.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mpc::test;

static std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Every tail of a line.
TEST(Map, AnyLength) {
  for (int n = 1; n <= 33; ++n) {
    std::string text = replaceAll(R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<NxF>, %y: tensor<NxF>, %d: tensor<NxF>) -> tensor<NxF> {
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<NxF>, tensor<NxF>) outs(%d : tensor<NxF>) {
  ^bb0(%a: F, %b: F, %o: F):
    %q = arith.divf %a, %b : F
    linalg.yield %q : F
  } -> tensor<NxF>
  kernel.return %r : tensor<NxF>
}
)mlir",
                                  "N", std::to_string(n));
    std::vector<float> x = randoms(n), y = randoms(n, 1, 9, 2), want(n);
    for (int i = 0; i < n; ++i)
      want[i] = x[i] / y[i];
    Buffers got = runAllWays(replaceAll(text, "F", "f32"),
                             {bytes(x), bytes(y), bytes(x)}, "#cpu.map");
    EXPECT_EQ(values<float>(got[2]), want) << n;
  }
}

// Rows, columns, scalars and a transposed operand; two statements, of which
// the first is kept in registers; a byte for each i1.
TEST(Map, BroadcastTransposeAndForward) {
  std::vector<float> x = randoms(35), row = randoms(7, -2, 2, 2);
  std::vector<float> column = randoms(5, -2, 2, 3), scale = {1.7f};
  std::vector<float> flipped = randoms(35, -2, 2, 4);
  Buffers got = runAllWays(R"mlir(
#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>
#n = affine_map<(m, n) -> (n)>
#m = affine_map<(m, n) -> (m, 0)>
#s = affine_map<(m, n) -> ()>
kernel.func @k(%x: tensor<5x7xf32>, %row: tensor<7xf32>, %col: tensor<5x1xf32>, %s: tensor<f32>,
               %t: tensor<7x5xf32>, %d: tensor<5x7xf32>, %f: tensor<5x7xi1>) -> (tensor<5x7xf32>, tensor<5x7xi1>) {
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.generic {indexing_maps = [#mn, #n, #m, #s, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %col, %s : tensor<5x7xf32>, tensor<7xf32>, tensor<5x1xf32>, tensor<f32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %k: f32, %o: f32):
    %1 = arith.mulf %a, %k : f32
    %2 = arith.addf %1, %b : f32
    %3 = arith.subf %2, %c : f32
    linalg.yield %3 : f32
  } -> tensor<5x7xf32>
  %r:2 = linalg.generic {indexing_maps = [#mn, #nm, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%0, %t : tensor<5x7xf32>, tensor<7x5xf32>) outs(%d, %f : tensor<5x7xf32>, tensor<5x7xi1>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %of: i1):
    %1 = arith.maximumf %a, %b : f32
    %2 = arith.cmpf ogt, %a, %b : f32
    linalg.yield %1, %2 : f32, i1
  } -> (tensor<5x7xf32>, tensor<5x7xi1>)
  kernel.return %r#0, %r#1 : tensor<5x7xf32>, tensor<5x7xi1>
}
)mlir",
                           {bytes(x), bytes(row), bytes(column), bytes(scale),
                            bytes(flipped), bytes(x), std::vector<uint8_t>(35)},
                           "#cpu.map");
  std::vector<float> want(35);
  std::vector<uint8_t> flags(35);
  for (int m = 0; m < 5; ++m)
    for (int n = 0; n < 7; ++n) {
      float a = x[m * 7 + n] * 1.7f + row[n] - column[m];
      float b = flipped[n * 5 + m];
      want[m * 7 + n] = std::max(a, b);
      flags[m * 7 + n] = a > b;
    }
  EXPECT_EQ(values<float>(got[5]), want);
  EXPECT_EQ(got[6], flags);
}

// A transposed input goes through blocks of 8 x 8: bands, lines and elements
// that are left over, beside inputs of other kinds, in memory that an input
// has.
TEST(Map, TransposedBlocks) {
  for (auto [m, n] :
       {std::pair(8, 8), {9, 8}, {8, 15}, {40, 33}, {67, 70}, {9, 1029}}) {
    std::string text = R"mlir(
#bmn = affine_map<(b, m, n) -> (b, m, n)>
#bnm = affine_map<(b, m, n) -> (b, n, m)>
#m = affine_map<(b, m, n) -> (m)>
kernel.func @k(%x: tensor<3xMxNxf32>, %t: tensor<3xNxMxi16>, %c: tensor<Mxf32>, %d: tensor<3xMxNxf32>) -> tensor<3xMxNxf32> {
  %r = linalg.generic {indexing_maps = [#bmn, #bnm, #m, #bmn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %t, %c : tensor<3xMxNxf32>, tensor<3xNxMxi16>, tensor<Mxf32>) outs(%d : tensor<3xMxNxf32>) {
  ^bb0(%a: f32, %b: i16, %k: f32, %o: f32):
    %0 = arith.sitofp %b : i16 to f32
    %1 = arith.mulf %a, %k : f32
    %2 = arith.addf %1, %0 : f32
    linalg.yield %2 : f32
  } -> tensor<3xMxNxf32>
  kernel.return %r : tensor<3xMxNxf32>
}
)mlir";
    text = replaceAll(text, "xMx", "x" + std::to_string(m) + "x");
    text = replaceAll(text, "<Mx", "<" + std::to_string(m) + "x");
    text = replaceAll(text, "xNx", "x" + std::to_string(n) + "x");
    size_t size = 3 * m * n;
    std::vector<float> x = randoms(size), scale = randoms(m, -2, 2, 2);
    std::vector<int16_t> t(size);
    for (size_t i = 0; i < size; ++i)
      t[i] = static_cast<int16_t>(i * 37 % 501 - 250);
    std::vector<float> want(size);
    for (int b = 0; b < 3; ++b)
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          int at = (b * m + i) * n + j;
          want[at] = x[at] * scale[i] + t[(b * n + j) * m + i];
        }
    Buffers got = runAllWays(text, {bytes(x), bytes(t), bytes(scale), bytes(x)},
                             "#cpu.map");
    EXPECT_EQ(values<float>(got[3]), want) << m << " x " << n;
    Config config;
    config.pieces = 3;
    Kernels kernels(text, config);
    std::vector<float> state = x;
    kernels.run({state.data(), t.data(), scale.data(), state.data()});
    EXPECT_EQ(state, want) << m << " x " << n;
  }
}

// Slices with strides and offsets on both sides keep the rest of the
// destination; the position is part of the value.
TEST(Map, StridedSliceIntoSlice) {
  std::vector<float> x = randoms(6 * 50), d(3 * 30, -1);
  Buffers got = runAllWays(R"mlir(
#x = affine_map<(m, n) -> (m * 2 + 1, n * 2 + 3)>
#y = affine_map<(m, n) -> (m, n)>
#d = affine_map<(m, n) -> (m, n + 7)>
kernel.func @k(%x: tensor<6x50xf32>, %y: tensor<3x23xf32>, %d: tensor<3x30xf32>) -> tensor<3x30xf32> {
  %r = linalg.generic {indexing_maps = [#x, #y, #d], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<6x50xf32>, tensor<3x23xf32>) outs(%d : tensor<3x30xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %c = arith.constant 100 : index
    %0 = arith.muli %m, %c : index
    %1 = arith.addi %0, %n : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.sitofp %2 : i64 to f32
    %4 = arith.addf %3, %a : f32
    linalg.yield %4 : f32
  } -> tensor<3x30xf32>
  kernel.return %r : tensor<3x30xf32>
}
)mlir",
                           {bytes(x), bytes(x), bytes(d)}, "#cpu.map");
  for (int m = 0; m < 3; ++m)
    for (int n = 0; n < 23; ++n)
      d[m * 30 + n + 7] = (m * 100 + n) + x[(m * 2 + 1) * 50 + n * 2 + 3];
  EXPECT_EQ(values<float>(got[2]), d);
}

// Padding reads at a computed place and drops what lies outside.
TEST(Map, PadByExtract) {
  std::vector<float> x = randoms(20), d(40);
  Buffers got = runAllWays(R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<20xf32>, %d: tensor<40xf32>) -> tensor<40xf32> {
  %r = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%d : tensor<40xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %low = arith.constant 5 : index
    %size = arith.constant 20 : index
    %zero = arith.constant 0 : index
    %f = arith.constant 0.5 : f32
    %j = arith.subi %i, %low : index
    %v = tensor.extract %x[%j] : tensor<20xf32>
    %a = arith.cmpi sge, %j, %zero : index
    %b = arith.cmpi slt, %j, %size : index
    %c = arith.andi %a, %b : i1
    %w = arith.select %c, %v, %f : f32
    linalg.yield %w : f32
  } -> tensor<40xf32>
  kernel.return %r : tensor<40xf32>
}
)mlir",
                           {bytes(x), bytes(d)}, "#cpu.map");
  for (int i = 0; i < 40; ++i)
    d[i] = i >= 5 && i < 25 ? x[i - 5] : 0.5f;
  EXPECT_EQ(values<float>(got[1]), d);
}

// Neighbours of the last axis, which may lie beyond it: those are the elements
// at its ends. Vectors begin before the axis, behind it and in it.
TEST(Map, NeighboursBeyondAnAxis) {
  std::vector<float> x = randoms(5 * 20), d(7 * 61);
  std::vector<uint8_t> mask(7 * 61), bits(5 * 20);
  for (size_t place = 0; place < bits.size(); ++place)
    bits[place] = x[place] > 0;
  Buffers got =
      runAllWays(R"mlir(
#i = affine_map<(m, n) -> (m, n)>
kernel.func @k(%x: tensor<5x20xf32>, %y: tensor<5x20xi1>, %d: tensor<7x61xf32>, %e: tensor<7x61xi1>)
    -> (tensor<7x61xf32>, tensor<7x61xi1>) {
  %r:2 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]}
      outs(%d, %e : tensor<7x61xf32>, tensor<7x61xi1>) {
  ^bb0(%o: f32, %q: i1):
    %one = arith.constant 1 : index
    %low = arith.constant 23 : index
    %zero = arith.constant 0 : index
    %last = arith.constant 19 : index
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %i = arith.subi %m, %one : index
    %j = arith.subi %n, %low : index
    %k = arith.maxsi %j, %zero : index
    %l = arith.minsi %k, %last : index
    %v = tensor.extract %x[%i, %l] : tensor<5x20xf32>
    %w = tensor.extract %y[%i, %j] : tensor<5x20xi1>
    linalg.yield %v, %w : f32, i1
  } -> (tensor<7x61xf32>, tensor<7x61xi1>)
  kernel.return %r#0, %r#1 : tensor<7x61xf32>, tensor<7x61xi1>
}
)mlir",
                 {bytes(x), bytes(bits), bytes(d), bytes(mask)}, "#cpu.map");
  for (int m = 0; m < 7; ++m)
    for (int n = 0; n < 61; ++n) {
      int place = std::clamp(m - 1, 0, 4) * 20 + std::clamp(n - 23, 0, 19);
      d[m * 61 + n] = x[place];
      mask[m * 61 + n] = bits[place];
    }
  EXPECT_EQ(values<float>(got[2]), d);
  EXPECT_EQ(values<uint8_t>(got[3]), mask);
}

// An update in place: the destinations are the inputs' own memory, a later
// statement still finds the old value, and chunks are many.
TEST(Map, UpdateInPlaceOverManyChunks) {
  const char *text = R"mlir(
#i = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
kernel.func @k(%lr: tensor<f32>, %old: tensor<70001xf32>, %g: tensor<70001xf16>, %p: tensor<70001xf32>, %w: tensor<70001xf16>)
    -> (tensor<70001xf32>, tensor<70001xf16>) {
  %new = linalg.generic {indexing_maps = [#s, #i, #i], iterator_types = ["parallel"]}
      ins(%lr, %g : tensor<f32>, tensor<70001xf16>) outs(%p : tensor<70001xf32>) {
  ^bb0(%l: f32, %a: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.mulf %l, %0 : f32
    %2 = arith.subf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<70001xf32>
  %half = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%new, %old : tensor<70001xf32>, tensor<70001xf32>) outs(%w : tensor<70001xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %0 = arith.addf %a, %b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<70001xf16>
  kernel.return %new, %half : tensor<70001xf32>, tensor<70001xf16>
}
)mlir";
  const int n = 70001;
  std::vector<float> lr = {0.25f}, p = randoms(n);
  std::vector<uint16_t> g, w(n);
  for (float value : randoms(n, -2, 2, 2))
    g.push_back(toHalf(value));
  std::vector<float> next(n);
  std::vector<uint16_t> half(n);
  for (int i = 0; i < n; ++i) {
    next[i] = p[i] - 0.25f * fromHalf(g[i]);
    half[i] = toHalf(next[i] + p[i]);
  }
  for (bool naive : {true, false}) {
    Config config;
    config.naive = naive;
    config.pieces = 3;
    Kernels kernels(text, config);
    EXPECT_TRUE(naive || kernels.chunks() > 1);
    std::vector<float> state = p;
    kernels.run({lr.data(), state.data(), g.data(), state.data(), w.data()});
    EXPECT_EQ(state, next);
    EXPECT_EQ(w, half);
  }
}

// Integers divide, and lanes that do not count must not trap.
TEST(Map, IntegerDivisionInATail) {
  std::vector<int32_t> x(13), y(13), want(13);
  for (int i = 0; i < 13; ++i) {
    x[i] = 1000 - 37 * i;
    y[i] = i - 20;
    want[i] = x[i] / (y[i] + 1);
  }
  Buffers got = runAllWays(R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<13xi32>, %y: tensor<13xi32>, %d: tensor<13xi32>) -> tensor<13xi32> {
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<13xi32>, tensor<13xi32>) outs(%d : tensor<13xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %one = arith.constant 1 : i32
    %0 = arith.addi %b, %one : i32
    %1 = arith.divsi %a, %0 : i32
    linalg.yield %1 : i32
  } -> tensor<13xi32>
  kernel.return %r : tensor<13xi32>
}
)mlir",
                           {bytes(x), bytes(y), bytes(want)}, "#cpu.map");
  EXPECT_EQ(values<int32_t>(got[2]), want);
}

// A sine is an f64 that is rounded twice. LLVM would round it by a library
// function for a sign that a scalar takes from it.
TEST(Map, TheSignOfAScalarThatWasRoundedTwice) {
  for (auto [x, want] :
       {std::pair<uint16_t, uint16_t>(0x3800, 0x3722), {0xbd00, 0xb9ea}}) {
    Buffers got =
        runAllWays(R"mlir(
#s = affine_map<() -> ()>
kernel.func @k(%x: tensor<f16>, %d: tensor<f16>) -> tensor<f16> {
  %r = linalg.generic {indexing_maps = [#s, #s], iterator_types = []}
      ins(%x : tensor<f16>) outs(%d : tensor<f16>) {
  ^bb0(%a: f16, %o: f16):
    %0 = arith.extf %a : f16 to f32
    %1 = math.sin %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    %3 = arith.extf %2 : f16 to f32
    %4 = math.tanh %3 : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<f16>
  kernel.return %r : tensor<f16>
}
)mlir",
                   {bytes(std::vector{x}), bytes(std::vector{x})}, "#cpu.");
    EXPECT_EQ(values<uint16_t>(got[1]).front(), want);
  }
}
