// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes scores, masks, and the result of a row without any key.
#include "lib/Import/Build/Attention.h"

#include <cmath>

using namespace llvm;

namespace mpc::build {

/// The axis of heads in queries, keys and values.
static constexpr int64_t kHeadAxis = 1;

Operand repeatedHeads(TensorBuilder &b, const Operand &operand,
                      int64_t wanted) {
  int64_t have = operand.shape[kHeadAxis];
  Shape repeated = operand.shape, joined = operand.shape;
  repeated.insert(repeated.begin() + 2, wanted / have);
  joined[kHeadAxis] = wanted;
  return b.reshape(b.broadcast(operand, repeated, {0, 1, 3, 4}), joined);
}

Operand attentionScores(TensorBuilder &b, const Operand &queries,
                        const Operand &keys, double scale) {
  double root = std::sqrt(scale);
  return b.matmul(b.binary(Binary::Mul, queries, root),
                  b.binary(Binary::Mul, keys, root), false, true);
}

Attention attend(TensorBuilder &b, const AttentionForm &form) {
  Operand raw = attentionScores(b, form.queries, form.keys, form.scale);
  const Shape shape = raw.shape;
  Operand capped = raw;
  if (form.cap > 0.0)
    capped = b.binary(Binary::Mul, b.tanh(b.binary(Binary::Div, raw, form.cap)),
                      form.cap);
  Operand masked = capped;
  if (form.bias)
    masked = b.binary(Binary::Add, masked, *form.bias);
  Operand lowest = b.splatLike(masked, -INFINITY);
  if (form.allowed)
    masked = b.select(*form.allowed, masked, lowest);
  Operand weights;
  if (!form.mayMaskRows) {
    weights = b.softmax(masked, 3);
  } else {
    // A row without any key gives zeros, where softmax would give NaN.
    Operand reach = form.bias ? *form.bias : b.splatLike(masked, 0.0);
    if (form.allowed)
      reach = b.select(*form.allowed, reach, lowest);
    Operand unit =
        b.reshape(b.reduceMax(reach, {3}), {shape[0], shape[1], shape[2], 1});
    Operand isEmpty =
        b.compare(nn::CompareKind::EQ, b.broadcastTo(unit, shape), lowest);
    Operand zero = b.splatLike(masked, 0.0);
    weights = b.softmax(b.select(isEmpty, zero, masked), 3);
    weights = b.select(isEmpty, zero, weights);
  }
  Operand output = b.matmul(weights, form.values);
  return {raw, capped, masked, weights, output};
}

} // namespace mpc::build
