// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and summing by index.
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Ops/IntegerArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// The shape of a gather: the input axes before `axis`, the index axes after
/// the batch axes, the input axes after `axis`.
static FailureOr<SmallVector<int64_t>>
gatherShape(std::optional<Location> loc, ArrayRef<int64_t> input,
            ArrayRef<int64_t> indices, int64_t axis, int64_t batchDims) {
  if (axis < 0 || axis >= static_cast<int64_t>(input.size()))
    return emitOptionalError(loc, "has no axis ", axis);
  if (batchDims != 0 && batchDims != axis)
    return emitOptionalError(loc, "batch axes must be none or all before axis ",
                             axis);
  if (static_cast<int64_t>(indices.size()) < batchDims ||
      indices.take_front(batchDims) != input.take_front(batchDims))
    return emitOptionalError(loc, "indices do not match the batch axes");
  if (input[axis] == 0 && computeProduct(indices) != 0)
    return emitOptionalError(loc, "reads from an empty axis");
  SmallVector<int64_t> shape(input.take_front(axis));
  llvm::append_range(shape, indices.drop_front(batchDims));
  llvm::append_range(shape, input.drop_front(axis + 1));
  return shape;
}

//===----------------------------------------------------------------------===//
// IotaOp
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  auto axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= rankedType(getOutput()).getRank())
    return emitOpError("has no axis ") << axis;
  return success();
}

FailureOr<SmallVector<Value>> IotaOp::buildBody(OpBuilder &b, ValueRange) {
  auto type = rankedType(getOutput());
  return SmallVector<Value>{
      buildMap(b, getLoc(), type, {},
               [&](OpBuilder &nested, Location loc, ValueRange) -> Value {
                 Value index = linalg::IndexOp::create(nested, loc, getAxis());
                 return arith::IndexCastOp::create(
                     nested, loc, getKernelType(type.getElementType()), index);
               })};
}

LogicalResult IotaOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success();
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         GatherOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto type = rankedType(adaptor.getInput());
  auto shape = gatherShape(loc, type.getShape(),
                           rankedType(adaptor.getIndices()).getShape(),
                           adaptor.getAxis(), adaptor.getBatchDims());
  if (failed(shape))
    return failure();
  inferred.push_back(type.clone(*shape));
  return success();
}

/// The position that index `i` names on an axis of `size`.
static int64_t placeAt(DenseElementsAttr indices, int64_t i, int64_t size) {
  int64_t index = intAt(indices, i);
  if (indices.getElementType().isUnsignedInteger())
    return static_cast<int64_t>(std::min(static_cast<uint64_t>(index),
                                         static_cast<uint64_t>(size - 1)));
  return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size - 1);
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto indices = dyn_cast_or_null<DenseElementsAttr>(adaptor.getIndices());
  auto type = rankedType(getOutput());
  if (!input || !indices || type.getNumElements() > kMostFolded)
    return {};
  if (input.isSplat())
    return input.resizeSplat(type);
  ArrayRef<int64_t> in = shapeOf(getInput());
  int64_t batches = computeProduct(in.take_front(getBatchDims()));
  int64_t size = in[getAxis()],
          inner = computeProduct(in.drop_front(getAxis() + 1));
  int64_t outer = computeProduct(in.take_front(getAxis()));
  ElementBytes from(input);
  SmallVector<char> bytes;
  for (int64_t block = 0; block < outer; ++block) {
    int64_t count = indices.getNumElements() / batches;
    for (int64_t i = 0; i < count; ++i) {
      int64_t index =
          placeAt(indices, block * batches / outer * count + i, size);
      const char *slice = from.at((block * size + index) * inner);
      bytes.append(slice, slice + inner * from.size());
    }
  }
  return constantOfBytes(type, bytes);
}

/// An unsigned index, clamped to [0, size).
static Value clampUnsigned(OpBuilder &b, Location loc, Value raw,
                           int64_t size) {
  Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), raw);
  return arith::MinUIOp::create(
      b, loc, index, arith::ConstantIndexOp::create(b, loc, size - 1));
}

/// An index, counted from the end where it is negative, then clamped to [0,
/// size).
static Value wrapAndClamp(OpBuilder &b, Location loc, Value raw, int64_t size) {
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), raw);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value end = arith::ConstantIndexOp::create(b, loc, size);
  Value last = arith::ConstantIndexOp::create(b, loc, size - 1);
  Value negative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, zero);
  Value wrapped = arith::AddIOp::create(b, loc, index, end);
  index = arith::SelectOp::create(b, loc, negative, wrapped, index);
  index = arith::MaxSIOp::create(b, loc, index, zero);
  return arith::MinSIOp::create(b, loc, index, last);
}

std::optional<mpc::IndexRange> GatherOp::getIndexRange(OpOperand &operand) {
  if (operand.getOperandNumber() != getIndicesMutable().getOperandNumber())
    return std::nullopt;
  int64_t size = shapeOf(getInput())[getAxis()];
  return mpc::IndexRange{-size, size};
}

FailureOr<SmallVector<Value>> GatherOp::buildBody(OpBuilder &b,
                                                  ValueRange operands) {
  auto type = rankedType(getOutput());
  int64_t rank = type.getRank(), axis = getAxis();
  int64_t indexRank = rankedType(getIndices()).getRank();
  auto batchDims = static_cast<int64_t>(getBatchDims());
  int64_t behind = rankedType(getInput()).getRank() - axis - 1;
  SmallVector<AffineExpr> place;
  for (int64_t i = 0; i < indexRank; ++i) {
    int64_t dim = i < batchDims ? i : axis + i - batchDims;
    place.push_back(b.getAffineDimExpr(dim));
  }
  auto map = AffineMap::get(rank, 0, place, getContext());
  int64_t size = shapeOf(getInput())[axis];
  Value result = buildMap(
      b, getLoc(), type, {{operands[1], map}},
      [&](OpBuilder &nested, Location loc, ValueRange s) -> Value {
        SmallVector<Value> position;
        for (int64_t i = 0; i < axis; ++i)
          position.push_back(linalg::IndexOp::create(nested, loc, i));
        position.push_back(isUnsigned(getIndices())
                               ? clampUnsigned(nested, loc, s[0], size)
                               : wrapAndClamp(nested, loc, s[0], size));
        for (int64_t i = rank - behind; i < rank; ++i)
          position.push_back(linalg::IndexOp::create(nested, loc, i));
        return tensor::ExtractOp::create(nested, loc, operands[0], position);
      });
  return SmallVector<Value>{result};
}

/// `d` with zeros for the slices that were read at the frozen index.
static Value withoutFrozen(GradientBuilder &g, GatherOp op, Value d) {
  Value indices = op.getIndices();
  auto number = static_cast<double>(*op.getFrozen());
  Value isFrozen =
      g.compare(CompareKind::EQ, indices, g.splat(indices, number));
  SmallVector<int64_t> axes;
  auto batchDims = static_cast<int64_t>(op.getBatchDims());
  for (int64_t i = 0, e = rankedType(indices).getRank(); i < e; ++i)
    axes.push_back(i < batchDims ? i : op.getAxis() + i - batchDims);
  auto type = rankedType(d).clone(g.b.getI1Type());
  Value mask = BroadcastOp::create(g.b, g.loc, type, isFrozen, axes);
  return g.select(mask, g.splat(d, 0.0), d);
}

/// The inverse of constant indices that name each place of the axis once; null
/// for any others.
static DenseElementsAttr invertIndices(GatherOp op) {
  auto constant = op.getIndices().getDefiningOp<ConstantOp>();
  int64_t size = shapeOf(op.getInput())[op.getAxis()];
  if (!constant || op.getBatchDims() != 0 || op.getFrozen() ||
      shapeOf(op.getIndices()) != ArrayRef(size))
    return {};
  SmallVector<int64_t> inverse(size, -1);
  auto indices = cast<DenseElementsAttr>(constant.getValue());
  for (auto [number, place] : llvm::enumerate(intsOf(indices))) {
    if (place < 0 || place >= size || inverse[place] >= 0)
      return {};
    inverse[place] = static_cast<int64_t>(number);
  }
  return constantOfInts(rankedType(op.getIndices()), inverse);
}

// The transpose of a gather is a scatter-add; that of a permutation the gather
// by its inverse.
LogicalResult GatherOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  if (DenseElementsAttr inverse = invertIndices(*this)) {
    Value places = ConstantOp::create(b, getLoc(), inverse);
    dIn[0] = GatherOp::create(b, getLoc(), getInput().getType(), dOut[0],
                              places, getAxis(), /*batch_dims=*/0,
                              /*frozen=*/IntegerAttr());
    return success();
  }
  Value d = getFrozen() ? withoutFrozen(g, *this, dOut[0]) : dOut[0];
  dIn[0] = ScatterAddOp::create(b, getLoc(), getInput().getType(), d,
                                getIndices(), getAxis(), getBatchDims());
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterAddOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterAddOp::verify() {
  auto shape = gatherShape(getLoc(), shapeOf(getOutput()),
                           shapeOf(getIndices()), getAxis(), getBatchDims());
  if (failed(shape))
    return failure();
  if (ArrayRef<int64_t>(*shape) != shapeOf(getUpdates()))
    return emitOpError("updates do not have the shape that a gather of the "
                       "result would have");
  if (rankedType(getUpdates()).getElementType() !=
      rankedType(getOutput()).getElementType())
    return emitOpError("cannot change the element type");
  return success();
}

/// `results`, with each element i of `updates` combined into the element at
/// `placeOf(i)`.
template <typename T>
static SmallVector<T> joinedAt(SmallVector<T> results, ArrayRef<T> updates,
                               llvm::function_ref<int64_t(int64_t)> placeOf,
                               llvm::function_ref<T(T, T)> join) {
  for (auto [i, update] : llvm::enumerate(updates)) {
    T &result = results[placeOf(static_cast<int64_t>(i))];
    result = join(result, update);
  }
  return results;
}

static SmallVector<double> realsOf(DenseElementsAttr constant) {
  SmallVector<double> reals;
  for (int64_t i = 0, e = constant.getNumElements(); i < e; ++i)
    reals.push_back(realAt(constant, i));
  return reals;
}

static bool isInteger(Value x) {
  return isa<IntegerType>(rankedType(x).getElementType());
}

/// Computes in unsigned arithmetic, where overflow wraps around.
template <typename Fn>
static int64_t wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(
      Fn()(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}

OpFoldResult ScatterAddOp::fold(FoldAdaptor adaptor) {
  auto updates = dyn_cast_or_null<DenseElementsAttr>(adaptor.getUpdates());
  auto indices = dyn_cast_or_null<DenseElementsAttr>(adaptor.getIndices());
  auto type = rankedType(getOutput());
  if (!updates || !indices ||
      std::max(type.getNumElements(), updates.getNumElements()) > kMostFolded)
    return {};
  ArrayRef<int64_t> shape = type.getShape();
  int64_t size = shape[getAxis()],
          outer = computeProduct(shape.take_front(getAxis()));
  int64_t inner = computeProduct(shape.drop_front(getAxis() + 1));
  int64_t batches = computeProduct(shape.take_front(getBatchDims()));
  int64_t count = indices.getNumElements() / std::max<int64_t>(batches, 1);
  auto placeOf = [&](int64_t i) {
    int64_t block = i / (count * inner), at = i / inner % count;
    int64_t index =
        placeAt(indices, block * batches / outer * count + at, size);
    return (block * size + index) * inner + i % inner;
  };
  auto number = static_cast<size_t>(type.getNumElements());
  if (isInteger(getOutput()))
    return constantOfInts(type,
                          joinedAt<int64_t>(SmallVector<int64_t>(number, 0),
                                            intsOf(updates), placeOf,
                                            wrapping<std::plus<uint64_t>>));
  return constantOfReals(
      type, joinedAt<double>(SmallVector<double>(number, 0.0), realsOf(updates),
                             placeOf, std::plus<double>()));
}

/// Indices in a signed type, since kernel.scatter takes no other.
static Value signedIndices(OpBuilder &b, Location loc, Value indices,
                           int64_t size) {
  auto type = rankedType(indices).clone(b.getI64Type());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  return buildMap(b, loc, type, {{indices, identity}},
                  [&](OpBuilder &nested, Location l, ValueRange s) -> Value {
                    return arith::IndexCastOp::create(
                        nested, l, nested.getI64Type(),
                        clampUnsigned(nested, l, s[0], size));
                  });
}

FailureOr<SmallVector<Value>> ScatterAddOp::buildBody(OpBuilder &b,
                                                      ValueRange operands) {
  Location loc = getLoc();
  auto type = rankedType(getOutput());
  ArrayRef<int64_t> shape = type.getShape(), indexShape = shapeOf(getIndices());
  int64_t outer = computeProduct(shape.take_front(getAxis()));
  int64_t inner = computeProduct(shape.drop_front(getAxis() + 1));
  int64_t count = computeProduct(indexShape.drop_front(getBatchDims()));
  Value updates = buildView(b, loc, operands[0], {outer, count, inner});
  SmallVector<int64_t> flatIndices{count};
  if (getBatchDims() != 0)
    flatIndices.insert(flatIndices.begin(), outer);
  Value given = isUnsigned(getIndices())
                    ? signedIndices(b, loc, operands[1], shape[getAxis()])
                    : operands[1];
  Value indices = buildView(b, loc, given, flatIndices);
  Type compute = getComputeType(type.getElementType());
  SmallVector<int64_t> flat{outer, shape[getAxis()], inner};
  Value empty = tensor::EmptyOp::create(b, loc, flat, compute);
  Value zero = buildScalarConstant(b, loc, compute, 0.0);
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  Value sum =
      kernel::ScatterOp::create(b, loc, init.getType(), updates, indices, init);
  Value rounded = buildNarrowing(b, loc, sum, type.getElementType());
  return SmallVector<Value>{buildView(b, loc, rounded, shape)};
}

// The transpose of a scatter-add is a gather.
LogicalResult ScatterAddOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                     Gradients dIn) {
  if (dOut[0])
    dIn[0] = GatherOp::create(b, getLoc(), dOut[0], getIndices(), getAxis(),
                              getBatchDims(), /*frozen=*/IntegerAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterReduceOp::verify() {
  auto input = rankedType(getInput()), updates = rankedType(getUpdates());
  ArrayRef<int64_t> indices = shapeOf(getIndices());
  if (input.getElementType() != updates.getElementType())
    return emitOpError("input and updates must have one element type");
  if (input.getRank() < 1 || updates.getRank() != input.getRank() ||
      updates.getShape().drop_front() != input.getShape().drop_front() ||
      indices != updates.getShape().take_front())
    return emitOpError("input, updates and indices must be [size, ...], "
                       "[count, ...] and [count]");
  if (input.getDimSize(0) == 0 && updates.getDimSize(0) != 0)
    return emitOpError("writes to an empty axis");
  return success();
}

static double join(ScatterKind kind, double x, double y) {
  if (kind == ScatterKind::Mul)
    return x * y;
  if (std::isnan(x) || std::isnan(y))
    return std::numeric_limits<double>::quiet_NaN();
  return kind == ScatterKind::Max ? std::max(x, y) : std::min(x, y);
}

/// Combines two integers, both signed or both unsigned.
static int64_t join(ScatterKind kind, Sign sign, int64_t x, int64_t y) {
  if (kind == ScatterKind::Mul)
    return wrapping<std::multiplies<uint64_t>>(x, y);
  bool isLess = sign == Sign::Unsigned
                    ? static_cast<uint64_t>(x) < static_cast<uint64_t>(y)
                    : x < y;
  return isLess == (kind == ScatterKind::Max) ? y : x;
}

OpFoldResult ScatterReduceOp::fold(FoldAdaptor adaptor) {
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto updates = dyn_cast_or_null<DenseElementsAttr>(adaptor.getUpdates());
  auto indices = dyn_cast_or_null<DenseElementsAttr>(adaptor.getIndices());
  auto type = rankedType(getOutput());
  if (!input || !updates || !indices ||
      std::max(type.getNumElements(), updates.getNumElements()) >
          kMostFoldedReals)
    return {};
  int64_t size = type.getDimSize(0);
  int64_t inner = computeProduct(type.getShape().drop_front());
  auto placeOf = [&](int64_t i) {
    return placeAt(indices, i / inner, size) * inner + i % inner;
  };
  Sign sign = isUnsigned(getInput()) ? Sign::Unsigned : Sign::Signed;
  if (isInteger(getInput()))
    return constantOfInts(
        type, joinedAt<int64_t>(intsOf(input), intsOf(updates), placeOf,
                                [&](int64_t x, int64_t y) {
                                  return join(getKind(), sign, x, y);
                                }));
  return constantOfReals(type,
                         joinedAt<double>(realsOf(input), realsOf(updates),
                                          placeOf, [&](double x, double y) {
                                            return join(getKind(), x, y);
                                          }));
}

static kernel::CombineKind combineKindOf(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::Mul:
    return kernel::CombineKind::Product;
  case ScatterKind::Max:
    return kernel::CombineKind::Maximum;
  case ScatterKind::Min:
    return kernel::CombineKind::Minimum;
  }
  llvm_unreachable("all kinds are above");
}

/// Converts unsigned integers to signed ones in the same order, and back.
static Value withOtherSign(OpBuilder &b, Location loc, Value x) {
  auto type = rankedType(x);
  APInt mask = APInt::getSignMask(type.getElementTypeBitWidth());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  return buildMap(b, loc, type, {{x, identity}},
                  [&](OpBuilder &nested, Location l, ValueRange s) -> Value {
                    Value sign = arith::ConstantOp::create(
                        nested, l,
                        nested.getIntegerAttr(type.getElementType(), mask));
                    return arith::XOrIOp::create(nested, l, s[0], sign);
                  });
}

FailureOr<SmallVector<Value>> ScatterReduceOp::buildBody(OpBuilder &b,
                                                         ValueRange operands) {
  Location loc = getLoc();
  auto type = rankedType(getOutput());
  int64_t inner = computeProduct(type.getShape().drop_front());
  Value input = buildView(b, loc, operands[0], {1, type.getDimSize(0), inner});
  Value updates =
      buildView(b, loc, operands[1], {1, shapeOf(getUpdates()).front(), inner});
  Value init =
      buildNarrowing(b, loc, input, getComputeType(type.getElementType()));
  Value indices = isUnsigned(getIndices())
                      ? signedIndices(b, loc, operands[2], type.getDimSize(0))
                      : operands[2];
  bool isReordered = isUnsigned(getInput()) && getKind() != ScatterKind::Mul;
  if (isReordered) {
    init = withOtherSign(b, loc, init);
    updates = withOtherSign(b, loc, updates);
  }
  Value joined = kernel::ScatterOp::create(
      b, loc, init.getType(), updates, indices, init, combineKindOf(getKind()));
  if (isReordered)
    joined = withOtherSign(b, loc, joined);
  Value rounded = buildNarrowing(b, loc, joined, type.getElementType());
  return SmallVector<Value>{buildView(b, loc, rounded, type.getShape())};
}

namespace {

/// The VJP of a scatter_reduce. All values are wide.
class ScatterReduceGradient {
public:
  ScatterReduceGradient(OpBuilder &b, ScatterReduceOp op)
      : g_(b, op.getLoc()), op_(op), input_(g_.wide(op.getInput())),
        updates_(g_.wide(op.getUpdates())) {}

  /// The cotangents of input and updates for an extremum. The elements that
  /// equal the result share d equally.
  std::pair<Value, Value> ofExtremum(Value d) {
    Value result = g_.wide(op_.getOutput());
    Value inputHas = g_.compare(CompareKind::EQ, input_, result);
    Value updateHas = g_.compare(CompareKind::EQ, updates_, read(result));
    Value count = g_.add(one(inputHas, input_), sum(one(updateHas, updates_)));
    // Where the result is NaN no element equals it.
    Value none = g_.compare(CompareKind::EQ, count, g_.splat(count, 0.0));
    Value share = g_.div(d, g_.select(none, g_.splat(count, 1.0), count));
    return {g_.select(inputHas, share, g_.splat(share, 0.0)),
            g_.select(updateHas, read(share), g_.splat(updates_, 0.0))};
  }

  /// The cotangents for a product: d times the product of all other elements.
  /// That is the product divided by the element, where it has no zero. For the
  /// only zero it is the product of the elements that are not 0.
  std::pair<Value, Value> ofProduct(Value d) {
    Value zeros = g_.add(isZero(input_), sum(isZero(updates_)));
    Value product = ScatterReduceOp::create(
        g_.b, g_.loc, input_.getType(), ScatterKind::Mul, withoutZeros(input_),
        withoutZeros(updates_), op_.getIndices());
    Value scaled = g_.mul(d, product);
    return {others(input_, zeros, scaled),
            others(updates_, read(zeros), read(scaled))};
  }

private:
  Value one(Value mask, Value like) {
    return g_.select(mask, g_.splat(like, 1.0), g_.splat(like, 0.0));
  }
  Value isZero(Value x) {
    return one(g_.compare(CompareKind::EQ, x, g_.splat(x, 0.0)), x);
  }
  Value withoutZeros(Value x) {
    Value mask = g_.compare(CompareKind::EQ, x, g_.splat(x, 0.0));
    return g_.select(mask, g_.splat(x, 1.0), x);
  }
  /// `scaled` / x where no element but perhaps x is zero.
  Value others(Value x, Value zeros, Value scaled) {
    Value rest = g_.sub(zeros, isZero(x));
    Value free = g_.compare(CompareKind::EQ, rest, g_.splat(rest, 0.0));
    return g_.select(free, g_.div(scaled, withoutZeros(x)), g_.splat(x, 0.0));
  }
  Value sum(Value ofUpdates) {
    return ScatterAddOp::create(g_.b, g_.loc, input_.getType(), ofUpdates,
                                op_.getIndices(), /*axis=*/0, /*batch_dims=*/0);
  }
  Value read(Value ofInput) {
    return GatherOp::create(g_.b, g_.loc, updates_.getType(), ofInput,
                            op_.getIndices(), /*axis=*/0, /*batch_dims=*/0,
                            /*frozen=*/IntegerAttr());
  }

  GradientBuilder g_;
  ScatterReduceOp op_;
  Value input_, updates_;
};

} // namespace

LogicalResult ScatterReduceOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                        Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  ScatterReduceGradient gradient(b, *this);
  Value d = g.wide(dOut[0]);
  auto [dInput, dUpdates] = getKind() == ScatterKind::Mul
                                ? gradient.ofProduct(d)
                                : gradient.ofExtremum(d);
  dIn[0] = g.as(dInput, getInput());
  dIn[1] = g.as(dUpdates, getUpdates());
  return success();
}
