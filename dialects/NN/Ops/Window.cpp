// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sliding windows.
#include "dialects/NN/Body.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mpc::nn;

using Cotangents = ArrayRef<Value>;
using Gradients = MutableArrayRef<Value>;

static RankedTensorType rankedType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          MaxPoolOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  auto type = rankedType(adaptor.getInput());
  int64_t spatial = type.getRank() - 2;
  if (spatial < 1)
    return emitOptionalError(loc, "input needs a spatial axis");
  for (ArrayRef<int64_t> list :
       {adaptor.getWindow(), adaptor.getStrides(), adaptor.getLow(),
        adaptor.getHigh(), adaptor.getDilations()})
    if (static_cast<int64_t>(list.size()) != spatial)
      return emitOptionalError(
          loc,
          "window, strides, padding and dilations need one number for "
          "each of ",
          spatial, " spatial axes");
  SmallVector<int64_t> shape(type.getShape().take_front(2));
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t window =
        (adaptor.getWindow()[i] - 1) * adaptor.getDilations()[i] + 1;
    int64_t padded =
        type.getDimSize(i + 2) + adaptor.getLow()[i] + adaptor.getHigh()[i];
    if (adaptor.getWindow()[i] < 1 || adaptor.getStrides()[i] < 1 ||
        adaptor.getDilations()[i] < 1 || adaptor.getLow()[i] < 0 ||
        adaptor.getHigh()[i] < 0 || padded < window)
      return emitOptionalError(loc, "window of ", window,
                               " does not fit the padded input's ", padded,
                               " on spatial axis ", i);
    shape.push_back((padded - window) / adaptor.getStrides()[i] + 1);
  }
  inferred.push_back(type.clone(shape));
  inferred.push_back(
      RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

/// The flat position in the unpadded input that the loops stand on.
static Value flatPosition(OpBuilder &b, Location loc, MaxPoolOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  int64_t spatial = shape.size() - 2;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value flat = constant(0);
  for (int64_t i = 0; i < spatial; ++i) {
    Value y = linalg::IndexOp::create(b, loc, 2 + i);
    Value k = linalg::IndexOp::create(b, loc, 2 + spatial + i);
    Value at = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, y, constant(op.getStrides()[i])),
        arith::MulIOp::create(b, loc, k, constant(op.getDilations()[i])));
    at = arith::SubIOp::create(b, loc, at, constant(op.getLow()[i]));
    flat = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, flat, constant(shape[i + 2])),
        at);
  }
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), flat);
}

/// Keeps the larger value and its position; NaN is largest, the first stays.
static void keepLarger(OpBuilder &b, Location loc, MaxPoolOp op, ValueRange s) {
  Value x = s[0], best = s[2], place = s[3];
  Value larger =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, best);
  Value xIsNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value bestIsNumber =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
  Value firstNaN = arith::AndIOp::create(b, loc, xIsNaN, bestIsNumber);
  Value take = arith::OrIOp::create(b, loc, larger, firstNaN);
  Value value = arith::SelectOp::create(b, loc, take, x, best);
  Value index =
      arith::SelectOp::create(b, loc, take, flatPosition(b, loc, op), place);
  linalg::YieldOp::create(b, loc, {value, index});
}

FailureOr<SmallVector<Value>> MaxPoolOp::buildBody(OpBuilder &b,
                                                   ValueRange operands) {
  Location loc = getLoc();
  auto type = rankedType(getOutput());
  int64_t rank = type.getRank(), spatial = rank - 2, dims = rank + spatial;
  SmallVector<int64_t> low{0, 0}, high{0, 0}, interior(rank, 0);
  llvm::append_range(low, getLow());
  llvm::append_range(high, getHigh());
  double lowest = -std::numeric_limits<double>::infinity();
  Value input = operands[0];
  if (product(getLow()) != 0 ||
      llvm::any_of(low, [](int64_t p) { return p; }) ||
      llvm::any_of(high, [](int64_t p) { return p; }))
    input = buildPad(b, loc, input, low, high, interior, lowest);
  SmallVector<AffineExpr> read{b.getAffineDimExpr(0), b.getAffineDimExpr(1)};
  SmallVector<AffineExpr> window;
  for (int64_t i = 0; i < spatial; ++i) {
    read.push_back(b.getAffineDimExpr(2 + i) * getStrides()[i] +
                   b.getAffineDimExpr(rank + i) * getDilations()[i]);
    window.push_back(b.getAffineDimExpr(rank + i));
  }
  ReductionSpace space;
  space.reduced.assign(dims, false);
  for (int64_t i = rank; i < dims; ++i)
    space.reduced[i] = true;
  auto fill = [&](Type elementType, double value) -> Value {
    Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), elementType);
    Value start = buildScalarConstant(b, loc, elementType, value);
    return linalg::FillOp::create(b, loc, start, empty).getResult(0);
  };
  // The shape of this operand gives the window's loops their bounds.
  Value bounds = tensor::EmptyOp::create(b, loc, getWindow(), b.getI1Type());
  AffineMap place = space.resultMap(getContext());
  auto pool = linalg::GenericOp::create(
      b, loc, getResultTypes(), ValueRange{input, bounds},
      ValueRange{fill(type.getElementType(), lowest), fill(b.getI64Type(), 0)},
      ArrayRef<AffineMap>{AffineMap::get(dims, 0, read, getContext()),
                          AffineMap::get(dims, 0, window, getContext()), place,
                          place},
      space.iterators(), [&](OpBuilder &nested, Location l, ValueRange s) {
        keepLarger(nested, l, *this, s);
      });
  return SmallVector<Value>(pool.getResults());
}

// The cotangent goes to the place that held the maximum.
LogicalResult MaxPoolOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  ArrayRef<int64_t> x = shapeOf(getInput()), y = shapeOf(getOutput());
  int64_t outer = x[0] * x[1];
  int64_t from = product(x.drop_front(2)), to = product(y.drop_front(2));
  Value updates = g.reshape(dOut[0], {outer, to});
  Value indices = g.reshape(getIndices(), {outer, to});
  auto flat = rankedType(getInput()).clone({outer, from});
  Value sum = ScatterAddOp::create(b, getLoc(), flat, updates, indices, 1, 1);
  dIn[0] = g.reshape(sum, x);
  return success();
}
