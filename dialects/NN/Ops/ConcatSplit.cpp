// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concatenation and splitting: shapes, bodies and VJPs.
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>
#include <utility>

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         ConcatOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "needs at least one input");
  auto first = rankedType(adaptor.getInputs().front());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitOptionalError(loc, "has no axis ", axis);
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = 0;
  for (Value input : adaptor.getInputs()) {
    auto type = rankedType(input);
    SmallVector<int64_t> others(type.getShape());
    if (type.getRank() != first.getRank() ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "inputs differ in rank or element type");
    shape[axis] += type.getDimSize(axis);
    others[axis] = first.getDimSize(axis);
    if (ArrayRef<int64_t>(others) != first.getShape())
      return emitOptionalError(loc, "inputs differ beside axis ", axis);
  }
  inferred.push_back(first.clone(shape));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  auto type = rankedType(getOutput());
  auto isKnown = llvm::IsaAndPresentPred<DenseElementsAttr>;
  if (!llvm::all_of(adaptor.getInputs(), isKnown) ||
      type.getNumElements() > kMostFolded)
    return {};
  SmallVector<ElementBytes> parts;
  for (Attribute input : adaptor.getInputs())
    parts.emplace_back(cast<DenseElementsAttr>(input));
  int64_t outer = 1;
  for (int64_t size : type.getShape().take_front(getAxis()))
    outer *= size;
  SmallVector<char> bytes;
  for (int64_t block = 0; block < outer; ++block)
    for (auto [part, input] : llvm::zip_equal(parts, getInputs())) {
      int64_t length = rankedType(input).getNumElements() / outer;
      for (int64_t i = block * length; i < (block + 1) * length; ++i)
        bytes.append(part.at(i), part.at(i) + part.size());
    }
  return constantOfBytes(type, bytes);
}

namespace {

/// A part that is a concatenation along the same axis, and that nothing else
/// uses, is replaced by its own parts.
struct ConcatOfConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatOp>();
      if (inner && inner->hasOneUse() && inner.getAxis() == op.getAxis())
        llvm::append_range(parts, inner.getInputs());
      else
        parts.push_back(input);
    }
    if (parts.size() == op.getInputs().size())
      return rewriter.notifyMatchFailure(op, "no part is of parts");
    rewriter.replaceOpWithNewOp<ConcatOp>(op, parts, op.getAxis());
    return success();
  }
};

} // namespace

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ConcatOfConcat>(context);
}

static bool hasElements(Value tensor) {
  return rankedType(tensor).getNumElements() != 0;
}

/// Writes `part` over `result`, from position `begin` of `axis` on. An added
/// outer loop of one iteration makes the position of every part a sum, also
/// that of the first. A position that is a loop's index alone would mean to
/// linalg that the loop covers the whole axis.
static Value writePart(OpBuilder &b, Location loc, Value part, Value result,
                       int64_t axis, int64_t begin) {
  SmallVector<int64_t> shape(shapeOf(part));
  shape.insert(shape.begin(), 1);
  auto rank = static_cast<int64_t>(shape.size());
  AffineMap own = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> place(llvm::drop_begin(own.getResults()));
  place[axis] = place[axis] + own.getResult(0) + begin;
  auto map = AffineMap::get(rank, 0, place, b.getContext());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      b, loc, result.getType(), buildView(b, loc, part, shape), result,
      ArrayRef<AffineMap>{own, map}, iterators,
      [](OpBuilder &n, Location l, ValueRange s) {
        linalg::YieldOp::create(n, l, s[0]);
      });
  return copy.getResult(0);
}

/// Lays whole `parts` behind one another, which takes no copy of a part that
/// can be computed in its place.
static Value packParts(OpBuilder &b, Location loc, ArrayRef<Value> parts,
                       RankedTensorType type) {
  SmallVector<int64_t> offsets;
  int64_t end = 0;
  for (Value part : parts)
    offsets.push_back(
        std::exchange(end, end + rankedType(part).getNumElements()));
  return kernel::PackOp::create(b, loc, type, parts, offsets);
}

// Each part is read and written once at most, however many there are.
FailureOr<SmallVector<Value>> ConcatOp::buildBody(OpBuilder &b,
                                                  ValueRange operands) {
  auto type = getKernelType(rankedType(getOutput()));
  int64_t axis = getAxis();
  if (llvm::product_of(type.getShape().take_front(axis)) == 1)
    return SmallVector<Value>{packParts(
        b, getLoc(), llvm::filter_to_vector(operands, hasElements), type)};
  Value result = tensor::EmptyOp::create(b, getLoc(), type.getShape(),
                                         type.getElementType());
  int64_t begin = 0;
  for (Value part : operands) {
    if (hasElements(part))
      result = writePart(b, getLoc(), part, result, axis, begin);
    begin += rankedType(part).getDimSize(axis);
  }
  return SmallVector<Value>{result};
}

LogicalResult ConcatOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  if (!dOut[0])
    return success();
  int64_t rank = rankedType(getOutput()).getRank(), axis = getAxis();
  SmallVector<int64_t> starts(rank, 0), strides(rank, 1);
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    SmallVector<int64_t> limits(shapeOf(getOutput()));
    limits[axis] = starts[axis] + rankedType(input).getDimSize(axis);
    dIn[index] = SliceOp::create(b, getLoc(), dOut[0], starts, limits, strides);
    starts[axis] = limits[axis];
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SplitOp
//===----------------------------------------------------------------------===//

LogicalResult SplitOp::verify() {
  auto input = rankedType(getInput());
  auto axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= input.getRank())
    return emitOpError("has no axis ") << axis;
  int64_t covered = 0;
  for (Value output : getOutputs()) {
    auto type = rankedType(output);
    if (type.getRank() != input.getRank() ||
        type.getElementType() != input.getElementType())
      return emitOpError("parts differ from the input in rank or type");
    SmallVector<int64_t> others(type.getShape());
    others[axis] = input.getDimSize(axis);
    if (ArrayRef<int64_t>(others) != input.getShape())
      return emitOpError("parts differ from the input beside axis ") << axis;
    covered += type.getDimSize(axis);
  }
  if (covered != input.getDimSize(axis))
    return emitOpError("parts cover ")
           << covered << " of the " << input.getDimSize(axis)
           << " elements along axis " << axis;
  return success();
}

/// Calls `fn` with the first position of each part along the axis.
static void forEachPart(SplitOp op,
                        function_ref<void(unsigned, int64_t begin)> fn) {
  int64_t begin = 0;
  for (auto [index, output] : llvm::enumerate(op.getOutputs())) {
    fn(index, begin);
    begin += rankedType(output).getDimSize(op.getAxis());
  }
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (!known)
    return failure();
  SmallVector<int64_t> strides = denseStrides(shapeOf(getInput()));
  int64_t base = 0;
  for (Value output : getOutputs()) {
    results.push_back(foldStrided(known, rankedType(output), base, strides));
    if (!results.back())
      return failure();
    base += rankedType(output).getDimSize(getAxis()) * strides[getAxis()];
  }
  return success();
}

FailureOr<SmallVector<Value>> SplitOp::buildBody(OpBuilder &b,
                                                 ValueRange operands) {
  SmallVector<Value> results(getNumResults());
  LogicalResult status = success();
  forEachPart(*this, [&](unsigned index, int64_t begin) {
    auto type = rankedType(getOutputs()[index]);
    SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
    SmallVector<int64_t> limits(type.getShape());
    starts[getAxis()] = begin;
    limits[getAxis()] += begin;
    auto slice =
        SliceOp::create(b, getLoc(), operands[0], starts, limits, strides);
    auto body = slice.buildBody(b, operands[0]);
    if (failed(body))
      status = failure();
    else
      results[index] = body->front();
    slice.erase();
  });
  if (failed(status))
    return failure();
  return results;
}

// The cotangents are joined again, with zeros where nothing depends on a part.
LogicalResult SplitOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  GradientBuilder g(b, getLoc());
  SmallVector<Value> parts;
  for (auto [d, output] : llvm::zip(dOut, getOutputs()))
    parts.push_back(d ? d : g.splat(output, 0.0));
  dIn[0] = ConcatOp::create(b, getLoc(), parts, getAxis());
  return success();
}
