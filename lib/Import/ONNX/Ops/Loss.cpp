// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX losses. The mean softmax cross entropy is one op, and its other forms
/// are composed.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/ClassLoss.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

int64_t numberOfClasses(const Operand &scores) {
  return scores.shape[classAxis(scores)];
}

/// Checks scores and the weight [C].
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

/// Checks that the target has labels, in the scores' shape without its classes.
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

Reduction reductionOf(const NodeImporter &node) {
  StringRef reduction = node.stringAttr("reduction", "mean");
  if (reduction == "none")
    return Reduction::None;
  return reduction == "sum" ? Reduction::Sum : Reduction::Mean;
}

/// The loss by the node's attributes, which have been checked.
ClassLoss readLoss(NodeImporter &node, const Operand &logProbability,
                   double smoothing) {
  ClassLoss loss{logProbability, node.in(1)};
  if (node.has(2))
    loss.weight = node.in(2);
  if (const Attribute *ignored = node.attribute("ignore_index"))
    loss.ignored = ignored->i;
  loss.smoothing = smoothing;
  loss.reduction = reductionOf(node);
  return loss;
}

Error emitNegativeLogLikelihood(NodeImporter &node) {
  MPC_TRY(checkScores(node));
  MPC_TRY(checkLabels(node));
  node.result(0, lossOfLabels(node.build, readLoss(node, node.in(0), 0.0)));
  return Error::success();
}

/// The mean against labels, with equal weights of classes.
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
    node.result(0, lossOfLabels(node.build,
                                readLoss(node, *logProbability, smoothing)));
  else
    // ONNX itself has only labels.
    node.result(0, lossOfProbabilities(
                       node.build, readLoss(node, *logProbability, smoothing)));
  if (node.wants(1))
    node.result(1, *logProbability);
  return Error::success();
}

} // namespace

ArrayRef<OpRule> lossRules() {
  static const OpRule rules[] = {
      {"NegativeLogLikelihoodLoss", 12, 2, 3, 1, "ignore_index:i reduction:s",
       emitNegativeLogLikelihood},
      {"SoftmaxCrossEntropyLoss", 12, 2, 3, 2, "ignore_index:i reduction:s",
       emitSoftmaxCrossEntropy},
  };
  return rules;
}

} // namespace mpc::onnx
