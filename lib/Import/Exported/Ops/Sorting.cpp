// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's ops that order the elements along an axis.
#include "lib/Import/Build/Sorting.h"

#include "lib/Import/Exported/Call.h"

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

} // namespace

ArrayRef<OpRow> sortingRows() {
  static const OpRow rows[] = {
      {"argsort.default", emitArgSort}, {"argsort.stable", emitArgSort},
      {"sort.default", emitSort},       {"sort.stable", emitSort},
      {"topk.default", emitTopK},
  };
  return rows;
}

} // namespace mpc::exported
