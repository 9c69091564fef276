// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that draw random numbers. The numbers follow from the run's seed
/// and not from a node's attribute `seed`. Streams are numbered in the file's
/// order.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Random.h"
#include "lib/Import/ImportError.h"

#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The type that attribute `dtype` names, else `otherwise`.
Expected<mlir::Type> outputType(NodeImporter &node, mlir::Type otherwise) {
  auto type = static_cast<ElemType>(
      node.intAttr("dtype", static_cast<int64_t>(elementTypeOf(otherwise))));
  mlir::Type found = elementType(otherwise.getContext(), type);
  if (!found)
    return node.fail("numbers of type " + toString(type) +
                     " are not supported");
  return found;
}

Expected<mlir::Type> floatType(NodeImporter &node, mlir::Type otherwise) {
  MPC_TRY_ASSIGN(mlir::Type type, outputType(node, otherwise));
  if (!isa<mlir::FloatType>(type))
    return node.fail("attribute 'dtype' is " + toString(type) +
                     ", expected a floating type");
  return type;
}

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

Operand drawUniform(NodeImporter &node, ArrayRef<int64_t> shape) {
  double low = node.floatAttr("low", 0.0), high = node.floatAttr("high", 1.0);
  return uniformBetween(node.build, shape, low, high);
}

Operand drawNormal(NodeImporter &node, ArrayRef<int64_t> shape) {
  return normal(node.build, shape, node.floatAttr("mean", 0.0),
                node.floatAttr("scale", 1.0));
}

using Draw = Operand (*)(NodeImporter &, ArrayRef<int64_t>);

template <Draw draw>
Error emitShaped(NodeImporter &node) {
  auto shape = node.intsAttr("shape");
  if (!shape)
    return node.fail("attribute 'shape' is missing");
  for (int64_t size : *shape)
    if (size < 0)
      return node.fail("attribute 'shape' has the size " + Twine(size));
  MPC_TRY(node.checkSize(*shape));
  MPC_TRY_ASSIGN(mlir::Type type, floatType(node, node.build.f32()));
  node.result(0, node.build.cast(draw(node, *shape), type));
  return Error::success();
}

template <Draw draw>
Error emitLike(NodeImporter &node) {
  const Operand &like = node.in(0);
  MPC_TRY_ASSIGN(mlir::Type type, floatType(node, like.type));
  node.result(0, node.build.cast(draw(node, like.shape), type));
  return Error::success();
}

Error emitBernoulli(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &probability = node.in(0);
  MPC_TRY_ASSIGN(mlir::Type type, outputType(node, probability.type));
  TensorBuilder &b = node.build;
  Operand drawn = uniform(b, probability.shape);
  Operand isOne =
      b.compare(nn::CompareKind::LT, drawn, b.cast(probability, b.f32()));
  node.result(0, b.cast(isOne, type));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

Expected<double> dropoutRatio(NodeImporter &node) {
  if (!node.has(1))
    return 0.5;
  const Operand &ratio = node.in(1);
  if (countElements(ratio.shape) != 1 || !ratio.known)
    return node.fail("the ratio must be one known number");
  double value = nn::realAt(ratio.known, 0);
  if (!(value >= 0.0 && value <= 1.0))
    return node.fail("the ratio is " + std::to_string(value) +
                     ", expected 0 to 1");
  return value;
}

/// False where the file says that the node passes its input on. Without that, a
/// node drops elements in training.
Expected<bool> dropsInTraining(NodeImporter &node) {
  if (!node.has(2))
    return true;
  if (!node.in(2).known)
    return node.fail("whether it drops must be known when the model is "
                     "compiled: give its input 'training_mode' by "
                     "--input-value");
  return nn::intAt(node.in(2).known, 0) != 0;
}

Error emitDropout(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(double ratio, dropoutRatio(node));
  MPC_TRY_ASSIGN(bool drops, dropsInTraining(node));
  TensorBuilder &b = node.build;
  const Operand &input = node.in(0);
  Operand ones = b.splatLike(input, 1.0);
  if (!drops && ratio > 0.0)
    node.note("passes its input on in training too, as its input "
              "'training_mode' is false");
  if (drops && ratio > 0.0) {
    int32_t stream = b.takeStream();
    node.result(0, dropout(b, input, ratio, stream));
    ones = dropout(b, ones, ratio, stream);
  } else {
    node.result(0, input);
  }
  // A dropout of ones is the mask, in training and in evaluation.
  if (node.wants(1)) {
    Operand mask = b.compare(nn::CompareKind::NE, ones, b.splatLike(ones, 0.0));
    node.result(1, node.opset() < 10 ? b.cast(mask, input.type) : mask);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// alpha_dropout
//===----------------------------------------------------------------------===//

// With s the negative bound of SELU and b random, 1 with probability 1 - p:
//   a = 1 / sqrt((s^2 p + 1) (1 - p))
//   y = x (b a) + (((b - 1) (s a)) + s a p)
// This keeps the mean and variance of SELU's results. Its mean over b is not x,
// so that an evaluation cannot use b's mean in place of b.
/// A Dropout of ones is 1 where there is no dropout, else 0 or 1 / (1 - p). The
/// draw thus tells both which elements stay and whether there was one.
Error emitAlphaDropout(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const double stays = node.setting<double>(setting::kStays).value_or(1.0);
  const double kBound = 1.7580993408473766, p = 1.0 - stays;
  const double scale = 1.0 / std::sqrt((kBound * kBound * p + 1.0) * stays);
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  Operand ones = b.splat(b.f32(), node.in(1).shape, 1.0);
  Operand drawn = dropout(b, ones, p, b.takeStream());
  auto spread = [&](nn::CompareKind kind, double number) {
    return node.broadcastTo(b.compare(kind, drawn, b.splatLike(drawn, number)),
                            x.shape, "the mask");
  };
  MPC_TRY_ASSIGN(Operand isKept, spread(nn::CompareKind::NE, 0.0));
  MPC_TRY_ASSIGN(Operand isLeftOut, spread(nn::CompareKind::EQ, 1.0));
  Operand wide = b.wide(x);
  Operand kept = b.binary(Binary::Add, b.binary(Binary::Mul, wide, scale),
                          kBound * scale * p);
  Operand dropped = b.splatLike(wide, kBound * scale * (p - 1.0));
  Operand active = b.cast(b.select(isKept, kept, dropped), x.type);
  node.result(0, p > 0.0 ? b.select(isLeftOut, x, active) : x);
  return Error::success();
}

} // namespace

ArrayRef<OpRule> randomForms() {
  static const OpRule forms[] = {
      {form::kAlphaDropout, 1, 2, 2, 1, "", emitAlphaDropout},
  };
  return forms;
}

ArrayRef<OpRule> randomRules() {
  static const OpRule rules[] = {
      {"Bernoulli", 15, 1, 1, 1, "dtype:i seed:f", emitBernoulli},
      {"Dropout", 7, 1, 1, 2, "ratio:f", emitDropout, "", false, "ratio"},
      {"Dropout", 12, 1, 3, 2, "seed:i", emitDropout},
      {"RandomNormal", 1, 0, 0, 1, "dtype:i mean:f scale:f seed:f shape:is",
       emitShaped<drawNormal>},
      {"RandomNormalLike", 1, 1, 1, 1, "dtype:i mean:f scale:f seed:f",
       emitLike<drawNormal>},
      {"RandomUniform", 1, 0, 0, 1, "dtype:i high:f low:f seed:f shape:is",
       emitShaped<drawUniform>},
      {"RandomUniformLike", 1, 1, 1, 1, "dtype:i high:f low:f seed:f",
       emitLike<drawUniform>},
  };
  return rules;
}

} // namespace mpc::onnx
