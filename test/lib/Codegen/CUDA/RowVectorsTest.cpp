// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows whose threads have runs of neighbours: of each length, at each
// alignment, of mixed types, along other axes, and over what they read. The
// numbers are small multiples of a quarter, for which f64 here and f32 there
// give the same, so that nothing is allowed between them.
#include "test/lib/Codegen/CUDA/Emulated.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <numeric>

using namespace mpc;
using namespace mpc::test;
using llvm::StringRef;

namespace {

/// Widens `from` of `type` to f32 as `to`.
std::string widen(const std::string &type, const char *to, const char *from) {
  return llvm::formatv(type == "f32" ? "{0} = arith.addf {1}, %zero : f32"
                                     : "{0} = arith.extf {1} : {2} to f32",
                       to, from, type);
}

/// e = x + y, s = sum(e), m = max(e g + s), p = e + (m - s), q = e g + s: three
/// passes, of which the last two read e again.
struct ThreePasses {
  std::string x, y, g, p; ///< The types; q is f32.
  int columns;
  int rows = 3;

  [[nodiscard]] std::string text() const {
    std::string text = R"(
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>
kernel.func @k(%x: tensor<ROWSxCOLUMNSxTX>, %y: tensor<ROWSxCOLUMNSxTY>, %g: tensor<COLUMNSxTG>,
               %p: tensor<ROWSxCOLUMNSxTP>, %q: tensor<ROWSxCOLUMNSxf32>) -> (tensor<ROWSxCOLUMNSxTP>, tensor<ROWSxCOLUMNSxf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %r = tensor.empty() : tensor<ROWSxf32>
  %none = linalg.fill ins(%zero : f32) outs(%r : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %least = linalg.fill ins(%low : f32) outs(%r : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %e = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<ROWSxCOLUMNSxTX>, tensor<ROWSxCOLUMNSxTY>) outs(%w : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%a: TX, %b: TY, %o: f32):
    WIDENX
    WIDENY
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<ROWSxCOLUMNSxf32>) outs(%none : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<ROWSxf32>
  %f = linalg.generic {indexing_maps = [#mn, #n, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%e, %g, %s : tensor<ROWSxCOLUMNSxf32>, tensor<COLUMNSxTG>, tensor<ROWSxf32>) outs(%q : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%a: f32, %b: TG, %c: f32, %o: f32):
    WIDENG
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.addf %2, %c : f32
    linalg.yield %3 : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  %max = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%f : tensor<ROWSxCOLUMNSxf32>) outs(%least : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<ROWSxf32>
  %t = linalg.generic {indexing_maps = [#mn, #m, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%e, %max, %s : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>, tensor<ROWSxf32>) outs(%p : tensor<ROWSxCOLUMNSxTP>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: TP):
    %0 = arith.subf %b, %c : f32
    %1 = arith.addf %a, %0 : f32
    NARROW
    linalg.yield %2 : TP
  } -> tensor<ROWSxCOLUMNSxTP>
  kernel.return %t, %f : tensor<ROWSxCOLUMNSxTP>, tensor<ROWSxCOLUMNSxf32>
})";
    std::string narrow =
        p == "f32"
            ? "%2 = arith.addf %1, %zero : f32"
            : llvm::formatv("%2 = arith.truncf %1 : f32 to {0}", p).str();
    for (const auto &[name, value] :
         {std::pair<std::string, std::string>("ROWS", std::to_string(rows)),
          {"COLUMNS", std::to_string(columns)},
          {"WIDENX", widen(x, "%0", "%a")},
          {"WIDENY", widen(y, "%1", "%b")},
          {"WIDENG", widen(g, "%1", "%b")},
          {"NARROW", narrow},
          {"TX", x},
          {"TY", y},
          {"TG", g},
          {"TP", p}})
      replaceAll(text, name, value);
    return text;
  }

  /// Expects the results of the kernel in memory that begins at `offset`.
  void expectAt(size_t offset, bool wide = false) const {
    SCOPED_TRACE(llvm::formatv("{0} {1} {2} {3}, {4} columns at {5}", x, y, g,
                               p, columns, offset)
                     .str());
    size_t count = static_cast<size_t>(rows) * columns;
    std::vector<double> xs = quarters(count, 1), ys = quarters(count, 2),
                        gs = quarters(columns, 3), ps(count), qs(count);
    for (int row = 0; row < rows; ++row) {
      double sum = 0, largest = -INFINITY;
      for (int i = row * columns; i < (row + 1) * columns; ++i)
        sum += xs[i] + ys[i];
      for (int i = row * columns; i < (row + 1) * columns; ++i) {
        qs[i] = (xs[i] + ys[i]) * gs[i - row * columns] + sum;
        largest = std::max(largest, qs[i]);
      }
      for (int i = row * columns; i < (row + 1) * columns; ++i)
        ps[i] = xs[i] + ys[i] + (largest - sum);
    }
    Emitted kernel =
        emitAll(text(), 80, {wide, std::gcd(size_t{64}, offset)}).front();
    // Rows of one element are a map.
    ASSERT_EQ(kernel.schedule.substr(0, 10),
              columns == 1 ? "#cuda.map<" : "#cuda.rows");
    Buffers after = runOnGpu(kernel,
                             {encode(xs, x), encode(ys, y), encode(gs, g),
                              std::vector<uint8_t>(count * sizeOf(p), 0xff),
                              room<float>(count)},
                             {.seed = 3, .offset = offset});
    expectNear(decode(after[3], p), ps, 0);
    expectNear(decode(after[4], "f32"), qs, 0);
  }
};

// Multiples of the lanes too, of 32 and of 256, which are no whole number of
// runs a lane.
constexpr int kLengths[] = {1, 7, 8, 9, 31, 33, 544, 1000, 1001, 2304, 4104};

TEST(CudaRowVectors, EachLength) {
  for (int columns : kLengths) {
    ThreePasses{"bf16", "bf16", "f32", "bf16", columns}.expectAt(0);
    ThreePasses{"f32", "f16", "bf16", "f16", columns}.expectAt(0, true);
    ThreePasses{"f32", "f32", "f32", "f32", columns}.expectAt(0);
  }
}

TEST(CudaRowVectors, EachAlignment) {
  for (size_t offset : {4, 8, 12, 16})
    for (int columns : {512, 768, 2056}) {
      ThreePasses{"bf16", "bf16", "f32", "bf16", columns}.expectAt(offset);
      ThreePasses{"f32", "f16", "bf16", "f16", columns}.expectAt(offset);
    }
}

/// `maximum` along an axis of `x`, read by `map` over `iterators`.
std::string maximum(const std::string &shape, const std::string &rows,
                    const std::string &element, const std::string &map,
                    const std::string &kept, const std::string &iterators) {
  std::string text = R"(
kernel.func @k(%x: tensor<SHAPExTYPE>, %d: tensor<ROWSxTYPE>) -> tensor<ROWSxTYPE> {
  %least = arith.constant LEAST
  %none = linalg.fill ins(%least : TYPE) outs(%d : tensor<ROWSxTYPE>) -> tensor<ROWSxTYPE>
  %s = linalg.generic {indexing_maps = [affine_map<MAP>, affine_map<KEPT>], iterator_types = [ITERATORS]}
      ins(%x : tensor<SHAPExTYPE>) outs(%none : tensor<ROWSxTYPE>) {
  ^bb0(%a: TYPE, %o: TYPE):
    %0 = arith.OP %o, %a : TYPE
    linalg.yield %0 : TYPE
  } -> tensor<ROWSxTYPE>
  kernel.return %s : tensor<ROWSxTYPE>
})";
  bool isFloat = element[0] == 'f';
  for (const auto &[name, value] :
       {std::pair<std::string, std::string>("SHAPE", shape),
        {"ROWS", rows},
        {"TYPE", element},
        {"MAP", map},
        {"KEPT", kept},
        {"ITERATORS", iterators},
        {"LEAST", isFloat           ? "0.0 : f32"
                  : element == "i1" ? "false"
                                    : "-128 : i8"},
        {"OP", isFloat           ? "addf"
               : element == "i1" ? "ori"
                                 : "maxsi"}})
    replaceAll(text, name, value);
  return text;
}

/// s = sum(a), and the sum of s with each of a, b, c and d: of f32 more vectors
/// than a thread has registers for.
std::string fourSums(int rows, int columns) {
  std::string text = R"(
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
kernel.func @k(%a: TYPE, %b: TYPE, %c: TYPE, %d: TYPE, %e: TYPE, %f: TYPE, %g: TYPE, %h: TYPE) -> (TYPE, TYPE, TYPE, TYPE) {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<ROWSxf32>
  %none = linalg.fill ins(%zero : f32) outs(%r : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%a : TYPE) outs(%none : tensor<ROWSxf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %o, %x : f32
    linalg.yield %0 : f32
  } -> tensor<ROWSxf32>
  %t:4 = linalg.generic {indexing_maps = [#mn, #mn, #mn, #mn, #m, #mn, #mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c, %d, %s : TYPE, TYPE, TYPE, TYPE, tensor<ROWSxf32>) outs(%e, %f, %g, %h : TYPE, TYPE, TYPE, TYPE) {
  ^bb0(%w: f32, %x: f32, %y: f32, %z: f32, %q: f32, %o: f32, %p: f32, %u: f32, %v: f32):
    %0 = arith.addf %w, %q : f32
    %1 = arith.addf %x, %q : f32
    %2 = arith.addf %y, %q : f32
    %3 = arith.addf %z, %q : f32
    linalg.yield %0, %1, %2, %3 : f32, f32, f32, f32
  } -> (TYPE, TYPE, TYPE, TYPE)
  kernel.return %t#0, %t#1, %t#2, %t#3 : TYPE, TYPE, TYPE, TYPE
})";
  replaceAll(text, "TYPE", "tensor<ROWSxCOLUMNSxf32>");
  replaceAll(text, "ROWS", std::to_string(rows));
  replaceAll(text, "COLUMNS", std::to_string(columns));
  return text;
}

// A run in two halves, beside kept elements and without, and whole where single
// elements are moved.
TEST(CudaRowVectors, HalvesOfRuns) {
  for (int columns : {544, 768, 2304, 9000})
    for (size_t offset : {0, 4}) {
      size_t count = 3 * columns;
      Buffers buffers;
      for (unsigned seed = 1; seed <= 4; ++seed)
        buffers.push_back(encode(quarters(count, seed), "f32"));
      buffers.resize(8, room<float>(count));
      Emitted kernel = emitAll(fourSums(3, columns), 80,
                               {.alignment = offset == 0 ? 64u : 4u})
                           .front();
      StringRef body = StringRef(kernel.text).split("// End").second;
      EXPECT_EQ(body.contains("int part"), offset == 0);
      Buffers after = runOnGpu(kernel, buffers, {.seed = 2, .offset = offset});
      std::vector<double> a = quarters(count, 1);
      for (unsigned number = 0; number < 4; ++number) {
        std::vector<double> want = quarters(count, number + 1);
        for (size_t i = 0; i < count; ++i) {
          auto row = a.begin() + i / columns * columns;
          want[i] += std::accumulate(row, row + columns, 0.0);
        }
        expectNear(decode(after[4 + number], "f32"), want, 0);
      }
    }
}

// Along the middle axis of what is contiguous in another; over two axes that
// are neighbours, and over two that are not, where a run ends with the last.
TEST(CudaRowVectors, OtherAxes) {
  struct Case {
    const char *map, *kept, *iterators, *shape, *rows;
    bool isVector;
    /// The row of element (i, j, k).
    int (*rowOf)(int, int, int);
  } const cases[] = {
      {"(m, l, n) -> (m, n, l)", "(m, l, n) -> (m, l)",
       R"("parallel", "parallel", "reduction")", "8x272x3", "8x3", false,
       [](int i, int, int k) { return i * 3 + k; }},
      {"(m, l, n) -> (m, l, n)", "(m, l, n) -> (m)",
       R"("parallel", "reduction", "reduction")", "8x3x272", "8", true,
       [](int i, int, int) { return i; }},
      {"(m, l, n) -> (m, l, n)", "(m, l, n) -> (l)",
       R"("reduction", "parallel", "reduction")", "8x3x272", "3", true,
       [](int, int j, int) { return j; }},
  };
  for (const Case &one : cases)
    for (size_t offset : {0, 4}) {
      std::string text =
          maximum(one.shape, one.rows, "f32", one.map, one.kept, one.iterators);
      bool isMiddle = one.shape[2] == '2';
      int second = isMiddle ? 272 : 3, third = isMiddle ? 3 : 272;
      std::vector<double> x = quarters(8 * 3 * 272, 4), want(24);
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < second; ++j)
          for (int k = 0; k < third; ++k)
            want[one.rowOf(i, j, k)] += x[(i * second + j) * third + k];
      want.resize(one.rowOf(7, second - 1, third - 1) + 1);
      Emitted kernel =
          emitAll(text, 80, {.alignment = offset == 0 ? 64u : 4u}).front();
      EXPECT_TRUE(StringRef(kernel.schedule).contains("vector = 8"))
          << kernel.schedule;
      bool isVector = StringRef(kernel.text).contains("some0");
      EXPECT_EQ(isVector, one.isVector && offset == 0) << kernel.text;
      Buffers after =
          runOnGpu(kernel, {encode(x, "f32"), room<float>(want.size())},
                   {.seed = 2, .offset = offset});
      expectNear(decode(after[1], "f32"), want, 0);
    }
}

// Of a tensor with rows of `stride` the elements from `first` on: both decide
// where a run begins.
TEST(CudaRowVectors, PartsOfRows) {
  struct Case {
    int stride, first;
    bool isVector;
  };
  for (auto [stride, first, isVector] : {Case{528, 8, true},
                                         {528, 4, false},
                                         {521, 0, false},
                                         {521, 1, false}}) {
    int size = 3 * stride + first + 520;
    std::string map =
        llvm::formatv("(m, n) -> (m * {0} + n + {1})", stride, first);
    std::string text = maximum(std::to_string(size), "4", "f32", map,
                               "(m, n) -> (m)", R"("parallel", "reduction")");
    // The extents of the loops are those of what is read beside it.
    replaceAll(text, "%d: ", "%y: tensor<4x520xf32>, %d: ");
    replaceAll(text, "(m, n) -> (m)>]",
               "(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>]");
    replaceAll(text, "ins(%x : ", "ins(%x, %y : ");
    replaceAll(text, "xf32>) outs(%none",
               "xf32>, tensor<4x520xf32>) outs(%none");
    replaceAll(text, "^bb0(%a: f32,", "^bb0(%a: f32, %b: f32,");
    std::vector<double> x = quarters(size, 9), want(4);
    for (int i = 0; i < 4 * 520; ++i)
      want[i / 520] += x[i / 520 * stride + i % 520 + first];
    Emitted kernel = emitAll(text, 80).front();
    ASSERT_EQ(kernel.schedule.substr(0, 10), "#cuda.rows");
    EXPECT_EQ(StringRef(kernel.text).contains("load(input0"), isVector)
        << kernel.text;
    Buffers after = runOnGpu(
        kernel, {encode(x, "f32"), room<float>(4 * 520), room<float>(4)}, {});
    expectNear(decode(after[2], "f32"), want, 0);
  }
}

// Bytes begin anywhere.
TEST(CudaRowVectors, BytesAtEveryOffset) {
  constexpr int kRows = 3, kColumns = 520;
  std::mt19937 engine(7);
  for (const char *element : {"i8", "i1"}) {
    bool isTruth = std::string(element) == "i1";
    std::vector<int8_t> x(kRows * kColumns), want(kRows, isTruth ? 0 : -128);
    for (int i = 0; i < kRows * kColumns; ++i) {
      x[i] =
          static_cast<int8_t>(isTruth ? i == 777 : int(engine() % 240) - 120);
      want[i / kColumns] = std::max(want[i / kColumns], x[i]);
    }
    std::string text =
        maximum(llvm::formatv("{0}x{1}", kRows, kColumns),
                std::to_string(kRows), element, "(m, n) -> (m, n)",
                "(m, n) -> (m)", R"("parallel", "reduction")");
    for (size_t offset = 0; offset < 16; ++offset) {
      Emitted kernel =
          emitAll(text, 80, {.alignment = std::gcd(size_t{64}, offset)})
              .front();
      ASSERT_EQ(kernel.schedule.substr(0, 10), "#cuda.rows");
      Buffers after = runOnGpu(kernel, {bytes(x), room<int8_t>(kRows)},
                               {.seed = 4, .offset = offset});
      EXPECT_EQ(values<int8_t>(after[1]), want) << element << " at " << offset;
    }
  }
}

/// x - max(x, 0), which may lie in x.
std::string overItself(const std::string &type, int rows, int columns) {
  std::string text = R"(
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
kernel.func @k(%x: tensor<ROWSxCOLUMNSxTYPE>, %d: tensor<ROWSxCOLUMNSxTYPE>) -> tensor<ROWSxCOLUMNSxTYPE> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<ROWSxf32>
  %none = linalg.fill ins(%zero : f32) outs(%r : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<ROWSxCOLUMNSxTYPE>) outs(%none : tensor<ROWSxf32>) {
  ^bb0(%a: TYPE, %o: f32):
    WIDEN
    %1 = arith.maximumf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<ROWSxf32>
  %t = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<ROWSxCOLUMNSxTYPE>, tensor<ROWSxf32>) outs(%d : tensor<ROWSxCOLUMNSxTYPE>) {
  ^bb0(%a: TYPE, %b: f32, %o: TYPE):
    WIDEN
    %1 = arith.subf %0, %b : f32
    NARROW
    linalg.yield %2 : TYPE
  } -> tensor<ROWSxCOLUMNSxTYPE>
  kernel.return %t : tensor<ROWSxCOLUMNSxTYPE>
})";
  for (const auto &[name, value] :
       {std::pair<std::string, std::string>("WIDEN", widen(type, "%0", "%a")),
        {"NARROW", type == "f32" ? "%2 = arith.addf %1, %zero : f32"
                                 : "%2 = arith.truncf %1 : f32 to TYPE"},
        {"TYPE", type},
        {"ROWS", std::to_string(rows)},
        {"COLUMNS", std::to_string(columns)}})
    replaceAll(text, name, value);
  return text;
}

// A row over itself: of kept elements and of such as are read again, of whole
// vectors and single elements.
TEST(CudaRowVectors, OverWhatTheyRead) {
  for (const std::string &type : {std::string("bf16"), std::string("f32")})
    for (int columns : {33, 520, 2056, 9000})
      for (size_t offset : {size_t{0}, sizeOf(type)}) {
        SCOPED_TRACE(llvm::formatv("{0} {1} {2}", type, columns, offset).str());
        std::vector<double> x = quarters(3 * columns, 8), want(x);
        for (int row = 0; row < 3; ++row) {
          auto begin = want.begin() + row * columns, end = begin + columns;
          double largest = std::max(0.0, *std::max_element(begin, end));
          std::for_each(begin, end, [&](double &one) { one -= largest; });
        }
        Emitted kernel = emitAll(overItself(type, 3, columns), 80,
                                 {.alignment = std::gcd(size_t{64}, offset)})
                             .front();
        Buffers after = runOnGpu(kernel, {encode(x, type), encode(x, type)},
                                 {.seed = 5, .offset = offset, .over = 0});
        expectNear(decode(after[1], type), want, 0);
      }
}

// d = x - sum(x) of each row, and for each element the sums of d and of x over
// runs of rows, from a quarter on.
constexpr const char *kRuns = R"(
#mn = affine_map<(o, m, n) -> (o, m, n)>
#m = affine_map<(o, m, n) -> (o, m)>
#elements = affine_map<(o, b, i, n) -> (o, b * RUN + i, n)>
#all = affine_map<(o, b, i, n) -> (o, b, i, n)>
#sums = affine_map<(o, b, i, n) -> (o, b, n)>
kernel.func @k(%x: tensor<2xROWSxCOLUMNSxTX>, %d: tensor<2xROWSxCOLUMNSxf32>, %p: tensor<2xRUNSxCOLUMNSxf32>,
               %q: tensor<2xRUNSxCOLUMNSxf32>)
    -> (tensor<2xROWSxCOLUMNSxf32>, tensor<2xRUNSxCOLUMNSxf32>, tensor<2xRUNSxCOLUMNSxf32>) {
  %zero = arith.constant 0.0 : f32
  %quarter = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<2xROWSxf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2xROWSxf32>) -> tensor<2xROWSxf32>
  %w = tensor.empty() : tensor<2xROWSxCOLUMNSxf32>
  %wide = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2xROWSxCOLUMNSxTX>) outs(%w : tensor<2xROWSxCOLUMNSxf32>) {
  ^bb0(%a: TX, %o: f32):
    WIDEN
    linalg.yield %0 : f32
  } -> tensor<2xROWSxCOLUMNSxf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wide : tensor<2xROWSxCOLUMNSxf32>) outs(%z : tensor<2xROWSxf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<2xROWSxf32>
  %less = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%wide, %sum : tensor<2xROWSxCOLUMNSxf32>, tensor<2xROWSxf32>) outs(%d : tensor<2xROWSxCOLUMNSxf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.subf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<2xROWSxCOLUMNSxf32>
  %f = linalg.fill ins(%quarter : f32) outs(%p : tensor<2xRUNSxCOLUMNSxf32>) -> tensor<2xRUNSxCOLUMNSxf32>
  %g = linalg.fill ins(%quarter : f32) outs(%q : tensor<2xRUNSxCOLUMNSxf32>) -> tensor<2xRUNSxCOLUMNSxf32>
  %bound = tensor.empty() : tensor<2xRUNSxRUNxCOLUMNSxf32>
  %r:2 = linalg.generic {indexing_maps = [#elements, #elements, #all, #sums, #sums],
                         iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%less, %wide, %bound : tensor<2xROWSxCOLUMNSxf32>, tensor<2xROWSxCOLUMNSxf32>, tensor<2xRUNSxRUNxCOLUMNSxf32>)
      outs(%f, %g : tensor<2xRUNSxCOLUMNSxf32>, tensor<2xRUNSxCOLUMNSxf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32, %s: f32, %t: f32):
    %0 = arith.addf %s, %a : f32
    %1 = arith.addf %t, %b : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<2xRUNSxCOLUMNSxf32>, tensor<2xRUNSxCOLUMNSxf32>)
  kernel.return %less, %r#0, %r#1 : tensor<2xROWSxCOLUMNSxf32>, tensor<2xRUNSxCOLUMNSxf32>, tensor<2xRUNSxCOLUMNSxf32>
})";

/// Expects the rows and sums of `runs` runs of `run` rows, twice.
void expectRuns(const std::string &type, int runs, int run, int columns,
                Emission emission, size_t offset = 0) {
  SCOPED_TRACE(llvm::formatv("{0}, {1} runs of {2}, {3} columns", type, runs,
                             run, columns)
                   .str());
  std::string text = kRuns;
  int rows = 2 * runs * run;
  for (const auto &[name, value] :
       {std::pair<std::string, std::string>("WIDEN", widen(type, "%0", "%a")),
        {"RUNS", std::to_string(runs)},
        {"RUN", std::to_string(run)},
        {"ROWS", std::to_string(rows / 2)},
        {"COLUMNS", std::to_string(columns)},
        {"TX", type}})
    replaceAll(text, name, value);
  size_t count = static_cast<size_t>(rows) * columns,
         sums = static_cast<size_t>(2) * runs * columns;
  std::vector<double> xs = quarters(count, columns), ds(count), ps(sums, 0.25),
                      qs(sums, 0.25);
  for (int row = 0; row < rows; ++row) {
    auto begin = xs.begin() + static_cast<long>(row) * columns;
    double sum = std::accumulate(begin, begin + columns, 0.0);
    for (int i = 0; i < columns; ++i) {
      ds[row * columns + i] = begin[i] - sum;
      ps[row / run * columns + i] += begin[i] - sum;
      qs[row / run * columns + i] += begin[i];
    }
  }
  emission.alignment = std::gcd(size_t{64}, offset);
  Emitted kernel = emitAll(text, 80, emission).front();
  ASSERT_EQ(kernel.schedule.substr(0, 10), "#cuda.rows");
  Buffers after = runOnGpu(kernel,
                           {encode(xs, type), room<float>(count),
                            room<float>(sums), room<float>(sums)},
                           {.seed = 7, .offset = offset});
  expectNear(decode(after[1], "f32"), ds, 0);
  expectNear(decode(after[2], "f32"), ps, 0);
  expectNear(decode(after[3], "f32"), qs, 0);
}

// By warps and by blocks, which share memory from row to row; whole vectors,
// halves of them and single elements.
TEST(CudaRowRuns, SumElements) {
  for (int columns : {4, 8, 13, 33, 264, 1000, 1001, 1024})
    for (const char *type : {"f32", "bf16"})
      expectRuns(type, 3, 16, columns, {});
  for (int columns : {1032, 2304, 4096})
    expectRuns("bf16", 2, 3, columns, {});
}

TEST(CudaRowRuns, EachFormOfTheKernel) {
  for (int columns : {33, 264, 1032}) {
    expectRuns("bf16", 1, 7, columns, {});
    expectRuns("f32", 9, 2, columns, {.wide = true});
    expectRuns("f32", 2, 5, columns, {.naive = true});
    expectRuns("bf16", 2, 5, columns, {}, 8);
  }
}

} // namespace
