// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that normalize over axes.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/NN/FrozenNormalization.h"
#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

template <Operand (TensorBuilder::*build)(const Operand &, int64_t)>
Error emitSoftmax(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", -1), node.in(0).rank()));
  if (is_contained(node.in(0).shape, 0))
    return node.fail("the input " + shapeText(node.in(0).shape) +
                     " has no elements");
  node.result(0, (node.build.*build)(node.in(0), axis));
  return Error::success();
}

/// Before opset 13 it is over all axes from `axis` on together.
template <Operand (TensorBuilder::*build)(const Operand &, int64_t)>
Error emitFlatSoftmax(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", 1), input.rank()));
  if (is_contained(input.shape, 0))
    return node.fail("the input " + shapeText(input.shape) +
                     " has no elements");
  TensorBuilder &b = node.build;
  Operand result = (b.*build)(b.joinedFrom(input, axis), axis);
  node.result(0, b.reshape(result, input.shape));
  return Error::success();
}

/// The mean over the axes from `axis` on, which keep size 1. Narrow types are
/// computed in f32.
Operand trailingMean(TensorBuilder &b, const Operand &x, int64_t axis) {
  Shape shape = x.shape;
  std::fill(shape.begin() + axis, shape.end(), 1);
  return b.reshape(b.reduceMean(x, to_vector(seq(axis, x.rank()))), shape);
}

/// The mean and the inverse deviation, which few files use.
void layerStatistics(NodeImporter &node, const Operand &input, int64_t axis,
                     double epsilon) {
  TensorBuilder &b = node.build;
  Operand x = b.cast(input, input.type == b.f64() ? b.f64() : b.f32());
  Operand mean = trailingMean(b, x, axis);
  Operand deviation = b.binary(Binary::Sub, x, b.broadcastTo(mean, x.shape));
  Operand variance =
      trailingMean(b, b.binary(Binary::Mul, deviation, deviation), axis);
  node.result(1, mean);
  node.result(2, b.rsqrt(b.binary(Binary::Add, variance, epsilon)));
}

Error emitLayerNormalization(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", -1), input.rank()));
  if (is_contained(input.shape, 0))
    return node.fail("the input " + shapeText(input.shape) +
                     " has no elements");
  ArrayRef<int64_t> normalized = ArrayRef(input.shape).drop_front(axis);
  std::optional<Operand> affine[2];
  for (size_t i : {size_t(1), size_t(2)}) {
    if (!node.has(i))
      continue;
    MPC_TRY(node.requireSameType(i, 0));
    MPC_TRY_ASSIGN(affine[i - 1],
                   node.broadcastTo(node.in(i), normalized,
                                    i == 1 ? "the scale" : "the bias"));
  }
  MPC_TRY_ASSIGN(double epsilon, node.nonNegativeAttr("epsilon", 1e-5f));
  node.result(0, node.build.layerNorm(input, affine[0] ? &*affine[0] : nullptr,
                                      affine[1] ? &*affine[1] : nullptr, axis,
                                      epsilon));
  if (node.wants(1) || node.wants(2))
    layerStatistics(node, input, axis, epsilon);
  return Error::success();
}

/// Normalizes `groups` parts of each sample, then scales and shifts channels.
Error normalizeGroups(NodeImporter &node, int64_t groups) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  if (input.rank() < 2 || is_contained(input.shape, 0))
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected batch, channels and spatial axes");
  int64_t channels = input.shape[1];
  if (groups < 1 || channels % groups != 0)
    return node.fail(Twine(channels) + " channels do not split into " +
                     Twine(groups) + " groups");
  for (size_t i : {size_t(1), size_t(2)}) {
    MPC_TRY(node.requireSameType(i, 0));
    if (node.in(i).shape != Shape{channels})
      return node.fail("input '" + printable(node.node().inputs[i]) + "' is " +
                       shapeText(node.in(i).shape) + ", expected " +
                       Twine(channels));
  }
  MPC_TRY_ASSIGN(double epsilon, node.nonNegativeAttr("epsilon", 1e-5f));
  TensorBuilder &b = node.build;
  int64_t rest = *countElements(input.shape) / input.shape[0] / channels;
  int64_t each = channels / groups;
  Operand parts = b.reshape(input, {input.shape[0], groups, each, rest});
  auto ofChannels = [&](const Operand &values) {
    return b.broadcast(b.reshape(values, {groups, each}), parts.shape, {1, 2});
  };
  Operand result = b.layerNorm(parts, nullptr, nullptr, 2, epsilon);
  // The exporter writes a GroupNorm as this op, with ones as the scale.
  if (node.in(1).splatValue() != 1.0)
    result = b.binary(Binary::Mul, result, ofChannels(node.in(1)));
  if (node.in(2).splatValue() != 0.0)
    result = b.binary(Binary::Add, result, ofChannels(node.in(2)));
  node.result(0, b.reshape(result, input.shape));
  return Error::success();
}

Error emitInstanceNormalization(NodeImporter &node) {
  return normalizeGroups(node, node.in(0).rank() < 2 ? 1 : node.in(0).shape[1]);
}

Error emitGroupNormalization(NodeImporter &node) {
  return normalizeGroups(node, node.intAttr("num_groups", 0));
}

/// Checks scale, bias and statistics: one element for each channel, in the type
/// in which the input is computed.
Error checkChannelVectors(const NodeImporter &node) {
  const Operand &input = node.in(0);
  for (size_t i : seq<size_t>(1, 5)) {
    MPC_TRY(node.requireFloat(i));
    const Operand &vector = node.in(i);
    bool isDouble = vector.type == node.build.f64();
    if (vector.shape != Shape{input.shape[1]} ||
        isDouble != (input.type == node.build.f64()))
      return node.fail("input '" + printable(node.node().inputs[i]) + "' is " +
                       toString(vector.type) + "[" + shapeText(vector.shape) +
                       "], expected " + Twine(input.shape[1]) +
                       " elements beside a " + toString(input.type) + " input");
  }
  return Error::success();
}

/// Checks a BatchNormalization's operands and its form.
Error checkBatchNormalization(const NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  if (input.rank() < 2 || is_contained(input.shape, 0))
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected batch, channels and spatial axes");
  MPC_TRY(checkChannelVectors(node));
  if (node.intAttr("spatial", 1) != 1)
    return node.fail("attribute 'spatial' is 0: statistics of each place are "
                     "not supported");
  if (!node.intAttr("training_mode", 0) && (node.wants(1) || node.wants(2)))
    return node.fail("statistics are outputs of training_mode=1 alone");
  return Error::success();
}

/// Normalizes by the running statistics, which stay unchanged.
void emitByRunningStatistics(NodeImporter &node, ArrayRef<mlir::Value> vectors,
                             const APFloat &epsilon, const APFloat &momentum) {
  const Operand &input = node.in(0);
  TensorBuilder &b = node.build;
  auto op = nn::BatchNormOp::create(
      b.builder(), b.location(), b.tensorType(input.type, input.shape),
      input.value, vectors[0], vectors[1], vectors[2], vectors[3], /*axis=*/1,
      epsilon, momentum);
  if (node.isSet(setting::kFrozen))
    op->setAttr(nn::kFrozen, b.builder().getUnitAttr());
  node.result(0, b.fromValue(op));
  for (size_t i : {size_t(1), size_t(2)})
    if (node.wants(i))
      node.result(i, node.in(i + 2));
}

Error emitBatchNormalization(NodeImporter &node) {
  MPC_TRY(checkBatchNormalization(node));
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(double added, node.nonNegativeAttr("epsilon", 1e-5f));
  // ONNX's momentum is the share of the old value that stays.
  MPC_TRY_ASSIGN(double stays, node.nonNegativeAttr("momentum", 0.9f, 1.0));
  TensorBuilder &b = node.build;
  APFloat epsilon(added), momentum(1.0 - stays);
  SmallVector<mlir::Value> vectors;
  for (size_t i : seq<size_t>(1, 5))
    vectors.push_back(node.in(i).value);
  if (!node.intAttr("training_mode", 0) || node.isSet(setting::kFrozen)) {
    emitByRunningStatistics(node, vectors, epsilon, momentum);
    return Error::success();
  }
  auto batch =
      b.tensorType(input.type == b.f64() ? b.f64() : b.f32(), node.in(3).shape);
  auto op = nn::BatchNormTrainingOp::create(
      b.builder(), b.location(), b.tensorType(input.type, input.shape), batch,
      batch, vectors[2].getType(), vectors[3].getType(), input.value,
      vectors[0], vectors[1], vectors[2], vectors[3], /*axis=*/1, epsilon,
      momentum, /*sample_variance=*/false);
  node.result(0, b.fromValue(op.getOutput()));
  node.result(1, b.fromValue(op.getNewMean()));
  node.result(2, b.fromValue(op.getNewVariance()));
  return Error::success();
}

/// input * rsqrt(mean(input^2) + epsilon) * scale, the mean over the axes from
/// `axis` on; rounded to narrow types before the scale.
Error emitRMSNormalization(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(node.requireSameType(1, 0));
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", -1), input.rank()));
  if (is_contained(input.shape, 0))
    return node.fail("the input " + shapeText(input.shape) +
                     " has no elements");
  MPC_TRY_ASSIGN(double epsilon, node.nonNegativeAttr("epsilon", 1e-5f));
  TensorBuilder &b = node.build;
  Operand normal = b.fold(nn::RMSNormOp::create(
      b.builder(), b.location(), b.tensorType(input.type, input.shape),
      input.value, /*scale=*/mlir::Value(), axis, APFloat(epsilon)));
  MPC_TRY_ASSIGN(Operand gain,
                 node.broadcastTo(node.in(1), input.shape, "the scale"));
  node.result(0, b.binary(Binary::Mul, normal, gain));
  return Error::success();
}

Error emitLpNormalization(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", -1), input.rank()));
  int64_t p = node.intAttr("p", 2);
  if (p != 1 && p != 2)
    return node.fail("attribute 'p' is " + Twine(p) + ", expected 1 or 2");
  TensorBuilder &b = node.build;
  Operand each = p == 1 ? b.abs(input) : b.binary(Binary::Mul, input, input);
  Operand norm = b.reduceSum(each, {axis});
  // Zeros stay zeros. The select also keeps the gradient of sqrt(0) out.
  Operand isZero = b.compare(nn::CompareKind::EQ, norm, b.splatLike(norm, 0));
  norm = b.select(isZero, b.splatLike(norm, 1), norm);
  if (p == 2)
    norm = b.sqrt(norm);
  Shape shape = input.shape;
  shape[axis] = 1;
  norm = b.broadcastTo(b.reshape(norm, shape), input.shape);
  node.result(0, b.binary(Binary::Div, input, norm));
  return Error::success();
}

/// (x - mean) / deviation, over the batch and the spatial axes by default.
Error emitMeanVarianceNormalization(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  SmallVector<int64_t> given{0, 2, 3};
  if (auto attribute = node.intsAttr("axes"))
    given.assign(attribute->begin(), attribute->end());
  MPC_TRY_ASSIGN(auto axes, node.axes(given, input.rank()));
  if (is_contained(input.shape, 0))
    return node.fail("the input " + shapeText(input.shape) +
                     " has no elements");
  TensorBuilder &b = node.build;
  Operand x = b.wide(input);
  Shape unit = x.shape;
  for (int64_t axis : axes)
    unit[axis] = 1;
  auto mean = [&](const Operand &of) {
    return b.reshape(b.reduceMean(of, axes), unit);
  };
  Operand centred = b.binary(Binary::Sub, x, b.broadcastTo(mean(x), x.shape));
  Operand variance = mean(b.binary(Binary::Mul, centred, centred));
  // Equal elements become zeros. The select also keeps the gradient of sqrt(0)
  // out.
  Operand isZero =
      b.compare(nn::CompareKind::EQ, variance, b.splatLike(variance, 0.0));
  variance = b.select(isZero, b.splatLike(variance, 1.0), variance);
  // The number comes from ONNX's definition.
  Operand deviation = b.binary(Binary::Add, b.sqrt(variance), 1e-9);
  Operand result =
      b.binary(Binary::Div, centred, b.broadcastTo(deviation, x.shape));
  node.result(0, b.cast(result, input.type));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> normalizationRules() {
  static const OpRule rules[] = {
      {"BatchNormalization", 7, 5, 5, 1, "epsilon:f momentum:f spatial:i",
       emitBatchNormalization},
      {"BatchNormalization", 9, 5, 5, 1, "epsilon:f momentum:f",
       emitBatchNormalization},
      {"BatchNormalization", 14, 5, 5, 3,
       "epsilon:f momentum:f training_mode:i", emitBatchNormalization},
      {"GroupNormalization", 21, 3, 3, 1, "epsilon:f num_groups:i stash_type:i",
       emitGroupNormalization},
      {"InstanceNormalization", 6, 3, 3, 1, "epsilon:f",
       emitInstanceNormalization},
      {"LayerNormalization", 17, 2, 3, 3, "axis:i epsilon:f stash_type:i",
       emitLayerNormalization},
      {"LogSoftmax", 1, 1, 1, 1, "axis:i",
       emitFlatSoftmax<&TensorBuilder::logSoftmax>},
      {"LogSoftmax", 13, 1, 1, 1, "axis:i",
       emitSoftmax<&TensorBuilder::logSoftmax>},
      {"LpNormalization", 1, 1, 1, 1, "axis:i p:i", emitLpNormalization},
      {"MeanVarianceNormalization", 9, 1, 1, 1, "axes:is",
       emitMeanVarianceNormalization},
      {"RMSNormalization", 23, 2, 2, 1, "axis:i epsilon:f stash_type:i",
       emitRMSNormalization},
      {"Softmax", 1, 1, 1, 1, "axis:i",
       emitFlatSoftmax<&TensorBuilder::softmax>},
      {"Softmax", 13, 1, 1, 1, "axis:i", emitSoftmax<&TensorBuilder::softmax>},
  };
  return rules;
}

} // namespace mpc::onnx
