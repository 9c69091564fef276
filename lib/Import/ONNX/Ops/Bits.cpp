// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops on the bits of integers.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

template <typename OpTy>
Error emitBitwise(NodeImporter &node) {
  MPC_TRY(node.requireIntegers(0));
  MPC_TRY_ASSIGN(auto operands, node.unifiedInputs());
  node.result(0, node.build.pair<OpTy>(operands[0], operands[1]));
  return Error::success();
}

Error emitBitwiseNot(NodeImporter &node) {
  MPC_TRY(node.requireIntegers(0));
  node.result(0, node.build.bitNot(node.in(0)));
  return Error::success();
}

Error emitBitShift(NodeImporter &node) {
  StringRef direction = node.stringAttr("direction", "");
  if (direction == "LEFT")
    return emitBitwise<nn::ShiftLeftOp>(node);
  if (direction == "RIGHT")
    return emitBitwise<nn::ShiftRightOp>(node);
  return node.fail("attribute 'direction' is '" + printable(direction) +
                   "', expected LEFT or RIGHT");
}

Error emitBitCast(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(mlir::Type type, node.elementTypeAttr("to"));
  if (nn::elementBytes(type) != nn::elementBytes(input.type))
    return node.fail("the bits of " + toString(input.type) + " do not fit " +
                     toString(type));
  TensorBuilder &b = node.build;
  node.result(0, b.fold(nn::BitcastOp::create(b.builder(), b.location(),
                                              b.tensorType(type, input.shape),
                                              input.value)));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> bitRules() {
  static const OpRule rules[] = {
      {"BitCast", 26, 1, 1, 1, "to:i", emitBitCast},
      {"BitShift", 11, 2, 2, 1, "direction:s", emitBitShift},
      {"BitwiseAnd", 18, 2, 2, 1, "", emitBitwise<nn::BitAndOp>},
      {"BitwiseNot", 18, 1, 1, 1, "", emitBitwiseNot},
      {"BitwiseOr", 18, 2, 2, 1, "", emitBitwise<nn::BitOrOp>},
      {"BitwiseXor", 18, 2, 2, 1, "", emitBitwise<nn::BitXorOp>},
  };
  return rules;
}

} // namespace mpc::onnx
