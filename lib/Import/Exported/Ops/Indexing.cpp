// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's ops that read elements by index.
#include "lib/Import/Exported/Ops/Indices.h"

#include "dialects/NN/Ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

Expected<Operand> indicesOf(Call &call, const Operand &indices, int64_t size) {
  if (!indices.type.isInteger(64) && !indices.type.isInteger(32))
    return call.fail("indices are neither of int64 nor of int32");
  if (size == 0 && *countElements(indices.shape) != 0)
    return call.fail("reads from an empty axis");
  TensorBuilder &b = call.build;
  if (!indices.known) {
    Operand isBelow =
        b.compare(nn::CompareKind::LT, indices, b.splatLike(indices, 0.0));
    return b.select(isBelow,
                    b.binary(Binary::Add, indices, static_cast<double>(size)),
                    indices);
  }
  std::vector<int64_t> places;
  for (int64_t i : seq<int64_t>(0, indices.known.getNumElements())) {
    int64_t place = nn::intAt(indices.known, i);
    if (place < -size || place >= size)
      return call.fail("index " + Twine(place) +
                       " is out of range for an axis of size " + Twine(size));
    places.push_back(place < 0 ? place + size : place);
  }
  return b.fromValues<int64_t>(b.i64(), indices.shape, places);
}

/// Adds the index of an axis.
static Error addIndex(Call &call, IndexList &list, const Operand &index) {
  if (index.isBool())
    return call.fail("the length of what a mask selects depends on data: "
                     "weigh the elements by the mask (a loss has "
                     "ignore_index), or use where()");
  auto joined = broadcastShape(list.shape, index.shape);
  if (!joined)
    return call.fail("the indices do not broadcast");
  list.shape = *joined;
  list.indices.push_back(index);
  return Error::success();
}

Expected<IndexList> readIndices(Call &call, Operand &x) {
  MPC_TRY_ASSIGN(std::vector<Operand> given, call.tensors("indices"));
  IndexList list;
  if (given.size() > x.shape.size())
    return call.fail("has more indices than the operand axes");
  SmallVector<int64_t> axes;
  for (auto [axis, index] : enumerate(given)) {
    if (!index.type)
      continue;
    axes.push_back(static_cast<int64_t>(axis));
    MPC_TRY(addIndex(call, list, index));
  }
  if (axes.empty())
    return call.fail("has no index");
  list.first = axes.front();
  if (axes.back() - axes.front() + 1 == static_cast<int64_t>(axes.size()))
    return list;
  list.first = 0;
  list.order = axes;
  for (int64_t axis : seq<int64_t>(0, x.rank()))
    if (!is_contained(axes, axis))
      list.order.push_back(axis);
  x = call.build.transpose(x, list.order);
  return list;
}

Expected<Operand> placesOf(Call &call, const Operand &x,
                           const IndexList &list) {
  TensorBuilder &b = call.build;
  Operand place;
  for (auto [offset, index] : enumerate(list.indices)) {
    int64_t size = x.shape[list.first + offset];
    MPC_TRY_ASSIGN(Operand counted, indicesOf(call, index, size));
    counted = b.broadcastTo(b.cast(counted, b.i64()), list.shape);
    place =
        offset == 0
            ? counted
            : b.binary(Binary::Add,
                       b.binary(Binary::Mul, place, static_cast<double>(size)),
                       counted);
  }
  return place;
}

namespace {

/// Rows of a table. Indices of labels and words are not negative.
Error emitEmbedding(Call &call) {
  MPC_TRY_ASSIGN(Operand table, call.real("weight"));
  MPC_TRY_ASSIGN(Operand indices, call.tensor("indices"));
  MPC_TRY_ASSIGN(int64_t padding, call.integer("padding_idx", -1));
  MPC_TRY_ASSIGN(bool scales, call.flag("scale_grad_by_freq", false));
  if (scales)
    return call.fail("scale_grad_by_freq is not supported");
  if (table.rank() != 2 || table.shape[0] == 0)
    return call.fail("the table is " + shapeText(table.shape));
  if (!indices.type.isInteger(64) && !indices.type.isInteger(32))
    return call.fail("indices are neither of int64 nor of int32");
  if (padding >= table.shape[0])
    return call.fail("padding_idx is " + Twine(padding));
  if (indices.known) {
    MPC_TRY_ASSIGN(indices, indicesOf(call, indices, table.shape[0]));
  } else {
    nn::addRange(indices.value, 0, table.shape[0]);
  }
  call.result(
      call.build.gather(table, indices, 0, /*batchDims=*/0,
                        padding >= 0 ? std::optional(padding) : std::nullopt));
  return Error::success();
}

Error emitIndexSelect(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  MPC_TRY_ASSIGN(Operand indices, call.tensor("index"));
  if (x.rank() == 0 || indices.rank() != 1)
    return call.fail("reads " + shapeText(x.shape) + " by " +
                     shapeText(indices.shape));
  MPC_TRY_ASSIGN(indices, indicesOf(call, indices, x.shape[axis]));
  call.result(call.build.gather(x, indices, axis));
  return Error::success();
}

/// gather(): each element of the result reads along the axis. Along the last
/// axis, with all others as batch, that is a gather of rows.
Error emitGather(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  MPC_TRY_ASSIGN(Operand indices, call.tensor("index"));
  if (x.rank() == 0 || indices.rank() != x.rank())
    return call.fail("reads " + shapeText(x.shape) + " by " +
                     shapeText(indices.shape));
  MPC_TRY_ASSIGN(indices, indicesOf(call, indices, x.shape[axis]));
  TensorBuilder &b = call.build;
  for (int64_t other : seq<int64_t>(0, x.rank())) {
    if (other == axis || x.shape[other] == indices.shape[other])
      continue;
    if (x.shape[other] < indices.shape[other])
      return call.fail("reads " + shapeText(x.shape) + " by " +
                       shapeText(indices.shape));
    x = b.sliceAxis(x, other, 0, indices.shape[other]);
  }
  auto order = to_vector(seq<int64_t>(0, x.rank()));
  std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end());
  SmallVector<int64_t> back(order.size());
  for (auto [to, from] : enumerate(order))
    back[from] = static_cast<int64_t>(to);
  Operand read = b.gather(b.transpose(x, order), b.transpose(indices, order),
                          x.rank() - 1, x.rank() - 1);
  call.result(b.transpose(read, back));
  return Error::success();
}

/// Several axes that are indexed are one, by one place.
Error emitIndex(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(IndexList list, readIndices(call, x));
  MPC_TRY_ASSIGN(Operand places, placesOf(call, x, list));
  TensorBuilder &b = call.build;
  size_t count = list.indices.size();
  ArrayRef<int64_t> shape = x.shape;
  Shape flat(shape.take_front(list.first));
  flat.push_back(*countElements(shape.slice(list.first, count)));
  append_range(flat, shape.drop_front(list.first + count));
  call.result(b.gather(b.reshape(x, flat), places, list.first));
  return Error::success();
}

/// A one at the place that each index names.
Error emitOneHot(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  TensorBuilder &b = call.build;
  if (shape.size() != x.shape.size() + 1 || x.isFloat() || x.isBool() ||
      ArrayRef(shape).drop_back() != ArrayRef(x.shape))
    return call.fail("the operand is " + shapeText(x.shape));
  Operand places = b.cast(b.coordinates(shape, x.rank()), x.type);
  Operand wanted = b.broadcast(x, shape, to_vector(seq<int64_t>(0, x.rank())));
  call.result(b.cast(b.compare(nn::CompareKind::EQ, places, wanted), b.i64()));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> indexingRows() {
  static const OpRow rows[] = {
      {"embedding.default", emitEmbedding},
      {"gather.default", emitGather},
      {"index.Tensor", emitIndex},
      {"index_select.default", emitIndexSelect},
      {"one_hot.default", emitOneHot},
  };
  return rows;
}

} // namespace mpc::exported
