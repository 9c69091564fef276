// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's Attention: heads, caches and masks.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/Attention.h"
#include "lib/Import/ImportError.h"
#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Axes of queries, keys and values: batch, heads, sequence, features.
constexpr int64_t kHeadAxis = 1, kSequenceAxis = 2;

/// Imports one Attention node, step by step.
class AttentionImporter {
public:
  explicit AttentionImporter(NodeImporter &node)
      : node_(node), b_(node.build) {}

  Error run() {
    MPC_TRY(readHeads());
    MPC_TRY(joinCaches());
    MPC_TRY(readMask());
    MPC_TRY(limitPositions());
    MPC_TRY(repeatHeads());
    return giveResults();
  }

private:
  Expected<Operand> splitHeads(size_t index, StringRef attribute);
  Error readHeads();
  Error joinCaches();
  Error readMask();
  Error limitPositions();
  Error repeatHeads();
  Error giveResults();
  /// Restricts `allowed`. An earlier restriction stays in force.
  void allowOnly(const Operand &where);

  NodeImporter &node_;
  TensorBuilder &b_;
  Operand queries_, keys_, values_;
  bool isFlat_ = false;
  /// The number of key positions before the first query.
  Operand offset_;
  /// Tensors of the scores' shape; empty for none.
  std::optional<Operand> bias_, allowed_;
  /// Whether a row may be masked as a whole.
  bool mayMaskRows_ = false;
  Shape shape_;
};

/// [batch, sequence, heads * features] as [batch, heads, sequence, features].
Expected<Operand> AttentionImporter::splitHeads(size_t index,
                                                StringRef attribute) {
  const Operand &input = node_.in(index);
  if (input.rank() == 4)
    return input;
  int64_t heads = node_.intAttr(attribute, 0);
  if (input.rank() != 3 || heads < 1 || input.shape[2] % heads != 0)
    return node_.fail("input " + Twine(index) + " is " +
                      shapeText(input.shape) + ", attribute '" + attribute +
                      "' " + Twine(heads));
  Operand split = b_.reshape(
      input, {input.shape[0], input.shape[1], heads, input.shape[2] / heads});
  return b_.transpose(split, {0, 2, 1, 3});
}

Error AttentionImporter::readHeads() {
  MPC_TRY(node_.requireFloat(0));
  for (size_t i : {1, 2})
    MPC_TRY(node_.requireSameType(i, 0));
  isFlat_ = node_.in(0).rank() == 3;
  MPC_TRY_ASSIGN(queries_, splitHeads(0, "q_num_heads"));
  MPC_TRY_ASSIGN(keys_, splitHeads(1, "kv_num_heads"));
  MPC_TRY_ASSIGN(values_, splitHeads(2, "kv_num_heads"));
  bool agree = queries_.shape[0] == keys_.shape[0] &&
               queries_.shape[0] == values_.shape[0] &&
               queries_.shape[3] == keys_.shape[3] &&
               keys_.shape[kHeadAxis] == values_.shape[kHeadAxis] &&
               keys_.shape[kSequenceAxis] == values_.shape[kSequenceAxis];
  if (agree)
    return Error::success();
  return node_.fail("queries " + shapeText(queries_.shape) + ", keys " +
                    shapeText(keys_.shape) + " and values " +
                    shapeText(values_.shape) + " do not go together");
}

Error AttentionImporter::joinCaches() {
  int64_t past = 0;
  if (node_.has(4) != node_.has(5))
    return node_.fail("past_key and past_value come together or not at all");
  if (node_.has(4)) {
    for (auto [index, now] : {std::pair(size_t(4), &keys_), {5, &values_}}) {
      MPC_TRY(node_.requireSameType(index, 0));
      const Operand &cache = node_.in(index);
      Shape expected = now->shape;
      if (cache.rank() == 4)
        expected[kSequenceAxis] = cache.shape[kSequenceAxis];
      if (cache.shape != expected)
        return node_.fail("a cache is " + shapeText(cache.shape) +
                          ", what it goes before " + shapeText(now->shape));
      past = cache.shape[kSequenceAxis];
      *now = b_.concat({cache, *now}, kSequenceAxis);
    }
  }
  node_.result(1, keys_);
  node_.result(2, values_);
  shape_ = {queries_.shape[0], queries_.shape[kHeadAxis],
            queries_.shape[kSequenceAxis], keys_.shape[kSequenceAxis]};
  offset_ = b_.splat(b_.i64(), {}, static_cast<double>(past));
  if (!node_.has(6))
    return node_.checkSize(shape_);
  // The used part of a cache of fixed size, for each batch.
  const Operand &used = node_.in(6);
  if (node_.has(4) || used.type != b_.i64() || used.shape != Shape{shape_[0]})
    return node_.fail("nonpad_kv_seqlen is " + toString(used.type) + "[" +
                      shapeText(used.shape) + "], expected int64[" +
                      Twine(shape_[0]) + "] and no cache beside it");
  Operand length = b_.reshape(used, {shape_[0], 1, 1, 1});
  offset_ = b_.binary(Binary::Sub, length, static_cast<double>(shape_[2]));
  allowOnly(b_.compare(nn::CompareKind::LT, b_.coordinates(shape_, 3),
                       b_.broadcastTo(length, shape_)));
  mayMaskRows_ = true;
  return node_.checkSize(shape_);
}

void AttentionImporter::allowOnly(const Operand &where) {
  allowed_ =
      allowed_ ? b_.select(where, *allowed_, b_.splatLike(where, 0.0)) : where;
}

Error AttentionImporter::readMask() {
  if (!node_.has(3))
    return Error::success();
  Operand mask = node_.in(3);
  if (!mask.isBool())
    MPC_TRY(node_.requireSameType(3, 0));
  if (mask.rank() == 0)
    return node_.fail("the mask is a scalar");
  int64_t missing = shape_.back() - mask.shape.back();
  if (missing > 0) {
    SmallVector<int64_t> none(mask.rank(), 0), high(mask.rank(), 0);
    high.back() = missing;
    mask = b_.pad(mask, none, high, none, mask.isBool() ? 0.0 : -INFINITY);
  }
  MPC_TRY_ASSIGN(mask, node_.broadcastTo(mask, shape_, "the mask"));
  mayMaskRows_ = true;
  if (mask.isBool())
    allowOnly(mask);
  else
    bias_ = mask;
  return Error::success();
}

/// Applies is_causal and the window: a query at position p, counted with
/// caches, attends to keys from p - left to p + right.
Error AttentionImporter::limitPositions() {
  bool isCausal = node_.intAttr("is_causal", 0) != 0;
  int64_t left = node_.intAttr("left_window_size", -1);
  int64_t right = node_.intAttr("right_window_size", -1);
  if (left < -1 || right < -1)
    return node_.fail("a window is " + Twine(left) + " to " + Twine(right));
  if (isCausal)
    right = right < 0 ? 0 : std::min<int64_t>(right, 0);
  if (left < 0 && right < 0)
    return Error::success();
  Operand own = b_.binary(Binary::Add, b_.coordinates(shape_, 2),
                          b_.broadcastTo(offset_, shape_));
  Operand ahead = b_.binary(Binary::Sub, b_.coordinates(shape_, 3), own);
  auto bound = [&](nn::CompareKind kind, int64_t limit) {
    allowOnly(b_.compare(kind, ahead,
                         b_.splatLike(ahead, static_cast<double>(limit))));
  };
  if (right >= 0)
    bound(nn::CompareKind::LE, right);
  if (left >= 0)
    bound(nn::CompareKind::GE, -left);
  mayMaskRows_ |= left >= 0;
  return Error::success();
}

Error AttentionImporter::repeatHeads() {
  int64_t wanted = queries_.shape[kHeadAxis], have = keys_.shape[kHeadAxis];
  if (wanted == have)
    return Error::success();
  if (have == 0 || wanted % have != 0)
    return node_.fail("there are " + Twine(wanted) + " heads of queries and " +
                      Twine(have) + " of keys");
  for (Operand *operand : {&keys_, &values_})
    *operand = repeatedHeads(b_, *operand, wanted);
  return Error::success();
}

Error AttentionImporter::giveResults() {
  int64_t mode = node_.intAttr("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return node_.fail("attribute 'qk_matmul_output_mode' is " + Twine(mode));
  double usual = 1.0 / std::sqrt(static_cast<double>(queries_.shape[3]));
  Attention result = attend(
      b_, {queries_, keys_, values_, node_.floatAttr("scale", usual),
           node_.floatAttr("softcap", 0.0), bias_, allowed_, mayMaskRows_});
  const Operand *stages[] = {&result.raw, &result.capped, &result.masked,
                             &result.weights};
  node_.result(3, *stages[mode]);
  Operand output = result.output;
  if (isFlat_) {
    output = b_.transpose(output, {0, 2, 1, 3});
    output = b_.reshape(output, {output.shape[0], output.shape[1],
                                 output.shape[2] * output.shape[3]});
  }
  node_.result(0, output);
  return Error::success();
}

Error emitAttention(NodeImporter &node) {
  return AttentionImporter(node).run();
}

//===----------------------------------------------------------------------===//
// FlexAttention
//===----------------------------------------------------------------------===//

/// The result of graph `name` on scores or weights, if the node has that graph.
Expected<Operand> modified(NodeImporter &node, StringRef name,
                           const Operand &input) {
  if (!node.attribute(name))
    return input;
  MPC_TRY_ASSIGN(auto results,
                 node.inlineGraph(name, {Entry{input, false, {}}}));
  if (results.size() != 1 || results.front().isSequence ||
      results.front().tensor.shape != input.shape)
    return node.fail("the graph '" + name + "' must have one output, " +
                     shapeText(input.shape));
  return node.build.cast(results.front().tensor, input.type);
}

Error checkFlexInputs(NodeImporter &node) {
  for (size_t i : {0, 1, 2}) {
    MPC_TRY(node.requireFloat(i));
    MPC_TRY(node.requireSameType(i, 0));
  }
  ArrayRef<int64_t> q = node.in(0).shape, k = node.in(1).shape;
  ArrayRef<int64_t> v = node.in(2).shape;
  bool agree = q.size() == 4 && k.size() == 4 && v.size() == 4 &&
               k.drop_back() == v.drop_back() && q[0] == k[0] && q[3] == k[3] &&
               k[1] > 0 && q[1] % k[1] == 0;
  if (agree)
    return Error::success();
  return node.fail("queries " + shapeText(q) + ", keys " + shapeText(k) +
                   " and values " + shapeText(v) + " do not go together");
}

/// The type of scores and weights.
Expected<mlir::Type> softmaxType(NodeImporter &node) {
  mlir::Type own = node.in(0).type;
  if (!node.attribute("softmax_precision"))
    return own.isF64() ? own : node.build.f32();
  auto type = static_cast<ElemType>(
      static_cast<int32_t>(node.intAttr("softmax_precision", 0)));
  if (!isFloat(type))
    return node.fail("attribute 'softmax_precision' is " + toString(type));
  return elementType(own.getContext(), type);
}

/// Attention whose scores and weights pass through the node's own graphs.
Error emitFlexAttention(NodeImporter &node) {
  MPC_TRY(checkFlexInputs(node));
  MPC_TRY_ASSIGN(mlir::Type type, softmaxType(node));
  TensorBuilder &b = node.build;
  const Operand &queries = node.in(0);
  int64_t heads = queries.shape[kHeadAxis];
  Operand keys = repeatedHeads(b, node.in(1), heads);
  Operand values = repeatedHeads(b, node.in(2), heads);
  double scale = node.floatAttr(
      "scale", 1.0 / std::sqrt(static_cast<double>(queries.shape[3])));
  Operand scores = attentionScores(b, queries, keys, scale);
  MPC_TRY(node.checkSize(scores.shape));
  MPC_TRY_ASSIGN(scores, modified(node, "score_mod", b.cast(scores, type)));
  MPC_TRY_ASSIGN(Operand weights,
                 modified(node, "prob_mod", b.softmax(scores, 3)));
  Operand output = b.matmul(weights, b.cast(values, type));
  node.result(0, b.cast(output, queries.type));
  return Error::success();
}

/// x / (1 + exp(-alpha * x)) * gate
Error emitSwiGLU(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(node.requireSameType(1, 0));
  if (node.in(0).shape != node.in(1).shape)
    return node.fail("the inputs are " + shapeText(node.in(0).shape) + " and " +
                     shapeText(node.in(1).shape));
  TensorBuilder &b = node.build;
  Operand gate = b.activation<nn::SwishOp>(
      b.wide(node.in(0)), static_cast<double>(node.floatAttr("alpha", 1.0)));
  Operand result = b.binary(Binary::Mul, gate, b.wide(node.in(1)));
  node.result(0, b.cast(result, node.in(0).type));
  return Error::success();
}

constexpr StringRef kAttributes =
    "is_causal:i kv_num_heads:i q_num_heads:i qk_matmul_output_mode:i scale:f "
    "softcap:f softmax_precision:i";
constexpr StringRef kWindowed =
    "is_causal:i kv_num_heads:i left_window_size:i q_num_heads:i "
    "qk_matmul_output_mode:i right_window_size:i scale:f softcap:f "
    "softmax_precision:i";

} // namespace

ArrayRef<OpRule> attentionRules() {
  static const OpRule rules[] = {
      {"Attention", 23, 3, 6, 4, kAttributes, emitAttention},
      {"Attention", 24, 3, 7, 4, kAttributes, emitAttention},
      {"Attention", 25, 3, 7, 4, kWindowed, emitAttention},
      {"FlexAttention", 1, 3, 3, 1,
       "prob_mod:g scale:f score_mod:g softmax_precision:i", emitFlexAttention,
       "ai.onnx.preview"},
      {"SwiGLU", 28, 2, 2, 1, "alpha:f", emitSwiGLU},
  };
  return rules;
}

} // namespace mpc::onnx
