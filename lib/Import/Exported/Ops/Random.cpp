// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's ops that draw random numbers. The run's seed decides which; streams
/// are counted in the program's order.
#include "lib/Import/Build/Random.h"
#include "lib/Import/Exported/Call.h"

using namespace llvm;

namespace mpc::exported {

namespace {

Expected<double> probabilityOf(Call &call) {
  MPC_TRY_ASSIGN(double p, call.number("p", 0.5));
  if (!(p >= 0.0 && p <= 1.0))
    return call.fail("p is " + std::to_string(p) + ", expected 0 to 1");
  return p;
}

/// The form that writes in place calls its operand otherwise.
Expected<Operand> droppedOperand(Call &call) {
  return call.real(call.has("input") ? "input" : "self");
}

/// Elements that are dropped in training; a layer in eval() gives its operand
/// itself.
Error emitDropout(Call &call) {
  MPC_TRY_ASSIGN(Operand x, droppedOperand(call));
  MPC_TRY_ASSIGN(double p, probabilityOf(call));
  MPC_TRY_ASSIGN(bool drops, call.flag("train", true));
  TensorBuilder &b = call.build;
  call.result(drops && p > 0.0 ? dropout(b, x, p, b.takeStream()) : x);
  return Error::success();
}

/// The form of decomposed programs, which gives the mask for PyTorch's own
/// backward.
Error emitNativeDropout(Call &call) {
  MPC_TRY(emitDropout(call));
  call.result({});
  return Error::success();
}

/// Whole channels are dropped, by one number for each.
Error emitFeatureDropout(Call &call) {
  MPC_TRY_ASSIGN(Operand x, droppedOperand(call));
  MPC_TRY_ASSIGN(double p, probabilityOf(call));
  MPC_TRY_ASSIGN(bool drops, call.flag("train", true));
  if (x.rank() < 2)
    return call.fail("the operand is " + shapeText(x.shape));
  TensorBuilder &b = call.build;
  if (!drops || p == 0.0) {
    call.result(x);
    return Error::success();
  }
  Shape mask(x.rank(), 1);
  mask[0] = x.shape[0];
  mask[1] = x.shape[1];
  Operand factor = dropout(b, b.splat(x.type, mask, 1.0), p, b.takeStream());
  call.result(b.binary(Binary::Mul, x, b.broadcastTo(factor, x.shape)));
  return Error::success();
}

using Draw = Operand (*)(TensorBuilder &, ArrayRef<int64_t>);

Operand drawUniform(TensorBuilder &b, ArrayRef<int64_t> shape) {
  return uniform(b, shape);
}
Operand drawNormal(TensorBuilder &b, ArrayRef<int64_t> shape) {
  return normal(b, shape, 0.0, 1.0);
}

template <Draw draw>
Error emitDraw(Call &call) {
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  if (!isa<mlir::FloatType>(type))
    return call.fail("the result is not of floating-point numbers");
  call.result(call.build.cast(draw(call.build, shape), type));
  return Error::success();
}

/// Integers from `low` to before `high`, each as likely as the others.
Error emitIntegers(Call &call) {
  MPC_TRY_ASSIGN(int64_t low, call.integer("low", 0));
  MPC_TRY_ASSIGN(int64_t high, call.integer("high"));
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  // A number of 24 random bits would leave integers out.
  constexpr int64_t kMost = 1 << 20;
  if (low >= high || low < INT32_MIN || high > INT32_MAX || high - low > kMost)
    return call.fail("draws from " + Twine(low) + " to " + Twine(high) +
                     ", expected up to " + Twine(kMost) + " integers");
  TensorBuilder &b = call.build;
  Operand drawn = b.cast(
      uniformBetween(b, shape, 0.0, static_cast<double>(high - low)), b.i64());
  // A product may be rounded up.
  drawn = b.binary(Binary::Min, drawn,
                   b.splatLike(drawn, static_cast<double>(high - low - 1)));
  call.result(
      b.cast(b.binary(Binary::Add, drawn, static_cast<double>(low)), type));
  return Error::success();
}

/// What an op in place draws, of the operand's type.
Error giveLikeOperand(Call &call, const Operand &drawn) {
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  call.result(call.build.cast(drawn, type));
  return Error::success();
}

/// 1 by the probability `p`, which is the same for all.
Error emitBernoulliOf(Call &call) {
  MPC_TRY_ASSIGN(double p, probabilityOf(call));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  TensorBuilder &b = call.build;
  Operand drawn = uniform(b, shape);
  return giveLikeOperand(
      call, b.compare(nn::CompareKind::LT, drawn, b.splatLike(drawn, p)));
}

Error emitUniformBetween(Call &call) {
  MPC_TRY_ASSIGN(double from, call.number("from", 0.0));
  MPC_TRY_ASSIGN(double to, call.number("to", 1.0));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  return giveLikeOperand(call, uniformBetween(call.build, shape, from, to));
}

Error emitNormalOf(Call &call) {
  MPC_TRY_ASSIGN(double mean, call.number("mean", 0.0));
  MPC_TRY_ASSIGN(double deviation, call.number("std", 1.0));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  return giveLikeOperand(call, normal(call.build, shape, mean, deviation));
}

/// Negative elements times a slope, which is drawn in training.
Error emitRandomLeakyRelu(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(double lower, call.number("lower", 0.125));
  MPC_TRY_ASSIGN(double upper, call.number("upper", 1.0 / 3.0));
  MPC_TRY_ASSIGN(bool isTraining, call.flag("training", false));
  TensorBuilder &b = call.build;
  Operand slope = isTraining
                      ? b.cast(uniformBetween(b, x.shape, lower, upper), x.type)
                      : b.splatLike(x, (lower + upper) / 2.0);
  Operand isAbove = b.compare(nn::CompareKind::GE, x, b.splatLike(x, 0.0));
  call.result(b.select(isAbove, x, b.binary(Binary::Mul, x, slope)));
  return Error::success();
}

Error emitBernoulli(Call &call) {
  MPC_TRY_ASSIGN(Operand probability, call.real("self"));
  TensorBuilder &b = call.build;
  Operand isOne = b.compare(nn::CompareKind::LT, uniform(b, probability.shape),
                            b.cast(probability, b.f32()));
  call.result(b.cast(isOne, probability.type));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> randomRows() {
  static const OpRow rows[] = {
      {"bernoulli.default", emitBernoulli},
      {"bernoulli.float", emitBernoulliOf},
      {"bernoulli.p", emitBernoulliOf},
      {"dropout.default", emitDropout, Sharing::Maybe},
      {"feature_dropout.default", emitFeatureDropout, Sharing::Maybe},
      {"native_dropout.default", emitNativeDropout},
      {"normal.default", emitNormalOf},
      {"rand.default", emitDraw<drawUniform>},
      {"rand_like.default", emitDraw<drawUniform>},
      {"randint.default", emitIntegers},
      {"randint.low", emitIntegers},
      {"randn.default", emitDraw<drawNormal>},
      {"randn_like.default", emitDraw<drawNormal>},
      {"rrelu.default", emitRandomLeakyRelu},
      {"uniform.default", emitUniformBetween},
  };
  return rows;
}

} // namespace mpc::exported
