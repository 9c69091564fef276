// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes.
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;
using namespace mpc::nn;

static LogicalResult inferReduced(std::optional<Location> loc, Value input,
                                  ArrayRef<int64_t> axes,
                                  SmallVectorImpl<Type> &inferred) {
  auto type = rankedType(input);
  SmallVector<bool> reduced(type.getRank(), false);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= type.getRank() || reduced[axis])
      return emitOptionalError(loc, "axes must be distinct axes of the input");
    reduced[axis] = true;
  }
  SmallVector<int64_t> shape;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (!reduced[axis])
      shape.push_back(type.getDimSize(axis));
  inferred.push_back(type.clone(shape));
  return success();
}

namespace {

/// How two elements are combined: in kernels by ops, in folds by functions of
/// numbers.
struct Joining {
  double neutral;
  Value (*build)(OpBuilder &, Location, ValueRange);
  double (*reals)(double, double);
  int64_t (*integers)(int64_t, int64_t);
};

double plus(double a, double b) { return a + b; }
double times(double a, double b) { return a * b; }

/// `input` reduced over `axes` to `type`.
struct Reduction {
  Location loc;
  ArrayRef<int64_t> axes;
  RankedTensorType from, type;

  template <typename Op>
  explicit Reduction(Op op)
      : loc(op.getLoc()), axes(op.getAxes()), from(rankedType(op.getInput())),
        type(rankedType(op.getOutput())) {}

  Value build(OpBuilder &b, Value input, const Joining &join) const;
  OpFoldResult fold(Attribute input, const Joining &join) const;
  template <typename T>
  SmallVector<T> foldTo(ArrayRef<T> values, T neutral,
                        function_ref<T(T, T)> fn) const;
};

} // namespace

/// Reduces in the compute type and then rounds.
Value Reduction::build(OpBuilder &b, Value input, const Joining &join) const {
  ReductionSpace space;
  space.reduced.assign(from.getRank(), false);
  for (int64_t axis : axes)
    space.reduced[axis] = true;
  AffineMap identity = b.getMultiDimIdentityMap(from.getRank());
  auto wideType = RankedTensorType::get(type.getShape(),
                                        getComputeType(type.getElementType()));
  Value wide = buildReduction(b, loc, wideType, space, {{input, identity}},
                              join.neutral, join.build);
  return buildNarrowing(b, loc, wide, type.getElementType());
}

template <typename T>
SmallVector<T> Reduction::foldTo(ArrayRef<T> values, T neutral,
                                 function_ref<T(T, T)> fn) const {
  SmallVector<int64_t> in = denseStrides(from.getShape());
  SmallVector<int64_t> out = denseStrides(type.getShape());
  SmallVector<int64_t> kept = otherAxes(from.getRank(), axes);
  SmallVector<T> results(type.getNumElements(), neutral);
  for (auto [index, value] : llvm::enumerate(values)) {
    int64_t place = 0;
    for (auto [to, axis] : llvm::enumerate(kept))
      place += static_cast<int64_t>(index) / in[axis] % from.getDimSize(axis) *
               out[to];
    results[place] = fn(results[place], value);
  }
  return results;
}

/// Folds a constant, reals in f64. The result of no elements does not depend on
/// the input.
OpFoldResult Reduction::fold(Attribute input, const Joining &join) const {
  auto known = dyn_cast_or_null<DenseElementsAttr>(input);
  int64_t count = from.getNumElements();
  if ((!known && count != 0) || count > kMostFoldedReals ||
      type.getNumElements() > kMostFolded)
    return {};
  if (!isa<FloatType>(type.getElementType()))
    return constantOfInts(
        type,
        foldTo<int64_t>(count == 0 ? SmallVector<int64_t>() : intsOf(known),
                        toInteger(join.neutral, type.getElementType()),
                        join.integers));
  SmallVector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(realAt(known, i));
  return constantOfReals(type,
                         foldTo<double>(values, join.neutral, join.reals));
}

/// The accumulator is the last of the scalars.
template <typename FloatOp, typename IntOp>
static Value join(OpBuilder &b, Location loc, ValueRange s) {
  Value x = widen(b, loc, s[0]);
  if (isa<FloatType>(x.getType()))
    return FloatOp::create(b, loc, s[1], x);
  return IntOp::create(b, loc, s[1], x);
}

/// `fn` of the bits of two integers.
template <typename Fn>
static int64_t wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(
      Fn()(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}

//===----------------------------------------------------------------------===//
// ReduceSumOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            ReduceSumOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  return inferReduced(loc, adaptor.getInput(), adaptor.getAxes(), inferred);
}

static const Joining kSums{0.0, join<arith::AddFOp, arith::AddIOp>, plus,
                           wrapping<std::plus<uint64_t>>};

OpFoldResult ReduceSumOp::fold(FoldAdaptor adaptor) {
  return Reduction(*this).fold(adaptor.getInput(), kSums);
}

FailureOr<SmallVector<Value>> ReduceSumOp::buildBody(OpBuilder &b,
                                                     ValueRange operands) {
  return SmallVector<Value>{Reduction(*this).build(b, operands[0], kSums)};
}

// d sum(x) = sum(dx)
LogicalResult ReduceSumOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                    Gradients dIn) {
  if (!dOut[0])
    return success();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  dIn[0] = GradientBuilder(b, getLoc())
               .broadcast(dOut[0], otherAxes(shape.size(), getAxes()), shape);
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceMaxOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            ReduceMaxOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  return inferReduced(loc, adaptor.getInput(), adaptor.getAxes(), inferred);
}

/// The larger number; NaN if either is NaN.
static double largerReal(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

template <typename IntOp>
static Joining maxima(double least, int64_t (*integers)(int64_t, int64_t)) {
  return {least, join<arith::MaximumFOp, IntOp>, largerReal, integers};
}

static int64_t largerInteger(int64_t a, int64_t b) { return std::max(a, b); }
static int64_t largerUnsigned(int64_t a, int64_t b) {
  return static_cast<int64_t>(
      std::max(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}

static Joining maximaOf(Value input) {
  Type type = rankedType(input).getElementType();
  if (isUnsigned(input))
    return maxima<arith::MaxUIOp>(0.0, largerUnsigned);
  double least = isa<FloatType>(type)
                     ? -std::numeric_limits<double>::infinity()
                     : -std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1);
  return maxima<arith::MaxSIOp>(least, largerInteger);
}

OpFoldResult ReduceMaxOp::fold(FoldAdaptor adaptor) {
  return Reduction(*this).fold(adaptor.getInput(), maximaOf(getInput()));
}

FailureOr<SmallVector<Value>> ReduceMaxOp::buildBody(OpBuilder &b,
                                                     ValueRange operands) {
  return SmallVector<Value>{
      Reduction(*this).build(b, operands[0], maximaOf(getInput()))};
}

// d max(x) = the mean of dx over the places that hold the maximum
LogicalResult ReduceMaxOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                    Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  ArrayRef<int64_t> shape = shapeOf(getInput());
  SmallVector<int64_t> kept = otherAxes(shape.size(), getAxes());
  Value x = g.wide(getInput());
  Value peak = g.broadcast(g.wide(getOutput()), kept, shape);
  Value isPeak = g.compare(CompareKind::EQ, x, peak);
  Value mask = g.select(isPeak, g.splat(x, 1.0), g.splat(x, 0.0));
  Value count = g.sumLike(mask, getAxes());
  Value d = g.broadcast(g.wide(dOut[0]), kept, shape);
  dIn[0] = g.as(g.div(g.mul(d, mask), count), getInput());
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceProdOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceProdOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             ReduceProdOp::Adaptor adaptor,
                                             SmallVectorImpl<Type> &inferred) {
  return inferReduced(loc, adaptor.getInput(), adaptor.getAxes(), inferred);
}

static const Joining kProducts{1.0, join<arith::MulFOp, arith::MulIOp>, times,
                               wrapping<std::multiplies<uint64_t>>};

OpFoldResult ReduceProdOp::fold(FoldAdaptor adaptor) {
  return Reduction(*this).fold(adaptor.getInput(), kProducts);
}

FailureOr<SmallVector<Value>> ReduceProdOp::buildBody(OpBuilder &b,
                                                      ValueRange operands) {
  return SmallVector<Value>{Reduction(*this).build(b, operands[0], kProducts)};
}

// d prod(x) = (product of the other elements) dx. With P the product of the
// elements that are not 0, the factor is P / x where no other element is 0, and
// 0 elsewhere. A second derivative at two zeros is therefore 0, whatever the
// other elements are.
LogicalResult ReduceProdOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                     Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  ArrayRef<int64_t> shape = shapeOf(getInput());
  SmallVector<int64_t> kept = otherAxes(shape.size(), getAxes());
  Value x = g.wide(getInput());
  Value one = g.splat(x, 1.0), zero = g.splat(x, 0.0);
  Value isZero = g.compare(CompareKind::EQ, x, zero);
  Value factor = g.select(isZero, one, x);
  Value count = g.select(isZero, one, zero);
  Value others = g.sub(g.sumLike(count, getAxes()), count);
  Value product = ReduceProdOp::create(b, getLoc(), factor, getAxes());
  Value d = g.broadcast(g.wide(dOut[0]), kept, shape);
  Value rest = g.div(g.broadcast(product, kept, shape), factor);
  Value isAlone = g.compare(CompareKind::EQ, others, zero);
  dIn[0] = g.as(g.select(isAlone, g.mul(d, rest), zero), getInput());
  return success();
}
