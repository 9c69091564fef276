// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's ops that put the elements of an operand in another order, or read
/// some of them in steps.
#include "lib/Import/Exported/Call.h"

#include "lib/Import/Build/Scatter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

namespace {

SmallVector<int64_t> identityOrder(int64_t rank) {
  return to_vector(seq<int64_t>(0, rank));
}

/// Axes by numbers that may be counted from the end.
Expected<SmallVector<int64_t>> readAxes(Call &call, StringRef name,
                                        int64_t rank) {
  MPC_TRY_ASSIGN(SmallVector<int64_t> axes, call.integers(name));
  SmallVector<int64_t> seen;
  for (int64_t &axis : axes) {
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank || is_contained(seen, axis))
      return call.fail("argument '" + name + "' is not of axes of rank " +
                       Twine(rank));
    seen.push_back(axis);
  }
  return axes;
}

/// Each axis of `source` goes to that of `destination`; the others keep their
/// order.
Error emitMoveAxes(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(auto source, readAxes(call, "source", x.rank()));
  MPC_TRY_ASSIGN(auto destination, readAxes(call, "destination", x.rank()));
  if (source.size() != destination.size())
    return call.fail("moves " + Twine(source.size()) + " axes to " +
                     Twine(destination.size()));
  SmallVector<int64_t> order(x.rank(), -1);
  for (auto [from, to] : zip_equal(source, destination))
    order[to] = from;
  int64_t next = 0;
  for (int64_t &axis : order) {
    while (is_contained(source, next))
      ++next;
    if (axis < 0)
      axis = next++;
  }
  call.result(call.build.transpose(x, order));
  return Error::success();
}

Error swapAxes(Call &call, StringRef first, StringRef second) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t one, call.axis(first, x.rank()));
  MPC_TRY_ASSIGN(int64_t two, call.axis(second, x.rank()));
  auto order = identityOrder(x.rank());
  if (!order.empty())
    std::swap(order[one], order[two]);
  call.result(call.build.transpose(x, order));
  return Error::success();
}

Error emitSwapAxes(Call &call) { return swapAxes(call, "axis0", "axis1"); }
Error emitSwapDims(Call &call) { return swapAxes(call, "dim0", "dim1"); }

/// Each element of an axis, or of all, `repeats` times in a row.
Error emitRepeatInterleave(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t repeats, call.integer("repeats"));
  TensorBuilder &b = call.build;
  if (!call.has("dim"))
    x = b.reshape(x, {*countElements(x.shape)});
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), 0));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  Shape wide = x.shape;
  if (repeats >= 0 && !wide.empty())
    wide.insert(wide.begin() + axis + 1, repeats);
  if (repeats < 0 || countElements(wide) != countElements(shape))
    return call.fail("repeats " + shapeText(x.shape) + " " + Twine(repeats) +
                     " times, and declares " + shapeText(shape));
  SmallVector<int64_t> axes = identityOrder(wide.size());
  if (!wide.empty())
    axes.erase(axes.begin() + axis + 1);
  call.result(b.reshape(b.broadcast(x, wide, axes), shape));
  return Error::success();
}

/// The elements whose places on two axes differ by `offset`, which lie at equal
/// distances where its two axes are the last and one.
struct Diagonal {
  Operand flat;               ///< With the two axes as one.
  SmallVector<int64_t> order; ///< Of the axes, before these became one.
  Shape moved;                ///< In that order.
  int64_t start, step, count;
};

Expected<Diagonal> readDiagonal(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t offset, call.integer("offset", 0));
  MPC_TRY_ASSIGN(int64_t rows, call.axis("dim1", x.rank(), 0));
  MPC_TRY_ASSIGN(int64_t columns, call.axis("dim2", x.rank(), 1));
  if (x.rank() < 2 || rows == columns || offset == INT64_MIN)
    return call.fail("has no two axes of " + shapeText(x.shape));
  Diagonal found;
  for (int64_t axis : seq<int64_t>(0, x.rank()))
    if (axis != rows && axis != columns)
      found.order.push_back(axis);
  found.order.append({rows, columns});
  TensorBuilder &b = call.build;
  x = b.transpose(x, found.order);
  found.moved = x.shape;
  int64_t height = x.shape[x.rank() - 2], width = x.shape.back();
  int64_t row = std::max<int64_t>(0, -offset);
  int64_t column = std::max<int64_t>(0, offset);
  found.count = row < height && column < width
                    ? std::min(height - row, width - column)
                    : 0;
  found.start = found.count == 0 ? 0 : row * width + column;
  found.step = width + 1;
  Shape shape(ArrayRef(x.shape).drop_back(2));
  shape.push_back(height * width);
  found.flat = b.reshape(x, shape);
  return found;
}

Error emitDiagonal(Call &call) {
  MPC_TRY_ASSIGN(Diagonal of, readDiagonal(call));
  Shape starts(of.flat.rank(), 0), limits = of.flat.shape,
                                   strides(of.flat.rank(), 1);
  starts.back() = of.start;
  strides.back() = of.step;
  limits.back() = of.count == 0 ? 0 : of.start + (of.count - 1) * of.step + 1;
  call.result(call.build.slice(of.flat, starts, limits, strides));
  return Error::success();
}

/// fill_diagonal_(): of matrices; `wrap` begins anew below a tall one's end.
Error emitFillDiagonal(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(double value, call.number("fill_value"));
  MPC_TRY_ASSIGN(bool wraps, call.flag("wrap", false));
  if (x.rank() != 2 || (wraps && x.shape[0] > x.shape[1]))
    return call.fail("fills " + shapeText(x.shape) +
                     ", expected a matrix, and no tall one with wrap");
  TensorBuilder &b = call.build;
  Operand isThere = b.compare(nn::CompareKind::EQ, b.coordinates(x.shape, 0),
                              b.coordinates(x.shape, 1));
  call.result(b.select(isThere, b.splatLike(x, value), x));
  return Error::success();
}

Error emitDiagonalScatter(Call &call) {
  MPC_TRY_ASSIGN(Diagonal of, readDiagonal(call));
  Shape shape = of.flat.shape;
  shape.back() = of.count;
  MPC_TRY_ASSIGN(Operand source, call.operandAs("src", of.flat.type, shape));
  TensorBuilder &b = call.build;
  Operand written = of.flat;
  if (of.count > 0)
    written = assignedByStep(b, of.flat, source, of.flat.rank() - 1, of.start,
                             of.step);
  SmallVector<int64_t> back(of.order.size());
  for (auto [to, from] : enumerate(of.order))
    back[from] = static_cast<int64_t>(to);
  call.result(b.transpose(b.reshape(written, of.moved), back));
  return Error::success();
}

/// Windows of one axis: how many, and along a last axis what is in each.
Error emitUnfold(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dimension", x.rank()));
  MPC_TRY_ASSIGN(int64_t size, call.integer("size"));
  MPC_TRY_ASSIGN(int64_t step, call.integer("step"));
  if (x.rank() == 0 || size < 0 || step < 1 || size > x.shape[axis])
    return call.fail("windows of " + Twine(size) + " in steps of " +
                     Twine(step) + " do not fit in " + shapeText(x.shape));
  int64_t count = (x.shape[axis] - size) / step + 1;
  std::vector<int64_t> places;
  for (int64_t window : seq<int64_t>(0, count))
    for (int64_t i : seq<int64_t>(0, size))
      places.push_back(window * step + i);
  TensorBuilder &b = call.build;
  MPC_TRY_ASSIGN(Operand indices,
                 b.fromValues<int64_t>(b.i64(), {count, size}, places));
  x = b.gather(x, indices, axis);
  auto order = identityOrder(x.rank());
  std::rotate(order.begin() + axis + 1, order.begin() + axis + 2, order.end());
  call.result(b.transpose(x, order));
  return Error::success();
}

/// Channels that become blocks of r x r elements, and back.
template <bool isBack>
Error emitPixelShuffle(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t r,
                 call.integer(isBack ? "downscale_factor" : "upscale_factor"));
  MPC_TRY_ASSIGN(Shape result, call.resultShape());
  const Shape &large = isBack ? x.shape : result;
  const Shape &small = isBack ? result : x.shape;
  size_t rank = x.shape.size();
  if (rank < 3 || result.size() != rank || r < 1 || r > INT32_MAX ||
      small[rank - 2] * r != large[rank - 2] ||
      small[rank - 1] * r != large[rank - 1] ||
      countElements(small) != countElements(large))
    return call.fail("the operand is " + shapeText(x.shape) + ", the result " +
                     shapeText(result) + ", the factor " + Twine(r));
  int64_t height = small[rank - 2], width = small[rank - 1];
  int64_t channels = large[rank - 3];
  int64_t images = *countElements(ArrayRef(x.shape).drop_back(3));
  TensorBuilder &b = call.build;
  if (isBack)
    x = b.transpose(b.reshape(x, {images, channels, height, r, width, r}),
                    {0, 1, 3, 5, 2, 4});
  else
    x = b.transpose(b.reshape(x, {images, channels, r, r, height, width}),
                    {0, 1, 4, 2, 5, 3});
  call.result(b.reshape(x, result));
  return Error::success();
}

/// Channels of groups in turn.
Error emitChannelShuffle(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t groups, call.integer("groups"));
  if (x.rank() < 3 || groups < 1 || x.shape[1] % groups != 0 ||
      is_contained(x.shape, 0))
    return call.fail("the operand is " + shapeText(x.shape) + " in " +
                     Twine(groups) + " groups");
  int64_t inner = *countElements(ArrayRef(x.shape).drop_front(2));
  TensorBuilder &b = call.build;
  Operand parts =
      b.reshape(x, {x.shape[0], groups, x.shape[1] / groups, inner});
  call.result(b.reshape(b.transpose(parts, {0, 2, 1, 3}), x.shape));
  return Error::success();
}

/// Each of some vectors along an axis of its own, which all results have.
Error emitMeshGrid(Call &call) {
  MPC_TRY_ASSIGN(std::vector<Operand> vectors, call.tensors("tensors"));
  MPC_TRY_ASSIGN(std::string indexing, call.text("indexing", "ij"));
  if (indexing != "ij" && indexing != "xy")
    return call.fail("indexing is '" + printable(indexing) + "'");
  SmallVector<int64_t> axes = identityOrder(vectors.size());
  if (indexing == "xy" && axes.size() > 1)
    std::swap(axes[0], axes[1]);
  Shape shape(vectors.size(), 1);
  for (auto [axis, vector] : zip_equal(axes, vectors)) {
    if (!vector.type || vector.rank() > 1)
      return call.fail("one of the tensors is not a vector");
    shape[axis] = *countElements(vector.shape);
  }
  TensorBuilder &b = call.build;
  MPC_TRY(checkSize(shape));
  for (auto [axis, vector] : zip_equal(axes, vectors))
    call.result(b.broadcast(b.reshape(vector, {shape[axis]}), shape, {axis}));
  return Error::success();
}

/// A one where row and column are equal.
Error emitEye(Call &call) {
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  if (shape.size() != 2)
    return call.fail("the result is " + shapeText(shape));
  TensorBuilder &b = call.build;
  Operand isEqual = b.compare(nn::CompareKind::EQ, b.coordinates(shape, 0),
                              b.coordinates(shape, 1));
  call.result(b.cast(isEqual, type));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> rearrangementRows() {
  static const OpRow rows[] = {
      {"channel_shuffle.default", emitChannelShuffle},
      {"diagonal.default", emitDiagonal, Sharing::Reordered},
      {"diagonal_scatter.default", emitDiagonalScatter},
      {"eye.default", emitEye},
      {"eye.m", emitEye},
      {"fill_diagonal.default", emitFillDiagonal},
      {"meshgrid.default", emitMeshGrid},
      {"meshgrid.indexing", emitMeshGrid},
      {"movedim.int", emitMoveAxes, Sharing::Reordered},
      {"movedim.intlist", emitMoveAxes, Sharing::Reordered},
      {"pixel_shuffle.default", emitPixelShuffle<false>},
      {"pixel_unshuffle.default", emitPixelShuffle<true>},
      {"repeat_interleave.self_int", emitRepeatInterleave},
      {"swapaxes.default", emitSwapAxes, Sharing::Reordered},
      {"swapdims.default", emitSwapDims, Sharing::Reordered},
      {"unfold.default", emitUnfold, Sharing::Reordered},
  };
  return rows;
}

} // namespace mpc::exported
