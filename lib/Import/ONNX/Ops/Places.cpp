// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Converts indices to numbers of slices of a flattened tensor.
#include "lib/Import/ONNX/Ops/Places.h"

#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

/// Indices as i64, counted from the front. Known ones are checked.
static Expected<Operand> wrapped(NodeImporter &node, const Operand &indices,
                                 int64_t size) {
  TensorBuilder &b = node.build;
  if (indices.known)
    for (int64_t value : nn::intsOf(indices.known))
      if (value < -size || value >= size)
        return node.fail("index " + Twine(value) +
                         " is out of range for an axis of size " + Twine(size));
  Operand wide = b.cast(indices, b.i64());
  Operand isBelow = b.compare(nn::CompareKind::LT, wide, b.splatLike(wide, 0));
  Operand raised = b.binary(Binary::Add, wide, static_cast<double>(size));
  return b.select(isBelow, raised, wide);
}

Expected<Flattened> placesOfElements(NodeImporter &node,
                                     ArrayRef<int64_t> shape,
                                     const Operand &indices) {
  auto rank = static_cast<int64_t>(shape.size());
  MPC_TRY_ASSIGN(int64_t axis, node.axis(node.intAttr("axis", 0), rank));
  if (indices.rank() != rank)
    return node.fail("the indices are " + shapeText(indices.shape) +
                     ", expected " + Twine(rank) + " axes");
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis && indices.shape[i] > shape[i])
      return node.fail("the indices are " + shapeText(indices.shape) +
                       ", the data " + shapeText(shape));
  if (shape[axis] == 0 && product(indices.shape) != 0)
    return node.fail("indexes an empty axis");
  TensorBuilder &b = node.build;
  MPC_TRY_ASSIGN(Operand places, wrapped(node, indices, shape[axis]));
  SmallVector<int64_t> strides = nn::denseStrides(shape);
  places = b.binary(Binary::Mul, places, static_cast<double>(strides[axis]));
  for (int64_t i = 0; i < rank; ++i) {
    if (i == axis || indices.shape[i] == 1)
      continue;
    Operand offset = b.binary(Binary::Mul, b.coordinates(indices.shape, i),
                              static_cast<double>(strides[i]));
    places = b.binary(Binary::Add, places, offset);
  }
  return Flattened{b.reshape(places, {product(indices.shape)}), product(shape),
                   1, Shape(shape)};
}

Expected<Flattened> placesOfRows(NodeImporter &node, ArrayRef<int64_t> shape,
                                 const Operand &indices) {
  TensorBuilder &b = node.build;
  int64_t last = indices.rank() - 1;
  if (last < 0 || indices.shape[last] < 1 ||
      indices.shape[last] > static_cast<int64_t>(shape.size()))
    return node.fail("the indices are " + shapeText(indices.shape) +
                     ", the data " + shapeText(shape));
  int64_t depth = indices.shape[last];
  SmallVector<int64_t> strides = nn::denseStrides(shape.take_front(depth));
  Shape rows(ArrayRef(indices.shape).drop_back());
  Operand places = b.splat(b.i64(), rows, 0);
  for (int64_t i = 0; i < depth; ++i) {
    if (shape[i] == 0 && product(rows) != 0)
      return node.fail("indexes an empty axis");
    Operand column = b.reshape(b.sliceAxis(indices, last, i, i + 1), rows);
    MPC_TRY_ASSIGN(Operand along, wrapped(node, column, shape[i]));
    along = b.binary(Binary::Mul, along, static_cast<double>(strides[i]));
    places = i == 0 ? along : b.binary(Binary::Add, places, along);
  }
  return Flattened{places, product(shape.take_front(depth)),
                   product(shape.drop_front(depth)),
                   Shape(shape.take_front(depth))};
}

} // namespace mpc::onnx
