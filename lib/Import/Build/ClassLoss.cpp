// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses against labels and against probabilities.
#include "lib/Import/Build/ClassLoss.h"

#include "dialects/NN/Ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::build {

namespace {

int64_t numberOfClasses(const Operand &scores) {
  return scores.shape[classAxis(scores)];
}

/// `scores`, with the classes moved to the last axis.
Operand classesLast(TensorBuilder &b, const Operand &scores) {
  auto order = to_vector(seq<int64_t>(0, scores.rank()));
  std::rotate(order.begin() + classAxis(scores),
              order.begin() + classAxis(scores) + 1, order.end());
  return b.transpose(scores, order);
}

/// Where the target is ignored; empty where no label is ignored.
std::optional<Operand> ignoredTargets(TensorBuilder &b, const ClassLoss &loss) {
  if (!loss.ignored)
    return std::nullopt;
  return b.compare(
      nn::CompareKind::EQ, loss.target,
      b.splatLike(loss.target, static_cast<double>(*loss.ignored)));
}

/// The target's class. A label that is ignored, and that names no class, reads
/// the first class.
Operand classOf(TensorBuilder &b, const ClassLoss &loss) {
  int64_t ignored = loss.ignored.value_or(0);
  int64_t count = numberOfClasses(loss.logProbability);
  if (ignored >= -count && ignored < count)
    return loss.target;
  return b.select(*ignoredTargets(b, loss), b.splatLike(loss.target, 0.0),
                  loss.target);
}

/// The weight of each target: its class's weight, and 0 where it is ignored.
/// Empty where all weights are 1.
std::optional<Operand> targetWeights(TensorBuilder &b, const ClassLoss &loss) {
  std::optional<Operand> weights, isIgnored = ignoredTargets(b, loss);
  if (loss.weight)
    weights = b.gather(*loss.weight, classOf(b, loss), 0);
  if (!isIgnored)
    return weights;
  mlir::Type type = loss.logProbability.type;
  ArrayRef<int64_t> shape = loss.target.shape;
  if (!weights)
    weights = b.splat(type, shape, 1.0);
  return b.select(*isIgnored, b.splat(type, shape, 0.0), *weights);
}

/// The logarithm of each class's probability, times the class's weight.
Operand weighted(TensorBuilder &b, const ClassLoss &loss) {
  const Operand &logs = loss.logProbability;
  if (!loss.weight)
    return logs;
  return b.binary(Binary::Mul, logs,
                  b.broadcast(*loss.weight, logs.shape, {classAxis(logs)}));
}

/// Adds the loss over all classes to `each`, the loss of the target's class.
Operand smoothed(TensorBuilder &b, const ClassLoss &loss, const Operand &each) {
  const Operand &logs = loss.logProbability;
  Operand all = b.neg(b.reduceSum(weighted(b, loss), {classAxis(logs)}));
  if (auto isIgnored = ignoredTargets(b, loss))
    all = b.select(*isIgnored, b.splatLike(all, 0.0), all);
  auto classes = static_cast<double>(numberOfClasses(logs));
  return b.binary(Binary::Add,
                  b.binary(Binary::Mul, each, 1.0 - loss.smoothing),
                  b.binary(Binary::Mul, all, loss.smoothing / classes));
}

} // namespace

Operand reduced(TensorBuilder &b, const Operand &loss, Reduction reduction) {
  auto all = to_vector(seq<int64_t>(0, loss.rank()));
  if (reduction == Reduction::None)
    return loss;
  return reduction == Reduction::Mean ? b.reduceMean(loss, all)
                                      : b.reduceSum(loss, all);
}

void stateLabels(const ClassLoss &loss) {
  nn::addRange(loss.target.value, 0, numberOfClasses(loss.logProbability),
               loss.ignored);
}

Operand lossOfLabels(TensorBuilder &b, const ClassLoss &loss) {
  stateLabels(loss);
  Operand target = classOf(b, loss);
  Operand last = classesLast(b, loss.logProbability);
  Operand each = b.neg(b.gather(last, target, target.rank(), target.rank()));
  std::optional<Operand> weights = targetWeights(b, loss);
  if (weights)
    each = b.binary(Binary::Mul, each, *weights);
  if (loss.smoothing > 0.0)
    each = smoothed(b, loss, each);
  if (loss.reduction != Reduction::Mean || !weights)
    return reduced(b, each, loss.reduction);
  Operand sum = reduced(b, each, Reduction::Sum);
  return b.binary(Binary::Div, sum, reduced(b, *weights, Reduction::Sum));
}

Operand lossOfProbabilities(TensorBuilder &b, const ClassLoss &loss) {
  Operand target = loss.target;
  auto classes = static_cast<double>(numberOfClasses(target));
  if (loss.smoothing > 0.0)
    target = b.binary(Binary::Add,
                      b.binary(Binary::Mul, target, 1.0 - loss.smoothing),
                      loss.smoothing / classes);
  Operand products = b.binary(Binary::Mul, weighted(b, loss), target);
  Operand each = b.neg(b.reduceSum(products, {classAxis(target)}));
  return reduced(b, each, loss.reduction);
}

} // namespace mpc::build
