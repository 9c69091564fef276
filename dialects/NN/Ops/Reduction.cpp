// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes.
#include "dialects/NN/Body.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;
using namespace mpc::nn;

using Cotangents = ArrayRef<Value>;
using Gradients = MutableArrayRef<Value>;

static RankedTensorType rankedType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

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

/// Reduces `input` over `axes` in the compute type, then rounds to `type`.
static Value buildReduce(OpBuilder &b, Location loc, Value input,
                         ArrayRef<int64_t> axes, RankedTensorType type,
                         double init, ScalarFn fn) {
  auto inputType = rankedType(input);
  ReductionSpace space;
  space.reduced.assign(inputType.getRank(), false);
  for (int64_t axis : axes)
    space.reduced[axis] = true;
  AffineMap identity = b.getMultiDimIdentityMap(inputType.getRank());
  Value wide =
      buildReduction(b, loc, type.clone(getComputeType(type.getElementType())),
                     space, {{input, identity}}, init, fn);
  return buildNarrowing(b, loc, wide, type.getElementType());
}

/// The same of a constant, in f64.
static DenseElementsAttr foldReduce(Attribute input, ArrayRef<int64_t> axes,
                                    RankedTensorType type, double init,
                                    function_ref<double(double, double)> fn) {
  auto known = dyn_cast_or_null<DenseElementsAttr>(input);
  if (!known || known.getNumElements() > kMostFoldedReals)
    return {};
  ArrayRef<int64_t> shape = known.getType().getShape();
  SmallVector<int64_t> in = denseStrides(shape);
  SmallVector<int64_t> out = denseStrides(type.getShape());
  SmallVector<double> results(type.getNumElements(), init);
  for (int64_t i = 0, e = known.getNumElements(); i < e; ++i) {
    int64_t place = 0;
    for (auto [to, axis] : llvm::enumerate(otherAxes(shape.size(), axes)))
      place += i / in[axis] % shape[axis] * out[to];
    results[place] = fn(results[place], realAt(known, i));
  }
  return constantOfReals(type, results);
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

OpFoldResult ReduceSumOp::fold(FoldAdaptor adaptor) {
  return foldReduce(adaptor.getInput(), getAxes(), rankedType(getOutput()), 0.0,
                    std::plus<double>());
}

FailureOr<SmallVector<Value>> ReduceSumOp::buildBody(OpBuilder &b,
                                                     ValueRange operands) {
  auto add = [](OpBuilder &nested, Location loc, ValueRange s) -> Value {
    return arith::AddFOp::create(nested, loc, s[1], widen(nested, loc, s[0]));
  };
  return SmallVector<Value>{buildReduce(b, getLoc(), operands[0], getAxes(),
                                        rankedType(getOutput()), 0.0, add)};
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

OpFoldResult ReduceMaxOp::fold(FoldAdaptor adaptor) {
  return foldReduce(adaptor.getInput(), getAxes(), rankedType(getOutput()),
                    -std::numeric_limits<double>::infinity(),
                    [](double a, double b) {
                      return std::isnan(a) || a > b ? a : b;
                    });
}

FailureOr<SmallVector<Value>> ReduceMaxOp::buildBody(OpBuilder &b,
                                                     ValueRange operands) {
  auto max = [](OpBuilder &nested, Location loc, ValueRange s) -> Value {
    return arith::MaximumFOp::create(nested, loc, s[1],
                                     widen(nested, loc, s[0]));
  };
  return SmallVector<Value>{
      buildReduce(b, getLoc(), operands[0], getAxes(), rankedType(getOutput()),
                  -std::numeric_limits<double>::infinity(), max)};
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
