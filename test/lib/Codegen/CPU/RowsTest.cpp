// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions: rows in the documented order of lanes, columns in index order,
// and the same bits for every split into chunks.
#include "Harness.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <numeric>

using namespace mpc::test;

static std::string fill(std::string text,
                        std::vector<std::pair<std::string, std::string>> by) {
  for (const auto &[from, to] : by)
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

/// Runs by vectors of `lanes` in 1, 2 and 3 pieces, and by scalar loops that
/// add in the same order; expects equal bits.
static Buffers runVectors(const std::string &text, const Buffers &buffers,
                          const std::string &schedule, int64_t lanes = 8) {
  Buffers first;
  for (int64_t pieces = 1; pieces <= 4; ++pieces) {
    Config config;
    config.lanes = lanes;
    config.pieces = pieces;
    config.naive = pieces == 4;
    Kernels kernels(text, config);
    std::string wanted = config.naive ? "#cpu.loops" : schedule;
    EXPECT_EQ(kernels.schedule().substr(0, wanted.size()), wanted);
    Buffers copy = buffers;
    std::vector<void *> pointers;
    for (auto &buffer : copy)
      pointers.push_back(buffer.data());
    kernels.run(pointers);
    if (pieces > 1)
      EXPECT_EQ(copy, first);
    first = copy;
  }
  return first;
}

static const char *rowSum = R"mlir(
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
kernel.func @k(%x: tensor<MxNxf32>, %d: tensor<Mxf32>) -> tensor<Mxf32> {
  %c = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<Mxf32>
  %i = linalg.fill ins(%c : f32) outs(%e : tensor<Mxf32>) -> tensor<Mxf32>
  %r = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<MxNxf32>) outs(%i : tensor<Mxf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = COMBINE
    linalg.yield %t : f32
  } -> tensor<Mxf32>
  kernel.return %r : tensor<Mxf32>
}
)mlir";

/// Sums from zero on: chains of 16, chains of these, up to 23 of which are
/// added one after another.
static float sumInChains(std::vector<float> terms) {
  while (terms.size() > 23) {
    std::vector<float> chains((terms.size() + 15) / 16);
    for (size_t i = 0; i < terms.size(); ++i)
      chains[i / 16] += terms[i];
    terms = chains;
  }
  return std::accumulate(terms.begin(), terms.end(), 0.0f);
}

/// The order that CPU_RowsAttr documents: each lane has chains, and what is
/// left beside whole vectors at the end.
static float sumInLanes(const float *x, int n, int lanes) {
  std::vector<float> sums(lanes);
  int whole = n / lanes * lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<float> terms;
    for (int i = lane; i < whole; i += lanes)
      terms.push_back(x[i]);
    sums[lane] = sumInChains(terms);
  }
  for (int i = whole; i < n; ++i)
    sums[i - whole] += x[i];
  for (int half = lanes / 2; half >= 1; half /= 2)
    for (int lane = 0; lane < half; ++lane)
      sums[lane] += sums[lane + half];
  return sums[0];
}

TEST(Rows, SumsInTheDocumentedOrder) {
  for (int n : {4, 7, 8, 9, 15, 16, 17, 31, 33, 100, 191, 192, 393, 2951, 3000,
                3072, 47104, 49155}) {
    std::vector<float> x = randoms(5 * n), want(5), d(5);
    for (int m = 0; m < 5; ++m)
      want[m] = 0.5f + sumInLanes(&x[m * n], n, 8);
    Buffers got =
        runVectors(fill(rowSum, {{"COMBINE", "arith.addf %s, %a : f32"},
                                 {"M", "5"},
                                 {"N", std::to_string(n)}}),
                   {bytes(x), bytes(d)}, "#cpu.rows");
    EXPECT_EQ(values<float>(got[1]), want) << n;
  }
}

TEST(Rows, FusedMultiplyAddAndMaximum) {
  std::vector<float> x = randoms(3 * 21), d(3);
  Buffers squares = runVectors(
      fill(rowSum,
           {{"COMBINE", "math.fma %a, %a, %s : f32"}, {"M", "3"}, {"N", "21"}}),
      {bytes(x), bytes(d)}, "#cpu.rows");
  Buffers largest =
      runVectors(fill(rowSum, {{"COMBINE", "arith.maximumf %s, %a : f32"},
                               {"M", "3"},
                               {"N", "21"}}),
                 {bytes(x), bytes(d)}, "#cpu.rows");
  for (int m = 0; m < 3; ++m) {
    double sum = 0.5;
    float most = 0.5f;
    for (int n = 0; n < 21; ++n) {
      sum += double(x[m * 21 + n]) * x[m * 21 + n];
      most = std::max(most, x[m * 21 + n]);
    }
    EXPECT_LE(ulps(values<float>(squares[1])[m], sum), 4);
    EXPECT_EQ(values<float>(largest[1])[m], most);
  }
}

// Maximum, then a sum of exponentials kept for the quotient: three passes.
static const char *softmax = R"mlir(
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
kernel.func @k(%x: tensor<MxNxT>, %d: tensor<MxNxT>) -> tensor<MxNxT> {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<Mxf32>
  %big = tensor.empty() : tensor<MxNxf32>
  %i = linalg.fill ins(%ninf : f32) outs(%e : tensor<Mxf32>) -> tensor<Mxf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<Mxf32>) -> tensor<Mxf32>
  %wide = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<MxNxT>) outs(%big : tensor<MxNxf32>) {
  ^bb0(%a: T, %o: f32):
    WIDEN
    linalg.yield %w : f32
  } -> tensor<MxNxf32>
  %max = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%wide : tensor<MxNxf32>) outs(%i : tensor<Mxf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.maximumf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<Mxf32>
  %exp = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%wide, %max : tensor<MxNxf32>, tensor<Mxf32>) outs(%big : tensor<MxNxf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<MxNxf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<MxNxf32>) outs(%z : tensor<Mxf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<Mxf32>
  %inverse = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<Mxf32>) outs(%e : tensor<Mxf32>) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %t = arith.divf %one, %a : f32
    linalg.yield %t : f32
  } -> tensor<Mxf32>
  %r = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %inverse : tensor<MxNxf32>, tensor<Mxf32>) outs(%d : tensor<MxNxT>) {
  ^bb0(%a: f32, %b: f32, %o: T):
    %0 = arith.mulf %a, %b : f32
    NARROW
    linalg.yield %n : T
  } -> tensor<MxNxT>
  kernel.return %r : tensor<MxNxT>
}
)mlir";

TEST(Rows, SoftmaxOfSixteenBits) {
  for (int n : {4, 5, 10, 16, 65}) {
    const int rows = 300;
    std::vector<uint16_t> x, d(rows * n);
    for (float value : randoms(rows * n, -9, 9))
      x.push_back(toBFloat(value));
    Buffers got =
        runVectors(fill(softmax, {{"WIDEN", "%w = arith.extf %a : T to f32"},
                                  {"NARROW", "%n = arith.truncf %0 : f32 to T"},
                                  {"xT", "xbf16"},
                                  {": T", ": bf16"},
                                  {"to T", "to bf16"},
                                  {"M", std::to_string(rows)},
                                  {"N", std::to_string(n)}}),
                   {bytes(x), bytes(d)}, "#cpu.rows");
    d = values<uint16_t>(got[1]);
    for (int m = 0; m < rows; ++m) {
      double sum = 0;
      for (int i = 0; i < n; ++i)
        sum += std::exp(double(fromBFloat(x[m * n + i])));
      for (int i = 0; i < n; ++i) {
        double want = std::exp(double(fromBFloat(x[m * n + i]))) / sum;
        ASSERT_LE(std::abs(fromBFloat(d[m * n + i]) - want), want * 0.0040)
            << n;
      }
    }
  }
}

// The same softmax over the first axis: vectors go along the kept one, each
// lane in index order, so that the bits are those of loops.
TEST(Columns, SoftmaxOverTheFirstAxis) {
  for (int m : {3, 8, 33, 70}) {
    std::vector<float> x = randoms(11 * m), d(11 * m);
    std::string text =
        fill(softmax,
             {{"WIDEN", "%w = arith.addf %a, %a : f32"},
              {"NARROW", "%n = arith.addf %0, %0 : f32"},
              {"xT", "xf32"},
              {": T", ": f32"},
              {"(m, n) -> (m)", "(m, n) -> (n)"},
              {"\"parallel\", \"reduction\"", "\"reduction\", \"parallel\""},
              {"MxN", "11x" + std::to_string(m)},
              {"Mx", std::to_string(m) + "x"}});
    Buffers got = runAllWays(text, {bytes(x), bytes(d)}, "#cpu.columns");
    double sum = 0, total = 0;
    for (int i = 0; i < 11; ++i)
      sum += std::exp(2.0 * x[i * m]);
    for (int i = 0; i < 11; ++i) {
      double want = 2 * std::exp(2.0 * x[i * m]) / sum;
      float value = values<float>(got[1])[i * m];
      EXPECT_NEAR(value, want, want * 1e-6);
      total += value;
    }
    EXPECT_NEAR(total, 2, 1e-5);
  }
}

// A bias gradient: every column in index order, in chains.
TEST(Columns, SumOverLeadingAxes) {
  for (auto [t, n] : {std::pair(5, 9),
                      {5, 31},
                      {9, 32},
                      {95, 33},
                      {96, 63},
                      {99, 64},
                      {1537, 100}}) {
    std::vector<float> x = randoms(4 * t * n), d(n), want;
    for (int j = 0; j < n; ++j) {
      std::vector<float> terms;
      for (int i = 0; i < 4 * t; ++i)
        terms.push_back(x[i * n + j]);
      want.push_back(sumInChains(terms));
    }
    Buffers got = runAllWays(fill(R"mlir(
kernel.func @k(%x: tensor<4xTxNxf32>, %d: tensor<Nxf32>) -> tensor<Nxf32> {
  %c = arith.constant 0.0 : f32
  %i = linalg.fill ins(%c : f32) outs(%d : tensor<Nxf32>) -> tensor<Nxf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, t, n) -> (b, t, n)>, affine_map<(b, t, n) -> (n)>],
                       iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<4xTxNxf32>) outs(%i : tensor<Nxf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<Nxf32>
  kernel.return %r : tensor<Nxf32>
}
)mlir",
                                  {{"TxN", std::to_string(t) + "xN"},
                                   {"Nxf32", std::to_string(n) + "xf32"}}),
                             {bytes(x), bytes(d)}, "#cpu.columns");
    EXPECT_EQ(values<float>(got[1]), want) << t << " " << n;
  }
}

// Rows too short for lanes run side by side, each in index order.
TEST(Columns, SumsOfShortRows) {
  std::vector<float> x = randoms(50 * 3), d(50);
  runAllWays(
      fill(rowSum,
           {{"COMBINE", "arith.addf %s, %a : f32"}, {"M", "50"}, {"N", "3"}}),
      {bytes(x), bytes(d)}, "#cpu.columns");
}

// An operand that is read transposed, or is the same for all of one inner
// axis, does not change the order of the sum.
TEST(Rows, OrderDependsOnShapeOnly) {
  const char *text = R"mlir(
kernel.func @k(%x: tensor<3x5x7xf32>, %s: tensor<SHAPExf32>, %d: tensor<3xf32>) -> tensor<3xf32> {
  %c = arith.constant 0.0 : f32
  %i = linalg.fill ins(%c : f32) outs(%d : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (PLACE)>, affine_map<(a, b, c) -> (a)>],
                       iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %s : tensor<3x5x7xf32>, tensor<SHAPExf32>) outs(%i : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %s0: f32):
    %p = arith.addf %a, %b : f32
    %t = arith.addf %s0, %p : f32
    linalg.yield %t : f32
  } -> tensor<3xf32>
  kernel.return %r : tensor<3xf32>
}
)mlir";
  std::vector<float> x = randoms(105), zeros(105), d(3), want(3);
  for (int m = 0; m < 3; ++m)
    want[m] = sumInLanes(&x[m * 35], 35, 8);
  for (auto [shape, place] :
       {std::pair("3x5x7", "a, b, c"), std::pair("7x5x3", "c, b, a"),
        std::pair("3x5", "a, b")}) {
    Buffers got = runVectors(fill(text, {{"SHAPE", shape}, {"PLACE", place}}),
                             {bytes(x), bytes(zeros), bytes(d)}, "#cpu.rows");
    EXPECT_EQ(values<float>(got[2]), want) << shape;
  }
}

// Batch statistics of [N, C, H*W]: the kept axis lies in the middle.
TEST(Rows, StatisticsOfTheMiddleAxis) {
  std::vector<float> x = randoms(3 * 5 * 20), d(5);
  Buffers got = runVectors(R"mlir(
kernel.func @k(%x: tensor<3x5x20xf32>, %d: tensor<1x5x1xf32>) -> tensor<1x5x1xf32> {
  %c = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<1x5x1xf64>
  %i = linalg.fill ins(%c : f64) outs(%e : tensor<1x5x1xf64>) -> tensor<1x5x1xf64>
  %s = linalg.generic {indexing_maps = [affine_map<(b, c, n) -> (b, c, n)>, affine_map<(b, c, n) -> (0, c, 0)>],
                       iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<3x5x20xf32>) outs(%i : tensor<1x5x1xf64>) {
  ^bb0(%a: f32, %s: f64):
    %w = arith.extf %a : f32 to f64
    %t = arith.addf %s, %w : f64
    linalg.yield %t : f64
  } -> tensor<1x5x1xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(b, c, n) -> (b, c, n)>, affine_map<(b, c, n) -> (b, c, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x5x1xf64>) outs(%d : tensor<1x5x1xf32>) {
  ^bb0(%a: f64, %o: f32):
    %t = arith.truncf %a : f64 to f32
    linalg.yield %t : f32
  } -> tensor<1x5x1xf32>
  kernel.return %r : tensor<1x5x1xf32>
}
)mlir",
                           {bytes(x), bytes(d)}, "#cpu.rows");
  for (int c = 0; c < 5; ++c) {
    double sum = 0;
    for (int b = 0; b < 3; ++b)
      for (int n = 0; n < 20; ++n)
        sum += x[(b * 5 + c) * 20 + n];
    EXPECT_LE(ulps(values<float>(got[1])[c], sum), 0.51);
  }
}

// Each row less its sum, which runs of 16 rows add up for each element, from
// 0.25 on. The rows are those of OUTER images.
static const char *partial = R"mlir(
#ocn = affine_map<(o, m, n) -> (o, m, n)>
#oc = affine_map<(o, m, n) -> (o, m)>
#elements = affine_map<(o, b, i, n) -> (o, b * RUN + i, n)>
#all = affine_map<(o, b, i, n) -> (o, b, i, n)>
#sums = affine_map<(o, b, i, n) -> (o, b, n)>
kernel.func @k(%x: tensor<OUTERxMxNxf32>, %d: tensor<OUTERxMxNxf32>, %p: tensor<OUTERxBxNxf32>)
    -> (tensor<OUTERxMxNxf32>, tensor<OUTERxBxNxf32>) {
  %zero = arith.constant 0.0 : f32
  %quarter = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<OUTERxMxf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<OUTERxMxf32>) -> tensor<OUTERxMxf32>
  %sum = linalg.generic {indexing_maps = [#ocn, #oc], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<OUTERxMxNxf32>) outs(%z : tensor<OUTERxMxf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<OUTERxMxf32>
  %less = linalg.generic {indexing_maps = [#ocn, #oc, #ocn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<OUTERxMxNxf32>, tensor<OUTERxMxf32>) outs(%d : tensor<OUTERxMxNxf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.subf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<OUTERxMxNxf32>
  %q = linalg.fill ins(%quarter : f32) outs(%p : tensor<OUTERxBxNxf32>) -> tensor<OUTERxBxNxf32>
  %bound = tensor.empty() : tensor<OUTERxBxRUNxNxf32>
  %r = linalg.generic {indexing_maps = [#elements, #all, #sums],
                       iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%less, %bound : tensor<OUTERxMxNxf32>, tensor<OUTERxBxRUNxNxf32>) outs(%q : tensor<OUTERxBxNxf32>) {
  ^bb0(%a: f32, %u: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<OUTERxBxNxf32>
  kernel.return %less, %r : tensor<OUTERxMxNxf32>, tensor<OUTERxBxNxf32>
}
)mlir";

TEST(Rows, PartialSumsOfRuns) {
  const int outer = 2;
  for (int run : {16, 7})
    for (int runs : {1, 2, 5})
      for (int n : {4, 8, 13, 37, 64}) {
        int m = run * runs;
        std::vector<float> x = randoms(outer * m * n), d(x.size()),
                           p(outer * runs * n), want(outer * runs * n, 0.25f);
        Buffers got =
            runVectors(fill(partial, {{"OUTER", "2"},
                                      {"RUN", std::to_string(run)},
                                      {"xB", "x" + std::to_string(runs)},
                                      {"M", std::to_string(m)},
                                      {"xN", "x" + std::to_string(n)}}),
                       {bytes(x), bytes(d), bytes(p)}, "#cpu.rows");
        for (int row = 0; row < outer * m; ++row) {
          float sum = sumInLanes(&x[row * n], n, 8);
          for (int i = 0; i < n; ++i) {
            EXPECT_EQ(values<float>(got[1])[row * n + i], x[row * n + i] - sum);
            want[row / run * n + i] += x[row * n + i] - sum;
          }
        }
        EXPECT_EQ(values<float>(got[2]), want)
            << run << " " << runs << " " << n;
      }
}

// Elements scaled by a factor of their part of the row, which begins anywhere
// in a vector: all lanes agree about it in whole vectors alone.
TEST(Rows, ScalesOfPartsOfARow) {
  for (int length : {3, 8, 10, 12, 16, 24}) {
    const int rows = 3, parts = 5;
    std::vector<float> x = randoms(rows * parts * length), s = randoms(parts),
                       d(x.size());
    Buffers got = runVectors(fill(R"mlir(
#all = affine_map<(m, p, n) -> (m, p, n)>
#m = affine_map<(m, p, n) -> (m)>
#p = affine_map<(m, p, n) -> (p)>
kernel.func @k(%x: tensor<3x5xNxf32>, %s: tensor<5xf32>, %d: tensor<3x5xNxf32>) -> tensor<3x5xNxf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %max = linalg.generic {indexing_maps = [#all, #m], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<3x5xNxf32>) outs(%i : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<3xf32>
  %r = linalg.generic {indexing_maps = [#all, #m, #p, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %max, %s : tensor<3x5xNxf32>, tensor<3xf32>, tensor<5xf32>) outs(%d : tensor<3x5xNxf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<3x5xNxf32>
  kernel.return %r : tensor<3x5xNxf32>
}
)mlir",
                                  {{"xN", "x" + std::to_string(length)}}),
                             {bytes(x), bytes(s), bytes(d)}, "#cpu.rows");
    std::vector<float> want(x.size());
    for (int row = 0; row < rows; ++row) {
      auto begin = x.begin() + row * parts * length;
      float most = *std::max_element(begin, begin + parts * length);
      for (int i = 0; i < parts * length; ++i)
        want[row * parts * length + i] = (begin[i] - most) * s[i / length];
    }
    EXPECT_EQ(values<float>(got[2]), want) << length;
  }
}
