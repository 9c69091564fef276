// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that read, write or name single positions, like GatherElements,
/// ScatterND and ArgMax.
#include "lib/Import/ONNX/NodeImporter.h"

#include "lib/Import/ONNX/ExporterRecord.h"
#include "lib/Import/ONNX/ImportError.h"
#include "lib/Import/ONNX/MaskedWrites.h"
#include "lib/Import/ONNX/Remedies.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

int64_t product(ArrayRef<int64_t> sizes) {
  return countElements(sizes).value_or(0);
}

/// Indices as i64, counted from the front; known ones are checked.
Expected<Operand> wrapped(NodeImporter &node, const Operand &indices,
                          int64_t size) {
  TensorBuilder &b = node.build;
  if (indices.known)
    for (int64_t value : nn::intsOf(indices.known))
      if (value < -size || value >= size)
        return node.fail("index " + Twine(value) +
                         " is out of range for an axis of size " + Twine(size));
  Operand wide = b.cast(indices, ElemType::Int64);
  Operand isBelow = b.compare(nn::CompareKind::LT, wide, b.splatLike(wide, 0));
  Operand raised = b.binary(Binary::Add, wide, static_cast<double>(size));
  return b.select(isBelow, raised, wide);
}

/// What an op reads or writes: `places` number slices of `inner` elements.
struct Flattened {
  Operand places;
  int64_t count;
  int64_t inner;
  Shape axes = {}; ///< Along which the slices lie, `count` in all.
};

/// The places that the elements of `indices` name along `axis` of `shape`.
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

/// The places that the rows of `indices` name in `shape`, one number an axis.
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
  Operand places = b.splat(ElemType::Int64, rows, 0);
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

/// What goes to each place, added up.
Operand sumsAt(TensorBuilder &b, const Operand &updates, const Flattened &at) {
  Shape shape(updates.shape);
  shape.front() = at.count;
  return b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(updates.type, shape),
      updates.value, at.places.value, /*axis=*/0, /*batch_dims=*/0));
}

/// `data` with `updates` in the places `at`, the last of equal ones undefined:
/// each slice of the result is read from the data or from the update that goes
/// there.
Operand replaced(TensorBuilder &b, const Operand &data, const Operand &updates,
                 const Flattened &at) {
  // Numbers of updates from 1 on; f32 holds them up to 2^24.
  int64_t count = at.places.shape[0];
  ElemType type = count < 1 << 24 ? ElemType::Float : ElemType::Double;
  Operand numbers =
      b.binary(Binary::Add, b.cast(b.coordinates({count}, 0), type), 1.0);
  Operand source = sumsAt(b, numbers, at);
  Operand isWritten =
      b.compare(nn::CompareKind::GT, source, b.splatLike(source, 0.0));
  Operand row = b.binary(Binary::Add, b.cast(source, ElemType::Int64),
                         static_cast<double>(at.count - 1));
  Operand place = b.select(isWritten, row, b.coordinates({at.count}, 0));
  return b.gather(b.concat({data, updates}, 0), place, 0);
}

/// a / b, of integers towards minus infinity, where b is positive.
Operand flooredQuotient(TensorBuilder &b, const Operand &x, const Operand &y) {
  Operand quotient = b.binary(Binary::Div, x, y);
  if (x.isFloat() || x.isUnsigned())
    return quotient;
  Operand isAbove =
      b.compare(nn::CompareKind::GT, b.binary(Binary::Mul, quotient, y), x);
  return b.binary(Binary::Sub, quotient, b.cast(isAbove, x.type));
}

/// The mean of the data and of what goes there, or of that alone: the data are
/// then 0 where something does. That of integers is an integer.
Operand meansAt(TensorBuilder &b, const Operand &data, const Operand &updates,
                const Flattened &at, bool includesData) {
  Operand sum =
      b.binary(Binary::Add, b.wide(data), sumsAt(b, b.wide(updates), at));
  Operand one = b.splat(sum.type, at.places.shape, 1);
  Operand number = sumsAt(b, one, at);
  number = includesData ? b.binary(Binary::Add, number, 1.0)
                        : b.binary(Binary::Max, number, b.splatLike(number, 1));
  number = b.broadcast(number, sum.shape, {0});
  return b.cast(flooredQuotient(b, sum, number), data.type);
}

/// Whether the node is a scatter_reduce(reduce="mean"): ONNX has no such
/// reduction, and PyTorch's exporter writes "none". Without the data in it,
/// that is a second node, behind one that writes zeros.
bool isMean(const NodeImporter &node, bool includesData) {
  OriginalCall call(node.node());
  bool preparesPlaces = !includesData && node.in(2).splatValue() == 0.0;
  return call.target().starts_with("aten.scatter_reduce") &&
         call.argument(4, "reduce") == "mean" && !preparesPlaces;
}

/// The data as slices and the updates as slices, joined as the node says.
Expected<Operand> joinedAt(NodeImporter &node, const Operand &data,
                           const Operand &updates, const Flattened &at) {
  TensorBuilder &b = node.build;
  bool includesData =
      OriginalCall(node.node()).argument(5, "include_self") != "False";
  if (!data.isBool() && isMean(node, includesData))
    return meansAt(b, data, updates, at, includesData);
  StringRef reduction = node.stringAttr("reduction", "none");
  if (reduction == "none")
    return replaced(b, data, updates, at);
  if (data.isBool())
    return node.fail("reduction '" + printable(reduction) + "' of " +
                     toString(data.type) + " is not supported");
  if (auto kind = nn::symbolizeScatterKind(reduction))
    return b.fold(nn::ScatterReduceOp::create(b.builder(), b.location(), *kind,
                                              data.value, updates.value,
                                              at.places.value));
  if (reduction != "add")
    return node.fail("attribute 'reduction' is '" + printable(reduction) +
                     "', expected none, add, mul, max or min");
  Operand sums = sumsAt(b, b.wide(updates), at);
  return b.cast(b.binary(Binary::Add, b.wide(data), sums), data.type);
}

/// A box of a tensor, from `low` on.
struct Box {
  Shape low;
  Shape shape;
};

/// The box that known places are, in order, if they are one.
std::optional<Box> boxOf(const Flattened &at) {
  if (!at.places.known || at.places.known.getNumElements() == 0)
    return std::nullopt;
  SmallVector<int64_t> places = nn::intsOf(at.places.known);
  SmallVector<int64_t> strides = nn::denseStrides(at.axes);
  Box box;
  for (auto [size, stride] : zip_equal(at.axes, strides)) {
    box.low.push_back(places.front() / stride % size);
    box.shape.push_back(places.back() / stride % size - box.low.back() + 1);
  }
  if (any_of(box.shape, [](int64_t size) { return size < 1; }) ||
      product(box.shape) != static_cast<int64_t>(places.size()))
    return std::nullopt;
  SmallVector<int64_t> within = nn::denseStrides(box.shape);
  for (auto [number, place] : enumerate(places)) {
    int64_t expected = 0;
    for (size_t axis = 0; axis < strides.size(); ++axis)
      expected +=
          (static_cast<int64_t>(number) / within[axis] % box.shape[axis] +
           box.low[axis]) *
          strides[axis];
    if (place != expected)
      return std::nullopt;
  }
  return box;
}

/// `data` with `updates` in the place of `box`: what lies in front of it, it,
/// and what lies behind it, along one axis after another.
Operand assigned(TensorBuilder &b, const Operand &data, const Operand &updates,
                 const Box &box, size_t axis = 0) {
  if (axis == box.shape.size())
    return updates;
  int64_t size = data.shape[axis], begin = box.low[axis];
  int64_t end = begin + box.shape[axis];
  auto sliced = [&](int64_t from, int64_t to) {
    return to - from == size ? data : b.sliceAxis(data, axis, from, to);
  };
  SmallVector<Operand> parts;
  if (begin > 0)
    parts.push_back(sliced(0, begin));
  parts.push_back(assigned(b, sliced(begin, end), updates, box, axis + 1));
  if (end < size)
    parts.push_back(sliced(end, size));
  return b.concat(parts, static_cast<int64_t>(axis));
}

/// x[..., 2:5] = y, as exporters write it: a scatter to known places.
std::optional<Operand> assignedBox(NodeImporter &node, const Operand &data,
                                   const Operand &updates,
                                   const Flattened &at) {
  if (node.stringAttr("reduction", "none") != "none" || isMean(node, true) ||
      isMean(node, false))
    return std::nullopt;
  std::optional<Box> box = boxOf(at);
  if (!box)
    return std::nullopt;
  Shape shape(box->shape);
  append_range(shape, ArrayRef(data.shape).drop_front(at.axes.size()));
  TensorBuilder &b = node.build;
  return assigned(b, data, b.reshape(updates, shape), *box);
}

Error emitScatter(NodeImporter &node, const Flattened &at) {
  MPC_TRY(node.requireSameType(2, 0));
  const Operand &data = node.in(0), &updates = node.in(2);
  TensorBuilder &b = node.build;
  int64_t count = product(at.places.shape);
  if (product(updates.shape) != count * at.inner)
    return node.fail("the updates are " + shapeText(updates.shape) +
                     ", the indices name " + Twine(count) + " places of " +
                     Twine(at.inner) + " elements");
  if (std::optional<Operand> whole = assignedBox(node, data, updates, at)) {
    node.result(0, *whole);
    return Error::success();
  }
  Operand slices = b.reshape(data, {at.count, at.inner});
  Operand writes = b.reshape(updates, {count, at.inner});
  Flattened flat{b.reshape(at.places, {count}), at.count, at.inner, at.axes};
  MPC_TRY_ASSIGN(Operand joined, joinedAt(node, slices, writes, flat));
  node.result(0, b.reshape(joined, data.shape));
  return Error::success();
}

Error emitScatterElements(NodeImporter &node) {
  MPC_TRY(node.requireIndices(1));
  if (node.in(1).shape != node.in(2).shape)
    return node.fail("the indices are " + shapeText(node.in(1).shape) +
                     ", the updates " + shapeText(node.in(2).shape));
  if (product(node.in(1).shape) == 0) {
    node.result(0, node.in(0));
    return Error::success();
  }
  MPC_TRY_ASSIGN(Flattened at,
                 placesOfElements(node, node.in(0).shape, node.in(1)));
  return emitScatter(node, at);
}

Error emitScatterND(NodeImporter &node) {
  if (node.node().writesToMask)
    return emitMaskedWrite(node);
  MPC_TRY(node.requireIndices(1));
  if (product(node.in(2).shape) == 0) {
    node.result(0, node.in(0));
    return Error::success();
  }
  MPC_TRY_ASSIGN(Flattened at,
                 placesOfRows(node, node.in(0).shape, node.in(1)));
  return emitScatter(node, at);
}

//===----------------------------------------------------------------------===//
// The place of an extremum
//===----------------------------------------------------------------------===//

/// The index along `axis` of the extremum of `x`, which the node's input is, as
/// floats; the axis has size 1.
Expected<Operand> placeOfExtremum(NodeImporter &node, const Operand &x,
                                  int64_t axis, bool isMax, bool last) {
  TensorBuilder &b = node.build;
  int64_t size = x.shape[axis];
  if (size == 0 || size > 1 << 24)
    return node.fail("axis " + Twine(axis) + " has " + Twine(size) +
                     " elements, expected 1 to 2^24");
  MPC_TRY(node.requireNumbers(0));
  return b.placeOfMaximum(isMax ? x : b.reversed(x), axis, last);
}

template <bool isMax>
Error emitArg(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", 0), input.rank()));
  bool last = node.intAttr("select_last_index", 0) != 0;
  MPC_TRY_ASSIGN(Operand found,
                 placeOfExtremum(node, input, axis, isMax, last));
  TensorBuilder &b = node.build;
  found = b.cast(found, ElemType::Int64);
  if (node.intAttr("keepdims", 1) == 0) {
    Shape shape = found.shape;
    shape.erase(shape.begin() + axis);
    found = b.reshape(found, shape);
  }
  node.result(0, found);
  return Error::success();
}

/// 1 at the first maximum along `axis` of `x`, which the node's input is, 0
/// elsewhere.
Expected<Operand> hardmax(NodeImporter &node, const Operand &x, int64_t axis) {
  MPC_TRY_ASSIGN(Operand found, placeOfExtremum(node, x, axis, true, false));
  TensorBuilder &b = node.build;
  Operand number = b.cast(b.coordinates(x.shape, axis), ElemType::Float);
  Operand isFound =
      b.compare(nn::CompareKind::EQ, number, b.broadcastTo(found, x.shape));
  return b.cast(isFound, x.type);
}

Error emitHardmax(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", -1), input.rank()));
  MPC_TRY_ASSIGN(Operand result, hardmax(node, input, axis));
  node.result(0, result);
  return Error::success();
}

/// Before opset 13: over the axes from `axis` on together.
Error emitFlatHardmax(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", 1), input.rank()));
  Operand joined = node.build.joinedFrom(input, axis);
  MPC_TRY_ASSIGN(Operand result, hardmax(node, joined, axis));
  node.result(0, node.build.reshape(result, input.shape));
  return Error::success();
}

/// Ones on a diagonal, of the shape of the input.
Error emitEyeLike(NodeImporter &node) {
  const Operand &input = node.in(0);
  int64_t type = node.intAttr("dtype", static_cast<int64_t>(input.type));
  auto elements = static_cast<ElemType>(static_cast<int32_t>(type));
  TensorBuilder &b = node.build;
  if (input.rank() != 2 || type < 0 || type > INT32_MAX ||
      !elementType(b.builder().getContext(), elements))
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected two axes and a type that is supported");
  Operand ahead = b.binary(Binary::Sub, b.coordinates(input.shape, 1),
                           b.coordinates(input.shape, 0));
  Operand diagonal =
      b.splatLike(ahead, static_cast<double>(node.intAttr("k", 0)));
  node.result(
      0, b.cast(b.compare(nn::CompareKind::EQ, ahead, diagonal), elements));
  return Error::success();
}

/// Where the input is not zero: a row of coordinates for each of its axes. How
/// many there are is for the data to say, so that they must be known.
Error emitNonZero(NodeImporter &node) {
  const Operand &input = node.in(0);
  TensorBuilder &b = node.build;
  Operand truth = input.isBool() ? input
                                 : b.compare(nn::CompareKind::NE, input,
                                             b.splatLike(input, 0));
  if (!truth.known)
    return node.fail("its input is not known when the model is compiled; " +
                     remedyFor(node.node()));
  SmallVector<int64_t> found;
  for (int64_t i = 0, e = truth.known.getNumElements(); i < e; ++i)
    if (nn::intAt(truth.known, i) != 0)
      found.push_back(i);
  std::vector<int64_t> rows;
  for (auto [size, stride] :
       zip_equal(input.shape, nn::denseStrides(input.shape)))
    for (int64_t place : found)
      rows.push_back(place / stride % size);
  MPC_TRY_ASSIGN(Operand places,
                 node.constant<int64_t>(
                     ElemType::Int64,
                     {input.rank(), static_cast<int64_t>(found.size())}, rows));
  node.result(0, places);
  return Error::success();
}

const OpRule kRules[] = {
    {"ArgMax", 1, 1, 1, 1, "axis:i keepdims:i", emitArg<true>},
    {"ArgMax", 12, 1, 1, 1, "axis:i keepdims:i select_last_index:i",
     emitArg<true>},
    {"ArgMin", 1, 1, 1, 1, "axis:i keepdims:i", emitArg<false>},
    {"ArgMin", 12, 1, 1, 1, "axis:i keepdims:i select_last_index:i",
     emitArg<false>},
    {"EyeLike", 9, 1, 1, 1, "dtype:i k:i", emitEyeLike},
    {"GatherElements", 11, 2, 2, 1, "axis:i", emitGatherElements},
    {"GatherND", 11, 2, 2, 1, "", emitGatherND},
    {"GatherND", 12, 2, 2, 1, "batch_dims:i", emitGatherND},
    {"Hardmax", 1, 1, 1, 1, "axis:i", emitFlatHardmax},
    {"Hardmax", 13, 1, 1, 1, "axis:i", emitHardmax},
    {"NonZero", 9, 1, 1, 1, "", emitNonZero},
    {"Scatter", 9, 3, 3, 1, "axis:i", emitScatterElements},
    {"ScatterElements", 11, 3, 3, 1, "axis:i", emitScatterElements},
    {"ScatterElements", 16, 3, 3, 1, "axis:i reduction:s", emitScatterElements},
    {"ScatterND", 11, 3, 3, 1, "", emitScatterND},
    {"ScatterND", 16, 3, 3, 1, "reduction:s", emitScatterND},
};

} // namespace

ArrayRef<OpRule> positionRules() { return kRules; }

} // namespace mpc::onnx
