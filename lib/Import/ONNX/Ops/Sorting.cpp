// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that order the elements along an axis.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Sorting.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The k first elements of the axis in order, and where they were. Sorted also
/// where any order will do.
Error emitTopK(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", -1), input.rank()));
  MPC_TRY_ASSIGN(auto counts, node.ints(1, "k"));
  int64_t size = input.shape[axis];
  if (counts.size() != 1 || counts[0] < 0 || counts[0] > size || input.isBool())
    return node.fail("takes " + Twine(counts.empty() ? 0 : counts[0]) +
                     " of an axis of " + Twine(size) + " elements of " +
                     toString(input.type));
  Ordered first = firstInOrder(node.build, input, axis, counts[0],
                               node.intAttr("largest", 1) != 0);
  node.result(0, std::move(first.values));
  node.result(1, std::move(first.places));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> sortingRules() {
  static const OpRule rules[] = {
      {"TopK", 1, 1, 1, 2, "axis:i k:i", emitTopK, "", false, "k!"},
      {"TopK", 10, 2, 2, 2, "axis:i", emitTopK},
      {"TopK", 11, 2, 2, 2, "axis:i largest:i sorted:i", emitTopK},
  };
  return rules;
}

} // namespace mpc::onnx
