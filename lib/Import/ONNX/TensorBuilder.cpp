// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The ops of nn, or the literals that they would compute.
#include "lib/Import/ONNX/TensorBuilder.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace mpc::onnx {

std::optional<double> Operand::splatValue() const {
  if (!literal || !literal->isSplat())
    return std::nullopt;
  return literal->floatAt(0);
}

Type elementType(MLIRContext *context, ElemType type) {
  switch (type) {
  case ElemType::Float:
    return Float32Type::get(context);
  case ElemType::Float16:
    return Float16Type::get(context);
  case ElemType::BFloat16:
    return BFloat16Type::get(context);
  case ElemType::Double:
    return Float64Type::get(context);
  case ElemType::Bool:
    return IntegerType::get(context, 1);
  case ElemType::Int8:
    return IntegerType::get(context, 8);
  case ElemType::Int16:
    return IntegerType::get(context, 16);
  case ElemType::Int32:
    return IntegerType::get(context, 32);
  case ElemType::Int64:
    return IntegerType::get(context, 64);
  default:
    return Type();
  }
}

ElemType elementTypeOf(Type type) {
  if (type.isF32())
    return ElemType::Float;
  if (type.isF16())
    return ElemType::Float16;
  if (type.isBF16())
    return ElemType::BFloat16;
  if (type.isF64())
    return ElemType::Double;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return ElemType::Bool;
  case 8:
    return ElemType::Int8;
  case 16:
    return ElemType::Int16;
  case 32:
    return ElemType::Int32;
  default:
    return ElemType::Int64;
  }
}

std::optional<Shape> broadcastShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape shape(a);
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &size = shape[a.size() - 1 - i];
    int64_t other = b[b.size() - 1 - i];
    if (size != other && size != 1 && other != 1)
      return std::nullopt;
    if (size == 1)
      size = other;
  }
  return shape;
}

RankedTensorType TensorBuilder::tensorType(ElemType type,
                                           ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, elementType(builder_.getContext(), type));
}

Operand TensorBuilder::fromValue(Value value) {
  auto type = llvm::cast<RankedTensorType>(value.getType());
  Operand operand;
  operand.type = elementTypeOf(type.getElementType());
  operand.shape = Shape(type.getShape());
  operand.value = value;
  return operand;
}

Operand TensorBuilder::fromLiteral(Literal literal) {
  literals_.push_back(std::move(literal));
  Operand operand;
  operand.type = literals_.back().type;
  operand.shape = literals_.back().shape;
  operand.literal = &literals_.back();
  return operand;
}

std::optional<Operand> TensorBuilder::wrap(std::optional<Literal> literal) {
  if (!literal)
    return std::nullopt;
  return fromLiteral(std::move(*literal));
}

/// Bytes whose every element is the same, cut to one of them.
static ArrayRef<char> shrinkSplat(ArrayRef<char> bytes, size_t size) {
  if (bytes.size() <= size || bytes.size() % size != 0)
    return bytes;
  bool same = std::equal(bytes.begin() + size, bytes.end(), bytes.begin());
  return same ? bytes.take_front(size) : bytes;
}

Value TensorBuilder::value(const Operand &operand) {
  if (operand.value)
    return operand.value;
  const Literal &literal = *operand.literal;
  RankedTensorType type = tensorType(literal.type, literal.shape);
  ArrayRef<char> bytes = shrinkSplat(literal.bytes, byteSize(literal.type));
  if (literal.numElements() == 0)
    bytes = {};
  DenseElementsAttr attr;
  if (literal.type == ElemType::Bool) {
    SmallVector<bool> bits =
        map_to_vector(bytes, [](char bit) { return bit != 0; });
    attr = DenseElementsAttr::get(type, ArrayRef<bool>(bits));
  } else {
    attr = DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  return nn::ConstantOp::create(builder_, location_, type, attr);
}

Operand TensorBuilder::splat(ElemType type, ArrayRef<int64_t> shape,
                             double value) {
  return fromLiteral(folder_.splat(type, shape, value));
}

Operand TensorBuilder::splatLike(const Operand &like, double value) {
  return splat(like.type, like.shape, value);
}

Operand TensorBuilder::ints(ArrayRef<int64_t> values) {
  // A shape's worth of numbers: no budget refuses it but a spent one.
  std::optional<Operand> known = wrap(folder_.fromInts(
      ElemType::Int64, {static_cast<int64_t>(values.size())}, values));
  if (known)
    return *known;
  auto type = tensorType(ElemType::Int64, {int64_t(values.size())});
  return fromValue(nn::ConstantOp::create(
      builder_, location_, type, DenseElementsAttr::get(type, values)));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Operand TensorBuilder::reshape(const Operand &input, ArrayRef<int64_t> shape) {
  if (input.shape == shape)
    return input;
  if (input.literal)
    return fromLiteral(folder_.reshape(*input.literal, shape));
  return fromValue(nn::ReshapeOp::create(
      builder_, location_, tensorType(input.type, shape), value(input)));
}

Operand TensorBuilder::transpose(const Operand &input,
                                 ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, seq<int64_t>(0, input.rank())))
    return input;
  Shape shape;
  SmallVector<int64_t> from = denseStrides(input.shape), strides;
  for (int64_t axis : permutation) {
    shape.push_back(input.shape[axis]);
    strides.push_back(from[axis]);
  }
  if (input.literal)
    if (auto known = wrap(folder_.strided(*input.literal, shape, 0, strides)))
      return *known;
  return fromValue(nn::TransposeOp::create(builder_, location_,
                                           tensorType(input.type, shape),
                                           value(input), permutation));
}

Operand TensorBuilder::broadcast(const Operand &input, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> axes) {
  if (input.shape == shape)
    return input;
  // A constant of one number is made in its final shape: its gradient and its
  // kernels are then those of a constant, not of a broadcast. Others, like
  // masks, stay small.
  if (input.literal && (input.literal->isSplat() ||
                        countElements(shape).value_or(INT64_MAX) <= 1024)) {
    SmallVector<int64_t> from = denseStrides(input.shape);
    SmallVector<int64_t> strides(shape.size(), 0);
    for (auto [index, axis] : enumerate(axes))
      if (input.shape[index] != 1)
        strides[axis] = from[index];
    if (auto known = wrap(folder_.strided(*input.literal, shape, 0, strides)))
      return *known;
  }
  return fromValue(nn::BroadcastOp::create(
      builder_, location_, tensorType(input.type, shape), value(input), axes));
}

Operand TensorBuilder::broadcastTo(const Operand &input,
                                   ArrayRef<int64_t> shape) {
  int64_t first = static_cast<int64_t>(shape.size()) - input.rank();
  return broadcast(input, shape,
                   to_vector(seq<int64_t>(first, first + input.rank())));
}

Operand TensorBuilder::slice(const Operand &input, ArrayRef<int64_t> starts,
                             ArrayRef<int64_t> limits,
                             ArrayRef<int64_t> strides) {
  Shape shape;
  SmallVector<int64_t> from = denseStrides(input.shape), steps;
  int64_t base = 0;
  for (int64_t axis = 0; axis < input.rank(); ++axis) {
    int64_t extent = limits[axis] - starts[axis];
    shape.push_back(extent <= 0 ? 0 : (extent - 1) / strides[axis] + 1);
    base += starts[axis] * from[axis];
    steps.push_back(from[axis] * strides[axis]);
  }
  if (input.shape == shape)
    return input;
  if (input.literal)
    if (auto known = wrap(folder_.strided(*input.literal, shape, base, steps)))
      return *known;
  return fromValue(nn::SliceOp::create(builder_, location_,
                                       tensorType(input.type, shape),
                                       value(input), starts, limits, strides));
}

Operand TensorBuilder::sliceAxis(const Operand &input, int64_t axis,
                                 int64_t start, int64_t limit) {
  SmallVector<int64_t> starts(input.rank(), 0), strides(input.rank(), 1);
  Shape limits(input.shape);
  starts[axis] = start;
  limits[axis] = limit;
  return slice(input, starts, limits, strides);
}

std::vector<Operand> TensorBuilder::split(const Operand &input, int64_t axis,
                                          ArrayRef<int64_t> sizes) {
  std::vector<Operand> parts;
  if (input.literal || sizes.size() == 1) {
    int64_t start = 0;
    for (int64_t size : sizes) {
      parts.push_back(sliceAxis(input, axis, start, start + size));
      start += size;
    }
    return parts;
  }
  SmallVector<mlir::Type> types;
  for (int64_t size : sizes) {
    Shape shape(input.shape);
    shape[axis] = size;
    types.push_back(tensorType(input.type, shape));
  }
  auto op = nn::SplitOp::create(builder_, location_, types, value(input), axis);
  for (mlir::Value output : op.getOutputs())
    parts.push_back(fromValue(output));
  return parts;
}

Operand TensorBuilder::reverse(const Operand &input, ArrayRef<int64_t> axes) {
  if (input.literal && !is_contained(input.shape, 0)) {
    SmallVector<int64_t> strides = denseStrides(input.shape);
    int64_t base = 0;
    for (int64_t axis : axes) {
      base += (input.shape[axis] - 1) * strides[axis];
      strides[axis] = -strides[axis];
    }
    if (auto known =
            wrap(folder_.strided(*input.literal, input.shape, base, strides)))
      return *known;
  }
  return fromValue(nn::ReverseOp::create(builder_, location_,
                                         tensorType(input.type, input.shape),
                                         value(input), axes));
}

Operand TensorBuilder::concat(ArrayRef<Operand> inputs, int64_t axis) {
  if (inputs.size() == 1)
    return inputs.front();
  if (all_of(inputs, [](const Operand &in) { return in.literal; })) {
    auto literals =
        map_to_vector(inputs, [](const Operand &in) { return in.literal; });
    if (auto known = wrap(folder_.concat(literals, axis)))
      return *known;
  }
  Shape shape = inputs.front().shape;
  for (const Operand &input : inputs.drop_front())
    shape[axis] += input.shape[axis];
  auto values =
      map_to_vector(inputs, [&](const Operand &in) { return value(in); });
  return fromValue(nn::ConcatOp::create(builder_, location_,
                                        tensorType(inputs.front().type, shape),
                                        values, static_cast<uint64_t>(axis)));
}

Operand TensorBuilder::pad(const Operand &input, ArrayRef<int64_t> low,
                           ArrayRef<int64_t> high, ArrayRef<int64_t> interior,
                           double padding) {
  Shape shape;
  bool change = false;
  for (int64_t axis = 0; axis < input.rank(); ++axis) {
    int64_t size = input.shape[axis];
    shape.push_back(size + low[axis] + high[axis] +
                    std::max<int64_t>(size - 1, 0) * interior[axis]);
    change |= low[axis] != 0 || high[axis] != 0 || interior[axis] != 0;
  }
  if (!change)
    return input;
  return fromValue(
      nn::PadOp::create(builder_, location_, tensorType(input.type, shape),
                        value(input), low, high, interior, APFloat(padding)));
}

Operand TensorBuilder::gather(const Operand &input, const Operand &indices,
                              int64_t axis, int64_t batchDims) {
  ArrayRef<int64_t> in = input.shape;
  if (indices.literal && batchDims == 0) {
    // One known index is a slice: its gradient is a pad, not a scatter.
    if (indices.rank() == 0) {
      int64_t at = indices.literal->intAt(0);
      Shape shape(in.take_front(axis));
      append_range(shape, in.drop_front(axis + 1));
      return reshape(sliceAxis(input, axis, at, at + 1), shape);
    }
    if (input.literal)
      if (auto known =
              wrap(folder_.gather(*input.literal, *indices.literal, axis)))
        return *known;
  }
  Shape shape(in.take_front(axis));
  append_range(shape, ArrayRef(indices.shape).drop_front(batchDims));
  append_range(shape, in.drop_front(axis + 1));
  return fromValue(nn::GatherOp::create(
      builder_, location_, tensorType(input.type, shape), value(input),
      value(indices), static_cast<uint64_t>(axis),
      static_cast<uint64_t>(batchDims)));
}

//===----------------------------------------------------------------------===//
// Reductions, contractions, normalization
//===----------------------------------------------------------------------===//

static Shape without(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  Shape kept;
  for (auto [axis, size] : enumerate(shape))
    if (!is_contained(axes, static_cast<int64_t>(axis)))
      kept.push_back(size);
  return kept;
}

Operand TensorBuilder::reduceSum(const Operand &input, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return input;
  return fromValue(nn::ReduceSumOp::create(
      builder_, location_, tensorType(input.type, without(input.shape, axes)),
      value(input), axes));
}

Operand TensorBuilder::reduceMax(const Operand &input, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return input;
  return fromValue(nn::ReduceMaxOp::create(
      builder_, location_, tensorType(input.type, without(input.shape, axes)),
      value(input), axes));
}

Operand TensorBuilder::reduceMean(const Operand &input,
                                  ArrayRef<int64_t> axes) {
  // In f16 a sum may overflow where the mean does not.
  bool narrow =
      input.type == ElemType::Float16 || input.type == ElemType::BFloat16;
  Operand wide = narrow ? cast(input, ElemType::Float) : input;
  double count = 1;
  for (int64_t axis : axes)
    count *= static_cast<double>(input.shape[axis]);
  Operand mean = binary(Binary::Div, reduceSum(wide, axes), count);
  return cast(mean, input.type);
}

Operand TensorBuilder::matmul(const Operand &lhs, const Operand &rhs,
                              bool transposeLhs, bool transposeRhs) {
  Shape shape(ArrayRef(lhs.shape).drop_back(2));
  shape.push_back(lhs.shape[lhs.rank() - (transposeLhs ? 1 : 2)]);
  shape.push_back(rhs.shape[rhs.rank() - (transposeRhs ? 2 : 1)]);
  Value left = value(lhs);
  return fromValue(
      nn::MatmulOp::create(builder_, location_, tensorType(lhs.type, shape),
                           left, value(rhs), /*bias=*/Value(), transposeLhs,
                           transposeRhs));
}

Operand TensorBuilder::linear(const Operand &input, const Operand &weight,
                              const Operand *bias) {
  Shape shape(input.shape);
  shape.back() = weight.shape.front();
  Value in = value(input);
  Value w = value(weight);
  return fromValue(nn::LinearOp::create(builder_, location_,
                                        tensorType(input.type, shape), in, w,
                                        bias ? value(*bias) : Value()));
}

Operand TensorBuilder::softmax(const Operand &input, int64_t axis) {
  return fromValue(nn::SoftmaxOp::create(
      builder_, location_, tensorType(input.type, input.shape), value(input),
      static_cast<uint64_t>(axis)));
}

Operand TensorBuilder::logSoftmax(const Operand &input, int64_t axis) {
  return fromValue(nn::LogSoftmaxOp::create(
      builder_, location_, tensorType(input.type, input.shape), value(input),
      static_cast<uint64_t>(axis)));
}

Operand TensorBuilder::layerNorm(const Operand &input, const Operand *scale,
                                 const Operand *bias, int64_t axis,
                                 double epsilon) {
  Value in = value(input);
  Value gamma = scale ? value(*scale) : Value();
  Value beta = bias ? value(*bias) : Value();
  return fromValue(nn::LayerNormOp::create(
      builder_, location_, tensorType(input.type, input.shape), in, gamma, beta,
      static_cast<uint64_t>(axis), APFloat(epsilon)));
}

} // namespace mpc::onnx
