// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of a value's cotangents. Cotangents of slices are put side by side.
#include "passes/NN/SumCotangents.h"

#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// A slice's cotangent in a tensor of zeros.
static PadOp getPlaced(Value part) {
  auto pad = part ? part.getDefiningOp<PadOp>() : PadOp();
  auto isZero = [](int64_t size) { return size == 0; };
  auto isPositive = [](int64_t size) { return size >= 0; };
  bool isPlaced = pad && pad.getValue().isZero() &&
                  llvm::all_of(pad.getInterior(), isZero) &&
                  llvm::all_of(pad.getLow(), isPositive) &&
                  llvm::all_of(pad.getHigh(), isPositive);
  return isPlaced ? pad : PadOp();
}

namespace {

/// The properties that pads must share to be put side by side along an axis:
/// their positions along the other axes, and the element type.
using Alignment = std::tuple<Attribute, Attribute, Type>;

struct Placed {
  PadOp pad;
  size_t position; ///< The index among the parts.
};

/// Pads that do not overlap along an axis, in ascending order.
struct Line {
  SmallVector<Placed> pads;
  int64_t end = 0; ///< The end of the last pad.
};

/// Puts cotangents of slices side by side along one axis.
class Joiner {
public:
  Joiner(OpBuilder &builder, int64_t axis) : b_(builder), axis_(axis) {}
  void run(SmallVectorImpl<Value> &parts);

private:
  int64_t startOf(PadOp pad) const { return pad.getLow()[axis_]; }
  int64_t endOf(PadOp pad) const {
    return startOf(pad) + shapeOf(pad.getInput())[axis_];
  }
  Alignment alignmentOf(PadOp pad) const;
  SmallVector<Line> makeLines(SmallVector<Placed> pads) const;
  Value join(const Line &line);

  OpBuilder &b_;
  int64_t axis_;
};

} // namespace

Alignment Joiner::alignmentOf(PadOp pad) const {
  SmallVector<int64_t> low(pad.getLow()), high(pad.getHigh());
  low[axis_] = high[axis_] = 0;
  return {b_.getDenseI64ArrayAttr(low), b_.getDenseI64ArrayAttr(high),
          rankedType(pad.getOutput()).getElementType()};
}

/// Makes as few lines as there are pads over one position: each pad goes behind
/// the one that ends closest before it.
SmallVector<Line> Joiner::makeLines(SmallVector<Placed> pads) const {
  llvm::sort(pads, [&](const Placed &a, const Placed &b) {
    return std::pair(startOf(a.pad), a.position) <
           std::pair(startOf(b.pad), b.position);
  });
  SmallVector<Line> lines;
  for (const Placed &placed : pads) {
    Line *best = nullptr;
    for (Line &line : lines)
      if (line.end <= startOf(placed.pad) && (!best || line.end > best->end))
        best = &line;
    if (!best)
      best = &lines.emplace_back();
    best->pads.push_back(placed);
    best->end = endOf(placed.pad);
  }
  return lines;
}

/// One pad of all inputs, with zeros between them.
Value Joiner::join(const Line &line) {
  PadOp first = line.pads.front().pad, last = line.pads.back().pad;
  GradientBuilder g(b_, first.getLoc());
  SmallVector<Value> inputs;
  int64_t end = startOf(first);
  for (auto [pad, position] : line.pads) {
    if (int64_t gap = startOf(pad) - end) {
      SmallVector<int64_t> shape(shapeOf(pad.getInput()));
      shape[axis_] = gap;
      inputs.push_back(g.splat(rankedType(pad.getInput()).clone(shape), 0.0));
    }
    inputs.push_back(pad.getInput());
    end = endOf(pad);
  }
  Value joined = ConcatOp::create(b_, first.getLoc(), inputs, axis_);
  SmallVector<int64_t> high(first.getHigh());
  high[axis_] = last.getHigh()[axis_];
  if (joined.getType() == first.getType())
    return joined;
  return PadOp::create(b_, first.getLoc(), joined, first.getLow(), high,
                       first.getInterior(), first.getValue());
}

void Joiner::run(SmallVectorImpl<Value> &parts) {
  llvm::MapVector<Alignment, SmallVector<Placed>> aligned;
  for (auto [position, part] : llvm::enumerate(parts))
    if (PadOp pad = getPlaced(part))
      aligned[alignmentOf(pad)].push_back({pad, position});
  for (auto &[alignment, pads] : aligned)
    for (const Line &line : makeLines(pads)) {
      if (line.pads.size() == 1)
        continue;
      for (auto [pad, position] : line.pads)
        parts[position] = {};
      parts[line.pads.front().position] = join(line);
    }
  llvm::erase(parts, Value());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A product of matrices that nothing else uses.
static MatmulOp getProduct(Value part) {
  auto product = part.use_empty() ? part.getDefiningOp<MatmulOp>() : MatmulOp();
  bool isPlain = product && !product.getBias() &&
                 rankedType(product.getOutput()).getRank() == 2;
  return isPlain ? product : MatmulOp();
}

/// The properties that products must share to be joined: types, and how factors
/// are stored.
using Signature = std::tuple<Type, Type, Type, Attribute, Attribute>;

static Signature signatureOf(MatmulOp product) {
  auto elementOf = [](Value factor) {
    return rankedType(factor).getElementType();
  };
  return {product.getType(), elementOf(product.getLhs()),
          elementOf(product.getRhs()), product.getTransposeLhsAttr(),
          product.getTransposeRhsAttr()};
}

/// The axes of its factors over which a product sums.
static std::pair<int64_t, int64_t> getSummedAxes(MatmulOp product) {
  return {product.getTransposeLhs() ? 0 : 1, product.getTransposeRhs() ? 1 : 0};
}

/// Whether the factors, which would be copied, are smaller than the products,
/// whose sum would be saved.
static bool areFactorsSmaller(ArrayRef<MatmulOp> products) {
  int64_t factors = 0, results = 0;
  for (MatmulOp product : products) {
    factors += rankedType(product.getLhs()).getNumElements() +
               rankedType(product.getRhs()).getNumElements();
    results += rankedType(product.getOutput()).getNumElements();
  }
  return factors < results;
}

/// The sum of `products` as one product of all their factors.
static Value joinProducts(OpBuilder &b, ArrayRef<MatmulOp> products) {
  MatmulOp first = products.front();
  SmallVector<Value> lhs, rhs;
  for (MatmulOp product : products) {
    lhs.push_back(product.getLhs());
    rhs.push_back(product.getRhs());
  }
  auto [lhsAxis, rhsAxis] = getSummedAxes(first);
  Location loc = first.getLoc();
  return MatmulOp::create(b, loc, ConcatOp::create(b, loc, lhs, lhsAxis),
                          ConcatOp::create(b, loc, rhs, rhsAxis), Value(),
                          first.getTransposeLhs(), first.getTransposeRhs());
}

/// Joins products. A weight that T steps of a sequence use has T products of
/// small factors, which become one product.
static void joinProducts(OpBuilder &b, SmallVectorImpl<Value> &parts) {
  llvm::MapVector<Signature, SmallVector<size_t>> alike;
  for (auto [position, part] : llvm::enumerate(parts))
    if (MatmulOp product = getProduct(part))
      alike[signatureOf(product)].push_back(position);
  for (auto &[signature, positions] : alike) {
    SmallVector<MatmulOp> products;
    for (size_t position : positions)
      products.push_back(parts[position].getDefiningOp<MatmulOp>());
    if (products.size() == 1 || !areFactorsSmaller(products))
      continue;
    for (size_t position : positions)
      parts[position] = {};
    parts[positions.front()] = joinProducts(b, products);
  }
  llvm::erase(parts, Value());
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

Value mpc::nn::sumCotangents(OpBuilder &builder, Value primal,
                             ArrayRef<Value> parts) {
  if (parts.empty())
    return {};
  SmallVector<Value> summands(parts);
  for (int64_t axis = 0; axis < rankedType(primal).getRank(); ++axis)
    if (summands.size() > 1)
      Joiner(builder, axis).run(summands);
  joinProducts(builder, summands);
  if (summands.size() == 1)
    return summands.front();
  GradientBuilder g(builder, summands.front().getLoc());
  Value sum = g.wide(summands.front());
  for (Value part : ArrayRef(summands).drop_front())
    sum = g.add(sum, g.wide(part));
  return g.as(sum, primal);
}
