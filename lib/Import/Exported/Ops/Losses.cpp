// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's losses.
#include "lib/Import/Exported/Ops/Losses.h"

#include "dialects/NN/NNDialect.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

Expected<Reduction> readReduction(Call &call) {
  MPC_TRY_ASSIGN(int64_t number, call.integer("reduction", 1));
  if (number < 0 || number > 2)
    return call.fail("reduction is " + Twine(number));
  constexpr Reduction kReductions[] = {Reduction::None, Reduction::Mean,
                                       Reduction::Sum};
  return kReductions[number];
}

namespace {

/// Prediction and target of one type and shape. PyTorch warns of a target that
/// broadcasts, which is seldom meant.
Error readPair(Call &call, Operand &input, Operand &target) {
  MPC_TRY_ASSIGN(input, call.real("self"));
  MPC_TRY_ASSIGN(target, call.tensor("target"));
  if (input.shape != target.shape)
    return call.fail("the prediction is " + shapeText(input.shape) +
                     ", the target " + shapeText(target.shape) +
                     ": give both the same shape");
  target = call.build.cast(target, input.type);
  return Error::success();
}

Error emitMse(Call &call) {
  Operand input, target;
  MPC_TRY(readPair(call, input, target));
  MPC_TRY_ASSIGN(Reduction reduction, readReduction(call));
  TensorBuilder &b = call.build;
  Operand distance = b.binary(Binary::Sub, input, target);
  call.result(reduced(b, b.binary(Binary::Mul, distance, distance), reduction));
  return Error::success();
}

Error emitL1(Call &call) {
  Operand input, target;
  MPC_TRY(readPair(call, input, target));
  MPC_TRY_ASSIGN(Reduction reduction, readReduction(call));
  TensorBuilder &b = call.build;
  call.result(
      reduced(b, b.abs(b.binary(Binary::Sub, input, target)), reduction));
  return Error::success();
}

/// Quadratic up to `width` with the factor `steepness` / 2, then linear.
Error bounded(Call &call, double width, double steepness) {
  Operand input, target;
  MPC_TRY(readPair(call, input, target));
  MPC_TRY_ASSIGN(Reduction reduction, readReduction(call));
  TensorBuilder &b = call.build;
  Operand distance = b.abs(b.binary(Binary::Sub, input, target));
  Operand isNear =
      b.compare(nn::CompareKind::LT, distance, b.splatLike(distance, width));
  Operand square = b.binary(
      Binary::Mul, b.binary(Binary::Mul, distance, distance), steepness / 2.0);
  Operand line =
      b.binary(Binary::Mul, b.binary(Binary::Sub, distance, width / 2.0),
               steepness * width);
  call.result(reduced(b, b.select(isNear, square, line), reduction));
  return Error::success();
}

Error emitSmoothL1(Call &call) {
  MPC_TRY_ASSIGN(double beta, call.number("beta", 1.0));
  if (!(beta >= 0.0))
    return call.fail("beta is negative");
  return beta == 0.0 ? emitL1(call) : bounded(call, beta, 1.0 / beta);
}

Error emitHuber(Call &call) {
  MPC_TRY_ASSIGN(double delta, call.number("delta", 1.0));
  if (!(delta > 0.0))
    return call.fail("delta is not positive");
  return bounded(call, delta, 1.0);
}

/// A weight that broadcasts to the loss.
Expected<Operand> weightedBy(Call &call, StringRef name, const Operand &loss) {
  MPC_TRY_ASSIGN(std::optional<Operand> weight, call.maybeTensor(name));
  if (!weight)
    return loss;
  TensorBuilder &b = call.build;
  MPC_TRY_ASSIGN(
      *weight, call.broadcastTo(b.cast(*weight, loss.type), loss.shape, name));
  return b.binary(Binary::Mul, loss, *weight);
}

/// (1 - y) x + (1 + (p - 1) y) log(1 + exp(-x)), p the weight of positives.
Error emitBceWithLogits(Call &call) {
  Operand x, y;
  MPC_TRY(readPair(call, x, y));
  MPC_TRY_ASSIGN(Reduction reduction, readReduction(call));
  MPC_TRY_ASSIGN(std::optional<Operand> positive,
                 call.maybeTensor("pos_weight"));
  TensorBuilder &b = call.build;
  Operand soft = b.unary<nn::SoftplusOp>(b.neg(x));
  if (positive) {
    MPC_TRY_ASSIGN(*positive, call.broadcastTo(b.cast(*positive, x.type),
                                               x.shape, "pos_weight"));
    Operand extra =
        b.binary(Binary::Mul, b.binary(Binary::Sub, *positive, 1.0), y);
    soft = b.binary(Binary::Mul, b.binary(Binary::Add, extra, 1.0), soft);
  }
  Operand rest = b.binary(Binary::Sub, b.splatLike(y, 1.0), y);
  Operand loss = b.binary(Binary::Add, b.binary(Binary::Mul, rest, x), soft);
  MPC_TRY_ASSIGN(loss, weightedBy(call, "weight", loss));
  call.result(reduced(b, loss, reduction));
  return Error::success();
}

/// Of probabilities; logarithms are at least -100, as PyTorch's.
Error emitBce(Call &call) {
  Operand x, y;
  MPC_TRY(readPair(call, x, y));
  MPC_TRY_ASSIGN(Reduction reduction, readReduction(call));
  TensorBuilder &b = call.build;
  auto logOf = [&](const Operand &p) {
    return b.binary(Binary::Max, b.log(p), -100.0);
  };
  Operand one = b.splatLike(x, 1.0);
  Operand hit = b.binary(Binary::Mul, y, logOf(x));
  Operand miss = b.binary(Binary::Mul, b.binary(Binary::Sub, one, y),
                          logOf(b.binary(Binary::Sub, one, x)));
  Operand loss = b.neg(b.binary(Binary::Add, hit, miss));
  MPC_TRY_ASSIGN(loss, weightedBy(call, "weight", loss));
  call.result(reduced(b, loss, reduction));
  return Error::success();
}

/// target (log(target) - input), or exp(target) (target - input).
Error emitKLDivergence(Call &call) {
  Operand x, y;
  MPC_TRY(readPair(call, x, y));
  MPC_TRY_ASSIGN(Reduction reduction, readReduction(call));
  MPC_TRY_ASSIGN(bool isLog, call.flag("log_target", false));
  TensorBuilder &b = call.build;
  Operand loss;
  if (isLog) {
    loss = b.binary(Binary::Mul, b.exp(y), b.binary(Binary::Sub, y, x));
  } else {
    // 0 log 0 is 0.
    Operand isZero = b.compare(nn::CompareKind::EQ, y, b.splatLike(y, 0.0));
    Operand safe = b.select(isZero, b.splatLike(y, 1.0), y);
    loss = b.binary(Binary::Sub, b.binary(Binary::Mul, y, b.log(safe)),
                    b.binary(Binary::Mul, y, x));
  }
  call.result(reduced(b, loss, reduction));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Scores, which are logarithms of probabilities or become such, and what else
/// is said of the loss.
Expected<ClassLoss> readClassLoss(Call &call) {
  ClassLoss loss;
  MPC_TRY_ASSIGN(loss.logProbability, call.real("self"));
  MPC_TRY_ASSIGN(loss.target, call.tensor("target"));
  MPC_TRY_ASSIGN(loss.weight, call.maybeTensor("weight"));
  MPC_TRY_ASSIGN(loss.reduction, readReduction(call));
  MPC_TRY_ASSIGN(loss.ignored, call.integer("ignore_index", -100));
  MPC_TRY_ASSIGN(loss.smoothing, call.number("label_smoothing", 0.0));
  const Operand &scores = loss.logProbability;
  if (scores.rank() < 1 || is_contained(scores.shape, 0))
    return call.fail("the scores are " + shapeText(scores.shape));
  int64_t classes = scores.shape[classAxis(scores)];
  if (loss.weight && (loss.weight->shape != Shape{classes} ||
                      loss.weight->type != scores.type))
    return call.fail("the weight is " + shapeText(loss.weight->shape) +
                     ", expected " + Twine(classes));
  return loss;
}

Error checkLabels(Call &call, const ClassLoss &loss) {
  Shape expected = loss.logProbability.shape;
  expected.erase(expected.begin() + classAxis(loss.logProbability));
  if (loss.target.shape != expected)
    return call.fail("the target is " + shapeText(loss.target.shape) +
                     ", expected " + shapeText(expected));
  if (!loss.target.type.isInteger(64) && !loss.target.type.isInteger(32))
    return call.fail("the target is neither of int64 nor of int32");
  return Error::success();
}

/// The mean against labels, of which all classes weigh the same, is one op.
Operand meanLoss(TensorBuilder &b, const ClassLoss &loss) {
  stateLabels(loss);
  const Operand &scores = loss.logProbability;
  return b.fromValue(nn::CrossEntropyOp::create(
      b.builder(), b.location(), b.tensorType(scores.type, {}), scores.value,
      loss.target.value, b.builder().getI64IntegerAttr(classAxis(scores)),
      b.builder().getI64IntegerAttr(*loss.ignored)));
}

Error emitCrossEntropy(Call &call) {
  MPC_TRY_ASSIGN(ClassLoss loss, readClassLoss(call));
  TensorBuilder &b = call.build;
  const Operand scores = loss.logProbability;
  bool hasLabels = !loss.target.isFloat() || loss.target.shape != scores.shape;
  if (hasLabels)
    MPC_TRY(checkLabels(call, loss));
  else if (loss.target.type != scores.type)
    return call.fail("probabilities as targets are of the scores' type");
  if (hasLabels && !loss.weight && loss.smoothing == 0.0 &&
      loss.reduction == Reduction::Mean) {
    call.result(meanLoss(b, loss));
    return Error::success();
  }
  loss.logProbability = b.logSoftmax(scores, classAxis(scores));
  call.result(hasLabels ? lossOfLabels(b, loss) : lossOfProbabilities(b, loss));
  return Error::success();
}

Error emitNegativeLogLikelihood(Call &call) {
  MPC_TRY_ASSIGN(ClassLoss loss, readClassLoss(call));
  MPC_TRY(checkLabels(call, loss));
  call.result(lossOfLabels(call.build, loss));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> lossRows() {
  static const OpRow rows[] = {
      {"binary_cross_entropy.default", emitBce},
      {"binary_cross_entropy_with_logits.default", emitBceWithLogits},
      {"cross_entropy_loss.default", emitCrossEntropy},
      {"huber_loss.default", emitHuber},
      {"kl_div.default", emitKLDivergence},
      {"l1_loss.default", emitL1},
      {"mse_loss.default", emitMse},
      {"nll_loss.default", emitNegativeLogLikelihood},
      {"nll_loss2d.default", emitNegativeLogLikelihood},
      {"nll_loss_nd.default", emitNegativeLogLikelihood},
      {"smooth_l1_loss.default", emitSmoothL1},
  };
  return rows;
}

} // namespace mpc::exported
