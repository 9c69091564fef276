// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data movement except nn.concat and nn.split: shapes, folds, bodies and VJPs.
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cstring>

#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// A map that reads `input` through `map` over the space of `type`.
static Value buildRead(OpBuilder &b, Location loc, RankedTensorType type,
                       Value input, AffineMap map) {
  return buildMap(b, loc, type, {{input, map}},
                  [](OpBuilder &, Location, ValueRange s) { return s[0]; });
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  auto from = rankedType(getInput()), to = rankedType(getOutput());
  if (from.getElementType() != to.getElementType())
    return emitOpError("cannot change the element type");
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("has ") << from.getNumElements() << " elements in and "
                               << to.getNumElements() << " out";
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getOutput().getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(inner.getInput());
    return getOutput();
  }
  if (auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    return known.isSplat() ? known.resizeSplat(rankedType(getOutput()))
                           : known.reshape(rankedType(getOutput()));
  return {};
}

FailureOr<SmallVector<Value>> ReshapeOp::buildBody(OpBuilder &b,
                                                   ValueRange operands) {
  return SmallVector<Value>{
      buildView(b, getLoc(), operands[0], shapeOf(getOutput()))};
}

LogicalResult ReshapeOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  if (dOut[0])
    dIn[0] = GradientBuilder(b, getLoc()).reshape(dOut[0], shapeOf(getInput()));
  return success();
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

static bool isPermutation(ArrayRef<int64_t> permutation) {
  SmallVector<bool> seen(permutation.size(), false);
  for (int64_t axis : permutation) {
    if (axis < 0 || axis >= static_cast<int64_t>(seen.size()) || seen[axis])
      return false;
    seen[axis] = true;
  }
  return true;
}

static SmallVector<int64_t> inverse(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation))
    result[from] = to;
  return result;
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            TransposeOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto type = rankedType(adaptor.getInput());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (static_cast<int64_t>(permutation.size()) != type.getRank() ||
      !isPermutation(permutation))
    return emitOptionalError(loc, "permutation must name each of the ",
                             type.getRank(), " axes once");
  SmallVector<int64_t> shape;
  for (int64_t axis : permutation)
    shape.push_back(type.getDimSize(axis));
  inferred.push_back(type.clone(shape));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::is_sorted(permutation))
    return getInput();
  if (auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput())) {
    SmallVector<int64_t> strides, from = denseStrides(shapeOf(getInput()));
    for (int64_t axis : permutation)
      strides.push_back(from[axis]);
    return foldStrided(known, rankedType(getOutput()), 0, strides);
  }
  auto inner = getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> combined;
  for (int64_t axis : permutation)
    combined.push_back(inner.getPermutation()[axis]);
  setPermutation(combined);
  getInputMutable().assign(inner.getInput());
  return getOutput();
}

FailureOr<SmallVector<Value>> TransposeOp::buildBody(OpBuilder &b,
                                                     ValueRange operands) {
  SmallVector<unsigned> order;
  for (int64_t axis : inverse(getPermutation()))
    order.push_back(axis);
  AffineMap map = AffineMap::getPermutationMap(order, getContext());
  return SmallVector<Value>{
      buildRead(b, getLoc(), rankedType(getOutput()), operands[0], map)};
}

LogicalResult TransposeOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                    Gradients dIn) {
  if (dOut[0])
    dIn[0] =
        TransposeOp::create(b, getLoc(), dOut[0], inverse(getPermutation()));
  return success();
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto from = rankedType(getInput()), to = rankedType(getOutput());
  if (from.getElementType() != to.getElementType())
    return emitOpError("cannot change the element type");
  ArrayRef<int64_t> axes = getAxes();
  if (static_cast<int64_t>(axes.size()) != from.getRank())
    return emitOpError("needs one axis for each of the input's ")
           << from.getRank();
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis >= to.getRank() || (index && axes[index - 1] >= axis))
      return emitOpError("axes must be ascending axes of the result");
    int64_t size = from.getDimSize(index);
    if (size != 1 && size != to.getDimSize(axis))
      return emitOpError("cannot repeat an axis of size ")
             << size << " to size " << to.getDimSize(axis);
  }
  return success();
}

/// The most elements of a repeated constant that is stored.
static constexpr int64_t kMostRepeated = 1024;

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getOutput().getType())
    return getInput();
  auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto type = rankedType(getOutput());
  // Constants of several numbers, like masks, stay small.
  if (!known || (!known.isSplat() && type.getNumElements() > kMostRepeated))
    return {};
  SmallVector<int64_t> from = denseStrides(shapeOf(getInput()));
  SmallVector<int64_t> strides(type.getRank(), 0);
  for (auto [index, axis] : llvm::enumerate(getAxes()))
    if (shapeOf(getInput())[index] != 1)
      strides[axis] = from[index];
  return foldStrided(known, type, 0, strides);
}

FailureOr<SmallVector<Value>> BroadcastOp::buildBody(OpBuilder &b,
                                                     ValueRange operands) {
  auto type = rankedType(getOutput());
  SmallVector<AffineExpr> results;
  for (auto [index, axis] : llvm::enumerate(getAxes())) {
    bool repeated = shapeOf(getInput())[index] == 1;
    results.push_back(repeated ? b.getAffineConstantExpr(0)
                               : b.getAffineDimExpr(axis));
  }
  auto map = AffineMap::get(type.getRank(), 0, results, getContext());
  return SmallVector<Value>{buildRead(b, getLoc(), type, operands[0], map)};
}

// The cotangents are summed over a repeated axis.
LogicalResult BroadcastOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                    Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getOutput());
  SmallVector<int64_t> summed;
  for (int64_t axis = 0, e = to.size(); axis < e; ++axis) {
    auto it = llvm::find(getAxes(), axis);
    if (it == getAxes().end() ||
        (from[it - getAxes().begin()] == 1 && to[axis] != 1))
      summed.push_back(axis);
  }
  dIn[0] = g.reshape(g.sum(dOut[0], summed), from);
  return success();
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        SliceOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto type = rankedType(adaptor.getInput());
  size_t rank = type.getRank();
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits();
  ArrayRef<int64_t> strides = adaptor.getStrides();
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(loc,
                             "needs a start, limit and stride for each of "
                             "the ",
                             rank, " axes");
  SmallVector<int64_t> shape;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (starts[axis] < 0 || limits[axis] < starts[axis] ||
        limits[axis] > type.getDimSize(axis) || strides[axis] < 1)
      return emitOptionalError(loc, "box ", starts[axis], " to ", limits[axis],
                               " by ", strides[axis], " on axis ", axis,
                               " does not lie within size ",
                               type.getDimSize(axis));
    shape.push_back(
        llvm::divideCeil(limits[axis] - starts[axis], strides[axis]));
  }
  inferred.push_back(type.clone(shape));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getOutput().getType())
    return getInput();
  auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (!known)
    return {};
  SmallVector<int64_t> strides = denseStrides(shapeOf(getInput()));
  int64_t base = 0;
  for (auto [axis, stride] : llvm::enumerate(strides)) {
    base += getStarts()[axis] * stride;
    stride *= getStrides()[axis];
  }
  return foldStrided(known, rankedType(getOutput()), base, strides);
}

/// The flat position of the box in its source, where the box is one contiguous
/// range of the source.
static std::optional<int64_t> contiguousOffset(SliceOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(op.getOutput());
  int64_t offset = 0;
  bool whole = true;
  for (int64_t axis = from.size() - 1, stride = 1; axis >= 0; --axis) {
    // All axes in front of the first axis that is cut must have size 1.
    if (op.getStrides()[axis] != 1 && to[axis] > 1)
      return std::nullopt;
    if (!whole && to[axis] != 1)
      return std::nullopt;
    if (to[axis] != from[axis])
      whole = false;
    offset += op.getStarts()[axis] * stride;
    stride *= from[axis];
  }
  return offset;
}

/// Builds a slice as a read through an affine map. An access by a plain loop
/// index means to linalg that the loop covers the whole axis. For a box that
/// begins at 0, the axis is therefore split in two where the box's size divides
/// it.
static Value buildBoxRead(OpBuilder &b, SliceOp op, Value input) {
  auto type = rankedType(op.getOutput());
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (auto [axis, size] : llvm::enumerate(shapeOf(op.getInput()))) {
    int64_t start = op.getStarts()[axis], stride = op.getStrides()[axis];
    int64_t count = type.getDimSize(axis);
    AffineExpr index = b.getAffineDimExpr(axis);
    bool isPlain = stride == 1 && start == 0 && count != size;
    if (isPlain && (count == 0 || size % count != 0))
      return {};
    if (isPlain) {
      shape.append({size / count, count});
      results.append({b.getAffineConstantExpr(0), index});
      continue;
    }
    shape.push_back(size);
    results.push_back(index * stride + start);
  }
  auto map = AffineMap::get(type.getRank(), 0, results, b.getContext());
  return buildRead(b, op.getLoc(), type,
                   buildView(b, op.getLoc(), input, shape), map);
}

/// Builds a slice that computes its positions.
static Value buildIndexedRead(OpBuilder &b, SliceOp op, Value input) {
  auto type = rankedType(op.getOutput());
  return buildMap(
      b, op.getLoc(), type, {}, [&](OpBuilder &n, Location l, ValueRange) {
        SmallVector<Value> position;
        for (int64_t axis = 0; axis < type.getRank(); ++axis) {
          Value index = linalg::IndexOp::create(n, l, axis);
          Value stride =
              arith::ConstantIndexOp::create(n, l, op.getStrides()[axis]);
          Value start =
              arith::ConstantIndexOp::create(n, l, op.getStarts()[axis]);
          Value scaled = arith::MulIOp::create(n, l, index, stride);
          position.push_back(arith::AddIOp::create(n, l, scaled, start));
        }
        return tensor::ExtractOp::create(n, l, input, position).getResult();
      });
}

FailureOr<SmallVector<Value>> SliceOp::buildBody(OpBuilder &b,
                                                 ValueRange operands) {
  auto type = rankedType(getOutput());
  if (std::optional<int64_t> offset = contiguousOffset(*this))
    return SmallVector<Value>{
        kernel::ViewOp::create(b, getLoc(), type, operands[0], *offset)};
  // An empty box has no position: its start may be the end of the axis.
  Value result = type.getNumElements() == 0
                     ? Value()
                     : buildBoxRead(b, *this, operands[0]);
  if (!result)
    result = buildIndexedRead(b, *this, operands[0]);
  return SmallVector<Value>{result};
}

namespace {

/// A slice of a concatenation reads the parts that it overlaps, where nothing
/// else needs the whole. A tensor that a model writes step by step becomes a
/// stack of the steps.
struct SliceOfConcat : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto whole = op.getInput().getDefiningOp<ConcatOp>();
    if (!whole || op.getStrides()[whole.getAxis()] != 1 ||
        !llvm::all_of(whole->getUsers(), llvm::IsaPred<SliceOp>))
      return rewriter.notifyMatchFailure(op, "no concatenation for slices");
    auto axis = static_cast<int64_t>(whole.getAxis());
    int64_t start = op.getStarts()[axis], limit = op.getLimits()[axis];
    SmallVector<Value> parts;
    int64_t begin = 0;
    for (Value part : whole.getInputs()) {
      int64_t size = shapeOf(part)[axis];
      int64_t from = std::max(start - begin, int64_t{0});
      int64_t to = std::min(limit - begin, size);
      begin += size;
      if (from < to)
        parts.push_back(cut(rewriter, op, part, axis, from, to));
    }
    if (parts.empty())
      return rewriter.notifyMatchFailure(op, "it is empty");
    if (parts.size() > 1)
      parts = {ConcatOp::create(rewriter, op.getLoc(), parts, axis)};
    rewriter.replaceOp(op, parts);
    return success();
  }

private:
  /// The piece of `part` that `op` takes. Along `axis` it goes from `from` to
  /// `to`.
  static Value cut(OpBuilder &b, SliceOp op, Value part, int64_t axis,
                   int64_t from, int64_t to) {
    SmallVector<int64_t> starts(op.getStarts()), limits(op.getLimits());
    starts[axis] = from;
    limits[axis] = to;
    return b.createOrFold<SliceOp>(op.getLoc(), part, starts, limits,
                                   op.getStrides());
  }
};

} // namespace

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<SliceOfConcat>(context);
}

// The cotangent goes back to its box; the rest of the input gets zero.
LogicalResult SliceOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  if (!dOut[0])
    return success();
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getOutput());
  SmallVector<int64_t> high, interior;
  for (auto [axis, size] : llvm::enumerate(to)) {
    interior.push_back(getStrides()[axis] - 1);
    int64_t extent = size == 0 ? 0 : (size - 1) * getStrides()[axis] + 1;
    high.push_back(from[axis] - getStarts()[axis] - extent);
  }
  dIn[0] = PadOp::create(b, getLoc(), dOut[0], getStarts(), high, interior,
                         llvm::APFloat(0.0));
  return success();
}

//===----------------------------------------------------------------------===//
// PadOp
//===----------------------------------------------------------------------===//

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      PadOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  auto type = rankedType(adaptor.getInput());
  size_t rank = type.getRank();
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  ArrayRef<int64_t> interior = adaptor.getInterior();
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return emitOptionalError(
        loc, "needs low, high and interior padding for each of the ", rank,
        " axes");
  SmallVector<int64_t> shape;
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t size = type.getDimSize(axis);
    int64_t padded = low[axis] + high[axis] + size +
                     std::max<int64_t>(size - 1, 0) * interior[axis];
    if (interior[axis] < 0 || padded < 0)
      return emitOptionalError(loc, "padding leaves axis ", axis, " with size ",
                               padded);
    shape.push_back(padded);
  }
  inferred.push_back(type.clone(shape));
  return success();
}

/// Copies each element that remains after cropping to its position.
static void copyPadded(PadOp op, const ElementBytes &from,
                       MutableArrayRef<char> bytes) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput()),
                    to = shapeOf(op.getOutput());
  SmallVector<int64_t> in = denseStrides(shape), out = denseStrides(to);
  for (int64_t i = 0, e = rankedType(op.getInput()).getNumElements(); i < e;
       ++i) {
    int64_t place = 0;
    bool inside = true;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      int64_t index = i / in[axis] % shape[axis];
      int64_t at = op.getLow()[axis] + index * (op.getInterior()[axis] + 1);
      inside &= at >= 0 && at < to[axis];
      place += at * out[axis];
    }
    if (inside)
      std::memcpy(bytes.data() + place * from.size(), from.at(i), from.size());
  }
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  auto type = rankedType(getOutput());
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(getLow(), isZero) && llvm::all_of(getHigh(), isZero) &&
      llvm::all_of(getInterior(), isZero))
    return getInput();
  auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (!known || type.getNumElements() > kMostFolded)
    return {};
  ElementBytes from(known);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  double real = getValue().convertToDouble();
  // The body truncates to an integer, while conversion to a truth value would
  // make 0.5 true.
  if (!isa<FloatType>(type.getElementType()))
    real = std::trunc(real);
  ElementBytes value(constantOfReals(scalar, real));
  SmallVector<char> bytes;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
    bytes.append(value.at(0), value.at(0) + value.size());
  copyPadded(*this, from, bytes);
  return constantOfBytes(type, bytes);
}

FailureOr<SmallVector<Value>> PadOp::buildBody(OpBuilder &b,
                                               ValueRange operands) {
  return SmallVector<Value>{buildPad(b, getLoc(), operands[0], getLow(),
                                     getHigh(), getInterior(),
                                     getValue().convertToDouble())};
}

// The cotangent is cropped, and elements between its strides are dropped; the
// padding has none.
LogicalResult PadOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  if (!dOut[0])
    return success();
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getOutput());
  SmallVector<int64_t> low, high, starts, limits, strides;
  // Cropping is undone first, so that the box lies inside.
  for (auto [axis, size] : llvm::enumerate(from)) {
    low.push_back(std::max<int64_t>(-getLow()[axis], 0));
    high.push_back(std::max<int64_t>(-getHigh()[axis], 0));
    strides.push_back(getInterior()[axis] + 1);
    starts.push_back(std::max<int64_t>(getLow()[axis], 0));
    limits.push_back(size == 0 ? starts[axis]
                               : starts[axis] + (size - 1) * strides[axis] + 1);
  }
  SmallVector<int64_t> interior(to.size(), 0);
  Value whole = PadOp::create(b, getLoc(), dOut[0], low, high, interior,
                              llvm::APFloat(0.0));
  dIn[0] = SliceOp::create(b, getLoc(), whole, starts, limits, strides);
  return success();
}

//===----------------------------------------------------------------------===//
// ReverseOp
//===----------------------------------------------------------------------===//

LogicalResult ReverseOp::verify() {
  SmallVector<bool> seen(rankedType(getInput()).getRank(), false);
  for (int64_t axis : getAxes()) {
    if (axis < 0 || axis >= static_cast<int64_t>(seen.size()) || seen[axis])
      return emitOpError("axes must be distinct axes of the input");
    seen[axis] = true;
  }
  return success();
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto type = rankedType(getOutput());
  if (llvm::all_of(getAxes(),
                   [&](int64_t axis) { return type.getDimSize(axis) <= 1; }))
    return getInput();
  if (!known || type.getNumElements() == 0)
    return {};
  SmallVector<int64_t> strides = denseStrides(type.getShape());
  int64_t base = 0;
  for (int64_t axis : getAxes()) {
    base += (type.getDimSize(axis) - 1) * strides[axis];
    strides[axis] = -strides[axis];
  }
  return foldStrided(known, type, base, strides);
}

FailureOr<SmallVector<Value>> ReverseOp::buildBody(OpBuilder &b,
                                                   ValueRange operands) {
  auto type = rankedType(getOutput());
  SmallVector<AffineExpr> results;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    AffineExpr index = b.getAffineDimExpr(axis);
    bool reversed = llvm::is_contained(getAxes(), axis);
    results.push_back(reversed ? -index + (type.getDimSize(axis) - 1) : index);
  }
  auto map = AffineMap::get(type.getRank(), 0, results, getContext());
  return SmallVector<Value>{buildRead(b, getLoc(), type, operands[0], map)};
}

LogicalResult ReverseOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  if (dOut[0])
    dIn[0] =
        ReverseOp::create(b, getLoc(), dOut[0].getType(), dOut[0], getAxes());
  return success();
}

//===----------------------------------------------------------------------===//
// StopGradientOp
//===----------------------------------------------------------------------===//

OpFoldResult StopGradientOp::fold(FoldAdaptor adaptor) {
  if (Attribute known = adaptor.getInput())
    return known;
  if (getInput().getDefiningOp<StopGradientOp>())
    return getInput();
  return {};
}

FailureOr<SmallVector<Value>> StopGradientOp::buildBody(OpBuilder &,
                                                        ValueRange operands) {
  return SmallVector<Value>{operands[0]};
}

LogicalResult StopGradientOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success();
}
