// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's elementwise ops. What type and shape an op computes in the exporter
/// has decided: operands become what the result is declared to be.
#include "lib/Import/Exported/Call.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/ErrorFunctions.h"
#include "lib/Import/Build/Functions.h"
#include "lib/Import/Build/Gamma.h"
#include "lib/Import/Build/Powers.h"

#include <cmath>

using namespace llvm;

namespace mpc::exported {

namespace {

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// The operand, in the type of the result, which must be floating.
Expected<Operand> floatOperand(Call &call) {
  MPC_TRY_ASSIGN(Operand operand, call.operandLikeResult("self"));
  if (!operand.isFloat())
    return call.fail("the result is not of floating-point numbers");
  return operand;
}

/// The operand, in the type of the result, which must not be bool.
Expected<Operand> numberOperand(Call &call) {
  MPC_TRY_ASSIGN(Operand operand, call.operandLikeResult("self"));
  if (operand.isBool())
    return call.fail("the operand is bool");
  return operand;
}

template <typename OpTy>
Error emitUnary(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  call.result(call.build.unary<OpTy>(x));
  return Error::success();
}

template <Operand (*function)(TensorBuilder &, const Operand &)>
Error emitFunction(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  call.result(function(call.build, x));
  return Error::success();
}

/// Of integers too.
template <Operand (TensorBuilder::*function)(const Operand &)>
Error emitNumberOp(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  call.result((call.build.*function)(x));
  return Error::success();
}

/// Integers are as they are.
template <typename OpTy>
Error emitRounding(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  call.result(x.isFloat() ? call.build.unary<OpTy>(x) : x);
  return Error::success();
}

Error emitSign(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  TensorBuilder &b = call.build;
  call.result(x.isFloat()
                  ? b.unary<nn::SignOp>(x)
                  : b.binary(Binary::Min, b.binary(Binary::Max, x, -1.0), 1.0));
  return Error::success();
}

Error emitRelu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  TensorBuilder &b = call.build;
  call.result(x.isFloat() ? b.relu(x) : b.binary(Binary::Max, x, 0.0));
  return Error::success();
}

Error emitSquare(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  call.result(call.build.binary(Binary::Mul, x, x));
  return Error::success();
}

Error emitGelu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  MPC_TRY_ASSIGN(std::string form, call.text("approximate", "none"));
  if (form != "none" && form != "tanh")
    return call.fail("approximate is '" + printable(form) +
                     "', expected none or tanh");
  TensorBuilder &b = call.build;
  call.result(b.fold(nn::GeluOp::create(
      b.builder(), b.location(), b.tensorType(x.type, x.shape), x.value,
      form == "tanh" ? b.builder().getUnitAttr() : mlir::UnitAttr())));
  return Error::success();
}

Error emitSilu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  call.result(call.build.activation<nn::SwishOp>(x, 1.0));
  return Error::success();
}

Error emitHardSigmoid(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  call.result(call.build.activation<nn::HardSigmoidOp>(x, 1.0 / 6.0, 0.5));
  return Error::success();
}

Error emitLeakyRelu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  MPC_TRY_ASSIGN(double slope, call.number("negative_slope", 0.01));
  call.result(call.build.activation<nn::LeakyReluOp>(x, slope));
  return Error::success();
}

Error emitElu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  MPC_TRY_ASSIGN(double alpha, call.number("alpha", 1.0));
  MPC_TRY_ASSIGN(double scale, call.number("scale", 1.0));
  MPC_TRY_ASSIGN(double inputScale, call.number("input_scale", 1.0));
  if (!(inputScale > 0.0))
    return call.fail("input_scale is not positive");
  call.result(
      call.build.activation<nn::EluOp>(x, alpha, scale, 1.0 / inputScale));
  return Error::success();
}

Error emitSelu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  call.result(
      call.build.activation<nn::EluOp>(x, 1.6732632423543772848170429916717,
                                       1.0507009873554804934193349852946, 1.0));
  return Error::success();
}

/// log(1 + exp(beta x)) / beta; where beta x is above a threshold of 20 it is
/// x, from which it differs there by less than a rounding.
Error emitSoftplus(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  MPC_TRY_ASSIGN(double beta, call.number("beta", 1.0));
  MPC_TRY_ASSIGN(double threshold, call.number("threshold", 20.0));
  if (beta == 0.0 || threshold < 20.0)
    return call.fail("a threshold below 20, or beta 0, is not supported");
  TensorBuilder &b = call.build;
  Operand soft =
      b.unary<nn::SoftplusOp>(beta == 1.0 ? x : b.binary(Binary::Mul, x, beta));
  call.result(beta == 1.0 ? soft : b.binary(Binary::Div, soft, beta));
  return Error::success();
}

Error clampBetween(Call &call, double low, double high) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  TensorBuilder &b = call.build;
  call.result(b.binary(Binary::Min, b.binary(Binary::Max, x, low), high));
  return Error::success();
}

Error emitHardTanh(Call &call) {
  MPC_TRY_ASSIGN(double low, call.number("min_val", -1.0));
  MPC_TRY_ASSIGN(double high, call.number("max_val", 1.0));
  return clampBetween(call, low, high);
}

Error emitRelu6(Call &call) { return clampBetween(call, 0.0, 6.0); }

/// The weight of PReLU: one for all, or one for each channel.
Expected<Operand> channelWeight(Call &call, const Operand &x) {
  MPC_TRY_ASSIGN(Operand weight, call.real("weight"));
  if (weight.type != x.type || weight.rank() > 1)
    return call.fail("the weight is " + shapeText(weight.shape) +
                     ", expected one axis of the operand's type");
  Shape along(x.rank(), 1);
  if (*countElements(weight.shape) != 1) {
    if (x.rank() < 2)
      return call.fail("the operand has no channels");
    along[1] = weight.shape[0];
  }
  return call.broadcastTo(call.build.reshape(weight, along), x.shape,
                          "the weight");
}

Error emitPrelu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(Operand weight, channelWeight(call, x));
  TensorBuilder &b = call.build;
  Operand isAbove = b.compare(nn::CompareKind::GT, x, b.splatLike(x, 0.0));
  call.result(b.select(isAbove, x, b.binary(Binary::Mul, x, weight)));
  return Error::success();
}

Error emitLogicalNot(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  call.result(call.build.logicalNot(call.build.cast(x, call.build.i1())));
  return Error::success();
}

Error emitBitwiseNot(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.operandLikeResult("self"));
  if (x.isFloat())
    return call.fail("the operand is floating");
  call.result(call.build.bitNot(x));
  return Error::success();
}

Error emitIsNaN(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  call.result(call.build.compare(nn::CompareKind::NE, x, x));
  return Error::success();
}

Error emitIsInf(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  TensorBuilder &b = call.build;
  call.result(
      b.compare(nn::CompareKind::EQ, b.abs(x), b.splatLike(x, INFINITY)));
  return Error::success();
}

Error emitSignBit(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  call.result(isNegative(call.build, x));
  return Error::success();
}

/// Neither infinite nor NaN.
Error emitIsFinite(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  TensorBuilder &b = call.build;
  call.result(
      b.compare(nn::CompareKind::LT, b.abs(x), b.splatLike(x, INFINITY)));
  return Error::success();
}

/// The operand as the result is declared: copies, and casts.
Error emitCast(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.operandLikeResult("self"));
  call.result(x);
  return Error::success();
}

Error emitDetach(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  call.result(x.isFloat() ? call.build.withoutGradient(x) : x);
  return Error::success();
}

/// A function of log(x) or of exp(x) to another base.
template <int base>
Error emitLog(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  TensorBuilder &b = call.build;
  Operand log = b.log(b.wide(x));
  call.result(
      b.cast(b.binary(Binary::Div, log, std::log(double(base))), x.type));
  return Error::success();
}

Error emitExp2(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  TensorBuilder &b = call.build;
  Operand power = b.binary(Binary::Mul, b.wide(x), std::log(2.0));
  call.result(b.cast(b.exp(power), x.type));
  return Error::success();
}

Error emitErfc(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  TensorBuilder &b = call.build;
  call.result(
      b.binary(Binary::Sub, b.splatLike(x, 1.0), b.unary<nn::ErfOp>(x)));
  return Error::success();
}

/// log(x / (1 - x)), where x may be bounded by eps first.
Error emitLogit(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  TensorBuilder &b = call.build;
  if (call.has("eps")) {
    MPC_TRY_ASSIGN(double eps, call.number("eps"));
    if (!(eps >= 0.0 && eps <= 0.5))
      return call.fail("eps is " + std::to_string(eps));
    x = b.binary(Binary::Min, b.binary(Binary::Max, x, eps), 1.0 - eps);
  }
  Operand rest = b.binary(Binary::Sub, b.splatLike(x, 1.0), x);
  call.result(b.log(b.binary(Binary::Div, x, rest)));
  return Error::success();
}

/// alpha (exp(x / alpha) - 1) below 0.
Error emitCelu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  MPC_TRY_ASSIGN(double alpha, call.number("alpha", 1.0));
  if (!(alpha > 0.0))
    return call.fail("alpha is not positive");
  call.result(call.build.activation<nn::EluOp>(x, alpha, 1.0, alpha));
  return Error::success();
}

/// x above the threshold, else the value.
Error emitThreshold(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  MPC_TRY_ASSIGN(double threshold, call.number("threshold"));
  MPC_TRY_ASSIGN(double value, call.number("value"));
  TensorBuilder &b = call.build;
  Operand isAbove =
      b.compare(nn::CompareKind::GT, x, b.splatLike(x, threshold));
  call.result(b.select(isAbove, x, b.splatLike(x, value)));
  return Error::success();
}

/// 0 between -lambda and lambda; with `moves` what is outside comes nearer by
/// lambda.
template <bool moves>
Error emitShrink(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  MPC_TRY_ASSIGN(double lambda, call.number("lambd", 0.5));
  TensorBuilder &b = call.build;
  Operand isAbove = b.compare(nn::CompareKind::GT, x, b.splatLike(x, lambda));
  Operand isBelow = b.compare(nn::CompareKind::LT, x, b.splatLike(x, -lambda));
  double by = moves ? lambda : 0.0;
  Operand zero = b.splatLike(x, 0.0);
  call.result(b.select(isAbove, b.binary(Binary::Sub, x, by),
                       b.select(isBelow, b.binary(Binary::Add, x, by), zero)));
  return Error::success();
}

/// The first half of an axis by the sigmoid of the other.
Error emitGlu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), -1));
  if (x.rank() == 0 || x.shape[axis] % 2 != 0)
    return call.fail("the operand " + shapeText(x.shape) +
                     " does not split into halves");
  TensorBuilder &b = call.build;
  int64_t half = x.shape[axis] / 2;
  Operand gate = b.sigmoid(b.sliceAxis(x, axis, half, 2 * half));
  call.result(b.binary(Binary::Mul, b.sliceAxis(x, axis, 0, half), gate));
  return Error::success();
}

/// Other numbers for NaN and infinities; the greatest of the type where none
/// are given.
Error emitNanToNum(Call &call) {
  MPC_TRY_ASSIGN(Operand x, floatOperand(call));
  const fltSemantics &type = cast<mlir::FloatType>(x.type).getFloatSemantics();
  double most = APFloat::getLargest(type).convertToDouble();
  MPC_TRY_ASSIGN(double nan, call.number("nan", 0.0));
  MPC_TRY_ASSIGN(double high, call.number("posinf", most));
  MPC_TRY_ASSIGN(double low, call.number("neginf", -most));
  TensorBuilder &b = call.build;
  auto replace = [&](const Operand &where, double value) {
    x = b.select(where, b.splatLike(x, value), x);
  };
  Operand given = x;
  replace(b.compare(nn::CompareKind::NE, given, given), nan);
  replace(b.compare(nn::CompareKind::EQ, given, b.splatLike(x, INFINITY)),
          high);
  replace(b.compare(nn::CompareKind::EQ, given, b.splatLike(x, -INFINITY)),
          low);
  call.result(x);
  return Error::success();
}

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

/// The rest of a division, of the divisor's sign.
Error emitRemainder(Call &call) {
  MPC_TRY_ASSIGN(Operand x, numberOperand(call));
  MPC_TRY_ASSIGN(Operand y, call.operandLikeResult("other"));
  call.result(flooredRest(call.build, x, y));
  return Error::success();
}

/// The same of the operand's sign.
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

ArrayRef<OpRow> elementwiseRows() {
  static const OpRow rows[] = {
      {"__and__.Tensor", emitBitwise<Logic::And, nn::BitAndOp>},
      {"__or__.Tensor", emitBitwise<Logic::Or, nn::BitOrOp>},
      {"__xor__.Tensor", emitBitwise<Logic::Xor, nn::BitXorOp>},
      {"_to_copy.default", emitCast},
      {"abs.default", emitNumberOp<&TensorBuilder::abs>},
      {"acos.default", emitUnary<nn::AcosOp>},
      {"acosh.default", emitUnary<nn::AcoshOp>},
      {"add.Scalar", emitArithmetic<Binary::Add>},
      {"add.Tensor", emitArithmetic<Binary::Add>},
      {"addcdiv.default", emitAddCombined<Binary::Div>},
      {"addcmul.default", emitAddCombined<Binary::Mul>},
      {"asin.default", emitUnary<nn::AsinOp>},
      {"asinh.default", emitUnary<nn::AsinhOp>},
      {"atan.default", emitUnary<nn::AtanOp>},
      {"atan2.default", emitAtan2},
      {"atanh.default", emitUnary<nn::AtanhOp>},
      {"bitwise_and.Scalar", emitBitwise<Logic::And, nn::BitAndOp>},
      {"bitwise_and.Tensor", emitBitwise<Logic::And, nn::BitAndOp>},
      {"bitwise_not.default", emitBitwiseNot},
      {"bitwise_or.Scalar", emitBitwise<Logic::Or, nn::BitOrOp>},
      {"bitwise_or.Tensor", emitBitwise<Logic::Or, nn::BitOrOp>},
      {"bitwise_xor.Scalar", emitBitwise<Logic::Xor, nn::BitXorOp>},
      {"bitwise_xor.Tensor", emitBitwise<Logic::Xor, nn::BitXorOp>},
      {"ceil.default", emitRounding<nn::CeilOp>},
      {"celu.default", emitCelu},
      {"clamp.Tensor", emitClamp},
      {"clamp.default", emitClamp},
      {"clamp_max.default", emitClamp},
      {"clamp_min.default", emitClamp},
      {"clip.default", emitClamp},
      {"clone.default", emitCast},
      {"contiguous.default", emitCast, Sharing::Maybe},
      {"copysign.Scalar", emitFunctionOfTwo<copySign>},
      {"copysign.Tensor", emitFunctionOfTwo<copySign>},
      {"cos.default", emitUnary<nn::CosOp>},
      {"cosh.default", emitUnary<nn::CoshOp>},
      {"detach.default", emitDetach, Sharing::Reordered},
      {"digamma.default", emitFunction<digamma>},
      {"div.Scalar", emitArithmetic<Binary::Div>},
      {"div.Scalar_mode", emitDivMode},
      {"div.Tensor", emitArithmetic<Binary::Div>},
      {"div.Tensor_mode", emitDivMode},
      {"elu.default", emitElu},
      {"eq.Scalar", emitCompare<nn::CompareKind::EQ>},
      {"eq.Tensor", emitCompare<nn::CompareKind::EQ>},
      {"erf.default", emitUnary<nn::ErfOp>},
      {"erfc.default", emitErfc},
      {"erfinv.default", emitFunction<erfInverse>},
      {"exp.default", emitUnary<nn::ExpOp>},
      {"exp2.default", emitExp2},
      {"expm1.default", emitUnary<nn::Expm1Op>},
      {"floor.default", emitRounding<nn::FloorOp>},
      {"floor_divide.Scalar", emitFloorDivide},
      {"floor_divide.default", emitFloorDivide},
      {"fmax.default", emitNumberFunctionOfTwo<maxOfNumbers>},
      {"fmin.default", emitNumberFunctionOfTwo<minOfNumbers>},
      {"fmod.Scalar", emitTruncatedRemainder},
      {"fmod.Tensor", emitTruncatedRemainder},
      {"ge.Scalar", emitCompare<nn::CompareKind::GE>},
      {"ge.Tensor", emitCompare<nn::CompareKind::GE>},
      {"gelu.default", emitGelu},
      {"glu.default", emitGlu},
      {"gt.Scalar", emitCompare<nn::CompareKind::GT>},
      {"gt.Tensor", emitCompare<nn::CompareKind::GT>},
      {"hardshrink.default", emitShrink<false>},
      {"hardsigmoid.default", emitHardSigmoid},
      {"hardswish.default", emitUnary<nn::HardSwishOp>},
      {"hardtanh.default", emitHardTanh},
      {"hypot.default", emitFunctionOfTwo<hypot>},
      {"isfinite.default", emitIsFinite},
      {"isinf.default", emitIsInf},
      {"isnan.default", emitIsNaN},
      {"le.Scalar", emitCompare<nn::CompareKind::LE>},
      {"le.Tensor", emitCompare<nn::CompareKind::LE>},
      {"leaky_relu.default", emitLeakyRelu},
      {"lerp.Scalar", emitLerp},
      {"lerp.Tensor", emitLerp},
      {"lift_fresh_copy.default", emitCast},
      {"log.default", emitUnary<nn::LogOp>},
      {"log10.default", emitLog<10>},
      {"log1p.default", emitUnary<nn::Log1pOp>},
      {"lgamma.default", emitFunction<logGamma>},
      {"log2.default", emitLog<2>},
      {"log_sigmoid.default", emitFunction<logSigmoid>},
      {"logaddexp.default", emitFunctionOfTwo<logAddExp>},
      {"logaddexp2.default", emitFunctionOfTwo<logAddExp2>},
      {"logical_and.default", emitLogic<Logic::And>},
      {"logical_not.default", emitLogicalNot},
      {"logical_or.default", emitLogic<Logic::Or>},
      {"logical_xor.default", emitLogic<Logic::Xor>},
      {"logit.default", emitLogit},
      {"lt.Scalar", emitCompare<nn::CompareKind::LT>},
      {"lt.Tensor", emitCompare<nn::CompareKind::LT>},
      {"masked_fill.Scalar", emitMaskedFill},
      {"masked_fill.Tensor", emitMaskedFill},
      {"max.other", emitArithmetic<Binary::Max>},
      {"maximum.default", emitArithmetic<Binary::Max>},
      {"min.other", emitArithmetic<Binary::Min>},
      {"minimum.default", emitArithmetic<Binary::Min>},
      {"mish.default", emitUnary<nn::MishOp>},
      {"mul.Scalar", emitArithmetic<Binary::Mul>},
      {"mul.Tensor", emitArithmetic<Binary::Mul>},
      {"nan_to_num.default", emitNanToNum},
      {"ne.Scalar", emitCompare<nn::CompareKind::NE>},
      {"ne.Tensor", emitCompare<nn::CompareKind::NE>},
      {"neg.default", emitNumberOp<&TensorBuilder::neg>},
      {"pow.Scalar", emitPow},
      {"pow.Tensor_Scalar", emitPow},
      {"pow.Tensor_Tensor", emitPow},
      {"prelu.default", emitPrelu},
      {"reciprocal.default", emitUnary<nn::ReciprocalOp>},
      {"relu.default", emitRelu},
      {"relu6.default", emitRelu6},
      {"remainder.Scalar", emitRemainder},
      {"remainder.Tensor", emitRemainder},
      {"round.default", emitRounding<nn::RoundOp>},
      {"rsqrt.default", emitUnary<nn::RsqrtOp>},
      {"rsub.Scalar", emitReversedSub},
      {"rsub.Tensor", emitReversedSub},
      {"selu.default", emitSelu},
      {"sigmoid.default", emitUnary<nn::SigmoidOp>},
      {"sign.default", emitSign},
      {"signbit.default", emitSignBit},
      {"silu.default", emitSilu},
      {"sin.default", emitUnary<nn::SinOp>},
      {"sinc.default", emitFunction<sinc>},
      {"sinh.default", emitUnary<nn::SinhOp>},
      {"softplus.default", emitSoftplus},
      {"softshrink.default", emitShrink<true>},
      {"special_erfcx.default", emitFunction<erfcx>},
      {"special_log_ndtr.default", emitFunction<logNormalIntegral>},
      {"sqrt.default", emitUnary<nn::SqrtOp>},
      {"square.default", emitSquare},
      {"sub.Scalar", emitArithmetic<Binary::Sub>},
      {"sub.Tensor", emitArithmetic<Binary::Sub>},
      {"tan.default", emitUnary<nn::TanOp>},
      {"tanh.default", emitUnary<nn::TanhOp>},
      {"threshold.default", emitThreshold},
      {"to.device", emitCast, Sharing::Maybe},
      {"to.dtype", emitCast, Sharing::Maybe},
      {"to.dtype_layout", emitCast, Sharing::Maybe},
      {"to.other", emitCast, Sharing::Maybe},
      {"trunc.default", emitTrunc},
      {"type_as.default", emitCast, Sharing::Maybe},
      {"where.Scalar", emitWhere},
      {"where.ScalarOther", emitWhere},
      {"where.ScalarSelf", emitWhere},
      {"where.self", emitWhere},
      {"xlogy.Tensor", emitFunctionOfTwo<xLogY>},
  };
  return rows;
}

} // namespace mpc::exported
