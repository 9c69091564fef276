// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions as text, compiled, and evaluated.
#include "Contractions.h"

#include "dialects/Kernel/Contract.h"
#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Passes.h"
#include "lib/Driver/Dialects.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Kernel/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>
#include <utility>

using namespace mpc;
using namespace mpc::test;

int64_t mpc::test::getBytes(Format format) {
  return format == Format::F32 ? 4 : 2;
}

std::vector<int64_t> Loops::getShape(const Map &map) const {
  std::vector<int64_t> shape;
  for (const std::vector<int64_t> &row : map) {
    int64_t last = 0;
    for (size_t loop = 0; loop < row.size(); ++loop)
      last += row[loop] * (extents[loop] - 1);
    shape.push_back(last + 1);
  }
  return shape;
}

std::vector<int64_t> Loops::getResultShape() const {
  std::vector<int64_t> shape;
  for (int64_t loop : result)
    shape.push_back(extents[loop]);
  return shape;
}

int64_t Loops::countFlops() const {
  int64_t flops = 2;
  for (int64_t extent : extents)
    flops *= extent;
  return flops;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

Loops mpc::test::matmul(int64_t m, int64_t n, int64_t k, bool aTransposed,
                        bool bTransposed) {
  std::vector<int64_t> mRow = {1, 0, 0}, nRow = {0, 1, 0}, kRow = {0, 0, 1};
  Loops loops;
  loops.extents = {m, n, k};
  loops.kinds = "ppr";
  loops.a = aTransposed ? Map{kRow, mRow} : Map{mRow, kRow};
  loops.b = bTransposed ? Map{nRow, kRow} : Map{kRow, nRow};
  loops.result = {0, 1};
  return loops;
}

Loops mpc::test::batched(int64_t count, int64_t m, int64_t n, int64_t k) {
  Loops loops;
  loops.extents = {count, m, n, k};
  loops.kinds = "pppr";
  loops.a = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 1}};
  loops.b = {{1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}};
  loops.result = {0, 1, 2};
  return loops;
}

/// Notes that windows slide over an operand of `loops`, whose last loops are
/// `taps` of a line and `channels`.
static void setWindows(Loops &loops, int64_t positions, int64_t taps,
                       int64_t dilation, int64_t channels) {
  loops.windows = positions > 1 && taps > 1;
  loops.run = dilation == 1 ? taps * channels : channels;
}

Loops mpc::test::convolve(const Convolution &c) {
  int64_t s = c.stride, d = c.dilation;
  Loops loops;
  //              n        g         o          y         x
  loops.extents = {c.batch, c.groups, c.outputs, c.height,
                   c.width, c.kernel, c.kernel,  c.inputs};
  loops.kinds = "ppppprrr";
  loops.a = {{1, 0, 0, 0, 0, 0, 0, 0},
             {0, c.inputs, 0, 0, 0, 0, 0, 1},
             {0, 0, 0, s, 0, d, 0, 0},
             {0, 0, 0, 0, s, 0, d, 0}};
  loops.b = {{0, 1, 0, 0, 0, 0, 0, 0},
             {0, 0, 1, 0, 0, 0, 0, 0},
             {0, 0, 0, 0, 0, 0, 0, 1},
             {0, 0, 0, 0, 0, 1, 0, 0},
             {0, 0, 0, 0, 0, 0, 1, 0}};
  loops.result = {0, 1, 2, 3, 4};
  if (c.groups == 1)
    setWindows(loops, c.width, c.kernel, d, c.inputs);
  return loops;
}

Loops mpc::test::convolveWeightGradient(const Convolution &c) {
  int64_t s = c.stride, d = c.dilation;
  Loops loops;
  //              g         o          c         kh        kw
  loops.extents = {c.groups, c.outputs, c.inputs, c.kernel,
                   c.kernel, c.height,  c.width,  c.batch};
  loops.kinds = "ppppprrr";
  loops.a = {{0, 0, 0, 0, 0, 0, 0, 1},
             {c.outputs, 1, 0, 0, 0, 0, 0, 0},
             {0, 0, 0, 0, 0, 1, 0, 0},
             {0, 0, 0, 0, 0, 0, 1, 0}};
  loops.b = {{0, 0, 0, 0, 0, 0, 0, 1},
             {c.inputs, 0, 1, 0, 0, 0, 0, 0},
             {0, 0, 0, d, 0, s, 0, 0},
             {0, 0, 0, 0, d, 0, s, 0}};
  loops.result = {0, 1, 2, 3, 4};
  if (c.groups == 1)
    setWindows(loops, c.kernel, c.width, s, c.batch);
  return loops;
}

Loops mpc::test::convolveInputGradient(const Convolution &c) {
  int64_t d = c.dilation;
  Loops loops;
  //              n        g         c         y         x
  loops.extents = {c.batch, c.groups, c.inputs, c.height,
                   c.width, c.kernel, c.kernel, c.outputs};
  loops.kinds = "ppppprrr";
  loops.a = {{1, 0, 0, 0, 0, 0, 0, 0},
             {0, c.outputs, 0, 0, 0, 0, 0, 1},
             {0, 0, 0, 1, 0, d, 0, 0},
             {0, 0, 0, 0, 1, 0, d, 0}};
  loops.b = {{0, 1, 0, 0, 0, 0, 0, 0},
             {0, 0, 0, 0, 0, 0, 0, 1},
             {0, 0, 1, 0, 0, 0, 0, 0},
             {0, 0, 0, 0, 0, 1, 0, 0},
             {0, 0, 0, 0, 0, 0, 1, 0}};
  loops.result = {0, 1, 2, 3, 4};
  if (c.groups == 1)
    setWindows(loops, c.width, c.kernel, d, c.outputs);
  return loops;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string getName(Format format) {
  return format == Format::F32 ? "f32" : format == Format::F16 ? "f16" : "bf16";
}

static std::string getTensor(const std::vector<int64_t> &shape,
                             const std::string &element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

static std::string getLoopNames(size_t count) {
  std::string text;
  for (size_t loop = 0; loop < count; ++loop)
    text += (loop ? ", d" : "d") + std::to_string(loop);
  return text;
}

static std::string getMap(const Map &map, size_t loops) {
  std::string results;
  for (const std::vector<int64_t> &row : map) {
    std::string sum;
    for (size_t loop = 0; loop < row.size(); ++loop)
      if (row[loop] != 0)
        sum += llvm::formatv("{0}d{1} * {2}", sum.empty() ? "" : " + ", loop,
                             row[loop]);
    results += (results.empty() ? "" : ", ") + (sum.empty() ? "0" : sum);
  }
  return llvm::formatv("affine_map<({0}) -> ({1})>", getLoopNames(loops),
                       results);
}

static Map getSelection(const std::vector<int64_t> &loops, size_t count) {
  Map map;
  for (int64_t loop : loops) {
    map.emplace_back(count, 0);
    map.back()[loop] = 1;
  }
  return map;
}

static std::string getIterators(const std::string &kinds) {
  std::string text;
  for (char kind : kinds)
    text += std::string(text.empty() ? "" : ", ") +
            (kind == 'p' ? "\"parallel\"" : "\"reduction\"");
  return text;
}

static std::string getWidening(char name, Format format) {
  if (format == Format::F32)
    return "";
  return llvm::formatv("    %{0}32 = arith.extf %{0} : {1} to f32\n", name,
                       getName(format));
}

/// The border of a tensor of `rank`, as text.
static std::string getBorder(std::vector<int64_t> border, size_t rank) {
  border.resize(rank, 0);
  std::string sizes;
  for (int64_t size : border)
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return llvm::formatv("<low = [{0}], high = [{0}]>", sizes);
}

static std::string getBorders(const Loops &loops) {
  if (loops.aBorder.empty() && loops.bBorder.empty())
    return "";
  return "attrs = {kernel.input_borders = [#kernel.border" +
         getBorder(loops.aBorder, loops.a.size()) + ", #kernel.border" +
         getBorder(loops.bBorder, loops.b.size()) + "]} ";
}

std::vector<int64_t>
Loops::getShapeInMemory(const Map &map, std::vector<int64_t> border) const {
  std::vector<int64_t> shape = getShape(map);
  border.resize(shape.size(), 0);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] -= pads ? 2 * border[axis] : 0;
  return shape;
}

/// What pads operand `name`, if the kernel does.
static std::string getPadding(const Loops &loops, const std::string &name,
                              const Map &map, Format format,
                              const std::vector<int64_t> &border) {
  std::vector<int64_t> shape = loops.getShape(map);
  std::vector<int64_t> memory = loops.getShapeInMemory(map, border);
  if (shape == memory)
    return "";
  return llvm::formatv("  %{0}_padded = kernel.pad %{0} border {1} : {2} -> "
                       "{3}\n",
                       name, getBorder(border, shape.size()),
                       getTensor(memory, getName(format)),
                       getTensor(shape, getName(format)));
}

static std::string getContraction(const Loops &loops) {
  std::string result = getTensor(loops.getResultShape(), "f32");
  std::string a = getName(loops.aFormat), b = getName(loops.bFormat);
  std::string x = loops.aFormat == Format::F32 ? "%x" : "%x32";
  std::string y = loops.bFormat == Format::F32 ? "%y" : "%y32";
  size_t count = loops.extents.size();
  std::string aPad =
      getPadding(loops, "a", loops.a, loops.aFormat, loops.aBorder);
  std::string bPad =
      getPadding(loops, "b", loops.b, loops.bFormat, loops.bBorder);
  std::string text =
      aPad + bPad +
      "  %zero = arith.constant 0.0 : f32\n  %empty = tensor.empty() : " +
      result +
      "\n  %init = linalg.fill ins(%zero : f32) outs(%empty : " + result +
      ") -> " + result + "\n";
  std::string inputs = (aPad.empty() ? "%a, " : "%a_padded, ");
  inputs += (bPad.empty() ? "%b : " : "%b_padded : ");
  inputs += getTensor(loops.getShape(loops.a), a) + ", ";
  inputs += getTensor(loops.getShape(loops.b), b);
  text += llvm::formatv(
      "  %r = linalg.generic {{indexing_maps = [{0}, {1}, {2}], "
      "iterator_types = [{3}]}\n      ins({4}) outs(%init : {5}) {6}{{\n"
      "  ^bb0(%x: {7}, %y: {8}, %s: f32):\n",
      getMap(loops.a, count), getMap(loops.b, count),
      getMap(getSelection(loops.result, count), count),
      getIterators(loops.kinds), inputs, result, getBorders(loops), a, b);
  text += getWidening('x', loops.aFormat) + getWidening('y', loops.bFormat);
  if (loops.fused)
    text += "    %t = math.fma " + x + ", " + y + ", %s : f32\n";
  else
    text += "    %p = arith.mulf " + x + ", " + y +
            " : f32\n    %t = arith.addf %s, %p : f32\n";
  return text + "    linalg.yield %t : f32\n  } -> " + result + "\n";
}

static std::string getTruncation(const std::string &f32, const std::string &f16,
                                 const std::string &map,
                                 const std::string &iterators) {
  return llvm::formatv(
      "  %o = linalg.generic {{indexing_maps = [{0}, {0}], iterator_types = "
      "[{1}]} ins(%r : {2}) outs(%c : {3}) {{\n  ^bb0(%v: f32, %w: f16):\n"
      "    %h = arith.truncf %v : f32 to f16\n    linalg.yield %h : f16\n"
      "  } -> {3}\n",
      map, iterators, f32, f16);
}

// Two statements: relu and its mask, then the residual and the rounding.
static std::string getEverything(const std::vector<int64_t> &shape,
                                 const std::string &iterators) {
  size_t rank = shape.size();
  std::vector<int64_t> same(rank), reversed(rank), reversedShape(rank);
  for (size_t dim = 0; dim < rank; ++dim) {
    same[dim] = dim;
    reversed[dim] = rank - 1 - dim;
    reversedShape[dim] = shape[rank - 1 - dim];
  }
  std::string identity = getMap(getSelection(same, rank), rank);
  std::string last = getMap(getSelection({int64_t(rank) - 1}, rank), rank);
  std::string f32 = getTensor(shape, "f32"), mask = getTensor(shape, "i1");
  std::string text = llvm::formatv(
      "  %v0 = tensor.empty() : {0}\n"
      "  %v:2 = linalg.generic {{indexing_maps = [{1}, {2}, {1}, {1}], "
      "iterator_types = [{3}]} ins(%r, %bias : {0}, {4}) outs(%v0, %m : {0}, "
      "{5}) {{\n  ^bb0(%x: f32, %y: f32, %u: f32, %w: i1):\n"
      "    %q = arith.addf %x, %y : f32\n"
      "    %p = arith.cmpf ogt, %q, %zero : f32\n"
      "    %z = arith.select %p, %q, %zero : f32\n"
      "    linalg.yield %z, %p : f32, i1\n  } -> ({0}, {5})\n",
      f32, identity, last, iterators, getTensor({shape.back()}, "f32"), mask);
  text += llvm::formatv(
      "  %o = linalg.generic {{indexing_maps = [{0}, {0}, {1}], "
      "iterator_types = [{2}]} ins(%v#0, %d : {3}, {4}) outs(%c : {5}) {{\n"
      "  ^bb0(%x: f32, %y: f16, %w: f16):\n"
      "    %y32 = arith.extf %y : f16 to f32\n"
      "    %q = arith.addf %x, %y32 : f32\n"
      "    %h = arith.truncf %q : f32 to f16\n"
      "    linalg.yield %h : f16\n  } -> {5}\n",
      identity, getMap(getSelection(reversed, rank), rank), iterators, f32,
      getTensor(shape, "f16"), getTensor(reversedShape, "f16"));
  return text;
}

std::string mpc::test::getText(const Loops &loops, After after) {
  std::vector<int64_t> shape = loops.getResultShape();
  size_t rank = shape.size();
  std::string f32 = getTensor(shape, "f32"), f16 = getTensor(shape, "f16");
  std::string mask = getTensor(shape, "i1");
  std::string reversed = getTensor({shape.rbegin(), shape.rend()}, "f16");
  std::string iterators = getIterators(std::string(rank, 'p'));
  std::string identity =
      llvm::formatv("affine_map<({0}) -> ({0})>", getLoopNames(rank));
  std::string inputs =
      llvm::formatv("%a: {0}, %b: {1}",
                    getTensor(loops.getShapeInMemory(loops.a, loops.aBorder),
                              getName(loops.aFormat)),
                    getTensor(loops.getShapeInMemory(loops.b, loops.bBorder),
                              getName(loops.bFormat)));
  std::string body = getContraction(loops);
  if (after == After::Nothing)
    return "kernel.func @k(" + inputs + ", %c: " + f32 + ") -> " + f32 +
           " {\n" + body + "  kernel.return %r : " + f32 + "\n}\n";
  if (after == After::Truncate)
    return "kernel.func @k(" + inputs + ", %c: " + f16 + ") -> " + f16 +
           " {\n" + body + getTruncation(f32, f16, identity, iterators) +
           "  kernel.return %o : " + f16 + "\n}\n";
  std::string bias = getTensor({shape.back()}, "f32");
  return "kernel.func @k(" + inputs + ", %bias: " + bias + ", %d: " + f16 +
         ", %c: " + reversed + ", %m: " + mask + ") -> (" + reversed + ", " +
         mask + ") {\n" + body + getEverything(shape, iterators) +
         "  kernel.return %o, %v#1 : " + reversed + ", " + mask + "\n}\n";
}

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

static int64_t getPlace(const Map &map, const std::vector<int64_t> &shape,
                        const std::vector<int64_t> &loops) {
  int64_t place = 0;
  for (size_t dim = 0; dim < map.size(); ++dim) {
    int64_t index = 0;
    for (size_t loop = 0; loop < loops.size(); ++loop)
      index += map[dim][loop] * loops[loop];
    place = place * shape[dim] + index;
  }
  return place;
}

// The next multi-index; false after the last.
static bool advance(std::vector<int64_t> &index,
                    const std::vector<int64_t> &extents) {
  for (size_t dim = extents.size(); dim-- > 0;) {
    if (++index[dim] < extents[dim])
      return true;
    index[dim] = 0;
  }
  return false;
}

// The most k that one chain is good enough for.
constexpr int64_t kMostChain = 192;

static bool usesLoop(const Map &map, size_t loop) {
  for (const std::vector<int64_t> &row : map)
    if (row[loop] != 0)
      return true;
  return false;
}

// Whether there are several batches of a row or of a column each.
static bool isBatchOfVectors(const Loops &loops) {
  int64_t batch = 1, m = 1, n = 1;
  for (size_t loop = 0; loop < loops.extents.size(); ++loop)
    if (loops.kinds[loop] == 'p') {
      bool inA = usesLoop(loops.a, loop), inB = usesLoop(loops.b, loop);
      (inA && inB ? batch : inA ? m : n) *= loops.extents[loop];
    }
  return batch > 1 && (m == 1 || n == 1);
}

static int64_t countSteps(const Loops &loops) {
  int64_t steps = 1;
  for (size_t loop = 0; loop < loops.extents.size(); ++loop)
    steps *= loops.kinds[loop] == 'r' ? loops.extents[loop] : 1;
  return steps;
}

// About 128 iterations of whole inner loops: of the outermost one any number of
// indices, of others a divisor of their extent, or all.
static int64_t getNestedChain(llvm::ArrayRef<int64_t> extents) {
  int64_t inner = 1;
  while (extents.size() > 1 && inner * extents.back() <= kMostChain) {
    inner *= extents.back();
    extents = extents.drop_back();
  }
  int64_t all = inner * extents.back();
  if (all <= kMostChain)
    return all;
  if (extents.size() == 1)
    return inner > 128 ? inner : 128 / inner * inner;
  for (int64_t parts = 2; parts <= extents.back(); ++parts)
    if (extents.back() % parts == 0 && all / parts <= kMostChain)
      return all / parts < 16 ? all : all / parts;
  return all;
}

/// Whether each dimension of K is a loop of its own. A unit for pairs needs
/// runs of whole pairs.
static bool hasNestedChains(const Loops &loops, int64_t nested) {
  if (loops.windows)
    return !loops.pairs || std::min(nested, loops.run) % 2 == 0;
  return !loops.pairs && isBatchOfVectors(loops);
}

int64_t mpc::test::getChain(const Loops &loops) {
  std::vector<int64_t> extents;
  for (size_t loop = 0; loop < loops.extents.size(); ++loop)
    if (loops.kinds[loop] == 'r' && loops.extents[loop] > 1)
      extents.push_back(loops.extents[loop]);
  int64_t nested = extents.empty() ? 1 : getNestedChain(extents);
  return hasNestedChains(loops, nested) ? nested
                                        : getNestedChain({countSteps(loops)});
}

/// Subnormal numbers are zero of their sign.
static float flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

/// One of the two multiply-adds of addPair().
static float addFlushing(float sum, float a, float b) {
  a = flush(a);
  b = flush(b);
  sum = flush(sum);
  float result = std::fma(a, b, sum);
  // Rounded to 24 bits, whatever the exponent. Scaling is exact where the
  // result is that small.
  if (std::abs(result) == std::numeric_limits<float>::min() &&
      std::abs(std::fma(a * 0x1p64f, b, sum * 0x1p64f)) < 0x1p-62f)
    return std::copysign(0.0f, result);
  return flush(result);
}

float mpc::test::addPair(float sum, std::array<float, 2> a,
                         std::array<float, 2> b) {
  return addFlushing(addFlushing(sum, a[1], b[1]), a[0], b[0]);
}

namespace {

/// The products of one chain, one after another.
class Chain {
public:
  explicit Chain(const Loops &loops) : loops_(loops) {}

  void add(float x, float y) {
    if (loops_.pairs)
      addToPair(x, y);
    else
      sum_ = loops_.fused ? std::fma(x, y, sum_) : sum_ + x * y;
  }
  /// The sum of the chain that ends here; the next begins.
  float end() {
    if (isHalf_)
      addToPair(0, 0);
    return std::exchange(sum_, 0.0f);
  }

private:
  void addToPair(float x, float y) {
    if (isHalf_)
      sum_ = addPair(sum_, {x_, x}, {y_, y});
    isHalf_ = !isHalf_;
    x_ = x;
    y_ = y;
  }

  const Loops &loops_;
  float sum_ = 0, x_ = 0, y_ = 0;
  bool isHalf_ = false; ///< Whether x_ and y_ wait for a second product.
};

} // namespace

std::vector<float> mpc::test::evaluate(const Loops &loops,
                                       const std::vector<float> &a,
                                       const std::vector<float> &b) {
  // Reductions come last in `kinds`, so that loops in order are chains in
  // order.
  std::vector<int64_t> index(loops.extents.size(), 0);
  Map resultMap = getSelection(loops.result, index.size());
  std::vector<int64_t> shape = loops.getResultShape();
  std::vector<int64_t> aShape = loops.getShape(loops.a);
  std::vector<int64_t> bShape = loops.getShape(loops.b);
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  std::vector<float> result(size, 0.0f);
  int64_t length = getChain(loops), steps = countSteps(loops), step = 0;
  Chain chain(loops);
  do {
    chain.add(a[getPlace(loops.a, aShape, index)],
              b[getPlace(loops.b, bShape, index)]);
    if (++step % length == 0 || step == steps)
      result[getPlace(resultMap, shape, index)] += chain.end();
    step %= steps;
  } while (advance(index, loops.extents));
  return result;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static llvm::Expected<cpu::Processor> getTarget(int64_t &lanes) {
  auto target = cpu::getProcessor("host");
  if (!target)
    return target.takeError();
  if (lanes == 0)
    lanes = target->lanes;
  if (lanes == 8)
    return cpu::getProcessor("x86-64-v3");
  return target;
}

llvm::Expected<GemmKernels>
GemmKernels::compile(const std::string &text, int64_t lanes, cpu::Unit bf16) {
  auto target = getTarget(lanes);
  if (!target)
    return target.takeError();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    message += d.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return llvm::createStringError(message + text);
  // What kernel-outline says of its kernels.
  for (auto func : module->getOps<kernel::FuncOp>())
    if (failed(kernel::stateContract(func)))
      return llvm::createStringError(message + text);
  cpu::AttachTargetPassOptions attach;
  attach.lanes = bf16 == cpu::Unit::FMA ? std::max<int64_t>(lanes, 4) : 16;
  attach.naive = lanes == kScalarLoops;
  attach.bf16 = bf16;
  mlir::PassManager schedules(&context), emission(&context);
  schedules.addPass(cpu::createAttachTargetPass(attach));
  schedules.addPass(kernel::createSchedulePass());
  if (failed(schedules.run(*module)))
    return llvm::createStringError(message + text);
  GemmKernels result;
  auto main = module->lookupSymbol<kernel::FuncOp>("k");
  llvm::raw_string_ostream(result.scheduleText_) << main.getScheduleAttr();
  if (auto pack = module->lookupSymbol<kernel::FuncOp>("k_pack")) {
    auto type = mlir::cast<mlir::RankedTensorType>(pack.getResultTypes()[0]);
    result.packed_.assign(type.getNumElements(),
                          std::numeric_limits<float>::quiet_NaN());
    auto gemm = mlir::cast<cpu::GemmAttr>(main.getScheduleAttr());
    auto generic = *main.getBody().getOps<mlir::linalg::GenericOp>().begin();
    result.packedSource_ = *gemm.getPacked();
    result.packedArgument_ =
        mlir::cast<mlir::BlockArgument>(generic.getInputs()[*gemm.getPacked()])
            .getArgNumber();
  }
  emission.addPass(kernel::createEmitPass());
  if (failed(emission.run(*module)))
    return llvm::createStringError(message + text);
  auto compiled = cpu::compileKernels(*module, *target);
  if (!compiled)
    return compiled.takeError();
  result.compiled_ = std::move(*compiled);
  result.main_ = result.compiled_.kernels.lookup("k");
  result.pack_ = result.compiled_.kernels.lookup("k_pack");
  return result;
}

GemmKernels::Buffers GemmKernels::getMainBuffers(const Buffers &buffers) {
  Buffers result = buffers;
  if (pack_.function)
    result[packedArgument_] = packed_.data();
  return result;
}

namespace {

/// Scratch memory of a worker, filled with NaN of every float type at first: a
/// kernel must not read what it has not written, not even to multiply by zero.
class Scratch {
public:
  void *get(uint64_t bytes) {
    if (memory_.size() < bytes + 64)
      memory_.assign(bytes + 64, '\xff');
    return reinterpret_cast<void *>(
        (reinterpret_cast<uintptr_t>(memory_.data()) + 63) & ~uintptr_t(63));
  }

private:
  std::vector<char> memory_;
};

} // namespace

void GemmKernels::run(Buffers buffers, int64_t pieces) {
  Scratch scratch;
  auto runKernel = [&](const cpu::CompiledKernel &kernel,
                       const Buffers &buffers) {
    for (int64_t piece = 0; piece < pieces; ++piece)
      kernel.function(buffers.data(), piece * kernel.chunks / pieces,
                      (piece + 1) * kernel.chunks / pieces,
                      scratch.get(kernel.scratchBytes));
  };
  if (pack_.function)
    runKernel(pack_, {buffers[packedSource_], packed_.data()});
  runKernel(main_, getMainBuffers(buffers));
}

Workers::Workers(unsigned count) {
  for (unsigned worker = 1; worker < count; ++worker)
    threads_.emplace_back([this] { wait(); });
}

Workers::~Workers() {
  work_ = nullptr;
  ++round_;
  round_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

void Workers::wait() {
  for (unsigned seen = 0;;) {
    // Work usually comes soon.
    for (int spin = 0; spin < 10000 && round_ == seen; ++spin)
      __builtin_ia32_pause();
    round_.wait(seen);
    seen = round_;
    if (!work_)
      return;
    (*work_)();
    --busy_;
  }
}

void Workers::run(const std::function<void()> &next) {
  work_ = &next;
  busy_ = threads_.size();
  ++round_;
  round_.notify_all();
  next();
  // On a busy machine a worker may have lost its core to somebody else.
  for (int spin = 0; busy_ != 0; ++spin)
    if (spin > 1000)
      std::this_thread::yield();
}

void GemmKernels::runParallel(Buffers buffers, Workers &workers) {
  auto runKernel = [&](const cpu::CompiledKernel &kernel,
                       const Buffers &buffers) {
    std::atomic<int64_t> next = 0;
    workers.run([&] {
      static thread_local Scratch scratch;
      void *memory = scratch.get(kernel.scratchBytes);
      for (int64_t chunk = next++; chunk < kernel.chunks; chunk = next++)
        kernel.function(buffers.data(), chunk, chunk + 1, memory);
    });
  };
  if (pack_.function)
    runKernel(pack_, {buffers[packedSource_], packed_.data()});
  runKernel(main_, getMainBuffers(buffers));
}
