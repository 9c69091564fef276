// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The optimizers of ai.onnx.preview.training that a graph may contain. (The
/// optimizers of recipes are in dialects/AMP.)
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// An optimizer node. Its inputs are a learning rate, a count of steps, and
/// then for all tensors the weights, the gradients, and each kind of state. Its
/// outputs are all weights and then each kind of state.
class OptimizerNode {
public:
  /// The tensors that one update reads. All but the gradient are written, too.
  using Tensors = SmallVector<Operand>;

  OptimizerNode(NodeImporter &node, size_t kindsOfState)
      : node(node), b(node.build), kinds_(2 + kindsOfState) {}

  Error check();
  /// Runs `update` for each tensor. It takes weight, gradient and state, and
  /// returns weight and state.
  void run(function_ref<Tensors(const Tensors &)> update);

  double setting(StringRef name, double otherwise = 0.0) const {
    return node.floatAttr(name, otherwise);
  }
  /// The gradient, plus the gradient of the penalty on the weight's square.
  Operand penalized(const Tensors &tensors) {
    return plus(scaled(tensors[0], setting("norm_coefficient")), tensors[1]);
  }
  /// A scalar, repeated for each element of `like`.
  Operand repeated(const Operand &scalar, const Operand &like) {
    return b.broadcastTo(b.reshape(b.cast(scalar, like.type), {}), like.shape);
  }
  /// The learning rate, and whether this is the first step, as scalars.
  Operand rate() { return b.reshape(node.in(0), {}); }
  Operand count() { return b.cast(b.reshape(node.in(1), {}), node.in(0).type); }
  Operand isFirst() {
    Operand steps = count();
    return b.compare(nn::CompareKind::LE, steps, b.splatLike(steps, 0.0));
  }

  Operand plus(const Operand &x, const Operand &y) {
    return b.binary(Binary::Add, x, y);
  }
  Operand minus(const Operand &x, const Operand &y) {
    return b.binary(Binary::Sub, x, y);
  }
  Operand times(const Operand &x, const Operand &y) {
    return b.binary(Binary::Mul, x, y);
  }
  Operand over(const Operand &x, const Operand &y) {
    return b.binary(Binary::Div, x, y);
  }
  Operand scaled(const Operand &x, double factor) {
    return b.binary(Binary::Mul, x, factor);
  }

  NodeImporter &node;
  TensorBuilder &b;

private:
  size_t numTensors() const { return (node.numInputs() - 2) / kinds_; }

  size_t kinds_;
};

Error OptimizerNode::check() {
  for (size_t i : {0, 1})
    if (countElements(node.in(i).shape) != 1)
      return node.fail("input " + Twine(i) + " is " +
                       shapeText(node.in(i).shape) + ", expected one number");
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(node.requireIndices(1));
  if (node.numInputs() == 2 || (node.numInputs() - 2) % kinds_ != 0)
    return node.fail("has " + Twine(node.numInputs() - 2) +
                     " tensors, expected " + Twine(kinds_) +
                     " for each weight");
  size_t count = numTensors();
  for (size_t i = 2; i < node.numInputs(); ++i) {
    size_t weight = 2 + (i - 2) % count;
    MPC_TRY(node.requireFloat(i));
    MPC_TRY(node.requireSameType(i, weight));
    if (node.in(i).shape != node.in(weight).shape)
      return node.fail("input " + Twine(i) + " is " +
                       shapeText(node.in(i).shape) + ", its weight " +
                       shapeText(node.in(weight).shape));
  }
  return Error::success();
}

void OptimizerNode::run(function_ref<Tensors(const Tensors &)> update) {
  size_t count = numTensors();
  for (size_t i = 0; i < count; ++i) {
    Tensors tensors;
    for (size_t kind = 0; kind < kinds_; ++kind)
      tensors.push_back(b.wide(node.in(2 + kind * count + i)));
    for (auto [kind, result] : enumerate(update(tensors)))
      node.result(kind * count + i, b.cast(result, node.in(2 + i).type));
  }
}

Error emitAdagrad(NodeImporter &node) {
  OptimizerNode rule(node, 1);
  MPC_TRY(rule.check());
  TensorBuilder &b = node.build;
  Operand slowed =
      b.binary(Binary::Add,
               rule.scaled(rule.count(), rule.setting("decay_factor")), 1.0);
  Operand rate = rule.over(rule.rate(), slowed);
  rule.run([&](const OptimizerNode::Tensors &t) -> OptimizerNode::Tensors {
    Operand gradient = rule.penalized(t);
    Operand squares = rule.plus(t[2], rule.times(gradient, gradient));
    Operand root =
        b.binary(Binary::Add, b.sqrt(squares), rule.setting("epsilon"));
    Operand step =
        rule.over(rule.times(rule.repeated(rate, gradient), gradient), root);
    return {rule.minus(t[0], step), squares};
  });
  return Error::success();
}

/// Adam's rate, corrected for moments that started as zeros.
Operand correctedRate(OptimizerNode &rule, double alpha, double beta) {
  TensorBuilder &b = rule.b;
  Operand count = rule.count();
  auto missing = [&](double decay) {
    Operand left = b.binary(Binary::Pow, b.splatLike(count, decay), count);
    return rule.minus(b.splatLike(left, 1.0), left);
  };
  Operand corrected =
      rule.over(rule.times(rule.rate(), b.sqrt(missing(beta))), missing(alpha));
  return b.select(rule.isFirst(), rule.rate(), corrected);
}

Error emitAdam(NodeImporter &node) {
  OptimizerNode rule(node, 2);
  MPC_TRY(rule.check());
  TensorBuilder &b = node.build;
  double alpha = rule.setting("alpha", 0.9F);
  double beta = rule.setting("beta", 0.999F);
  Operand rate = correctedRate(rule, alpha, beta);
  rule.run([&](const OptimizerNode::Tensors &t) -> OptimizerNode::Tensors {
    Operand gradient = rule.penalized(t);
    Operand mean =
        rule.plus(rule.scaled(t[2], alpha), rule.scaled(gradient, 1 - alpha));
    Operand squares =
        rule.plus(rule.scaled(t[3], beta),
                  rule.scaled(rule.times(gradient, gradient), 1 - beta));
    Operand root =
        b.binary(Binary::Add, b.sqrt(squares), rule.setting("epsilon", 1e-6F));
    Operand step = rule.times(rule.repeated(rate, mean), rule.over(mean, root));
    Operand weight = rule.scaled(rule.minus(t[0], step),
                                 1 - rule.setting("norm_coefficient_post"));
    return {weight, mean, squares};
  });
  return Error::success();
}

Error emitMomentum(NodeImporter &node) {
  OptimizerNode rule(node, 1);
  MPC_TRY(rule.check());
  StringRef mode = node.stringAttr("mode", "");
  if (mode != "standard" && mode != "nesterov")
    return node.fail("attribute 'mode' is '" + printable(mode) +
                     "', expected standard or nesterov");
  TensorBuilder &b = node.build;
  double alpha = rule.setting("alpha");
  // In the first step a gradient has the full weight.
  Operand first = rule.isFirst();
  Operand share = b.select(first, b.splat(node.in(0).type, {}, 1.0),
                           b.splat(node.in(0).type, {}, rule.setting("beta")));
  rule.run([&](const OptimizerNode::Tensors &t) -> OptimizerNode::Tensors {
    Operand gradient = rule.penalized(t);
    Operand momentum =
        rule.plus(rule.scaled(t[2], alpha),
                  rule.times(rule.repeated(share, gradient), gradient));
    Operand step = momentum;
    if (mode == "nesterov")
      step = rule.plus(gradient, rule.scaled(momentum, alpha));
    step = rule.times(rule.repeated(rule.rate(), step), step);
    return {rule.minus(t[0], step), momentum};
  });
  return Error::success();
}

constexpr StringRef kDomain = "ai.onnx.preview.training";

} // namespace

ArrayRef<OpRule> optimizerRules() {
  static const OpRule rules[] = {
      {"Adagrad", 1, 3, kUnlimited, kUnlimited,
       "decay_factor:f epsilon:f norm_coefficient:f", emitAdagrad, kDomain},
      {"Adam", 1, 3, kUnlimited, kUnlimited,
       "alpha:f beta:f epsilon:f norm_coefficient:f norm_coefficient_post:f",
       emitAdam, kDomain},
      {"Momentum", 1, 3, kUnlimited, kUnlimited,
       "alpha:f beta:f mode:s norm_coefficient:f", emitMomentum, kDomain},
  };
  return rules;
}

} // namespace mpc::onnx
