// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's layers that carry a state from step to step instead of attending to
/// all steps: LinearAttention, CausalConvWithState.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/LinearAttention.h"
#include "lib/Import/Build/Windows.h"
#include "lib/Import/ImportError.h"
#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Reads a LinearAttention.
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

  NodeImporter &node_;
  TensorBuilder &b_;
  bool isGated_ = false, isDelta_ = false;
  int64_t batch_ = 0, steps_ = 0;
  LinearAttention in_;
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
  in_.heads = node_.intAttr("kv_num_heads", 0);
  if (in_.heads < 1 || queryHeads < 1 || queryHeads % in_.heads != 0)
    return node_.fail("there are " + Twine(queryHeads) +
                      " heads of queries and " + Twine(in_.heads) + " of keys");
  if (query.rank() != 3 || value.rank() != 3 ||
      query.shape[2] % queryHeads != 0 || value.shape[2] % in_.heads != 0)
    return node_.fail("queries " + shapeText(query.shape) + " and values " +
                      shapeText(value.shape) + " do not split into heads");
  batch_ = query.shape[0];
  steps_ = query.shape[1];
  in_.group = queryHeads / in_.heads;
  in_.features = query.shape[2] / queryHeads;
  in_.width = value.shape[2] / in_.heads;
  in_.scale = node_.floatAttr("scale", 0.0);
  if (in_.scale == 0.0)
    in_.scale = 1.0 / std::sqrt(static_cast<double>(in_.features));
  MPC_TRY(checkInput(1, {batch_, steps_, in_.heads * in_.features}));
  return checkInput(2, {batch_, steps_, in_.heads * in_.width});
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
  Shape shape{batch_, in_.heads, in_.features, in_.width};
  MPC_TRY(node_.checkSize(shape));
  if (!node_.has(3)) {
    bool isDouble = node_.in(0).type == b_.f64();
    in_.state = b_.splat(isDouble ? b_.f64() : b_.f32(), shape, 0.0);
    return Error::success();
  }
  MPC_TRY(node_.requireFloat(3));
  in_.state = b_.wide(node_.in(3));
  return checkInput(3, shape);
}

/// There is a decay for each head or each feature, and a beta for each head or
/// for all.
Error LinearAttentionImporter::readGates() {
  if (isGated_) {
    MPC_TRY(node_.requireFloat(4));
    bool isPerHead =
        node_.in(4).rank() == 3 && node_.in(4).shape[2] == in_.heads;
    MPC_TRY(checkInput(
        4, {batch_, steps_, isPerHead ? in_.heads : in_.heads * in_.features}));
  }
  if (isDelta_) {
    MPC_TRY(node_.requireFloat(5));
    bool isShared = node_.in(5).rank() == 3 && node_.in(5).shape[2] == 1;
    MPC_TRY(checkInput(5, {batch_, steps_, isShared ? 1 : in_.heads}));
  }
  return Error::success();
}

Error LinearAttentionImporter::run() {
  MPC_TRY(readRule());
  MPC_TRY(readSizes());
  MPC_TRY(readState());
  MPC_TRY(readGates());
  if (steps_ < 1)
    return node_.fail("the sequence has no steps");
  in_.query = node_.in(0);
  in_.key = node_.in(1);
  in_.value = node_.in(2);
  if (isGated_)
    in_.decay = node_.in(4);
  if (isDelta_)
    in_.beta = node_.in(5);
  auto [output, state] = linearAttention(b_, in_);
  mlir::Type type = node_.in(0).type;
  node_.result(0, b_.cast(output, type));
  node_.result(1, b_.cast(state, node_.has(3) ? node_.in(3).type : type));
  return Error::success();
}

Error emitLinearAttention(NodeImporter &node) {
  return LinearAttentionImporter(node).run();
}

/// The input with earlier steps in front: zeros, or the last steps of an
/// earlier call.
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

/// A convolution of each channel by itself over present and past steps only.
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

} // namespace

ArrayRef<OpRule> linearAttentionRules() {
  static const OpRule rules[] = {
      {"CausalConvWithState", 27, 2, 4, 2, "activation:s",
       emitCausalConvWithState},
      {"LinearAttention", 27, 3, 6, 2,
       "chunk_size:i kv_num_heads:i q_num_heads:i scale:f update_rule:s",
       emitLinearAttention},
  };
  return rules;
}

} // namespace mpc::onnx
