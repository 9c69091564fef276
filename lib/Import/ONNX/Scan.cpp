// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that combine each element with all before it, and remainders.
#include "lib/Import/ONNX/NodeImporter.h"

#include "lib/Import/ONNX/ImportError.h"
#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

template <Binary kind>
Error emitScan(NodeImporter &node) {
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

/// The remainder of the sign of the dividend (fmod), or of the divisor.
Error emitMod(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  MPC_TRY_ASSIGN(auto operands, node.unifiedInputs());
  TensorBuilder &b = node.build;
  const Operand &divisor = operands[1];
  Operand rest = b.pair<nn::RemOp>(operands[0], divisor);
  if (node.intAttr("fmod", 0) != 0) {
    node.result(0, rest);
    return Error::success();
  }
  Operand zero = b.splatLike(rest, 0.0);
  auto isBelow = [&](const Operand &x) {
    return b.compare(nn::CompareKind::LT, x, zero);
  };
  Operand differs =
      b.compare(nn::CompareKind::NE, isBelow(rest), isBelow(divisor));
  Operand isRest = b.compare(nn::CompareKind::NE, rest, zero);
  Operand isWrong = b.select(isRest, differs, b.splatLike(differs, 0.0));
  Operand moved = b.binary(Binary::Add, rest, divisor);
  node.result(0, b.select(isWrong, moved, rest));
  return Error::success();
}

Error emitIsInf(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  Operand result = b.splat(ElemType::Bool, x.shape, 0.0);
  for (double sign : {1.0, -1.0}) {
    StringRef name = sign > 0 ? "detect_positive" : "detect_negative";
    if (node.intAttr(name, 1) == 0)
      continue;
    Operand isOne =
        b.compare(nn::CompareKind::EQ, x, b.splatLike(x, sign * INFINITY));
    result = b.select(isOne, b.splatLike(isOne, 1.0), result);
  }
  node.result(0, result);
  return Error::success();
}

const OpRule kRules[] = {
    {"CumProd", 26, 2, 2, 1, "exclusive:i reverse:i", emitScan<Binary::Mul>},
    {"CumSum", 11, 2, 2, 1, "exclusive:i reverse:i", emitScan<Binary::Add>},
    {"IsInf", 10, 1, 1, 1, "detect_negative:i detect_positive:i", emitIsInf},
    {"Mod", 10, 2, 2, 1, "fmod:i", emitMod},
};

} // namespace

ArrayRef<OpRule> scanRules() { return kRules; }

} // namespace mpc::onnx
