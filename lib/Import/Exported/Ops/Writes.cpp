// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's ops that write to places which indices name.
#include "lib/Import/Exported/Ops/Indices.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/Masks.h"
#include "lib/Import/Build/Scatter.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

namespace {

/// How what is written joins what is there.
enum class Joining { Replace, Add };

/// `data`, as `at.count` slices of `at.inner` elements, with `updates` at the
/// places.
Operand written(TensorBuilder &b, const Operand &data, const Operand &updates,
                const Flattened &at, Joining joining) {
  int64_t places = *countElements(at.places.shape);
  if (places * at.inner == 0)
    return data;
  Operand slices = b.reshape(data, {at.count, at.inner});
  Operand writes = b.reshape(updates, {places, at.inner});
  Flattened flat{b.reshape(at.places, {places}), at.count, at.inner, at.axes};
  if (joining == Joining::Replace)
    return b.reshape(replaced(b, slices, writes, flat), data.shape);
  Operand sums = sumsAt(b, b.wide(writes), flat);
  Operand joined = b.binary(Binary::Add, b.wide(slices), sums);
  return b.reshape(b.cast(joined, data.type), data.shape);
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

/// The element that each index names along `axis`, all others being its own.
Operand placesOfElements(TensorBuilder &b, ArrayRef<int64_t> data,
                         const Operand &indices, int64_t axis) {
  Operand places;
  int64_t stride = 1;
  for (int64_t other : reverse(seq<int64_t>(0, data.size()))) {
    Operand along = other == axis ? b.cast(indices, b.i64())
                                  : b.coordinates(indices.shape, other);
    along = b.binary(Binary::Mul, along, static_cast<double>(stride));
    places = places.value ? b.binary(Binary::Add, places, along) : along;
    stride *= data[other];
  }
  return places;
}

/// What scatter() writes and where.
struct Scatter {
  Operand data, updates;
  Flattened at;
};

/// The indices, which lie in the operand on all other axes.
Expected<Operand> readPlaces(Call &call, const Operand &data, int64_t axis) {
  MPC_TRY_ASSIGN(Operand indices, call.tensor("index"));
  bool fits = data.rank() > 0 && indices.rank() == data.rank();
  for (int64_t other : seq<int64_t>(0, fits ? data.rank() : 0))
    fits &= other == axis || indices.shape[other] <= data.shape[other];
  if (!fits)
    return call.fail("writes to " + shapeText(data.shape) + " by " +
                     shapeText(indices.shape));
  return indicesOf(call, indices, data.shape[axis]);
}

/// A source has at least as many elements as there are indices; a value is
/// written everywhere.
Expected<Operand> readUpdates(Call &call, const Operand &data,
                              ArrayRef<int64_t> shape) {
  TensorBuilder &b = call.build;
  if (!call.has("src"))
    return call.operandAs("value", data.type, shape);
  MPC_TRY_ASSIGN(Operand source, call.tensor("src"));
  bool fits = source.type == data.type && source.shape.size() == shape.size();
  for (int64_t axis : seq<int64_t>(0, fits ? source.rank() : 0))
    fits &= source.shape[axis] >= shape[axis];
  if (!fits)
    return call.fail("the source is " + shapeText(source.shape) +
                     ", the indices are " + shapeText(shape));
  return b.slice(source, Shape(shape.size(), 0), shape, Shape(shape.size(), 1));
}

Expected<Scatter> readScatter(Call &call) {
  Scatter scatter;
  MPC_TRY_ASSIGN(scatter.data, call.tensor("self"));
  const Operand &data = scatter.data;
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", data.rank()));
  MPC_TRY_ASSIGN(Operand indices, readPlaces(call, data, axis));
  MPC_TRY_ASSIGN(scatter.updates, readUpdates(call, data, indices.shape));
  scatter.at = {placesOfElements(call.build, data.shape, indices, axis),
                *countElements(data.shape), 1};
  return scatter;
}

template <Joining joining>
Error emitScatter(Call &call) {
  MPC_TRY_ASSIGN(Scatter s, readScatter(call));
  if (joining == Joining::Add && s.data.isBool())
    return call.fail("the operand is bool");
  call.result(written(call.build, s.data, s.updates, s.at, joining));
  return Error::success();
}

/// scatter_reduce(): sums, products, extremes and means.
Error emitScatterReduce(Call &call) {
  MPC_TRY_ASSIGN(std::string word, call.text("reduce", ""));
  MPC_TRY_ASSIGN(bool includesData, call.flag("include_self", true));
  MPC_TRY_ASSIGN(Scatter s, readScatter(call));
  TensorBuilder &b = call.build;
  int64_t places = *countElements(s.at.places.shape);
  Flattened flat{b.reshape(s.at.places, {places}), s.at.count, 1};
  auto kind = StringSwitch<std::optional<nn::ScatterKind>>(word)
                  .Case("prod", nn::ScatterKind::Mul)
                  .Case("amax", nn::ScatterKind::Max)
                  .Case("amin", nn::ScatterKind::Min)
                  .Default(std::nullopt);
  if ((!kind && word != "sum" && word != "mean") ||
      (!includesData && word != "mean") || !s.data.isFloat() || places == 0)
    return call.fail("reduce is '" + printable(word) + "' of " +
                     shapeText(s.data.shape) +
                     ", expected floats and sum, prod, mean, amax or amin, "
                     "with include_self but for mean");
  if (word == "sum")
    return emitScatter<Joining::Add>(call);
  Operand data = b.reshape(s.data, {s.at.count, 1});
  Operand updates = b.reshape(s.updates, {places, 1});
  if (!includesData)
    data = replaced(b, data, b.splatLike(updates, 0.0), flat);
  Operand joined = kind ? b.fold(nn::ScatterReduceOp::create(
                              b.builder(), b.location(), *kind, data.value,
                              updates.value, flat.places.value))
                        : meansAt(b, data, updates, flat, includesData);
  call.result(b.reshape(joined, s.data.shape));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The axes from `first` on, `count` of them, in front.
SmallVector<int64_t> orderWithInFront(int64_t rank, int64_t first,
                                      int64_t count) {
  SmallVector<int64_t> order = to_vector(seq<int64_t>(0, rank));
  std::rotate(order.begin(), order.begin() + first,
              order.begin() + first + count);
  return order;
}

SmallVector<int64_t> inverse(ArrayRef<int64_t> order) {
  SmallVector<int64_t> back(order.size());
  for (auto [to, from] : enumerate(order))
    back[from] = static_cast<int64_t>(to);
  return back;
}

/// x[..., i, j, ...] = values, of as many axes as `shape`, the places', has
/// behind those in front of the indices.
Operand writtenSlices(TensorBuilder &b, const Operand &x, const IndexList &list,
                      const Operand &places, const Operand &values,
                      Joining joining) {
  auto count = static_cast<int64_t>(list.indices.size());
  auto order = orderWithInFront(x.rank(), list.first, count);
  Operand moved = b.transpose(x, order);
  int64_t slices = 1;
  for (int64_t size : ArrayRef(moved.shape).take_front(count))
    slices *= size;
  int64_t inner = slices == 0 ? 0 : *countElements(x.shape) / slices;
  auto valueOrder =
      orderWithInFront(values.rank(), list.first, list.shape.size());
  Operand result = written(b, moved, b.transpose(values, valueOrder),
                           {places, slices, inner}, joining);
  return b.transpose(result, inverse(order));
}

/// `x` with elements of `values` where the mask is true: in order, or, where a
/// row of them fits and `repeats` is set, the same for all.
Operand writtenWhere(TensorBuilder &b, const Operand &x, const Operand &mask,
                     const Operand &values, bool repeats, Joining joining) {
  Operand written = writtenToMask(b, x, mask, values, repeats);
  if (joining == Joining::Add)
    written = b.binary(Binary::Add, x, written);
  return b.select(b.broadcastTo(mask, x.shape), written, x);
}

/// x[mask] = values, where the mask is of the first axes.
Error putByMask(Call &call, const Operand &x, const Operand &mask,
                Joining joining) {
  TensorBuilder &b = call.build;
  MPC_TRY_ASSIGN(Operand values, call.tensor("values"));
  if (mask.rank() > x.rank() || *countElements(values.shape) == 0 ||
      (joining == Joining::Add && x.isBool()) ||
      ArrayRef(x.shape).take_front(mask.rank()) != ArrayRef(mask.shape))
    return call.fail("writes " + shapeText(values.shape) + " where a mask of " +
                     shapeText(mask.shape) + " is true, to " +
                     shapeText(x.shape));
  Shape aligned = mask.shape;
  aligned.resize(x.shape.size(), 1);
  call.result(writtenWhere(b, x, b.reshape(mask, aligned),
                           b.cast(values, x.type), /*repeats=*/true, joining));
  return Error::success();
}

/// PyTorch raises an error where the source has less elements than the mask has
/// places; here the last one is repeated.
Error emitMaskedScatter(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Operand mask,
                 call.operandAs("mask", call.build.i1(), x.shape));
  MPC_TRY_ASSIGN(Operand source, call.tensor("source"));
  if (source.type != x.type || *countElements(source.shape) == 0)
    return call.fail("the source is " + shapeText(source.shape) +
                     ", expected elements of the operand's type");
  call.result(writtenWhere(call.build, x, mask, source, /*repeats=*/false,
                           Joining::Replace));
  return Error::success();
}

Error emitIndexPut(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(std::vector<Operand> given, call.tensors("indices"));
  MPC_TRY_ASSIGN(bool accumulates, call.flag("accumulate", false));
  if (given.size() == 1 && given.front().type && given.front().isBool())
    return putByMask(call, x, given.front(),
                     accumulates ? Joining::Add : Joining::Replace);
  MPC_TRY_ASSIGN(IndexList list, readIndices(call, x));
  MPC_TRY_ASSIGN(Operand places, placesOf(call, x, list));
  TensorBuilder &b = call.build;
  Shape shape(ArrayRef(x.shape).take_front(list.first));
  append_range(shape, list.shape);
  append_range(shape,
               ArrayRef(x.shape).drop_front(list.first + list.indices.size()));
  MPC_TRY_ASSIGN(Operand values, call.operandAs("values", x.type, shape));
  if (accumulates && x.isBool())
    return call.fail("the operand is bool");
  Operand result = writtenSlices(b, x, list, places, values,
                                 accumulates ? Joining::Add : Joining::Replace);
  call.result(list.order.empty() ? result
                                 : b.transpose(result, inverse(list.order)));
  return Error::success();
}

/// index_add(), index_copy() and index_fill(): slices along one axis.
template <Joining joining>
Error emitAlongAxis(Call &call, StringRef source) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  MPC_TRY_ASSIGN(Operand index, call.tensor("index"));
  if (x.rank() == 0 || index.rank() != 1 || x.isBool())
    return call.fail("writes to " + shapeText(x.shape) + " by " +
                     shapeText(index.shape));
  IndexList list{{index}, axis, index.shape};
  MPC_TRY_ASSIGN(Operand places, placesOf(call, x, list));
  Shape shape = x.shape;
  shape[axis] = index.shape.front();
  MPC_TRY_ASSIGN(Operand values, call.operandAs(source, x.type, shape));
  MPC_TRY_ASSIGN(double alpha, call.number("alpha", 1.0));
  if (alpha != 1.0)
    values = call.build.binary(Binary::Mul, values, alpha);
  call.result(writtenSlices(call.build, x, list, places, values, joining));
  return Error::success();
}

Error emitIndexAdd(Call &call) {
  return emitAlongAxis<Joining::Add>(call, "source");
}
Error emitIndexCopy(Call &call) {
  return emitAlongAxis<Joining::Replace>(call, "source");
}
Error emitIndexFill(Call &call) {
  return emitAlongAxis<Joining::Replace>(call, "value");
}

/// max_unpool2d(): each element at its place among those of its channel, zeros
/// elsewhere.
Error emitMaxUnpool(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(Operand indices, call.tensor("indices"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> sizes, call.integers("output_size"));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  size_t axes = sizes.size();
  if (indices.shape != x.shape || x.shape.size() <= axes ||
      is_contained(x.shape, 0) || !indices.type.isInteger(64) ||
      shape.size() != x.shape.size() ||
      ArrayRef(shape).take_back(axes) != ArrayRef(sizes) ||
      ArrayRef(shape).drop_back(axes) != ArrayRef(x.shape).drop_back(axes))
    return call.fail("writes " + shapeText(x.shape) + " by " +
                     shapeText(indices.shape) + " to " + shapeText(shape));
  TensorBuilder &b = call.build;
  int64_t channels = *countElements(ArrayRef(shape).drop_back(axes));
  int64_t inner = *countElements(ArrayRef(shape).take_back(axes));
  Operand places =
      b.reshape(indices, {channels, *countElements(x.shape) / channels});
  places = b.binary(Binary::Add, places,
                    b.binary(Binary::Mul, b.coordinates(places.shape, 0),
                             static_cast<double>(inner)));
  Operand zeros = b.splat(x.type, {channels * inner}, 0.0);
  Operand result =
      written(b, zeros, x, {places, channels * inner, 1}, Joining::Replace);
  call.result(b.reshape(result, shape));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> writeRows() {
  static const OpRow rows[] = {
      {"index_add.default", emitIndexAdd},
      {"index_copy.default", emitIndexCopy},
      {"index_fill.int_Scalar", emitIndexFill},
      {"index_put.default", emitIndexPut},
      {"masked_scatter.default", emitMaskedScatter},
      {"max_unpool2d.default", emitMaxUnpool},
      {"max_unpool3d.default", emitMaxUnpool},
      {"scatter.src", emitScatter<Joining::Replace>},
      {"scatter.value", emitScatter<Joining::Replace>},
      {"scatter_add.default", emitScatter<Joining::Add>},
      {"scatter_reduce.two", emitScatterReduce},
  };
  return rows;
}

} // namespace mpc::exported
