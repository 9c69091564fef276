// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that compute each element from elements at the same place.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/Functions.h"
#include "lib/Import/Build/Powers.h"
#include "lib/Import/ImportError.h"
#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// A node whose one floating operand a TensorBuilder method maps.
template <Operand (TensorBuilder::*build)(const Operand &)>
Error emitFloat(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  node.result(0, (node.build.*build)(node.in(0)));
  return Error::success();
}

/// Such a node for an op that has an integer form, too.
template <Operand (TensorBuilder::*build)(const Operand &)>
Error emitNumber(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  node.result(0, (node.build.*build)(node.in(0)));
  return Error::success();
}

template <typename OpTy>
Error emitUnary(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  node.result(0, node.build.unary<OpTy>(node.in(0)));
  return Error::success();
}

Error emitGelu(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  StringRef kind = node.stringAttr("approximate", "none");
  if (kind != "none" && kind != "tanh")
    return node.fail("attribute 'approximate' is '" + printable(kind) +
                     "', expected none or tanh");
  TensorBuilder &b = node.build;
  const Operand &input = node.in(0);
  node.result(0,
              b.fold(nn::GeluOp::create(b.builder(), b.location(),
                                        b.tensorType(input.type, input.shape),
                                        input.value, kind == "tanh")));
  return Error::success();
}

Error emitLeakyRelu(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  node.result(0, node.build.activation<nn::LeakyReluOp>(
                     node.in(0), node.floatAttr("alpha", 0.01f)));
  return Error::success();
}

Error emitPRelu(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(node.requireSameType(1, 0));
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  MPC_TRY_ASSIGN(Operand slope, node.broadcastTo(node.in(1), x.shape, "slope"));
  Operand isPositive = b.compare(nn::CompareKind::GT, x, b.splatLike(x, 0.0));
  node.result(0, b.select(isPositive, x, b.binary(Binary::Mul, slope, x)));
  return Error::success();
}

/// scale * (x where x > 0, alpha * (exp(x / width) - 1) elsewhere)
Error emitExponential(NodeImporter &node, double alpha, double scale,
                      double width) {
  MPC_TRY(node.requireFloat(0));
  node.result(
      0, node.build.activation<nn::EluOp>(node.in(0), alpha, scale, width));
  return Error::success();
}

Error emitElu(NodeImporter &node) {
  return emitExponential(node, node.floatAttr("alpha", 1.0), 1.0, 1.0);
}

Error emitCelu(NodeImporter &node) {
  double alpha = node.floatAttr("alpha", 1.0);
  if (alpha == 0.0)
    return node.fail("attribute 'alpha' is 0");
  return emitExponential(node, alpha, 1.0, alpha);
}

Error emitSelu(NodeImporter &node) {
  return emitExponential(
      node, node.floatAttr("alpha", 1.67326319217681884765625),
      node.floatAttr("gamma", 1.05070102214813232421875), 1.0);
}

Error emitHardSigmoid(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  node.result(0, node.build.activation<nn::HardSigmoidOp>(
                     node.in(0), node.floatAttr("alpha", 0.2f),
                     node.floatAttr("beta", 0.5)));
  return Error::success();
}

Error emitSwish(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  node.result(0, node.build.activation<nn::SwishOp>(
                     node.in(0), node.floatAttr("alpha", 1.0)));
  return Error::success();
}

Error emitThresholdedRelu(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  Operand above = b.compare(nn::CompareKind::GT, x,
                            b.splatLike(x, node.floatAttr("alpha", 1.0)));
  node.result(0, b.select(above, x, b.splatLike(x, 0.0)));
  return Error::success();
}

/// x - bias above lambd, x + bias below -lambd, 0 between them.
Error emitShrink(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  double lambd = node.floatAttr("lambd", 0.5);
  double bias = node.floatAttr("bias", 0.0);
  Operand above = b.compare(nn::CompareKind::GT, x, b.splatLike(x, lambd));
  Operand below = b.compare(nn::CompareKind::LT, x, b.splatLike(x, -lambd));
  Operand inner =
      b.select(below, b.binary(Binary::Add, x, bias), b.splatLike(x, 0.0));
  node.result(0, b.select(above, b.binary(Binary::Sub, x, bias), inner));
  return Error::success();
}

Error emitSign(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  TensorBuilder &b = node.build;
  Operand x = node.in(0);
  if (x.isFloat())
    return emitUnary<nn::SignOp>(node);
  if (!x.isUnsigned())
    x = b.binary(Binary::Max, x, -1.0);
  node.result(0, b.binary(Binary::Min, x, 1.0));
  return Error::success();
}

Error emitIdentity(NodeImporter &node) {
  node.result(0, node.in(0));
  return Error::success();
}

Error emitDetach(NodeImporter &node) {
  node.result(0, node.build.withoutGradient(node.in(0)));
  return Error::success();
}

Error emitNot(NodeImporter &node) {
  if (!node.in(0).isBool())
    return node.fail("the operand is " + toString(node.in(0).type) +
                     ", expected bool");
  node.result(0, node.build.logicalNot(node.in(0)));
  return Error::success();
}

Error emitIsInf(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  Operand result = b.splat(b.i1(), x.shape, 0.0);
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

Error emitIsNaN(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  node.result(0,
              node.build.compare(nn::CompareKind::NE, node.in(0), node.in(0)));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Two and more operands
//===----------------------------------------------------------------------===//

template <Binary kind>
Error emitVariadic(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  MPC_TRY_ASSIGN(auto operands, node.unifiedInputs());
  Operand result = operands.front();
  for (const Operand &operand : ArrayRef(operands).drop_front())
    result = node.build.binary(kind, result, operand);
  node.result(0, result);
  return Error::success();
}

Error emitMean(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(auto operands, node.unifiedInputs());
  Operand sum = operands.front();
  for (const Operand &operand : ArrayRef(operands).drop_front())
    sum = node.build.binary(Binary::Add, sum, operand);
  node.result(0, node.build.binary(Binary::Div, sum,
                                   static_cast<double>(operands.size())));
  return Error::success();
}

Error emitSqrt(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  node.result(0, rootOf(node.build, node.in(0)));
  return Error::success();
}

Error emitPow(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  MPC_TRY(node.requireNumbers(1));
  SmallVector<Operand> operands = node.allInputs();
  std::optional<double> exponent = operands[1].splatValue();
  MPC_TRY(node.unify(operands));
  node.result(0, power(node.build, operands[0], operands[1], exponent,
                       node.isSet(setting::kFlatAtPole)));
  return Error::success();
}

/// The remainder with the sign of the dividend (fmod), or of the divisor.
Error emitMod(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  MPC_TRY_ASSIGN(auto operands, node.unifiedInputs());
  TensorBuilder &b = node.build;
  node.result(0, node.intAttr("fmod", 0) != 0
                     ? b.pair<nn::RemOp>(operands[0], operands[1])
                     : flooredRest(b, operands[0], operands[1]));
  return Error::success();
}

template <nn::CompareKind kind>
Error emitCompare(NodeImporter &node) {
  MPC_TRY_ASSIGN(auto operands, node.unifiedInputs());
  node.result(0, node.build.compare(kind, operands[0], operands[1]));
  return Error::success();
}

enum class Logic { And, Or, Xor };

template <Logic kind>
Error emitLogic(NodeImporter &node) {
  if (!node.in(0).isBool())
    return node.fail("the operands are " + toString(node.in(0).type) +
                     ", expected bool");
  MPC_TRY_ASSIGN(auto operands, node.unifiedInputs());
  TensorBuilder &b = node.build;
  const Operand &left = operands[0], &right = operands[1];
  if (kind == Logic::And)
    node.result(0, b.select(left, right, b.splatLike(left, 0)));
  else if (kind == Logic::Or)
    node.result(0, b.select(left, b.splatLike(left, 1), right));
  else
    node.result(0, b.compare(nn::CompareKind::NE, left, right));
  return Error::success();
}

Error emitWhere(NodeImporter &node) {
  if (!node.in(0).isBool())
    return node.fail("the condition is " + toString(node.in(0).type) +
                     ", expected bool");
  MPC_TRY(node.requireSameType(2, 1));
  SmallVector<Operand> operands = node.allInputs();
  MPC_TRY(node.unify(operands));
  node.result(0, node.build.select(operands[0], operands[1], operands[2]));
  return Error::success();
}

Error emitClip(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  Operand result = node.in(0);
  for (size_t i : {size_t(1), size_t(2)}) {
    if (!node.has(i))
      continue;
    MPC_TRY(node.requireSameType(i, 0));
    if (countElements(node.in(i).shape) != 1)
      return node.fail("a bound has shape " + shapeText(node.in(i).shape) +
                       ", expected one number");
    Operand bound = node.build.reshape(node.in(i), {});
    bound = node.build.broadcastTo(bound, result.shape);
    result =
        node.build.binary(i == 1 ? Binary::Max : Binary::Min, result, bound);
  }
  node.result(0, result);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Error emitCast(NodeImporter &node) {
  int64_t to = node.intAttr("to", 0);
  if (to < 0 || to > INT32_MAX)
    return node.fail("attribute 'to' is " + Twine(to));
  auto number = static_cast<ElemType>(static_cast<int32_t>(to));
  mlir::Type type = elementType(node.in(0).type.getContext(), number);
  if (!type)
    return node.fail("a cast to " + toString(number) + " is not supported");
  // Somebody wrote this cast, who wants f32 from here on in mixed precision
  // too.
  bool isWritten = type.isF32() && node.in(0).type == type && !node.in(0).known;
  node.result(0, isWritten ? node.build.writtenCast(node.in(0))
                           : node.build.cast(node.in(0), type));
  return Error::success();
}

Error emitCastLike(NodeImporter &node) {
  node.result(0, node.build.cast(node.in(0), node.in(1).type));
  return Error::success();
}

using TB = TensorBuilder;
using Kind = nn::CompareKind;

} // namespace

ArrayRef<OpRule> identityForms() {
  static const OpRule forms[] = {
      {form::kDetach, 1, 1, 1, 1, "", emitDetach},
  };
  return forms;
}

ArrayRef<OpRule> elementwiseRules() {
  static const OpRule rules[] = {
      {"Abs", 6, 1, 1, 1, "", emitNumber<&TB::abs>},
      {"Acos", 7, 1, 1, 1, "", emitUnary<nn::AcosOp>},
      {"Acosh", 9, 1, 1, 1, "", emitUnary<nn::AcoshOp>},
      {"Add", 7, 2, 2, 1, "", emitVariadic<Binary::Add>},
      {"And", 7, 2, 2, 1, "", emitLogic<Logic::And>},
      {"Asin", 7, 1, 1, 1, "", emitUnary<nn::AsinOp>},
      {"Asinh", 9, 1, 1, 1, "", emitUnary<nn::AsinhOp>},
      {"Atan", 7, 1, 1, 1, "", emitUnary<nn::AtanOp>},
      {"Atanh", 9, 1, 1, 1, "", emitUnary<nn::AtanhOp>},
      {"Cast", 6, 1, 1, 1, "to:i", emitCast},
      {"Cast", 19, 1, 1, 1, "to:i saturate:i", emitCast},
      // round_mode is about casts to float8e8m0, which are refused.
      {"Cast", 24, 1, 1, 1, "to:i saturate:i round_mode:s", emitCast},
      {"CastLike", 15, 2, 2, 1, "", emitCastLike},
      {"CastLike", 19, 2, 2, 1, "saturate:i", emitCastLike},
      {"CastLike", 24, 2, 2, 1, "saturate:i round_mode:s", emitCastLike},
      {"Ceil", 6, 1, 1, 1, "", emitUnary<nn::CeilOp>},
      {"Celu", 12, 1, 1, 1, "alpha:f", emitCelu},
      {"Clip", 6, 1, 1, 1, "max:f min:f", emitClip, "", false, "min max"},
      {"Clip", 11, 1, 3, 1, "", emitClip},
      {"Cos", 7, 1, 1, 1, "", emitUnary<nn::CosOp>},
      {"Cosh", 9, 1, 1, 1, "", emitUnary<nn::CoshOp>},
      {"Div", 7, 2, 2, 1, "", emitVariadic<Binary::Div>},
      {"Elu", 6, 1, 1, 1, "alpha:f", emitElu},
      {"Equal", 7, 2, 2, 1, "", emitCompare<Kind::EQ>},
      {"Erf", 9, 1, 1, 1, "", emitUnary<nn::ErfOp>},
      {"Exp", 6, 1, 1, 1, "", emitFloat<&TB::exp>},
      {"Floor", 6, 1, 1, 1, "", emitUnary<nn::FloorOp>},
      {"Gelu", 20, 1, 1, 1, "approximate:s", emitGelu},
      {"Greater", 7, 2, 2, 1, "", emitCompare<Kind::GT>},
      {"GreaterOrEqual", 12, 2, 2, 1, "", emitCompare<Kind::GE>},
      {"HardSigmoid", 6, 1, 1, 1, "alpha:f beta:f", emitHardSigmoid},
      {"HardSwish", 14, 1, 1, 1, "", emitUnary<nn::HardSwishOp>},
      {"Identity", 1, 1, 1, 1, "", emitIdentity},
      {"IsInf", 10, 1, 1, 1, "detect_negative:i detect_positive:i", emitIsInf},
      {"IsNaN", 9, 1, 1, 1, "", emitIsNaN},
      {"LeakyRelu", 6, 1, 1, 1, "alpha:f", emitLeakyRelu},
      {"Less", 7, 2, 2, 1, "", emitCompare<Kind::LT>},
      {"LessOrEqual", 12, 2, 2, 1, "", emitCompare<Kind::LE>},
      {"Log", 6, 1, 1, 1, "", emitFloat<&TB::log>},
      {"Max", 6, 1, kUnlimited, 1, "", emitVariadic<Binary::Max>},
      {"Mean", 6, 1, kUnlimited, 1, "", emitMean},
      {"Min", 6, 1, kUnlimited, 1, "", emitVariadic<Binary::Min>},
      {"Mish", 18, 1, 1, 1, "", emitUnary<nn::MishOp>},
      {"Mod", 10, 2, 2, 1, "fmod:i", emitMod},
      {"Mul", 7, 2, 2, 1, "", emitVariadic<Binary::Mul>},
      {"Neg", 6, 1, 1, 1, "", emitNumber<&TB::neg>},
      {"Not", 1, 1, 1, 1, "", emitNot},
      {"Or", 7, 2, 2, 1, "", emitLogic<Logic::Or>},
      {"PRelu", 7, 2, 2, 1, "", emitPRelu},
      {"Pow", 7, 2, 2, 1, "", emitPow},
      {"Reciprocal", 6, 1, 1, 1, "", emitFloat<&TB::reciprocal>},
      {"Relu", 6, 1, 1, 1, "", emitNumber<&TB::relu>},
      {"Round", 11, 1, 1, 1, "", emitUnary<nn::RoundOp>},
      {"Selu", 6, 1, 1, 1, "alpha:f gamma:f", emitSelu},
      {"Sigmoid", 6, 1, 1, 1, "", emitFloat<&TB::sigmoid>},
      {"Shrink", 9, 1, 1, 1, "bias:f lambd:f", emitShrink},
      {"Sign", 9, 1, 1, 1, "", emitSign},
      {"Sin", 7, 1, 1, 1, "", emitUnary<nn::SinOp>},
      {"Sinh", 9, 1, 1, 1, "", emitUnary<nn::SinhOp>},
      {"Softplus", 1, 1, 1, 1, "", emitUnary<nn::SoftplusOp>},
      {"Softsign", 1, 1, 1, 1, "", emitUnary<nn::SoftsignOp>},
      {"Sqrt", 6, 1, 1, 1, "", emitSqrt},
      {"Sub", 7, 2, 2, 1, "", emitVariadic<Binary::Sub>},
      {"Sum", 6, 1, kUnlimited, 1, "", emitVariadic<Binary::Add>},
      {"Swish", 24, 1, 1, 1, "alpha:f", emitSwish},
      {"Tan", 7, 1, 1, 1, "", emitUnary<nn::TanOp>},
      {"Tanh", 6, 1, 1, 1, "", emitFloat<&TB::tanh>},
      {"ThresholdedRelu", 10, 1, 1, 1, "alpha:f", emitThresholdedRelu},
      {"Where", 9, 3, 3, 1, "", emitWhere},
      {"Xor", 7, 2, 2, 1, "", emitLogic<Logic::Xor>},
  };
  return rules;
}

} // namespace mpc::onnx
