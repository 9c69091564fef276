// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's ops that order the elements along an axis.
#include "lib/Import/Build/Sorting.h"

#include "lib/Import/Build/Cumulative.h"
#include "lib/Import/Build/Random.h"
#include "lib/Import/Exported/Call.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

namespace {

/// The operand, which has an axis; a scalar is a vector of one element.
Expected<Operand> sortable(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  if (x.isBool() || *countElements(x.shape) == 0)
    return call.fail("the operand is " + shapeText(x.shape) +
                     (x.isBool() ? " of bools" : ""));
  return x.rank() == 0 ? call.build.reshape(x, {1}) : x;
}

Error emitTopK(Call &call) {
  MPC_TRY_ASSIGN(Operand x, sortable(call));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), -1));
  MPC_TRY_ASSIGN(int64_t count, call.integer("k"));
  MPC_TRY_ASSIGN(bool isGreatest, call.flag("largest", true));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  if (count < 0 || count > x.shape[axis])
    return call.fail("takes " + Twine(count) + " of " + shapeText(x.shape));
  Ordered first = firstInOrder(call.build, x, axis, count, isGreatest);
  MPC_TRY_ASSIGN(first.values, call.reshaped(first.values, shape));
  call.result(first.values);
  call.result(call.build.reshape(first.places, shape));
  return Error::success();
}

Expected<Ordered> sorted(Call &call) {
  MPC_TRY_ASSIGN(Operand x, sortable(call));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), -1));
  MPC_TRY_ASSIGN(bool isDescending, call.flag("descending", false));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  Ordered all = firstInOrder(call.build, x, axis, x.shape[axis], isDescending);
  MPC_TRY_ASSIGN(all.values, call.reshaped(all.values, shape));
  all.places = call.build.reshape(all.places, shape);
  return all;
}

Error emitSort(Call &call) {
  MPC_TRY_ASSIGN(Ordered all, sorted(call));
  call.result(all.values);
  call.result(all.places);
  return Error::success();
}

Error emitArgSort(Call &call) {
  MPC_TRY_ASSIGN(Ordered all, sorted(call));
  call.result(all.places);
  return Error::success();
}

/// The element that has `number` others in front of it in ascending order along
/// an axis, and its place; both keep the axis.
Expected<Ordered> elementInOrder(Call &call, const Operand &x, int64_t axis,
                                 int64_t number) {
  if (number < 0 || number >= x.shape[axis])
    return call.fail("takes element " + Twine(number + 1) + " of " +
                     shapeText(x.shape));
  TensorBuilder &b = call.build;
  Ordered first = firstInOrder(b, x, axis, number + 1, /*greatestFirst=*/false);
  return Ordered{b.sliceAxis(first.values, axis, number, number + 1),
                 b.sliceAxis(first.places, axis, number, number + 1)};
}

Error giveInOrder(Call &call, const Operand &x, int64_t axis, int64_t number) {
  MPC_TRY_ASSIGN(Ordered found, elementInOrder(call, x, axis, number));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  for (const Operand &part : {found.values, found.places}) {
    MPC_TRY_ASSIGN(Operand result, call.reshaped(part, shape));
    call.result(result);
  }
  return Error::success();
}

Error emitKthValue(Call &call) {
  MPC_TRY_ASSIGN(Operand x, sortable(call));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), -1));
  MPC_TRY_ASSIGN(int64_t number, call.integer("k"));
  return giveInOrder(call, x, axis, number - 1);
}

/// The lower of two in the middle.
Error emitMedianAlong(Call &call) {
  MPC_TRY_ASSIGN(Operand x, sortable(call));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  return giveInOrder(call, x, axis, (x.shape[axis] - 1) / 2);
}

Error emitMedian(Call &call) {
  MPC_TRY_ASSIGN(Operand x, sortable(call));
  x = call.build.joinedFrom(x, 0);
  MPC_TRY_ASSIGN(Ordered found,
                 elementInOrder(call, x, 0, (x.shape[0] - 1) / 2));
  call.result(call.build.reshape(found.values, {}));
  return Error::success();
}

template <bool isLeast>
Error emitCumulativeExtreme(Call &call) {
  MPC_TRY_ASSIGN(Operand x, sortable(call));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  Ordered found = cumulativeExtreme(call.build, x, axis, isLeast);
  for (const Operand &part : {found.values, found.places}) {
    MPC_TRY_ASSIGN(Operand result, call.reshaped(part, shape));
    call.result(result);
  }
  return Error::success();
}

/// The number of elements of a sorted row that are below each value, or not
/// above it.
Error emitSearchSorted(Call &call) {
  MPC_TRY_ASSIGN(Operand row, call.tensor("sorted_sequence"));
  MPC_TRY_ASSIGN(Operand values, call.tensor("self"));
  MPC_TRY_ASSIGN(std::string side, call.text("side", "left"));
  MPC_TRY_ASSIGN(bool isRight, call.flag("right", side == "right"));
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  if (call.has("sorter"))
    return call.fail("a sorter is not supported");
  Shape leading(values.shape);
  if (row.rank() > 1 && !leading.empty())
    leading.back() = 1;
  if (row.type != values.type || row.isBool() || row.rank() == 0 ||
      (row.rank() > 1 &&
       (row.rank() != values.rank() ||
        ArrayRef(row.shape).drop_back() != ArrayRef(leading).drop_back())))
    return call.fail("looks for " + shapeText(values.shape) + " in " +
                     shapeText(row.shape) + ", or types differ");
  TensorBuilder &b = call.build;
  Shape all(values.shape), own(row.rank() > 1 ? leading : Shape());
  all.push_back(row.shape.back());
  own.push_back(row.shape.back());
  MPC_TRY(checkSize(all));
  SmallVector<int64_t> axes = to_vector(seq<int64_t>(0, values.rank()));
  Operand isBehind = b.compare(
      isRight ? nn::CompareKind::LE : nn::CompareKind::LT,
      b.broadcastTo(b.reshape(row, own), all), b.broadcast(values, all, axes));
  call.result(
      b.cast(b.reduceSum(b.cast(isBehind, b.i64()), {values.rank()}), type));
  return Error::success();
}

/// randperm(): the order of random numbers.
Error emitPermutation(Call &call) {
  MPC_TRY_ASSIGN(int64_t count, call.integer("n"));
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  if (count < 1)
    return call.fail("permutes " + Twine(count) + " numbers");
  MPC_TRY(checkSize({count}));
  TensorBuilder &b = call.build;
  Ordered all = firstInOrder(b, uniform(b, {count}), 0, count,
                             /*greatestFirst=*/false);
  call.result(b.cast(all.places, type));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> sortingRows() {
  static const OpRow rows[] = {
      {"argsort.default", emitArgSort},
      {"argsort.stable", emitArgSort},
      {"cummax.default", emitCumulativeExtreme<false>},
      {"cummin.default", emitCumulativeExtreme<true>},
      {"kthvalue.default", emitKthValue},
      {"median.default", emitMedian},
      {"median.dim", emitMedianAlong},
      {"randperm.default", emitPermutation},
      {"searchsorted.Tensor", emitSearchSorted},
      {"sort.default", emitSort},
      {"sort.stable", emitSort},
      {"topk.default", emitTopK},
  };
  return rows;
}

} // namespace mpc::exported
