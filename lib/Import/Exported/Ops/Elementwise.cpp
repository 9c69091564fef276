// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's elementwise ops of one operand. What type and shape an op computes in
/// the exporter has decided: operands become what the result is declared to be.
#include "lib/Import/Exported/Ops/Elementwise.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/ErrorFunctions.h"
#include "lib/Import/Build/Functions.h"
#include "lib/Import/Build/Gamma.h"

#include <cmath>

using namespace llvm;

namespace mpc::exported {

Expected<Operand> floatOperand(Call &call) {
  MPC_TRY_ASSIGN(Operand operand, call.operandLikeResult("self"));
  if (!operand.isFloat())
    return call.fail("the result is not of floating-point numbers");
  return operand;
}

Expected<Operand> numberOperand(Call &call) {
  MPC_TRY_ASSIGN(Operand operand, call.operandLikeResult("self"));
  if (operand.isBool())
    return call.fail("the operand is bool");
  return operand;
}

namespace {

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

} // namespace

ArrayRef<OpRow> elementwiseRows() {
  static const OpRow rows[] = {
      {"_to_copy.default", emitCast},
      {"abs.default", emitNumberOp<&TensorBuilder::abs>},
      {"acos.default", emitUnary<nn::AcosOp>},
      {"acosh.default", emitUnary<nn::AcoshOp>},
      {"asin.default", emitUnary<nn::AsinOp>},
      {"asinh.default", emitUnary<nn::AsinhOp>},
      {"atan.default", emitUnary<nn::AtanOp>},
      {"atanh.default", emitUnary<nn::AtanhOp>},
      {"bitwise_not.default", emitBitwiseNot},
      {"ceil.default", emitRounding<nn::CeilOp>},
      {"celu.default", emitCelu},
      {"clone.default", emitCast},
      {"contiguous.default", emitCast, Sharing::Maybe},
      {"cos.default", emitUnary<nn::CosOp>},
      {"cosh.default", emitUnary<nn::CoshOp>},
      {"detach.default", emitDetach, Sharing::Reordered},
      {"digamma.default", emitFunction<digamma>},
      {"elu.default", emitElu},
      {"erf.default", emitUnary<nn::ErfOp>},
      {"erfc.default", emitErfc},
      {"erfinv.default", emitFunction<erfInverse>},
      {"exp.default", emitUnary<nn::ExpOp>},
      {"exp2.default", emitExp2},
      {"expm1.default", emitUnary<nn::Expm1Op>},
      {"floor.default", emitRounding<nn::FloorOp>},
      {"gelu.default", emitGelu},
      {"glu.default", emitGlu},
      {"hardshrink.default", emitShrink<false>},
      {"hardsigmoid.default", emitHardSigmoid},
      {"hardswish.default", emitUnary<nn::HardSwishOp>},
      {"hardtanh.default", emitHardTanh},
      {"isfinite.default", emitIsFinite},
      {"isinf.default", emitIsInf},
      {"isnan.default", emitIsNaN},
      {"leaky_relu.default", emitLeakyRelu},
      {"lift_fresh_copy.default", emitCast},
      {"log.default", emitUnary<nn::LogOp>},
      {"log10.default", emitLog<10>},
      {"log1p.default", emitUnary<nn::Log1pOp>},
      {"lgamma.default", emitFunction<logGamma>},
      {"log2.default", emitLog<2>},
      {"log_sigmoid.default", emitFunction<logSigmoid>},
      {"logical_not.default", emitLogicalNot},
      {"logit.default", emitLogit},
      {"mish.default", emitUnary<nn::MishOp>},
      {"nan_to_num.default", emitNanToNum},
      {"neg.default", emitNumberOp<&TensorBuilder::neg>},
      {"prelu.default", emitPrelu},
      {"reciprocal.default", emitUnary<nn::ReciprocalOp>},
      {"relu.default", emitRelu},
      {"relu6.default", emitRelu6},
      {"round.default", emitRounding<nn::RoundOp>},
      {"rsqrt.default", emitUnary<nn::RsqrtOp>},
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
      {"tan.default", emitUnary<nn::TanOp>},
      {"tanh.default", emitUnary<nn::TanhOp>},
      {"threshold.default", emitThreshold},
      {"to.device", emitCast, Sharing::Maybe},
      {"to.dtype", emitCast, Sharing::Maybe},
      {"to.dtype_layout", emitCast, Sharing::Maybe},
      {"to.other", emitCast, Sharing::Maybe},
      {"type_as.default", emitCast, Sharing::Maybe},
  };
  return rows;
}

} // namespace mpc::exported
