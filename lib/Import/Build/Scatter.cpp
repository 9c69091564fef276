// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Combines the updates for each place, and finds known places that form a box.
#include "lib/Import/Build/Scatter.h"

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"

using namespace llvm;

namespace mpc::build {

int64_t product(ArrayRef<int64_t> sizes) {
  return countElements(sizes).value_or(0);
}

/// The sum of the updates for each place.
Operand sumsAt(TensorBuilder &b, const Operand &updates, const Flattened &at) {
  Shape shape(updates.shape);
  shape.front() = at.count;
  return b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(updates.type, shape),
      updates.value, at.places.value, /*axis=*/0, /*batch_dims=*/0));
}

/// `data` with `updates` at the places `at`; of equal places any update may
/// win. Each slice of the result is read from the data or from its update.
Operand replaced(TensorBuilder &b, const Operand &data, const Operand &updates,
                 const Flattened &at) {
  // Updates are numbered from 1 on. f32 has exact numbers up to 2^24.
  int64_t count = at.places.shape[0];
  mlir::Type type = count < 1 << 24 ? b.f32() : b.f64();
  Operand numbers =
      b.binary(Binary::Add, b.cast(b.coordinates({count}, 0), type), 1.0);
  Operand source = sumsAt(b, numbers, at);
  Operand isWritten =
      b.compare(nn::CompareKind::GT, source, b.splatLike(source, 0.0));
  Operand row = b.binary(Binary::Add, b.cast(source, b.i64()),
                         static_cast<double>(at.count - 1));
  Operand place = b.select(isWritten, row, b.coordinates({at.count}, 0));
  return b.gather(b.concat({data, updates}, 0), place, 0);
}

/// a / b of integers, rounded down, where b is positive.
static Operand flooredQuotient(TensorBuilder &b, const Operand &x,
                               const Operand &y) {
  Operand quotient = b.binary(Binary::Div, x, y);
  if (x.isFloat() || x.isUnsigned())
    return quotient;
  Operand isAbove =
      b.compare(nn::CompareKind::GT, b.binary(Binary::Mul, quotient, y), x);
  return b.binary(Binary::Sub, quotient, b.cast(isAbove, x.type));
}

/// The mean of the data and the updates of each place, or of the updates alone,
/// for which the caller sets the data to 0 there. The mean of integers is an
/// integer.
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

namespace {

/// A box of a tensor, from `low` on.
struct Box {
  Shape low;
  Shape shape;
};

} // namespace

/// The box that known places form in order; empty where they form none.
static std::optional<Box> boxOf(const Flattened &at) {
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

/// `data` with `updates` in `box`: the part before it, the box, and the part
/// after it are joined along one axis after another.
static Operand assigned(TensorBuilder &b, const Operand &data,
                        const Operand &updates, const Box &box,
                        size_t axis = 0) {
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

std::optional<Operand> assignedBox(TensorBuilder &b, const Operand &data,
                                   const Operand &updates,
                                   const Flattened &at) {
  std::optional<Box> box = boxOf(at);
  if (!box)
    return std::nullopt;
  Shape shape(box->shape);
  append_range(shape, ArrayRef(data.shape).drop_front(at.axes.size()));
  return assigned(b, data, b.reshape(updates, shape), *box);
}

Operand assignedByStep(TensorBuilder &b, const Operand &x,
                       const Operand &source, int64_t axis, int64_t start,
                       int64_t step) {
  int64_t last = start + (source.shape[axis] - 1) * step;
  Shape low(x.shape.size(), 0), high = low, interior = low;
  low[axis] = start;
  high[axis] = x.shape[axis] - last - 1;
  interior[axis] = step - 1;
  auto spread = [&](const Operand &part) {
    return b.pad(part, low, high, interior, 0.0);
  };
  Operand isWritten =
      b.cast(spread(b.splat(b.i64(), source.shape, 1.0)), b.i1());
  return b.select(isWritten, spread(source), x);
}

} // namespace mpc::build
