// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's Attention: heads, caches, masks and caps around two matrix products.
#include "lib/Import/ONNX/NodeImporter.h"

#include "lib/Import/ONNX/ImportError.h"
#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Axes of queries, keys and values: batch, heads, sequence, features.
constexpr int64_t headAxis = 1, sequenceAxis = 2;

/// Fewer heads of keys than of queries: each serves as many.
Operand repeatedHeads(TensorBuilder &b, const Operand &operand,
                      int64_t wanted) {
  int64_t have = operand.shape[headAxis];
  Shape repeated = operand.shape, joined = operand.shape;
  repeated.insert(repeated.begin() + 2, wanted / have);
  joined[headAxis] = wanted;
  return b.reshape(b.broadcast(operand, repeated, {0, 1, 3, 4}), joined);
}

/// Imports one Attention node, step by step.
class AttentionImporter {
public:
  explicit AttentionImporter(NodeImporter &node) : node(node), b(node.build) {}

  Error run() {
    MPC_TRY(readHeads());
    MPC_TRY(joinCaches());
    MPC_TRY(readMask());
    MPC_TRY(limitPositions());
    MPC_TRY(repeatHeads());
    return attend();
  }

private:
  Expected<Operand> splitHeads(size_t index, StringRef attribute);
  Error readHeads();
  Error joinCaches();
  Error readMask();
  Error limitPositions();
  Error repeatHeads();
  Error attend();
  Operand scores();
  void finish(const Operand &weights);
  /// Where `allowed` has been said already, both must hold.
  void allowOnly(const Operand &where);

  NodeImporter &node;
  TensorBuilder &b;
  Operand queries, keys, values;
  bool isFlat = false;
  /// Key positions that lie before the first query.
  Operand offset;
  /// Of the scores' shape, where there is any.
  std::optional<Operand> bias, allowed;
  /// A row may be masked as a whole.
  bool mayMaskRows = false;
  Shape shape;
};

/// [batch, sequence, heads * features] as [batch, heads, sequence, features].
Expected<Operand> AttentionImporter::splitHeads(size_t index,
                                                StringRef attribute) {
  const Operand &input = node.in(index);
  if (input.rank() == 4)
    return input;
  int64_t heads = node.intAttr(attribute, 0);
  if (input.rank() != 3 || heads < 1 || input.shape[2] % heads != 0)
    return node.fail("input " + Twine(index) + " is " + shapeText(input.shape) +
                     ", attribute '" + attribute + "' " + Twine(heads));
  Operand split = b.reshape(
      input, {input.shape[0], input.shape[1], heads, input.shape[2] / heads});
  return b.transpose(split, {0, 2, 1, 3});
}

Error AttentionImporter::readHeads() {
  MPC_TRY(node.requireFloat(0));
  for (size_t i : {1, 2})
    MPC_TRY(node.requireSameType(i, 0));
  isFlat = node.in(0).rank() == 3;
  MPC_TRY_ASSIGN(queries, splitHeads(0, "q_num_heads"));
  MPC_TRY_ASSIGN(keys, splitHeads(1, "kv_num_heads"));
  MPC_TRY_ASSIGN(values, splitHeads(2, "kv_num_heads"));
  bool agree = queries.shape[0] == keys.shape[0] &&
               queries.shape[0] == values.shape[0] &&
               queries.shape[3] == keys.shape[3] &&
               keys.shape[headAxis] == values.shape[headAxis] &&
               keys.shape[sequenceAxis] == values.shape[sequenceAxis];
  if (agree)
    return Error::success();
  return node.fail("queries " + shapeText(queries.shape) + ", keys " +
                   shapeText(keys.shape) + " and values " +
                   shapeText(values.shape) + " do not go together");
}

Error AttentionImporter::joinCaches() {
  int64_t past = 0;
  if (node.has(4) != node.has(5))
    return node.fail("past_key and past_value come together or not at all");
  if (node.has(4)) {
    for (auto [index, now] : {std::pair(size_t(4), &keys), {5, &values}}) {
      MPC_TRY(node.requireSameType(index, 0));
      const Operand &cache = node.in(index);
      Shape expected = now->shape;
      if (cache.rank() == 4)
        expected[sequenceAxis] = cache.shape[sequenceAxis];
      if (cache.shape != expected)
        return node.fail("a cache is " + shapeText(cache.shape) +
                         ", what it goes before " + shapeText(now->shape));
      past = cache.shape[sequenceAxis];
      *now = b.concat({cache, *now}, sequenceAxis);
    }
  }
  node.result(1, keys);
  node.result(2, values);
  shape = {queries.shape[0], queries.shape[headAxis],
           queries.shape[sequenceAxis], keys.shape[sequenceAxis]};
  offset = b.splat(ElemType::Int64, {}, static_cast<double>(past));
  if (!node.has(6))
    return node.checkSize(shape);
  // A cache of fixed size: how much of it is in use, by batch.
  const Operand &used = node.in(6);
  if (node.has(4) || used.type != ElemType::Int64 ||
      used.shape != Shape{shape[0]})
    return node.fail("nonpad_kv_seqlen is " + toString(used.type) + "[" +
                     shapeText(used.shape) + "], expected int64[" +
                     Twine(shape[0]) + "] and no cache beside it");
  Operand length = b.reshape(used, {shape[0], 1, 1, 1});
  offset = b.binary(Binary::Sub, length, static_cast<double>(shape[2]));
  allowOnly(b.compare(nn::CompareKind::LT, b.coordinates(shape, 3),
                      b.broadcastTo(length, shape)));
  mayMaskRows = true;
  return node.checkSize(shape);
}

void AttentionImporter::allowOnly(const Operand &where) {
  allowed =
      allowed ? b.select(where, *allowed, b.splatLike(where, 0.0)) : where;
}

Error AttentionImporter::readMask() {
  if (!node.has(3))
    return Error::success();
  Operand mask = node.in(3);
  if (!mask.isBool())
    MPC_TRY(node.requireSameType(3, 0));
  if (mask.rank() == 0)
    return node.fail("the mask is a scalar");
  int64_t missing = shape.back() - mask.shape.back();
  if (missing > 0) {
    SmallVector<int64_t> none(mask.rank(), 0), high(mask.rank(), 0);
    high.back() = missing;
    mask = b.pad(mask, none, high, none, mask.isBool() ? 0.0 : -INFINITY);
  }
  MPC_TRY_ASSIGN(mask, node.broadcastTo(mask, shape, "the mask"));
  mayMaskRows = true;
  if (mask.isBool())
    allowOnly(mask);
  else
    bias = mask;
  return Error::success();
}

/// is_causal and the window: a query at position p, caches counted, attends to
/// keys from p - left to p + right.
Error AttentionImporter::limitPositions() {
  bool isCausal = node.intAttr("is_causal", 0) != 0;
  int64_t left = node.intAttr("left_window_size", -1);
  int64_t right = node.intAttr("right_window_size", -1);
  if (left < -1 || right < -1)
    return node.fail("a window is " + Twine(left) + " to " + Twine(right));
  if (isCausal)
    right = right < 0 ? 0 : std::min<int64_t>(right, 0);
  if (left < 0 && right < 0)
    return Error::success();
  Operand own = b.binary(Binary::Add, b.coordinates(shape, 2),
                         b.broadcastTo(offset, shape));
  Operand ahead = b.binary(Binary::Sub, b.coordinates(shape, 3), own);
  auto bound = [&](nn::CompareKind kind, int64_t limit) {
    allowOnly(
        b.compare(kind, ahead, b.splatLike(ahead, static_cast<double>(limit))));
  };
  if (right >= 0)
    bound(nn::CompareKind::LE, right);
  if (left >= 0)
    bound(nn::CompareKind::GE, -left);
  mayMaskRows |= left >= 0;
  return Error::success();
}

Error AttentionImporter::repeatHeads() {
  int64_t wanted = queries.shape[headAxis], have = keys.shape[headAxis];
  if (wanted == have)
    return Error::success();
  if (have == 0 || wanted % have != 0)
    return node.fail("there are " + Twine(wanted) + " heads of queries and " +
                     Twine(have) + " of keys");
  for (Operand *operand : {&keys, &values})
    *operand = repeatedHeads(b, *operand, wanted);
  return Error::success();
}

Operand AttentionImporter::scores() {
  double scale = node.floatAttr(
      "scale", 1.0 / std::sqrt(static_cast<double>(queries.shape[3])));
  double root = std::sqrt(scale);
  return b.matmul(b.binary(Binary::Mul, queries, root),
                  b.binary(Binary::Mul, keys, root), false, true);
}

Error AttentionImporter::attend() {
  double cap = node.floatAttr("softcap", 0.0);
  int64_t mode = node.intAttr("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return node.fail("attribute 'qk_matmul_output_mode' is " + Twine(mode));
  Operand raw = scores();
  Operand capped = raw;
  if (cap > 0.0)
    capped =
        b.binary(Binary::Mul, b.tanh(b.binary(Binary::Div, raw, cap)), cap);
  Operand masked = capped;
  if (bias)
    masked = b.binary(Binary::Add, masked, *bias);
  Operand lowest = b.splatLike(masked, -INFINITY);
  if (allowed)
    masked = b.select(*allowed, masked, lowest);
  Operand weights;
  if (!mayMaskRows) {
    weights = b.softmax(masked, 3);
  } else {
    // A row without any key gives zeros, where softmax would give NaN.
    Operand reach = bias ? *bias : b.splatLike(masked, 0.0);
    if (allowed)
      reach = b.select(*allowed, reach, lowest);
    Operand unit =
        b.reshape(b.reduceMax(reach, {3}), {shape[0], shape[1], shape[2], 1});
    Operand isEmpty =
        b.compare(nn::CompareKind::EQ, b.broadcastTo(unit, shape), lowest);
    Operand zero = b.splatLike(masked, 0.0);
    weights = b.softmax(b.select(isEmpty, zero, masked), 3);
    weights = b.select(isEmpty, zero, weights);
  }
  const Operand *stages[] = {&raw, &capped, &masked, &weights};
  node.result(3, *stages[mode]);
  finish(weights);
  return Error::success();
}

void AttentionImporter::finish(const Operand &weights) {
  Operand output = b.matmul(weights, values);
  if (isFlat) {
    output = b.transpose(output, {0, 2, 1, 3});
    output = b.reshape(output, {output.shape[0], output.shape[1],
                                output.shape[2] * output.shape[3]});
  }
  node.result(0, output);
}

Error emitAttention(NodeImporter &node) {
  return AttentionImporter(node).run();
}

//===----------------------------------------------------------------------===//
// FlexAttention
//===----------------------------------------------------------------------===//

/// What the graph `name` makes of scores or weights, if the node has it.
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
Expected<ElemType> softmaxType(NodeImporter &node) {
  ElemType own = node.in(0).type;
  ElemType type = own == ElemType::Double ? own : ElemType::Float;
  if (node.attribute("softmax_precision"))
    type = static_cast<ElemType>(
        static_cast<int32_t>(node.intAttr("softmax_precision", 0)));
  if (!isFloat(type))
    return node.fail("attribute 'softmax_precision' is " + toString(type));
  return type;
}

/// Attention whose scores and weights pass through graphs of the node's own.
Error emitFlexAttention(NodeImporter &node) {
  MPC_TRY(checkFlexInputs(node));
  MPC_TRY_ASSIGN(ElemType type, softmaxType(node));
  TensorBuilder &b = node.build;
  const Operand &queries = node.in(0);
  int64_t heads = queries.shape[headAxis];
  Operand keys = repeatedHeads(b, node.in(1), heads);
  Operand values = repeatedHeads(b, node.in(2), heads);
  double scale = node.floatAttr(
      "scale", 1.0 / std::sqrt(static_cast<double>(queries.shape[3])));
  double root = std::sqrt(scale);
  Operand scores = b.matmul(b.binary(Binary::Mul, queries, root),
                            b.binary(Binary::Mul, keys, root), false, true);
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

constexpr StringRef attributes =
    "is_causal:i kv_num_heads:i q_num_heads:i qk_matmul_output_mode:i scale:f "
    "softcap:f softmax_precision:i";
constexpr StringRef windowed =
    "is_causal:i kv_num_heads:i left_window_size:i q_num_heads:i "
    "qk_matmul_output_mode:i right_window_size:i scale:f softcap:f "
    "softmax_precision:i";

const OpRule rules[] = {
    {"Attention", 23, 3, 6, 4, attributes, emitAttention},
    {"Attention", 24, 3, 7, 4, attributes, emitAttention},
    {"Attention", 25, 3, 7, 4, windowed, emitAttention},
    {"FlexAttention", 1, 3, 3, 1,
     "prob_mod:g scale:f score_mod:g softmax_precision:i", emitFlexAttention,
     "ai.onnx.preview"},
    {"SwiGLU", 28, 2, 2, 1, "alpha:f", emitSwiGLU},
};

} // namespace

ArrayRef<OpRule> attentionRules() { return rules; }

} // namespace mpc::onnx
