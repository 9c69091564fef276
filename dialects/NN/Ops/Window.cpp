// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sliding windows.
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <limits>

using namespace mlir;
using namespace mpc::nn;

StringRef MaxPoolOp::getReferenceOp() {
  return getWindow().size() == 3 ? "max_pool3d" : "max_pool2d";
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

namespace {

/// The position of a pool's loops in the unpadded input.
class PoolPosition {
public:
  PoolPosition(OpBuilder &b, Location loc, MaxPoolOp op)
      : b_(b), loc_(loc), op_(op),
        sizes_(shapeOf(op.getInput()).drop_front(2)) {
    for (int64_t i = 0, e = sizes_.size(); i < e; ++i) {
      taps_.push_back(linalg::IndexOp::create(b, loc, 2 + e + i));
      Value start = linalg::IndexOp::create(b, loc, 2 + i);
      start = arith::MulIOp::create(b, loc, start, index(op.getStrides()[i]));
      Value shift = arith::MulIOp::create(b, loc, taps_.back(),
                                          index(op.getDilations()[i]));
      Value place = arith::AddIOp::create(b, loc, start, shift);
      places_.push_back(
          arith::SubIOp::create(b, loc, place, index(op.getLow()[i])));
    }
  }

  /// The flat position, as i64.
  Value flat() {
    Value result = index(0);
    for (auto [place, size] : llvm::zip(places_, sizes_))
      result = arith::AddIOp::create(
          b_, loc_, arith::MulIOp::create(b_, loc_, result, index(size)),
          place);
    return arith::IndexCastOp::create(b_, loc_, b_.getI64Type(), result);
  }

  /// Whether this is the first position of its window outside of the padding,
  /// along each axis.
  Value isFirst() {
    Value first = arith::ConstantIntOp::create(b_, loc_, 1, 1);
    for (size_t i = 0; i < places_.size(); ++i) {
      Value before = arith::SubIOp::create(b_, loc_, places_[i],
                                           index(op_.getDilations()[i]));
      Value none = lor(compare(arith::CmpIPredicate::slt, before, 0),
                       compare(arith::CmpIPredicate::eq, taps_[i], 0));
      first = land(first, none);
      if (op_.getLow()[i] != 0)
        first = land(first, compare(arith::CmpIPredicate::sge, places_[i], 0));
      if (op_.getHigh()[i] != 0)
        first = land(first,
                     compare(arith::CmpIPredicate::slt, places_[i], sizes_[i]));
    }
    return first;
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b_, loc_, value);
  }
  Value compare(arith::CmpIPredicate how, Value x, int64_t y) {
    return arith::CmpIOp::create(b_, loc_, how, x, index(y));
  }
  Value land(Value x, Value y) { return arith::AndIOp::create(b_, loc_, x, y); }
  Value lor(Value x, Value y) { return arith::OrIOp::create(b_, loc_, x, y); }

  OpBuilder &b_;
  Location loc_;
  MaxPoolOp op_;
  ArrayRef<int64_t> sizes_;
  SmallVector<Value> taps_, places_;
};

} // namespace

/// Keeps the larger value, and its position where that is used. Of equal values
/// the first is kept, of NaNs the last, as in PyTorch. In a window of -inf
/// alone no comparison is true, so that the first position is set without one.
static void keepLarger(OpBuilder &b, Location loc, MaxPoolOp op, ValueRange s) {
  Value x = s[0], best = s[2];
  Value larger =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, best);
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value take = arith::OrIOp::create(b, loc, larger, isNaN);
  if (s.size() == 3) {
    Value value = arith::SelectOp::create(b, loc, take, x, best);
    linalg::YieldOp::create(b, loc, value);
    return;
  }
  PoolPosition position(b, loc, op);
  take = arith::OrIOp::create(b, loc, take, position.isFirst());
  Value value = arith::SelectOp::create(b, loc, take, x, best);
  Value index = arith::SelectOp::create(b, loc, take, position.flat(), s[3]);
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
  if (computeProduct(getLow()) != 0 ||
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
  SmallVector<AffineMap> maps{AffineMap::get(dims, 0, read, getContext()),
                              AffineMap::get(dims, 0, window, getContext()),
                              space.resultMap(getContext())};
  SmallVector<Value> first{fill(type.getElementType(), lowest)};
  // A result that nobody reads would be computed all the same.
  bool hasPlaces = !getIndices().use_empty();
  if (hasPlaces) {
    maps.push_back(maps.back());
    first.push_back(fill(b.getI64Type(), 0));
  }
  auto pool = linalg::GenericOp::create(
      b, loc, TypeRange(ValueRange(first)), ValueRange{input, bounds}, first,
      maps, space.iterators(),
      [&](OpBuilder &nested, Location l, ValueRange s) {
        keepLarger(nested, l, *this, s);
      });
  SmallVector<Value> results(pool.getResults());
  if (!hasPlaces)
    results.push_back(
        tensor::EmptyOp::create(b, loc, type.getShape(), b.getI64Type()));
  return results;
}

// The cotangent goes to the place that held the maximum.
LogicalResult MaxPoolOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  ArrayRef<int64_t> x = shapeOf(getInput()), y = shapeOf(getOutput());
  int64_t outer = x[0] * x[1];
  int64_t from = computeProduct(x.drop_front(2)),
          to = computeProduct(y.drop_front(2));
  Value updates = g.reshape(dOut[0], {outer, to});
  Value indices = g.reshape(getIndices(), {outer, to});
  auto flat = rankedType(getInput()).clone({outer, from});
  Value sum = ScatterAddOp::create(b, getLoc(), flat, updates, indices, 1, 1);
  dIn[0] = g.reshape(sum, x);
  return success();
}
