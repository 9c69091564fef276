// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's elementwise ops of two and three operands.
#include "lib/Import/Exported/Ops/Elementwise.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/Functions.h"
#include "lib/Import/Build/Powers.h"

#include <cmath>

using namespace llvm;

namespace mpc::exported {

namespace {

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

Operand logicalAnd(TensorBuilder &b, const Operand &x, const Operand &y) {
  return b.select(x, y, b.splatLike(x, 0.0));
}

Operand logicalOr(TensorBuilder &b, const Operand &x, const Operand &y) {
  return b.select(x, b.splatLike(x, 1.0), y);
}

/// The second operand by `alpha`.
Expected<Operand> scaledOther(Call &call) {
  MPC_TRY_ASSIGN(Operand other, call.operandLikeResult("other"));
  MPC_TRY_ASSIGN(double alpha, call.number("alpha", 1.0));
  if (alpha == 1.0 || other.isBool())
    return other;
  return call.build.binary(Binary::Mul, other, alpha);
}

/// Of bool, products are both and sums are either.
template <Binary kind>
Error emitArithmetic(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.operandLikeResult("self"));
  MPC_TRY_ASSIGN(Operand y, scaledOther(call));
  TensorBuilder &b = call.build;
  if (!x.isBool())
    call.result(b.binary(kind, x, y));
  else if (kind == Binary::Mul || kind == Binary::Min)
    call.result(logicalAnd(b, x, y));
  else if (kind == Binary::Add || kind == Binary::Max)
    call.result(logicalOr(b, x, y));
  else
    return call.fail("the operands are bool");
  return Error::success();
}

Error emitReversedSub(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  MPC_TRY_ASSIGN(double alpha, call.number("alpha", 1.0));
  MPC_TRY_ASSIGN(Operand y, call.operandLikeResult("other"));
  TensorBuilder &b = call.build;
  if (alpha != 1.0)
    x = b.binary(Binary::Mul, x, alpha);
  call.result(b.binary(Binary::Sub, y, x));
  return Error::success();
}

/// A quotient of floats, rounded down, to zero or not at all.
Operand roundedQuotient(TensorBuilder &b, const Operand &quotient,
                        StringRef rounding) {
  if (rounding.empty())
    return quotient;
  Operand down = b.unary<nn::FloorOp>(quotient);
  if (rounding == "floor")
    return down;
  Operand isBelow =
      b.compare(nn::CompareKind::LT, quotient, b.splatLike(quotient, 0.0));
  return b.select(isBelow, b.unary<nn::CeilOp>(quotient), down);
}

Error divide(Call &call, StringRef rounding) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  MPC_TRY_ASSIGN(Operand y, call.operandLikeResult("other"));
  TensorBuilder &b = call.build;
  if (!x.isFloat() && rounding.empty())
    return call.fail("the quotient of integers is not rounded");
  Operand quotient = b.binary(Binary::Div, x, y);
  if (x.isFloat())
    quotient = roundedQuotient(b, quotient, rounding);
  else if (rounding == "floor")
    quotient = b.select(hasOtherSign(b, b.pair<nn::RemOp>(x, y), y),
                        b.binary(Binary::Sub, quotient, 1.0), quotient);
  call.result(quotient);
  return Error::success();
}

Error emitFloorDivide(Call &call) { return divide(call, "floor"); }

Error emitDivMode(Call &call) {
  MPC_TRY_ASSIGN(std::string rounding, call.text("rounding_mode", ""));
  if (!rounding.empty() && rounding != "floor" && rounding != "trunc")
    return call.fail("rounding_mode is '" + printable(rounding) + "'");
  return divide(call, rounding);
}

/// The rest of a division, of the operand's sign.
Error emitTruncatedRemainder(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  MPC_TRY_ASSIGN(Operand y, call.operandLikeResult("other"));
  call.result(call.build.pair<nn::RemOp>(x, y));
  return Error::success();
}

/// Towards 0.
Error emitTrunc(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  call.result(x.isFloat() ? roundedQuotient(call.build, x, "trunc") : x);
  return Error::success();
}

template <Operand (*function)(TensorBuilder &, const Operand &,
                              const Operand &)>
Error emitFunctionOfTwo(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  MPC_TRY_ASSIGN(Operand y, call.operandLikeResult("other"));
  call.result(function(call.build, x, y));
  return Error::success();
}

/// Of integers too.
template <Operand (*function)(TensorBuilder &, const Operand &,
                              const Operand &)>
Error emitNumberFunctionOfTwo(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  MPC_TRY_ASSIGN(Operand y, call.operandLikeResult("other"));
  call.result(function(call.build, x, y));
  return Error::success();
}

Error emitPow(Call &call) {
  MPC_TRY_ASSIGN(Operand base, numberOperand(call));
  MPC_TRY_ASSIGN(Operand exponent, call.operandLikeResult("exponent"));
  call.result(power(call.build, base, exponent, exponent.splatValue(),
                    /*isFlatAtPole=*/true));
  return Error::success();
}

Error emitAtan2(Call &call) {
  MPC_TRY_ASSIGN(Operand y, floatOperand(call));
  MPC_TRY_ASSIGN(Operand x, call.operandLikeResult("other"));
  call.result(atan2(call.build, y, x));
  return Error::success();
}

/// The type in which PyTorch compares tensors of two types.
mlir::Type commonType(TensorBuilder &b, mlir::Type x, mlir::Type y) {
  bool floatX = isa<mlir::FloatType>(x), floatY = isa<mlir::FloatType>(y);
  if (floatX != floatY)
    return floatX ? x : y;
  unsigned bitsX = x.getIntOrFloatBitWidth(), bitsY = y.getIntOrFloatBitWidth();
  if (floatX && x != y && bitsX == bitsY)
    return b.f32();
  return bitsX >= bitsY ? x : y;
}

/// The type of a comparison with a number, which has a fraction or not.
mlir::Type typeBeside(TensorBuilder &b, const Operand &x, double number) {
  if (x.isFloat())
    return x.type;
  return x.isBool() || number != std::floor(number) ? b.f32() : x.type;
}

template <nn::CompareKind kind>
Error emitCompare(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  TensorBuilder &b = call.build;
  mlir::Type type;
  if (call.isTensor("other")) {
    MPC_TRY_ASSIGN(Operand y, call.tensor("other"));
    type = commonType(b, x.type, y.type);
  } else {
    MPC_TRY_ASSIGN(double number, call.number("other"));
    type = typeBeside(b, x, number);
  }
  MPC_TRY_ASSIGN(x, call.operandAs("self", type, shape));
  MPC_TRY_ASSIGN(Operand y, call.operandAs("other", type, shape));
  call.result(b.compare(kind, x, y));
  return Error::success();
}

enum class Logic { And, Or, Xor };

template <Logic kind>
Error emitLogic(Call &call) {
  TensorBuilder &b = call.build;
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  MPC_TRY_ASSIGN(Operand x, call.operandAs("self", b.i1(), shape));
  MPC_TRY_ASSIGN(Operand y, call.operandAs("other", b.i1(), shape));
  if (kind == Logic::And)
    call.result(logicalAnd(b, x, y));
  else if (kind == Logic::Or)
    call.result(logicalOr(b, x, y));
  else
    call.result(b.compare(nn::CompareKind::NE, x, y));
  return Error::success();
}

template <Logic kind, typename OpTy>
Error emitBitwise(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.operandLikeResult("self"));
  if (x.isBool())
    return emitLogic<kind>(call);
  MPC_TRY_ASSIGN(Operand y, call.operandLikeResult("other"));
  if (x.isFloat())
    return call.fail("the operands are floating");
  call.result(call.build.pair<OpTy>(x, y));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

Error emitWhere(Call &call) {
  TensorBuilder &b = call.build;
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  MPC_TRY_ASSIGN(Operand condition, call.operandAs("condition", b.i1(), shape));
  MPC_TRY_ASSIGN(Operand x, call.operandLikeResult("self"));
  MPC_TRY_ASSIGN(Operand y, call.operandLikeResult("other"));
  call.result(b.select(condition, x, y));
  return Error::success();
}

Error emitMaskedFill(Call &call) {
  TensorBuilder &b = call.build;
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  MPC_TRY_ASSIGN(Operand mask, call.operandAs("mask", b.i1(), shape));
  MPC_TRY_ASSIGN(Operand x, call.operandLikeResult("self"));
  MPC_TRY_ASSIGN(Operand value, call.operandLikeResult("value"));
  call.result(b.select(mask, value, x));
  return Error::success();
}

Error emitClamp(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  for (auto [name, kind] :
       {std::pair("min", Binary::Max), std::pair("max", Binary::Min)}) {
    if (!call.has(name))
      continue;
    MPC_TRY_ASSIGN(Operand bound, call.operandLikeResult(name));
    x = call.build.binary(kind, x, bound);
  }
  call.result(x);
  return Error::success();
}

Error emitLerp(Call &call) {
  MPC_TRY_ASSIGN(Operand start, floatOperand(call));
  MPC_TRY_ASSIGN(Operand end, call.operandLikeResult("end"));
  MPC_TRY_ASSIGN(Operand weight, call.operandLikeResult("weight"));
  TensorBuilder &b = call.build;
  Operand way =
      b.binary(Binary::Mul, weight, b.binary(Binary::Sub, end, start));
  call.result(b.binary(Binary::Add, start, way));
  return Error::success();
}

/// self + value * tensor1 (* or /) tensor2
template <Binary kind>
Error emitAddCombined(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  MPC_TRY_ASSIGN(Operand first, call.operandLikeResult("tensor1"));
  MPC_TRY_ASSIGN(Operand second, call.operandLikeResult("tensor2"));
  MPC_TRY_ASSIGN(double value, call.number("value", 1.0));
  TensorBuilder &b = call.build;
  Operand joined = b.binary(kind, first, second);
  if (value != 1.0)
    joined = b.binary(Binary::Mul, joined, value);
  call.result(b.binary(Binary::Add, x, joined));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> combinationRows() {
  static const OpRow rows[] = {
      {"__and__.Tensor", emitBitwise<Logic::And, nn::BitAndOp>},
      {"__or__.Tensor", emitBitwise<Logic::Or, nn::BitOrOp>},
      {"__xor__.Tensor", emitBitwise<Logic::Xor, nn::BitXorOp>},
      {"add.Scalar", emitArithmetic<Binary::Add>},
      {"add.Tensor", emitArithmetic<Binary::Add>},
      {"addcdiv.default", emitAddCombined<Binary::Div>},
      {"addcmul.default", emitAddCombined<Binary::Mul>},
      {"atan2.default", emitAtan2},
      {"bitwise_and.Scalar", emitBitwise<Logic::And, nn::BitAndOp>},
      {"bitwise_and.Tensor", emitBitwise<Logic::And, nn::BitAndOp>},
      {"bitwise_or.Scalar", emitBitwise<Logic::Or, nn::BitOrOp>},
      {"bitwise_or.Tensor", emitBitwise<Logic::Or, nn::BitOrOp>},
      {"bitwise_xor.Scalar", emitBitwise<Logic::Xor, nn::BitXorOp>},
      {"bitwise_xor.Tensor", emitBitwise<Logic::Xor, nn::BitXorOp>},
      {"clamp.Tensor", emitClamp},
      {"clamp.default", emitClamp},
      {"clamp_max.default", emitClamp},
      {"clamp_min.default", emitClamp},
      {"clip.default", emitClamp},
      {"copysign.Scalar", emitFunctionOfTwo<copySign>},
      {"copysign.Tensor", emitFunctionOfTwo<copySign>},
      {"div.Scalar", emitArithmetic<Binary::Div>},
      {"div.Scalar_mode", emitDivMode},
      {"div.Tensor", emitArithmetic<Binary::Div>},
      {"div.Tensor_mode", emitDivMode},
      {"eq.Scalar", emitCompare<nn::CompareKind::EQ>},
      {"eq.Tensor", emitCompare<nn::CompareKind::EQ>},
      {"floor_divide.Scalar", emitFloorDivide},
      {"floor_divide.default", emitFloorDivide},
      {"fmax.default", emitNumberFunctionOfTwo<maxOfNumbers>},
      {"fmin.default", emitNumberFunctionOfTwo<minOfNumbers>},
      {"fmod.Scalar", emitTruncatedRemainder},
      {"fmod.Tensor", emitTruncatedRemainder},
      {"ge.Scalar", emitCompare<nn::CompareKind::GE>},
      {"ge.Tensor", emitCompare<nn::CompareKind::GE>},
      {"gt.Scalar", emitCompare<nn::CompareKind::GT>},
      {"gt.Tensor", emitCompare<nn::CompareKind::GT>},
      {"hypot.default", emitFunctionOfTwo<hypot>},
      {"le.Scalar", emitCompare<nn::CompareKind::LE>},
      {"le.Tensor", emitCompare<nn::CompareKind::LE>},
      {"lerp.Scalar", emitLerp},
      {"lerp.Tensor", emitLerp},
      {"logaddexp.default", emitFunctionOfTwo<logAddExp>},
      {"logaddexp2.default", emitFunctionOfTwo<logAddExp2>},
      {"logical_and.default", emitLogic<Logic::And>},
      {"logical_or.default", emitLogic<Logic::Or>},
      {"logical_xor.default", emitLogic<Logic::Xor>},
      {"lt.Scalar", emitCompare<nn::CompareKind::LT>},
      {"lt.Tensor", emitCompare<nn::CompareKind::LT>},
      {"masked_fill.Scalar", emitMaskedFill},
      {"masked_fill.Tensor", emitMaskedFill},
      {"max.other", emitArithmetic<Binary::Max>},
      {"maximum.default", emitArithmetic<Binary::Max>},
      {"min.other", emitArithmetic<Binary::Min>},
      {"minimum.default", emitArithmetic<Binary::Min>},
      {"mul.Scalar", emitArithmetic<Binary::Mul>},
      {"mul.Tensor", emitArithmetic<Binary::Mul>},
      {"ne.Scalar", emitCompare<nn::CompareKind::NE>},
      {"ne.Tensor", emitCompare<nn::CompareKind::NE>},
      {"pow.Scalar", emitPow},
      {"pow.Tensor_Scalar", emitPow},
      {"pow.Tensor_Tensor", emitPow},
      {"remainder.Scalar", emitNumberFunctionOfTwo<flooredRest>},
      {"remainder.Tensor", emitNumberFunctionOfTwo<flooredRest>},
      {"rsub.Scalar", emitReversedSub},
      {"rsub.Tensor", emitReversedSub},
      {"sub.Scalar", emitArithmetic<Binary::Sub>},
      {"sub.Tensor", emitArithmetic<Binary::Sub>},
      {"trunc.default", emitTrunc},
      {"where.Scalar", emitWhere},
      {"where.ScalarOther", emitWhere},
      {"where.ScalarSelf", emitWhere},
      {"where.self", emitWhere},
      {"xlogy.Tensor", emitFunctionOfTwo<xLogY>},
  };
  return rows;
}

} // namespace mpc::exported
