// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that select elements by index or by position.
#include "lib/Import/ONNX/Ops/Places.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Known indices, counted from the front and within the axis.
Expected<Operand> checkedIndices(NodeImporter &node, size_t index,
                                 int64_t size) {
  const Operand &indices = node.in(index);
  if (!indices.known)
    return indices;
  bool negative = false;
  for (int64_t i = 0, e = indices.known.getNumElements(); i < e; ++i) {
    int64_t value = nn::intAt(indices.known, i);
    if (value < -size || value >= size)
      return node.fail("index " + Twine(value) +
                       " is out of range for an axis of size " + Twine(size));
    negative |= value < 0;
  }
  if (!negative)
    return indices;
  TensorBuilder &b = node.build;
  Operand below =
      b.compare(nn::CompareKind::LT, indices, b.splatLike(indices, 0));
  return b.select(below,
                  b.binary(Binary::Add, indices, static_cast<double>(size)),
                  indices);
}

/// Whether each row divides its gradient among all that read it.
bool sharesGradient(const NodeImporter &node) {
  return node.isSet(setting::kSharesGradient) ||
         (node.isSet(setting::kSharesGradientOfList) && node.in(0).isFloat() &&
          node.in(1).rank() == 1);
}

/// `read`, rows of a table of `size` at `indices`, with a gradient divided by
/// the number of times that the row is read: s + (x - s) / n, where s has no
/// gradient.
Operand scaledByFrequency(TensorBuilder &b, const Operand &read,
                          const Operand &indices, int64_t size) {
  int64_t number = *countElements(indices.shape);
  Operand flat = b.reshape(indices, {number});
  Operand counts = b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(b.f32(), {size}),
      b.splat(b.f32(), {number}, 1).value, flat.value, /*axis=*/0,
      /*batch_dims=*/0));
  Operand count = b.cast(b.gather(counts, flat, 0), read.type);
  Operand rows = b.reshape(read, {number, *countElements(read.shape) / number});
  Operand still = b.withoutGradient(rows);
  Operand share = b.binary(Binary::Div, b.binary(Binary::Sub, rows, still),
                           b.broadcast(count, rows.shape, {0}));
  return b.reshape(b.binary(Binary::Add, still, share), read.shape);
}

Error emitGather(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY(node.requireIndices(1));
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", 0), input.rank()));
  MPC_TRY_ASSIGN(Operand indices, checkedIndices(node, 1, input.shape[axis]));
  Shape shape(ArrayRef(input.shape).take_front(axis));
  append_range(shape, indices.shape);
  append_range(shape, ArrayRef(input.shape).drop_front(axis + 1));
  MPC_TRY(node.checkSize(shape));
  if (input.shape[axis] == 0 && *countElements(shape) != 0)
    return node.fail("gathers from an empty axis");
  Operand read = node.build.gather(input, indices, axis, /*batchDims=*/0,
                                   node.setting<int64_t>(setting::kFrozenRow));
  if (sharesGradient(node) && *countElements(indices.shape) != 0)
    read = scaledByFrequency(node.build, read, indices, input.shape[axis]);
  node.result(0, read);
  return Error::success();
}

Error emitGatherElements(NodeImporter &node) {
  MPC_TRY(node.requireIndices(1));
  const Operand &data = node.in(0), &indices = node.in(1);
  MPC_TRY_ASSIGN(Flattened at, placesOfElements(node, data.shape, indices));
  TensorBuilder &b = node.build;
  Operand elements = b.gather(b.reshape(data, {at.count}), at.places, 0);
  node.result(0, b.reshape(elements, indices.shape));
  return Error::success();
}

Error emitGatherND(NodeImporter &node) {
  MPC_TRY(node.requireIndices(1));
  const Operand &data = node.in(0), &indices = node.in(1);
  int64_t batchDims = node.intAttr("batch_dims", 0);
  if (batchDims < 0 || batchDims >= indices.rank() || batchDims > data.rank() ||
      ArrayRef(data.shape).take_front(batchDims) !=
          ArrayRef(indices.shape).take_front(batchDims))
    return node.fail("attribute 'batch_dims' is " + Twine(batchDims) +
                     ", the data " + shapeText(data.shape) + ", the indices " +
                     shapeText(indices.shape));
  ArrayRef<int64_t> batch = ArrayRef(data.shape).take_front(batchDims);
  ArrayRef<int64_t> rest = ArrayRef(data.shape).drop_front(batchDims);
  MPC_TRY_ASSIGN(Flattened at, placesOfRows(node, rest, indices));
  TensorBuilder &b = node.build;
  Shape shape(ArrayRef(indices.shape).drop_back());
  append_range(shape, rest.drop_front(indices.shape.back()));
  MPC_TRY(node.checkSize(shape));
  int64_t rows = product(indices.shape) / indices.shape.back();
  Operand result;
  if (batchDims == 0) {
    result = b.gather(b.reshape(data, {at.count, at.inner}),
                      b.reshape(at.places, {rows}), 0);
  } else {
    int64_t batches = product(batch);
    int64_t each = batches == 0 ? 0 : rows / batches;
    result = b.gather(b.reshape(data, {batches, at.count, at.inner}),
                      b.reshape(at.places, {batches, each}), 1, 1);
  }
  node.result(0, b.reshape(result, shape));
  return Error::success();
}

Operand iota(TensorBuilder &b, mlir::Type type, ArrayRef<int64_t> shape,
             int64_t axis) {
  return b.fromValue(nn::IotaOp::create(b.builder(), b.location(),
                                        b.tensorType(type, shape),
                                        static_cast<uint64_t>(axis)));
}

Error emitOneHot(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  Operand indices = node.build.cast(node.in(0), node.build.i64());
  if (!node.in(1).known || countElements(node.in(1).shape) != 1)
    return node.fail("the depth must be one known number");
  int64_t depth = nn::intAt(node.in(1).known, 0);
  const Operand &values = node.in(2);
  if (depth < 1 || depth > (int64_t(1) << 31) || values.shape != Shape{2})
    return node.fail("the depth is " + Twine(depth) + ", the values are " +
                     shapeText(values.shape) + ", expected 2");
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", -1), indices.rank() + 1));
  TensorBuilder &b = node.build;
  Shape shape = indices.shape, unit = indices.shape;
  shape.insert(shape.begin() + axis, depth);
  unit.insert(unit.begin() + axis, 1);
  MPC_TRY(node.checkSize(shape));
  // Negative indices count from the end.
  Operand wrapped = b.select(
      b.compare(nn::CompareKind::LT, indices, b.splatLike(indices, 0)),
      b.binary(Binary::Add, indices, static_cast<double>(depth)), indices);
  Operand classes = indices.known ? b.coordinates(shape, axis)
                                  : iota(b, indices.type, shape, axis);
  Operand hot =
      b.compare(nn::CompareKind::EQ,
                b.broadcastTo(b.reshape(wrapped, unit), shape), classes);
  auto value = [&](int64_t at) {
    return b.broadcastTo(b.reshape(b.sliceAxis(values, 0, at, at + 1), {}),
                         shape);
  };
  node.result(0, b.select(hot, value(1), value(0)));
  return Error::success();
}

Error emitTrilu(NodeImporter &node) {
  const Operand &input = node.in(0);
  if (input.rank() < 2)
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected at least two axes");
  int64_t diagonal = 0;
  if (node.has(1)) {
    MPC_TRY_ASSIGN(int64_t k, node.integer(1, "k"));
    // All diagonals beyond the corner are alike.
    int64_t reach = *countElements(input.shape) + 1;
    diagonal = std::clamp(k, -reach, reach);
  }
  bool upper = node.intAttr("upper", 1) != 0;
  int64_t rows = input.shape[input.rank() - 2], columns = input.shape.back();
  if (*countElements({rows, columns}) > (1 << 26))
    return node.fail("the matrix is " + Twine(rows) + "x" + Twine(columns) +
                     " (at most 2^26 elements)");
  std::vector<char> bits(rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      bits[row * columns + column] =
          upper ? column - row >= diagonal : column - row <= diagonal;
  TensorBuilder &b = node.build;
  MPC_TRY_ASSIGN(Operand kept,
                 node.constant<char>(b.i1(), {rows, columns}, bits));
  Operand mask = b.broadcastTo(kept, input.shape);
  node.result(0, b.select(mask, input, b.splatLike(input, 0.0)));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> indexingRules() {
  static const OpRule rules[] = {
      {"Gather", 1, 2, 2, 1, "axis:i", emitGather},
      {"GatherElements", 11, 2, 2, 1, "axis:i", emitGatherElements},
      {"GatherND", 11, 2, 2, 1, "", emitGatherND},
      {"GatherND", 12, 2, 2, 1, "batch_dims:i", emitGatherND},
      {"OneHot", 9, 3, 3, 1, "axis:i", emitOneHot},
      {"Trilu", 14, 1, 2, 1, "upper:i", emitTrilu},
  };
  return rules;
}

} // namespace mpc::onnx
