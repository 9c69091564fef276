// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short forms of nn ops, in which VJPs are written.
#include "dialects/NN/Gradient.h"

#include "dialects/NN/BodyBuilder.h"

using namespace mlir;
using namespace mpc::nn;

Value GradientBuilder::cast(Value x, Type elementType) {
  if (rankedType(x).getElementType() == elementType)
    return x;
  return CastOp::create(b, loc, rankedType(x).clone(elementType), x);
}

Value GradientBuilder::wide(Value x) {
  return cast(x, getComputeType(rankedType(x).getElementType()));
}

Value GradientBuilder::as(Value x, Value like) {
  return cast(x, rankedType(like).getElementType());
}

Value GradientBuilder::splat(RankedTensorType type, double value) {
  Type elementType = type.getElementType();
  Attribute element;
  if (auto floatType = dyn_cast<FloatType>(elementType))
    element = b.getFloatAttr(floatType, value);
  else
    element = b.getIntegerAttr(elementType, static_cast<int64_t>(value));
  return ConstantOp::create(b, loc, type,
                            DenseElementsAttr::get(type, element));
}

Value GradientBuilder::splat(Value like, double value) {
  return splat(rankedType(like), value);
}

Value GradientBuilder::neg(Value x) {
  return NegOp::create(b, loc, x.getType(), x);
}
Value GradientBuilder::add(Value x, Value y) {
  return AddOp::create(b, loc, x.getType(), x, y);
}
Value GradientBuilder::sub(Value x, Value y) {
  return SubOp::create(b, loc, x.getType(), x, y);
}
Value GradientBuilder::mul(Value x, Value y) {
  return MulOp::create(b, loc, x.getType(), x, y);
}
Value GradientBuilder::div(Value x, Value y) {
  return DivOp::create(b, loc, x.getType(), x, y);
}
Value GradientBuilder::scale(Value x, double factor) {
  return mul(x, splat(x, factor));
}
Value GradientBuilder::compare(CompareKind kind, Value x, Value y) {
  return CompareOp::create(b, loc, rankedType(x).clone(b.getI1Type()), kind, x,
                           y);
}
Value GradientBuilder::select(Value mask, Value x, Value y) {
  return SelectOp::create(b, loc, x.getType(), mask, x, y);
}

Value GradientBuilder::sum(Value x, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  return ReduceSumOp::create(b, loc, x, axes);
}

Value GradientBuilder::broadcast(Value x, ArrayRef<int64_t> axes,
                                 ArrayRef<int64_t> shape) {
  if (rankedType(x).getShape() == shape)
    return x;
  return BroadcastOp::create(b, loc, rankedType(x).clone(shape), x, axes);
}

Value GradientBuilder::sumLike(Value x, ArrayRef<int64_t> axes) {
  int64_t rank = rankedType(x).getRank();
  return broadcast(sum(x, axes), otherAxes(rank, axes), shapeOf(x));
}

Value GradientBuilder::meanLike(Value x, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= rankedType(x).getDimSize(axis);
  Value total = sum(x, axes);
  return broadcast(scale(total, 1.0 / static_cast<double>(count)),
                   otherAxes(rankedType(x).getRank(), axes), shapeOf(x));
}

Value GradientBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  if (rankedType(x).getShape() == shape)
    return x;
  return ReshapeOp::create(b, loc, rankedType(x).clone(shape), x);
}

SmallVector<int64_t> mpc::nn::otherAxes(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> others;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(axes, axis))
      others.push_back(axis);
  return others;
}

RankedTensorType mpc::nn::rankedType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

ArrayRef<int64_t> mpc::nn::shapeOf(Value value) {
  return rankedType(value).getShape();
}

void mpc::nn::unaryVJP(
    OpBuilder &builder, Operation *op, ArrayRef<Value> cotangents,
    MutableArrayRef<Value> operandCotangents,
    function_ref<Value(GradientBuilder &, Value, Value)> fn) {
  if (!cotangents[0])
    return;
  GradientBuilder g(builder, op->getLoc());
  Value input = op->getOperand(0);
  Value gradient = fn(g, g.wide(cotangents[0]), g.wide(input));
  operandCotangents[0] = g.as(gradient, input);
}
