// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies over rows of a tensor.
#include "dialects/NN/Ops/RowBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mpc::nn;

static constexpr double kLowest = -std::numeric_limits<double>::infinity();

RowBody::RowBody(OpBuilder &b, Location loc, Value input,
                 ArrayRef<int64_t> axes)
    : b(b), loc(loc) {
  auto type = cast<RankedTensorType>(input.getType());
  compute = getComputeType(type.getElementType());
  full = type.clone(compute);
  space.reduced.assign(type.getRank(), false);
  SmallVector<int64_t> shape;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    space.reduced[axis] = llvm::is_contained(axes, axis);
    if (space.reduced[axis])
      count *= static_cast<double>(type.getDimSize(axis));
    else
      shape.push_back(type.getDimSize(axis));
  }
  rows = RankedTensorType::get(shape, compute);
}

MappedTensor RowBody::all(Value x) const {
  return {x, b.getMultiDimIdentityMap(full.getRank())};
}

MappedTensor RowBody::row(Value x) const {
  return {x, space.resultMap(b.getContext())};
}

MappedTensor RowBody::along(Value x) const {
  SmallVector<AffineExpr> results;
  for (auto [axis, reduced] : llvm::enumerate(space.reduced))
    if (reduced)
      results.push_back(b.getAffineDimExpr(axis));
  return {x, AffineMap::get(full.getRank(), 0, results, b.getContext())};
}

Value RowBody::map(ArrayRef<MappedTensor> inputs, ScalarFn fn) {
  return buildMap(b, loc, full, inputs, fn);
}

Value RowBody::mapRows(ArrayRef<Value> inputs, ScalarFn fn) {
  SmallVector<MappedTensor> mapped;
  for (Value input : inputs)
    mapped.push_back({input, b.getMultiDimIdentityMap(rows.getRank())});
  return buildMap(b, loc, rows, mapped, fn);
}

Value RowBody::reduce(ArrayRef<MappedTensor> inputs, double init, ScalarFn fn) {
  return buildReduction(b, loc, rows, space, inputs, init, fn);
}

Value RowBody::max(Value x) {
  return reduce(
      {all(x)}, kLowest, [](OpBuilder &n, Location l, ValueRange s) -> Value {
        return arith::MaximumFOp::create(n, l, s[1], widen(n, l, s[0]));
      });
}

Value RowBody::sum(Value x) {
  return reduce({all(x)}, 0.0,
                [](OpBuilder &n, Location l, ValueRange s) -> Value {
                  return arith::AddFOp::create(n, l, s[1], widen(n, l, s[0]));
                });
}

Value RowBody::sumSquares(Value x) {
  return reduce({all(x)}, 0.0,
                [](OpBuilder &n, Location l, ValueRange s) -> Value {
                  Value wide = widen(n, l, s[0]);
                  return arith::AddFOp::create(
                      n, l, s[1], arith::MulFOp::create(n, l, wide, wide));
                });
}

Value RowBody::mean(Value x) {
  return mapRows({sum(x)}, [&](OpBuilder &n, Location l, ValueRange s) {
    return buildScaled(n, l, s[0], 1.0 / count);
  });
}

Value RowBody::subtractRow(Value x, Value values) {
  return map({all(x), row(values)},
             [](OpBuilder &n, Location l, ValueRange s) -> Value {
               return arith::SubFOp::create(n, l, widen(n, l, s[0]), s[1]);
             });
}

Value RowBody::expShifted(Value x, Value peak) {
  return map(
      {all(x), row(peak)}, [](OpBuilder &n, Location l, ValueRange s) -> Value {
        Value shifted = arith::SubFOp::create(n, l, widen(n, l, s[0]), s[1]);
        return math::ExpOp::create(n, l, shifted);
      });
}

Value RowBody::reciprocalDeviation(Value squares, double epsilon) {
  return mapRows({squares}, [&](OpBuilder &n, Location l, ValueRange s) {
    Value variance = buildScaled(n, l, s[0], 1.0 / count);
    return buildReciprocalDeviation(n, l, variance, epsilon);
  });
}

SmallVector<int64_t> mpc::nn::axesFrom(int64_t axis, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  return llvm::to_vector(llvm::seq<int64_t>(axis, type.getRank()));
}

Value mpc::nn::buildScaled(OpBuilder &b, Location loc, Value value,
                           double factor) {
  Value constant = buildScalarConstant(b, loc, value.getType(), factor);
  return arith::MulFOp::create(b, loc, value, constant);
}

Value mpc::nn::buildReciprocalDeviation(OpBuilder &b, Location loc,
                                        Value variance, double epsilon) {
  Value eps = buildScalarConstant(b, loc, variance.getType(), epsilon);
  Value one = buildScalarConstant(b, loc, variance.getType(), 1.0);
  Value root = math::SqrtOp::create(
      b, loc, arith::AddFOp::create(b, loc, variance, eps));
  return arith::DivFOp::create(b, loc, one, root);
}
