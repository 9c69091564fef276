// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX losses: the mean softmax cross entropy is one op, its other forms are
/// composed.
#include "lib/Import/ONNX/NodeImporter.h"

#include "lib/Import/ONNX/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Checks scores [N, C, d..], target [N, d..] and weight [C].
Error checkLoss(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &scores = node.in(0), &target = node.in(1);
  if (scores.rank() < 2 || is_contained(scores.shape, 0))
    return node.fail("the scores are " + shapeText(scores.shape) +
                     ", expected batch, classes and more");
  Shape expected = scores.shape;
  expected.erase(expected.begin() + 1);
  if (target.shape != expected)
    return node.fail("the target is " + shapeText(target.shape) +
                     ", expected " + shapeText(expected));
  if (target.type != ElemType::Int32 && target.type != ElemType::Int64)
    return node.fail("the target is " + toString(target.type) +
                     ", expected int32 or int64");
  StringRef reduction = node.stringAttr("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    return node.fail("attribute 'reduction' is '" + printable(reduction) +
                     "', expected mean, sum or none");
  if (!node.has(2))
    return Error::success();
  MPC_TRY(node.requireSameType(2, 0));
  if (node.in(2).shape != Shape{scores.shape[1]})
    return node.fail("the weight is " + shapeText(node.in(2).shape) +
                     ", expected " + Twine(scores.shape[1]));
  return Error::success();
}

/// `scores` with the classes on the last axis.
Operand classesLast(TensorBuilder &b, const Operand &scores) {
  SmallVector<int64_t> order{0};
  for (int64_t axis = 2; axis < scores.rank(); ++axis)
    order.push_back(axis);
  order.push_back(1);
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
  int64_t count = node.in(0).shape[1];
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
  ElemType type = node.in(0).type;
  ArrayRef<int64_t> shape = node.in(1).shape;
  if (!weights)
    weights = b.splat(type, shape, 1.0);
  return b.select(*isIgnored, b.splat(type, shape, 0.0), *weights);
}

/// -weight[target] * logProbability[target], reduced as the attribute says.
void lossOf(NodeImporter &node, const Operand &logProbability) {
  TensorBuilder &b = node.build;
  Operand target = classOf(node);
  Operand last = classesLast(b, logProbability);
  Operand loss = b.neg(b.gather(last, target, target.rank(), target.rank()));
  std::optional<Operand> weights = targetWeights(node);
  if (weights)
    loss = b.binary(Binary::Mul, loss, *weights);
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

Error emitNegativeLogLikelihood(NodeImporter &node) {
  MPC_TRY(checkLoss(node));
  lossOf(node, node.in(0));
  return Error::success();
}

Error emitSoftmaxCrossEntropy(NodeImporter &node) {
  MPC_TRY(checkLoss(node));
  TensorBuilder &b = node.build;
  const Operand &scores = node.in(0);
  bool oneOp = !node.has(2) && node.stringAttr("reduction", "mean") == "mean";
  std::optional<Operand> logProbability;
  if (!oneOp || node.wants(1))
    logProbability = b.logSoftmax(scores, 1);
  if (oneOp) {
    const Attribute *ignored = node.attribute("ignore_index");
    auto ignore = ignored ? b.builder().getI64IntegerAttr(ignored->i)
                          : mlir::IntegerAttr();
    mlir::Value logits = scores.value;
    node.result(
        0, b.fromValue(nn::CrossEntropyOp::create(
               b.builder(), b.location(), b.tensorType(scores.type, {}), logits,
               node.in(1).value, b.builder().getI64IntegerAttr(1), ignore)));
  } else {
    lossOf(node, *logProbability);
  }
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
