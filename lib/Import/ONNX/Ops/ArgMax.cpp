// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that give the position of an extremum.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The index along `axis` of the extremum of `x`, which is the node's input as
/// floats; the axis keeps size 1.
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
  found = b.cast(found, b.i64());
  if (node.intAttr("keepdims", 1) == 0) {
    Shape shape = found.shape;
    shape.erase(shape.begin() + axis);
    found = b.reshape(found, shape);
  }
  node.result(0, found);
  return Error::success();
}

/// 1 at the first maximum along `axis` of `x`, which is the node's input, 0
/// elsewhere.
Expected<Operand> hardmax(NodeImporter &node, const Operand &x, int64_t axis) {
  MPC_TRY_ASSIGN(Operand found, placeOfExtremum(node, x, axis, true, false));
  TensorBuilder &b = node.build;
  Operand number = b.cast(b.coordinates(x.shape, axis), b.f32());
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

/// Before opset 13 the maximum is over all axes from `axis` on together.
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

} // namespace

ArrayRef<OpRule> argMaxRules() {
  static const OpRule rules[] = {
      {"ArgMax", 1, 1, 1, 1, "axis:i keepdims:i", emitArg<true>},
      {"ArgMax", 12, 1, 1, 1, "axis:i keepdims:i select_last_index:i",
       emitArg<true>},
      {"ArgMin", 1, 1, 1, 1, "axis:i keepdims:i", emitArg<false>},
      {"ArgMin", 12, 1, 1, 1, "axis:i keepdims:i select_last_index:i",
       emitArg<false>},
      {"Hardmax", 1, 1, 1, 1, "axis:i", emitFlatHardmax},
      {"Hardmax", 13, 1, 1, 1, "axis:i", emitHardmax},
  };
  return rules;
}

} // namespace mpc::onnx
