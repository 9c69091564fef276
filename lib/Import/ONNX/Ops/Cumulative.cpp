// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that combine each element with all elements before it.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

template <Binary kind>
Error emitCumulative(NodeImporter &node) {
  TensorBuilder &b = node.build;
  Operand x = node.in(0);
  if (x.isBool())
    return node.fail("the operand is bool, expected numbers");
  MPC_TRY_ASSIGN(int64_t axis, node.integer(1, "the axis"));
  MPC_TRY_ASSIGN(axis, node.axis(axis, x.rank()));
  bool isReverse = node.intAttr("reverse", 0) != 0;
  x = b.wide(x);
  if (isReverse)
    x = b.reverse(x, {axis});
  if (node.intAttr("exclusive", 0) != 0 && x.shape[axis] > 0)
    x = b.shifted(x, axis, 1, kind == Binary::Mul ? 1.0 : 0.0);
  x = b.scan(kind, x, axis);
  if (isReverse)
    x = b.reverse(x, {axis});
  node.result(0, b.cast(x, node.in(0).type));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> cumulativeRules() {
  static const OpRule rules[] = {
      {"CumProd", 26, 2, 2, 1, "exclusive:i reverse:i",
       emitCumulative<Binary::Mul>},
      {"CumSum", 11, 2, 2, 1, "exclusive:i reverse:i",
       emitCumulative<Binary::Add>},
  };
  return rules;
}

} // namespace mpc::onnx
