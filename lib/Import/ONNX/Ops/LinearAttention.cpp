// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's layers that carry a state from step to step instead of attending to
/// all steps: LinearAttention, CausalConvWithState.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/Window.h"
#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

/// With state S [features, values] of each head of keys, at each step:
///   S = exp(decay) * S                     (gated)
///   v = beta * (v - S^T k)                 (delta)
///   S = S + k v^T,   output = scale * S^T q
class LinearAttentionImporter {
public:
  explicit LinearAttentionImporter(NodeImporter &node)
      : node_(node), b_(node.build) {}

  Error run();

private:
  Error readRule();
  Error readSizes();
  Error checkInput(size_t index, ArrayRef<int64_t> expected);
  Error readState();
  Error readGates();
  /// Step `step` of an input [batch, steps, ..], as `shape`, wide.
  Operand at(const Operand &input, int64_t step, ArrayRef<int64_t> shape);
  void advance(int64_t step);
  Operand read(int64_t step);

  NodeImporter &node_;
  TensorBuilder &b_;
  bool isGated_ = false, isDelta_ = false;
  int64_t batch_ = 0, steps_ = 0, heads_ = 0, group_ = 0, features_ = 0,
          width_ = 0;
  double scale_ = 1.0;
  Operand state_;
};

Error LinearAttentionImporter::readRule() {
  StringRef rule = node_.stringAttr("update_rule", "gated_delta");
  isGated_ = rule == "gated" || rule == "gated_delta";
  isDelta_ = rule == "delta" || rule == "gated_delta";
  if (!isGated_ && !isDelta_ && rule != "linear")
    return node_.fail("attribute 'update_rule' is '" + printable(rule) +
                      "', expected linear, gated, delta or gated_delta");
  if (node_.has(4) != isGated_ || node_.has(5) != isDelta_)
    return node_.fail("update_rule=" + rule + " has " +
                      (isGated_ ? "a" : "no") + " decay and " +
                      (isDelta_ ? "a" : "no") + " beta");
  return Error::success();
}

Error LinearAttentionImporter::readSizes() {
  MPC_TRY(node_.requireFloat(0));
  for (size_t i : {1, 2})
    MPC_TRY(node_.requireSameType(i, 0));
  const Operand &query = node_.in(0), &value = node_.in(2);
  int64_t queryHeads = node_.intAttr("q_num_heads", 0);
  heads_ = node_.intAttr("kv_num_heads", 0);
  if (heads_ < 1 || queryHeads < 1 || queryHeads % heads_ != 0)
    return node_.fail("there are " + Twine(queryHeads) +
                      " heads of queries and " + Twine(heads_) + " of keys");
  if (query.rank() != 3 || value.rank() != 3 ||
      query.shape[2] % queryHeads != 0 || value.shape[2] % heads_ != 0)
    return node_.fail("queries " + shapeText(query.shape) + " and values " +
                      shapeText(value.shape) + " do not split into heads");
  batch_ = query.shape[0];
  steps_ = query.shape[1];
  group_ = queryHeads / heads_;
  features_ = query.shape[2] / queryHeads;
  width_ = value.shape[2] / heads_;
  scale_ = node_.floatAttr("scale", 0.0);
  if (scale_ == 0.0)
    scale_ = 1.0 / std::sqrt(static_cast<double>(features_));
  MPC_TRY(checkInput(1, {batch_, steps_, heads_ * features_}));
  return checkInput(2, {batch_, steps_, heads_ * width_});
}

Error LinearAttentionImporter::checkInput(size_t index,
                                          ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> found = node_.in(index).shape;
  if (found == expected)
    return Error::success();
  return node_.fail("input " + Twine(index) + " is " + shapeText(found) +
                    ", expected " + shapeText(expected));
}

Error LinearAttentionImporter::readState() {
  Shape shape{batch_, heads_, features_, width_};
  MPC_TRY(node_.checkSize(shape));
  if (!node_.has(3)) {
    bool isDouble = node_.in(0).type == b_.f64();
    state_ = b_.splat(isDouble ? b_.f64() : b_.f32(), shape, 0.0);
    return Error::success();
  }
  MPC_TRY(node_.requireFloat(3));
  state_ = b_.wide(node_.in(3));
  return checkInput(3, shape);
}

/// A decay is one for each head or each feature; beta one for each head or all.
Error LinearAttentionImporter::readGates() {
  if (isGated_) {
    MPC_TRY(node_.requireFloat(4));
    bool isPerHead = node_.in(4).rank() == 3 && node_.in(4).shape[2] == heads_;
    MPC_TRY(checkInput(
        4, {batch_, steps_, isPerHead ? heads_ : heads_ * features_}));
  }
  if (isDelta_) {
    MPC_TRY(node_.requireFloat(5));
    bool isShared = node_.in(5).rank() == 3 && node_.in(5).shape[2] == 1;
    MPC_TRY(checkInput(5, {batch_, steps_, isShared ? 1 : heads_}));
  }
  return Error::success();
}

Operand LinearAttentionImporter::at(const Operand &input, int64_t step,
                                    ArrayRef<int64_t> shape) {
  Operand now = b_.reshape(b_.sliceAxis(input, 1, step, step + 1), shape);
  return b_.cast(now, state_.type);
}

void LinearAttentionImporter::advance(int64_t step) {
  if (isGated_) {
    int64_t each = node_.in(4).shape[2] / heads_;
    Operand gate = b_.exp(at(node_.in(4), step, {batch_, heads_, each, 1}));
    state_ = b_.binary(Binary::Mul, state_, b_.broadcastTo(gate, state_.shape));
  }
  Operand key = at(node_.in(1), step, {batch_, heads_, features_, 1});
  Operand value = at(node_.in(2), step, {batch_, heads_, 1, width_});
  if (isDelta_) {
    Operand found = b_.matmul(key, state_, /*transposeLhs=*/true);
    Operand beta = at(node_.in(5), step, {batch_, node_.in(5).shape[2], 1, 1});
    value = b_.binary(Binary::Mul, b_.broadcastTo(beta, value.shape),
                      b_.binary(Binary::Sub, value, found));
  }
  Operand outer = b_.binary(Binary::Mul, b_.broadcastTo(key, state_.shape),
                            b_.broadcastTo(value, state_.shape));
  state_ = b_.binary(Binary::Add, state_, outer);
}

/// Heads of queries that share one of keys stand side by side.
Operand LinearAttentionImporter::read(int64_t step) {
  Operand query = at(node_.in(0), step, {batch_, heads_, group_, features_});
  Operand output = b_.matmul(b_.binary(Binary::Mul, query, scale_), state_);
  return b_.reshape(output, {batch_, 1, heads_ * group_ * width_});
}

Error LinearAttentionImporter::run() {
  MPC_TRY(readRule());
  MPC_TRY(readSizes());
  MPC_TRY(readState());
  MPC_TRY(readGates());
  SmallVector<Operand> outputs;
  for (int64_t step = 0; step < steps_; ++step) {
    advance(step);
    outputs.push_back(read(step));
  }
  if (outputs.empty())
    return node_.fail("the sequence has no steps");
  mlir::Type type = node_.in(0).type;
  node_.result(0, b_.cast(b_.concat(outputs, 1), type));
  node_.result(1, b_.cast(state_, node_.has(3) ? node_.in(3).type : type));
  return Error::success();
}

Error emitLinearAttention(NodeImporter &node) {
  return LinearAttentionImporter(node).run();
}

/// The steps before the first: zeros, or the last of an earlier call.
Expected<Operand> withPast(NodeImporter &node, int64_t count) {
  TensorBuilder &b = node.build;
  const Operand &input = node.in(0);
  if (!node.has(3))
    return b.pad(input, {0, 0, count}, {0, 0, 0}, {0, 0, 0}, 0.0);
  MPC_TRY(node.requireSameType(3, 0));
  Shape expected{input.shape[0], input.shape[1], count};
  if (node.in(3).shape != expected)
    return node.fail("the past state is " + shapeText(node.in(3).shape) +
                     ", expected " + shapeText(expected));
  return count == 0 ? input : b.concat({node.in(3), input}, 2);
}

/// A convolution of each channel by itself that looks back, never ahead.
Error emitCausalConvWithState(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(node.requireSameType(1, 0));
  const Operand &input = node.in(0), &weight = node.in(1);
  if (input.rank() != 3 || weight.rank() != 3 || weight.shape[1] != 1 ||
      weight.shape[0] != input.shape[1] || weight.shape[2] < 1 ||
      input.shape[2] < 1)
    return node.fail("the input is " + shapeText(input.shape) +
                     ", the weight " + shapeText(weight.shape));
  int64_t channels = input.shape[1];
  if (node.has(2)) {
    MPC_TRY(node.requireSameType(2, 0));
    if (node.in(2).shape != Shape{channels})
      return node.fail("the bias is " + shapeText(node.in(2).shape) +
                       ", expected " + Twine(channels));
  }
  StringRef activation = node.stringAttr("activation", "none");
  bool isSilu = activation == "silu" || activation == "swish";
  if (!isSilu && activation != "none")
    return node.fail("attribute 'activation' is '" + printable(activation) +
                     "', expected none, silu or swish");
  MPC_TRY_ASSIGN(Operand padded, withPast(node, weight.shape[2] - 1));
  TensorBuilder &b = node.build;
  Operand output =
      buildConv(b, padded, weight, node.has(2) ? &node.in(2) : nullptr,
                slidingWindow({padded.shape[2]}, {weight.shape[2]}), channels);
  node.result(0, isSilu ? b.activation<nn::SwishOp>(output, 1.0) : output);
  node.result(1, b.sliceAxis(padded, 2, input.shape[2], padded.shape[2]));
  return Error::success();
}

const OpRule kRules[] = {
    {"CausalConvWithState", 27, 2, 4, 2, "activation:s",
     emitCausalConvWithState},
    {"LinearAttention", 27, 3, 6, 2,
     "chunk_size:i kv_num_heads:i q_num_heads:i scale:f update_rule:s",
     emitLinearAttention},
};

} // namespace

ArrayRef<OpRule> linearAttentionRules() { return kRules; }

} // namespace mpc::onnx
