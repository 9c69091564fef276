// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's ops that move elements, and those that make tensors of a shape alone.
#include "lib/Import/Exported/Call.h"

#include "lib/Import/Build/Scatter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

namespace {

/// Views, squeezes and flattens differ in how they say the sizes of the result,
/// which the exporter has written down.
Error emitReshape(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  MPC_TRY_ASSIGN(x, call.reshaped(x, shape));
  call.result(x);
  return Error::success();
}

Error emitExpand(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.operandLikeResult("self"));
  call.result(x);
  return Error::success();
}

/// Each as its result is declared.
Error emitBroadcastTensors(Call &call) {
  MPC_TRY_ASSIGN(std::vector<Operand> given, call.tensors("tensors"));
  for (auto [index, operand] : enumerate(given)) {
    MPC_TRY_ASSIGN(Shape shape, call.resultShape(index));
    if (!operand.type)
      return call.fail("one of the tensors is None");
    MPC_TRY_ASSIGN(Operand result,
                   call.broadcastTo(operand, shape, "a tensor"));
    call.result(result);
  }
  return Error::success();
}

Error transposeBy(Call &call, const Operand &x, ArrayRef<int64_t> order) {
  SmallVector<int64_t> sorted(order);
  sort(sorted);
  if (sorted != to_vector(seq<int64_t>(0, x.rank())))
    return call.fail("the axes " + shapeText(order) +
                     " are not an order of those of a tensor of rank " +
                     Twine(x.rank()));
  call.result(call.build.transpose(x, order));
  return Error::success();
}

Error emitPermute(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> order, call.integers("dims"));
  for (int64_t &axis : order)
    axis += axis < 0 ? x.rank() : 0;
  return transposeBy(call, x, order);
}

Error emitTranspose(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t first, call.axis("dim0", x.rank()));
  MPC_TRY_ASSIGN(int64_t second, call.axis("dim1", x.rank()));
  SmallVector<int64_t> order = to_vector(seq<int64_t>(0, x.rank()));
  if (x.rank() > 0)
    std::swap(order[first], order[second]);
  return transposeBy(call, x, order);
}

/// t() of a matrix, and x.T of any rank.
Error emitReversedAxes(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  SmallVector<int64_t> order = to_vector(seq<int64_t>(0, x.rank()));
  std::reverse(order.begin(), order.end());
  return transposeBy(call, x, order);
}

/// x.mT, and adjoint() of real numbers.
Error emitMatrixTranspose(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  if (x.rank() < 2)
    return call.fail("the operand is " + shapeText(x.shape));
  SmallVector<int64_t> order = to_vector(seq<int64_t>(0, x.rank()));
  std::swap(order[x.rank() - 1], order[x.rank() - 2]);
  return transposeBy(call, x, order);
}

/// Where an axis is cut, as Python cuts a list.
struct Cut {
  int64_t axis, start, limit, step;
};

int64_t clamped(int64_t place, int64_t size) {
  return std::clamp<int64_t>(place < 0 ? place + size : place, 0, size);
}

Expected<Cut> readCut(Call &call, const Operand &x) {
  if (x.rank() == 0)
    return call.fail("the operand is a scalar");
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), 0));
  int64_t size = x.shape[axis];
  MPC_TRY_ASSIGN(int64_t start, call.integer("start", 0));
  MPC_TRY_ASSIGN(int64_t end, call.integer("end", INT64_MAX));
  MPC_TRY_ASSIGN(int64_t step, call.integer("step", 1));
  if (step < 1)
    return call.fail("argument 'step' is " + Twine(step));
  start = clamped(start, size);
  return Cut{axis, start, std::max(start, clamped(end, size)), step};
}

Operand sliced(TensorBuilder &b, const Operand &x, const Cut &cut) {
  Shape starts(x.rank(), 0), limits = x.shape, strides(x.rank(), 1);
  starts[cut.axis] = cut.start;
  limits[cut.axis] = cut.limit;
  strides[cut.axis] = cut.step;
  return b.slice(x, starts, limits, strides);
}

Error emitSlice(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Cut cut, readCut(call, x));
  if (cut.step == 1)
    call.shows(cut.axis, cut.start, cut.limit);
  call.result(sliced(call.build, x, cut));
  return Error::success();
}

Error emitNarrow(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  MPC_TRY_ASSIGN(int64_t start, call.integer("start"));
  MPC_TRY_ASSIGN(int64_t length, call.integer("length"));
  if (x.rank() == 0 || start < 0 || length < 0 ||
      start > x.shape[axis] - length)
    return call.fail("a part does not lie in the operand");
  call.shows(axis, start, start + length);
  call.result(call.build.sliceAxis(x, axis, start, start + length));
  return Error::success();
}

/// One place of an axis, which goes away.
Expected<Operand> selected(Call &call, const Operand &x, int64_t axis,
                           int64_t index) {
  if (x.rank() == 0 || index < -x.shape[axis] || index >= x.shape[axis])
    return call.fail("index " + Twine(index) + " is not in " +
                     shapeText(x.shape));
  index += index < 0 ? x.shape[axis] : 0;
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  TensorBuilder &b = call.build;
  return b.reshape(b.sliceAxis(x, axis, index, index + 1), shape);
}

Error emitSelect(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  MPC_TRY_ASSIGN(int64_t index, call.integer("index"));
  MPC_TRY_ASSIGN(Operand result, selected(call, x, axis, index));
  int64_t place = index < 0 ? index + x.shape[axis] : index;
  call.shows(axis, place, place + 1);
  call.result(result);
  return Error::success();
}

Error emitUnbind(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), 0));
  if (x.rank() == 0)
    return call.fail("the operand is a scalar");
  for (int64_t index : seq<int64_t>(0, x.shape[axis])) {
    MPC_TRY_ASSIGN(Operand part, selected(call, x, axis, index));
    call.result(part);
  }
  return Error::success();
}

Error splitBy(Call &call, const Operand &x, int64_t axis,
              ArrayRef<int64_t> sizes) {
  int64_t left = x.rank() == 0 ? -1 : x.shape[axis];
  for (int64_t size : sizes) {
    if (size < 0 || size > left)
      return call.fail("parts of " + shapeText(sizes) +
                       " do not cover an axis of " + shapeText(x.shape));
    left -= size;
  }
  if (left != 0)
    return call.fail("parts of " + shapeText(sizes) +
                     " do not cover an axis of " + shapeText(x.shape));
  for (const Operand &part : call.build.split(x, axis, sizes))
    call.result(part);
  return Error::success();
}

/// Parts of one size, and the last what is left.
Error splitEvenly(Call &call, const Operand &x, int64_t axis, int64_t size) {
  if (x.rank() == 0 || size < 1)
    return call.fail("parts of " + Twine(size) + " do not cover " +
                     shapeText(x.shape));
  SmallVector<int64_t> sizes;
  for (int64_t start = 0; start < x.shape[axis]; start += size)
    sizes.push_back(std::min(size, x.shape[axis] - start));
  return splitBy(call, x, axis, sizes);
}

Error emitSplit(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), 0));
  MPC_TRY_ASSIGN(int64_t size, call.integer("split_size"));
  return splitEvenly(call, x, axis, size);
}

Error emitSplitWithSizes(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), 0));
  MPC_TRY_ASSIGN(SmallVector<int64_t> sizes, call.integers("split_sizes"));
  return splitBy(call, x, axis, sizes);
}

Error emitChunk(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), 0));
  MPC_TRY_ASSIGN(int64_t chunks, call.integer("chunks"));
  if (x.rank() == 0 || chunks < 1)
    return call.fail(Twine(chunks) + " chunks of " + shapeText(x.shape));
  return splitEvenly(call, x, axis,
                     std::max<int64_t>(1, divideCeil(x.shape[axis], chunks)));
}

/// Checks that the tensors agree but in `axis`, and joins them.
Expected<Operand> joined(Call &call, ArrayRef<Operand> parts, int64_t axis) {
  Shape expected = parts.front().shape;
  for (const Operand &part : parts) {
    Shape shape = part.shape;
    if (shape.size() != expected.size())
      return call.fail("the tensors have several ranks");
    shape[axis] = expected[axis];
    if (shape != expected || part.type != parts.front().type)
      return call.fail("a tensor is " + shapeText(part.shape) +
                       " beside one of " + shapeText(expected));
  }
  return parts.size() == 1 ? parts.front() : call.build.concat(parts, axis);
}

/// Of the result's type; an empty vector joins with anything.
Error emitCat(Call &call) {
  MPC_TRY_ASSIGN(std::vector<Operand> given, call.tensors("tensors"));
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", shape.size(), 0));
  std::vector<Operand> parts;
  for (const Operand &part : given) {
    if (!part.type)
      return call.fail("one of the tensors is None");
    if (part.shape != Shape{0})
      parts.push_back(call.build.cast(part, type));
  }
  if (parts.empty() || shape.empty())
    return call.fail("there is nothing to join");
  MPC_TRY_ASSIGN(Operand result, joined(call, parts, axis));
  call.result(result);
  return Error::success();
}

Error emitStack(Call &call) {
  MPC_TRY_ASSIGN(std::vector<Operand> parts, call.tensors("tensors"));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", shape.size(), 0));
  if (parts.empty() || shape.empty())
    return call.fail("there is nothing to join");
  shape[axis] = 1;
  for (Operand &part : parts) {
    if (!part.type)
      return call.fail("one of the tensors is None");
    MPC_TRY_ASSIGN(part, call.reshaped(call.build.cast(part, type), shape));
  }
  MPC_TRY_ASSIGN(Operand result, joined(call, parts, axis));
  call.result(result);
  return Error::success();
}

Error emitFlip(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> given, call.integers("dims"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> axes, call.axes("dims", x.rank()));
  call.result(given.empty() ? x : call.build.reverse(x, axes));
  return Error::success();
}

// The least neighbouring elements that are read by one index.
constexpr int64_t kLeastRun = 16;
// The most places that a program stores as indices.
constexpr int64_t kMostPlaces = 1 << 16;

/// The axes from the first to behind the last that a roll moves.
std::pair<int64_t, int64_t> rolledRange(ArrayRef<int64_t> shifts) {
  int64_t first = 0, last = shifts.size();
  while (first < last && shifts[first] == 0)
    ++first;
  while (last > first && shifts[last - 1] == 0)
    --last;
  return {first, last};
}

/// Rolls several axes at once, by the place that each run of the axes behind
/// comes from: `shifts` has a number for each axis. Null where runs are short.
std::optional<Operand> rolledByPlaces(TensorBuilder &b, const Operand &x,
                                      ArrayRef<int64_t> shifts) {
  auto [first, last] = rolledRange(shifts);
  ArrayRef<int64_t> shape = x.shape;
  ArrayRef<int64_t> moved = shape.slice(first, last - first);
  int64_t count = *countElements(moved);
  int64_t run = *countElements(shape.drop_front(last));
  if (last - first < 2 || run < kLeastRun || count == 0 || count > kMostPlaces)
    return std::nullopt;
  SmallVector<int64_t> places;
  for (int64_t to = 0; to < count; ++to) {
    int64_t from = 0, rest = to, stride = 1;
    for (int64_t axis = last - 1; axis >= first; --axis) {
      int64_t size = shape[axis], at = rest % size;
      from += (at + size - shifts[axis]) % size * stride;
      stride *= size;
      rest /= size;
    }
    places.push_back(from);
  }
  int64_t outer = *countElements(shape.take_front(first));
  Operand lines = b.reshape(x, {outer, count, run});
  return b.reshape(b.gather(lines, b.ints(places), 1), shape);
}

Error emitRoll(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> shifts, call.integers("shifts"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> given, call.integers("dims"));
  TensorBuilder &b = call.build;
  Shape shape = x.shape;
  if (given.empty()) {
    given = {0};
    x = b.reshape(x, {*countElements(shape)});
  }
  if (given.size() != shifts.size())
    return call.fail("there are " + Twine(shifts.size()) + " shifts of " +
                     Twine(given.size()) + " axes");
  SmallVector<int64_t> by(x.rank(), 0);
  for (auto [axis, shift] : zip_equal(given, shifts)) {
    axis += axis < 0 ? x.rank() : 0;
    if (axis < 0 || axis >= x.rank())
      return call.fail("argument 'dims' names no axis");
    int64_t size = std::max<int64_t>(x.shape[axis], 1);
    by[axis] = (by[axis] + shift % size + size) % size;
  }
  if (std::optional<Operand> rolled = rolledByPlaces(b, x, by)) {
    call.result(*rolled);
    return Error::success();
  }
  for (auto [axis, shift] : enumerate(by)) {
    int64_t size = x.shape[axis];
    if (shift != 0)
      x = b.concat({b.sliceAxis(x, axis, size - shift, size),
                    b.sliceAxis(x, axis, 0, size - shift)},
                   axis);
  }
  call.result(b.reshape(x, shape));
  return Error::success();
}

Error repeatBy(Call &call, const Operand &x, SmallVector<int64_t> repeats) {
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  TensorBuilder &b = call.build;
  if (repeats.size() < x.shape.size())
    return call.fail("there are fewer repeats than axes");
  Shape padded(repeats.size() - x.shape.size(), 1), wide, split;
  append_range(padded, x.shape);
  SmallVector<int64_t> axes;
  for (auto [size, count] : zip_equal(padded, repeats)) {
    if (count < 0)
      return call.fail("the repeats are " + shapeText(repeats));
    wide.push_back(count);
    axes.push_back(static_cast<int64_t>(wide.size()));
    wide.push_back(size);
  }
  if (countElements(wide) != countElements(shape))
    return call.fail("the repeats do not give " + shapeText(shape));
  call.result(b.reshape(b.broadcast(b.reshape(x, padded), wide, axes), shape));
  return Error::success();
}

Error emitRepeat(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> repeats, call.integers("repeats"));
  return repeatBy(call, x, std::move(repeats));
}

/// Axes for which no repeats are given are the first ones.
Error emitTile(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> repeats, call.integers("dims"));
  while (repeats.size() < x.shape.size())
    repeats.insert(repeats.begin(), 1);
  return repeatBy(call, x, std::move(repeats));
}

/// Elements of another rank's order: the parts of a matrix above or below a
/// diagonal.
template <nn::CompareKind kept>
Error emitTriangle(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t diagonal, call.integer("diagonal", 0));
  if (x.rank() < 2)
    return call.fail("the operand is " + shapeText(x.shape));
  TensorBuilder &b = call.build;
  Operand rows = b.coordinates(x.shape, x.rank() - 2);
  Operand columns = b.coordinates(x.shape, x.rank() - 1);
  Operand edge = b.binary(Binary::Add, rows, static_cast<double>(diagonal));
  Operand stays = b.compare(kept, columns, edge);
  call.result(b.select(stays, x, b.splatLike(x, 0.0)));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Of a shape alone
//===----------------------------------------------------------------------===//

Error fillResult(Call &call, double value) {
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  call.result(call.build.splat(type, shape, value));
  return Error::success();
}

Error emitZeros(Call &call) { return fillResult(call, 0.0); }
Error emitOnes(Call &call) { return fillResult(call, 1.0); }

Error emitFull(Call &call) {
  MPC_TRY_ASSIGN(double value, call.number("fill_value"));
  return fillResult(call, value);
}

Error emitFill(Call &call) {
  MPC_TRY_ASSIGN(Operand value, call.operandLikeResult("value"));
  call.result(value);
  return Error::success();
}

Error emitCopy(Call &call) {
  MPC_TRY_ASSIGN(Operand source, call.operandLikeResult("src"));
  call.result(source);
  return Error::success();
}

Error emitScalarTensor(Call &call) {
  MPC_TRY_ASSIGN(double value, call.number("s"));
  return fillResult(call, value);
}

/// start, start + step and so on, as many as the result has.
Error countUp(Call &call, double start, double step) {
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  if (shape.size() != 1 || shape[0] > (int64_t(1) << 24))
    return call.fail("the result is " + shapeText(shape) +
                     ", expected one axis of at most 2^24 elements");
  TensorBuilder &b = call.build;
  std::vector<double> numbers;
  for (int64_t i : seq<int64_t>(0, shape[0]))
    numbers.push_back(start + static_cast<double>(i) * step);
  MPC_TRY_ASSIGN(Operand values, b.fromValues<double>(b.f64(), shape, numbers));
  call.result(b.cast(values, type));
  return Error::success();
}

Error emitArange(Call &call) {
  MPC_TRY_ASSIGN(double start, call.number("start", 0.0));
  MPC_TRY_ASSIGN(double step, call.number("step", 1.0));
  return countUp(call, start, step);
}

Error emitLinspace(Call &call) {
  MPC_TRY_ASSIGN(double start, call.number("start"));
  MPC_TRY_ASSIGN(double end, call.number("end"));
  MPC_TRY_ASSIGN(int64_t steps, call.integer("steps"));
  double ways = steps > 1 ? static_cast<double>(steps - 1) : 1.0;
  return countUp(call, start, (end - start) / ways);
}

/// `source`, which has the cut's shape, in the place of a part of `x`.
Operand assigned(TensorBuilder &b, const Operand &x, const Operand &source,
                 const Cut &cut) {
  std::vector<Operand> parts;
  if (cut.start > 0)
    parts.push_back(b.sliceAxis(x, cut.axis, 0, cut.start));
  parts.push_back(source);
  if (cut.limit < x.shape[cut.axis])
    parts.push_back(b.sliceAxis(x, cut.axis, cut.limit, x.shape[cut.axis]));
  return parts.size() == 1 ? source : b.concat(parts, cut.axis);
}

/// x[..., a:b:c] = y
Error emitSliceScatter(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Cut cut, readCut(call, x));
  Shape part = x.shape;
  part[cut.axis] = llvm::divideCeil(cut.limit - cut.start, cut.step);
  MPC_TRY_ASSIGN(Operand source, call.operandAs("src", x.type, part));
  if (part[cut.axis] == 0)
    call.result(x);
  else if (cut.step == 1)
    call.result(assigned(call.build, x, source, cut));
  else
    call.result(
        assignedByStep(call.build, x, source, cut.axis, cut.start, cut.step));
  return Error::success();
}

/// x[..., i] = y
Error emitSelectScatter(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  MPC_TRY_ASSIGN(int64_t index, call.integer("index"));
  MPC_TRY_ASSIGN(Operand part, selected(call, x, axis, index));
  MPC_TRY_ASSIGN(Operand source, call.operandAs("src", x.type, part.shape));
  index += index < 0 ? x.shape[axis] : 0;
  Shape shape = x.shape;
  shape[axis] = 1;
  TensorBuilder &b = call.build;
  call.result(
      assigned(b, x, b.reshape(source, shape), {axis, index, index + 1, 1}));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> movementRows() {
  static const OpRow rows[] = {
      {"_unsafe_view.default", emitReshape},
      {"adjoint.default", emitMatrixTranspose, Sharing::Reordered},
      {"alias.default", emitReshape, Sharing::All},
      {"arange.default", emitArange},
      {"arange.start", emitArange},
      {"arange.start_step", emitArange},
      {"broadcast_tensors.default", emitBroadcastTensors, Sharing::Reordered},
      {"cat.default", emitCat},
      {"chunk.default", emitChunk, Sharing::Reordered},
      {"concat.default", emitCat},
      {"copy.default", emitCopy},
      {"empty.memory_format", emitZeros},
      {"empty_like.default", emitZeros},
      {"broadcast_to.default", emitExpand, Sharing::Reordered},
      {"expand.default", emitExpand, Sharing::Reordered},
      {"expand_as.default", emitExpand, Sharing::Reordered},
      {"fill.Scalar", emitFill},
      {"fill.Tensor", emitFill},
      {"flatten.using_ints", emitReshape, Sharing::Maybe},
      {"ravel.default", emitReshape, Sharing::Maybe},
      {"flip.default", emitFlip},
      {"full.default", emitFull},
      {"full_like.default", emitFull},
      {"linspace.default", emitLinspace},
      {"mT.default", emitMatrixTranspose, Sharing::Reordered},
      {"matrix_H.default", emitMatrixTranspose, Sharing::Reordered},
      {"narrow.default", emitNarrow, Sharing::Part},
      {"new_empty.default", emitZeros},
      {"new_full.default", emitFull},
      {"new_ones.default", emitOnes},
      {"new_zeros.default", emitZeros},
      {"numpy_T.default", emitReversedAxes, Sharing::Reordered},
      {"ones.default", emitOnes},
      {"ones_like.default", emitOnes},
      {"permute.default", emitPermute, Sharing::Reordered},
      {"repeat.default", emitRepeat},
      {"reshape.default", emitReshape, Sharing::Maybe},
      {"reshape_as.default", emitReshape, Sharing::Maybe},
      {"roll.default", emitRoll},
      {"scalar_tensor.default", emitScalarTensor},
      {"select.int", emitSelect, Sharing::Part},
      {"select_scatter.default", emitSelectScatter},
      {"slice.Tensor", emitSlice, Sharing::Part},
      {"slice_scatter.default", emitSliceScatter},
      {"split.Tensor", emitSplit, Sharing::Reordered},
      {"split_with_sizes.default", emitSplitWithSizes, Sharing::Reordered},
      {"squeeze.default", emitReshape, Sharing::All},
      {"squeeze.dim", emitReshape, Sharing::All},
      {"squeeze.dims", emitReshape, Sharing::All},
      {"stack.default", emitStack},
      {"t.default", emitReversedAxes, Sharing::Reordered},
      {"tile.default", emitTile},
      {"transpose.int", emitTranspose, Sharing::Reordered},
      {"tril.default", emitTriangle<nn::CompareKind::LE>},
      {"triu.default", emitTriangle<nn::CompareKind::GE>},
      {"unbind.int", emitUnbind, Sharing::Reordered},
      {"unflatten.int", emitReshape, Sharing::All},
      {"unsqueeze.default", emitReshape, Sharing::All},
      {"view.default", emitReshape, Sharing::All},
      {"view_as.default", emitReshape, Sharing::All},
      {"zero.default", emitZeros},
      {"zeros.default", emitZeros},
      {"zeros_like.default", emitZeros},
  };
  return rows;
}

} // namespace mpc::exported
