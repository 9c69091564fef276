// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX losses: the mean softmax cross entropy is one op, its other forms are
/// composed.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// That of the classes in scores [N, C, d..], and in PyTorch's [C] of one
/// sample.
int64_t classAxis(const Operand &scores) {
  return std::min<int64_t>(scores.rank() - 1, 1);
}

int64_t numberOfClasses(const Operand &scores) {
  return scores.shape[classAxis(scores)];
}

/// Checks scores and weight [C].
Error checkScores(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &scores = node.in(0);
  int64_t leastRank = node.isSet(setting::kUnbatched) ? 1 : 2;
  if (scores.rank() < leastRank || is_contained(scores.shape, 0))
    return node.fail("the scores are " + shapeText(scores.shape) +
                     ", expected batch, classes and more");
  StringRef reduction = node.stringAttr("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    return node.fail("attribute 'reduction' is '" + printable(reduction) +
                     "', expected mean, sum or none");
  if (!node.has(2))
    return Error::success();
  MPC_TRY(node.requireSameType(2, 0));
  if (node.in(2).shape != Shape{numberOfClasses(scores)})
    return node.fail("the weight is " + shapeText(node.in(2).shape) +
                     ", expected " + Twine(numberOfClasses(scores)));
  return Error::success();
}

/// Checks that the target, of the scores' shape without its classes, has
/// labels.
Error checkLabels(NodeImporter &node) {
  const Operand &target = node.in(1);
  Shape expected = node.in(0).shape;
  expected.erase(expected.begin() + classAxis(node.in(0)));
  if (target.shape != expected)
    return node.fail("the target is " + shapeText(target.shape) +
                     ", expected " + shapeText(expected));
  if (target.type != node.build.i32() && target.type != node.build.i64())
    return node.fail("the target is " + toString(target.type) +
                     ", expected int32 or int64");
  return Error::success();
}

/// `scores` with the classes on the last axis.
Operand classesLast(TensorBuilder &b, const Operand &scores) {
  auto order = to_vector(seq<int64_t>(0, scores.rank()));
  std::rotate(order.begin() + classAxis(scores),
              order.begin() + classAxis(scores) + 1, order.end());
  return b.transpose(scores, order);
}

/// Where the target is ignored, if any may be.
std::optional<Operand> ignoredTargets(NodeImporter &node) {
  const Attribute *ignored = node.attribute("ignore_index");
  if (!ignored)
    return std::nullopt;
  TensorBuilder &b = node.build;
  const Operand &target = node.in(1);
  return b.compare(nn::CompareKind::EQ, target,
                   b.splatLike(target, static_cast<double>(ignored->i)));
}

/// The target's class. One that is ignored and no class reads the first.
Operand classOf(NodeImporter &node) {
  const Operand &target = node.in(1);
  int64_t ignored = node.intAttr("ignore_index", 0);
  int64_t count = numberOfClasses(node.in(0));
  if (ignored >= -count && ignored < count)
    return target;
  TensorBuilder &b = node.build;
  return b.select(*ignoredTargets(node), b.splatLike(target, 0.0), target);
}

/// Each target's weight: that of its class, 0 where it is ignored. Nothing
/// where all weights are 1.
std::optional<Operand> targetWeights(NodeImporter &node) {
  TensorBuilder &b = node.build;
  std::optional<Operand> weights, isIgnored = ignoredTargets(node);
  if (node.has(2))
    weights = b.gather(node.in(2), classOf(node), 0);
  if (!isIgnored)
    return weights;
  mlir::Type type = node.in(0).type;
  ArrayRef<int64_t> shape = node.in(1).shape;
  if (!weights)
    weights = b.splat(type, shape, 1.0);
  return b.select(*isIgnored, b.splat(type, shape, 0.0), *weights);
}

/// Each class's logarithm of its probability by the weight of the class.
Operand weighted(NodeImporter &node, const Operand &logProbability) {
  if (!node.has(2))
    return logProbability;
  TensorBuilder &b = node.build;
  return b.binary(Binary::Mul, logProbability,
                  b.broadcast(node.in(2), logProbability.shape,
                              {classAxis(logProbability)}));
}

/// Adds the loss by `smoothing` of all classes alike to `loss`, which is
/// that of the target's classes.
Operand smoothed(NodeImporter &node, const Operand &loss,
                 const Operand &logProbability, double smoothing) {
  TensorBuilder &b = node.build;
  Operand all = b.neg(
      b.reduceSum(weighted(node, logProbability), {classAxis(logProbability)}));
  if (auto isIgnored = ignoredTargets(node))
    all = b.select(*isIgnored, b.splatLike(all, 0.0), all);
  auto classes = static_cast<double>(numberOfClasses(logProbability));
  return b.binary(Binary::Add, b.binary(Binary::Mul, loss, 1.0 - smoothing),
                  b.binary(Binary::Mul, all, smoothing / classes));
}

/// -weight[target] * logProbability[target], reduced as the attribute says.
void lossOf(NodeImporter &node, const Operand &logProbability,
            double smoothing) {
  TensorBuilder &b = node.build;
  Operand target = classOf(node);
  Operand last = classesLast(b, logProbability);
  Operand loss = b.neg(b.gather(last, target, target.rank(), target.rank()));
  std::optional<Operand> weights = targetWeights(node);
  if (weights)
    loss = b.binary(Binary::Mul, loss, *weights);
  if (smoothing > 0.0)
    loss = smoothed(node, loss, logProbability, smoothing);
  StringRef reduction = node.stringAttr("reduction", "mean");
  if (reduction == "none")
    return node.result(0, loss);
  auto all = to_vector(seq<int64_t>(0, loss.rank()));
  if (reduction == "mean" && !weights)
    return node.result(0, b.reduceMean(loss, all));
  Operand sum = b.reduceSum(loss, all);
  if (reduction == "mean")
    sum = b.binary(Binary::Div, sum, b.reduceSum(*weights, all));
  node.result(0, sum);
}

/// The loss against probabilities of the classes, whose mean is over the
/// places, whatever the classes weigh; the standard has labels alone.
void lossOfProbabilities(NodeImporter &node, const Operand &logProbability,
                         double smoothing) {
  TensorBuilder &b = node.build;
  Operand target = node.in(1);
  auto classes = static_cast<double>(numberOfClasses(target));
  if (smoothing > 0.0)
    target =
        b.binary(Binary::Add, b.binary(Binary::Mul, target, 1.0 - smoothing),
                 smoothing / classes);
  Operand products =
      b.binary(Binary::Mul, weighted(node, logProbability), target);
  Operand loss = b.neg(b.reduceSum(products, {classAxis(target)}));
  StringRef reduction = node.stringAttr("reduction", "mean");
  auto all = to_vector(seq<int64_t>(0, loss.rank()));
  if (reduction == "mean")
    loss = b.reduceMean(loss, all);
  else if (reduction == "sum")
    loss = b.reduceSum(loss, all);
  node.result(0, loss);
}

Error emitNegativeLogLikelihood(NodeImporter &node) {
  MPC_TRY(checkScores(node));
  MPC_TRY(checkLabels(node));
  lossOf(node, node.in(0), 0.0);
  return Error::success();
}

/// The mean against labels, of which all classes weigh the same.
void plainLoss(NodeImporter &node) {
  TensorBuilder &b = node.build;
  const Operand &scores = node.in(0);
  const Attribute *ignored = node.attribute("ignore_index");
  auto ignore =
      ignored ? b.builder().getI64IntegerAttr(ignored->i) : mlir::IntegerAttr();
  node.result(0,
              b.fromValue(nn::CrossEntropyOp::create(
                  b.builder(), b.location(), b.tensorType(scores.type, {}),
                  scores.value, node.in(1).value,
                  b.builder().getI64IntegerAttr(classAxis(scores)), ignore)));
}

Error emitSoftmaxCrossEntropy(NodeImporter &node) {
  MPC_TRY(checkScores(node));
  const Operand &scores = node.in(0), &target = node.in(1);
  bool hasLabels = !target.isFloat() || target.shape != scores.shape;
  if (hasLabels)
    MPC_TRY(checkLabels(node));
  else
    MPC_TRY(node.requireSameType(1, 0));
  double smoothing =
      node.setting<double>(setting::kLabelSmoothing).value_or(0.0);
  bool oneOp = hasLabels && smoothing == 0.0 && !node.has(2) &&
               node.stringAttr("reduction", "mean") == "mean";
  std::optional<Operand> logProbability;
  if (!oneOp || node.wants(1))
    logProbability = node.build.logSoftmax(scores, classAxis(scores));
  if (oneOp)
    plainLoss(node);
  else if (hasLabels)
    lossOf(node, *logProbability, smoothing);
  else
    lossOfProbabilities(node, *logProbability, smoothing);
  if (node.wants(1))
    node.result(1, *logProbability);
  return Error::success();
}

const OpRule kRules[] = {
    {"NegativeLogLikelihoodLoss", 12, 2, 3, 1, "ignore_index:i reduction:s",
     emitNegativeLogLikelihood},
    {"SoftmaxCrossEntropyLoss", 12, 2, 3, 2, "ignore_index:i reduction:s",
     emitSoftmaxCrossEntropy},
};

} // namespace

ArrayRef<OpRule> lossRules() { return kRules; }

} // namespace mpc::onnx
