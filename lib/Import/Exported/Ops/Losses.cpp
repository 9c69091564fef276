// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's losses.
#include "lib/Import/Exported/Call.h"

#include "dialects/NN/NNDialect.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

namespace {

/// torch's numbers of reductions.
enum class Join : int64_t { None = 0, Mean = 1, Sum = 2 };

Expected<Join> readJoin(Call &call) {
  MPC_TRY_ASSIGN(int64_t number, call.integer("reduction", 1));
  if (number < 0 || number > 2)
    return call.fail("reduction is " + Twine(number));
  return static_cast<Join>(number);
}

Operand joined(TensorBuilder &b, const Operand &loss, Join join) {
  auto all = to_vector(seq<int64_t>(0, loss.rank()));
  if (join == Join::None)
    return loss;
  return join == Join::Sum ? b.reduceSum(loss, all) : b.reduceMean(loss, all);
}

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
  MPC_TRY_ASSIGN(Join join, readJoin(call));
  TensorBuilder &b = call.build;
  Operand distance = b.binary(Binary::Sub, input, target);
  call.result(joined(b, b.binary(Binary::Mul, distance, distance), join));
  return Error::success();
}

Error emitL1(Call &call) {
  Operand input, target;
  MPC_TRY(readPair(call, input, target));
  MPC_TRY_ASSIGN(Join join, readJoin(call));
  TensorBuilder &b = call.build;
  call.result(joined(b, b.abs(b.binary(Binary::Sub, input, target)), join));
  return Error::success();
}

/// Quadratic up to `width` with the factor `steepness` / 2, then linear.
Error bounded(Call &call, double width, double steepness) {
  Operand input, target;
  MPC_TRY(readPair(call, input, target));
  MPC_TRY_ASSIGN(Join join, readJoin(call));
  TensorBuilder &b = call.build;
  Operand distance = b.abs(b.binary(Binary::Sub, input, target));
  Operand isNear =
      b.compare(nn::CompareKind::LT, distance, b.splatLike(distance, width));
  Operand square = b.binary(
      Binary::Mul, b.binary(Binary::Mul, distance, distance), steepness / 2.0);
  Operand line =
      b.binary(Binary::Mul, b.binary(Binary::Sub, distance, width / 2.0),
               steepness * width);
  call.result(joined(b, b.select(isNear, square, line), join));
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
  MPC_TRY_ASSIGN(Join join, readJoin(call));
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
  call.result(joined(b, loss, join));
  return Error::success();
}

/// Of probabilities; logarithms are at least -100, as PyTorch's.
Error emitBce(Call &call) {
  Operand x, y;
  MPC_TRY(readPair(call, x, y));
  MPC_TRY_ASSIGN(Join join, readJoin(call));
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
  call.result(joined(b, loss, join));
  return Error::success();
}

/// target (log(target) - input), or exp(target) (target - input).
Error emitKLDivergence(Call &call) {
  Operand x, y;
  MPC_TRY(readPair(call, x, y));
  MPC_TRY_ASSIGN(Join join, readJoin(call));
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
  call.result(joined(b, loss, join));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// A loss over classes, which are axis 1 of [batch, classes, ..], or the only
/// axis of one sample.
struct ClassLoss {
  Operand scores, target;
  std::optional<Operand> weight;
  Join join = Join::Mean;
  int64_t ignored = -100, axis = 0, classes = 0;
  double smoothing = 0.0;
};

Expected<ClassLoss> readClassLoss(Call &call, StringRef scores) {
  ClassLoss loss;
  MPC_TRY_ASSIGN(loss.scores, call.real(scores));
  MPC_TRY_ASSIGN(loss.target, call.tensor("target"));
  MPC_TRY_ASSIGN(loss.weight, call.maybeTensor("weight"));
  MPC_TRY_ASSIGN(loss.join, readJoin(call));
  MPC_TRY_ASSIGN(loss.ignored, call.integer("ignore_index", -100));
  MPC_TRY_ASSIGN(loss.smoothing, call.number("label_smoothing", 0.0));
  if (loss.scores.rank() < 1 || is_contained(loss.scores.shape, 0))
    return call.fail("the scores are " + shapeText(loss.scores.shape));
  loss.axis = std::min<int64_t>(loss.scores.rank() - 1, 1);
  loss.classes = loss.scores.shape[loss.axis];
  if (loss.weight && (loss.weight->shape != Shape{loss.classes} ||
                      loss.weight->type != loss.scores.type))
    return call.fail("the weight is " + shapeText(loss.weight->shape) +
                     ", expected " + Twine(loss.classes));
  return loss;
}

Error checkLabels(Call &call, const ClassLoss &loss) {
  Shape expected = loss.scores.shape;
  expected.erase(expected.begin() + loss.axis);
  if (loss.target.shape != expected)
    return call.fail("the target is " + shapeText(loss.target.shape) +
                     ", expected " + shapeText(expected));
  if (!loss.target.type.isInteger(64) && !loss.target.type.isInteger(32))
    return call.fail("the target is neither of int64 nor of int32");
  return Error::success();
}

/// Each class's logarithm by the weight of the class.
Operand weighted(TensorBuilder &b, const ClassLoss &loss,
                 const Operand &logProbability) {
  if (!loss.weight)
    return logProbability;
  return b.binary(Binary::Mul, logProbability,
                  b.broadcast(*loss.weight, logProbability.shape, {loss.axis}));
}

Operand classesLast(TensorBuilder &b, const ClassLoss &loss, const Operand &x) {
  auto order = to_vector(seq<int64_t>(0, x.rank()));
  std::rotate(order.begin() + loss.axis, order.begin() + loss.axis + 1,
              order.end());
  return b.transpose(x, order);
}

/// Against labels: each loss by its label's weight, 0 where it is ignored; the
/// mean is over the weights.
Operand labelLoss(TensorBuilder &b, const ClassLoss &loss,
                  const Operand &logProbability) {
  const Operand &target = loss.target;
  Operand isIgnored =
      b.compare(nn::CompareKind::EQ, target,
                b.splatLike(target, static_cast<double>(loss.ignored)));
  Operand label = b.select(isIgnored, b.splatLike(target, 0.0), target);
  Operand last = classesLast(b, loss, logProbability);
  Operand each = b.neg(b.gather(last, label, label.rank(), label.rank()));
  Operand weights =
      loss.weight ? b.gather(*loss.weight, label, 0) : b.splatLike(each, 1.0);
  weights = b.select(isIgnored, b.splatLike(weights, 0.0), weights);
  each = b.binary(Binary::Mul, each, weights);
  if (loss.smoothing > 0.0) {
    Operand all =
        b.neg(b.reduceSum(weighted(b, loss, logProbability), {loss.axis}));
    all = b.select(isIgnored, b.splatLike(all, 0.0), all);
    each =
        b.binary(Binary::Add, b.binary(Binary::Mul, each, 1.0 - loss.smoothing),
                 b.binary(Binary::Mul, all,
                          loss.smoothing / static_cast<double>(loss.classes)));
  }
  if (loss.join != Join::Mean)
    return joined(b, each, loss.join);
  auto places = to_vector(seq<int64_t>(0, each.rank()));
  return b.binary(Binary::Div, b.reduceSum(each, places),
                  b.reduceSum(weights, places));
}

/// Against probabilities, whose mean is over the places.
Expected<Operand> probabilityLoss(Call &call, const ClassLoss &loss,
                                  const Operand &logProbability) {
  TensorBuilder &b = call.build;
  if (loss.target.type != loss.scores.type)
    return call.fail("probabilities as targets are of the scores' type");
  Operand target = loss.target;
  auto classes = static_cast<double>(loss.classes);
  if (loss.smoothing > 0.0)
    target = b.binary(Binary::Add,
                      b.binary(Binary::Mul, target, 1.0 - loss.smoothing),
                      loss.smoothing / classes);
  Operand terms =
      b.binary(Binary::Mul, weighted(b, loss, logProbability), target);
  return joined(b, b.neg(b.reduceSum(terms, {loss.axis})), loss.join);
}

Error emitCrossEntropy(Call &call) {
  MPC_TRY_ASSIGN(ClassLoss loss, readClassLoss(call, "self"));
  TensorBuilder &b = call.build;
  if (loss.target.isFloat() && loss.target.shape == loss.scores.shape) {
    MPC_TRY_ASSIGN(
        Operand result,
        probabilityLoss(call, loss, b.logSoftmax(loss.scores, loss.axis)));
    call.result(result);
    return Error::success();
  }
  MPC_TRY(checkLabels(call, loss));
  if (loss.weight || loss.smoothing > 0.0 || loss.join != Join::Mean) {
    call.result(labelLoss(b, loss, b.logSoftmax(loss.scores, loss.axis)));
    return Error::success();
  }
  call.result(b.fromValue(nn::CrossEntropyOp::create(
      b.builder(), b.location(), b.tensorType(loss.scores.type, {}),
      loss.scores.value, loss.target.value,
      b.builder().getI64IntegerAttr(loss.axis),
      b.builder().getI64IntegerAttr(loss.ignored))));
  return Error::success();
}

Error emitNegativeLogLikelihood(Call &call) {
  MPC_TRY_ASSIGN(ClassLoss loss, readClassLoss(call, "self"));
  MPC_TRY(checkLabels(call, loss));
  call.result(labelLoss(call.build, loss, loss.scores));
  return Error::success();
}

const OpRow kRows[] = {
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

} // namespace

ArrayRef<OpRow> lossRows() { return kRows; }

} // namespace mpc::exported
