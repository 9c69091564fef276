// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries a state from step to step. Each step is a copy of the ops.
#include "lib/Import/Build/LinearAttention.h"

using namespace llvm;

namespace mpc::build {

namespace {

class Unrolled {
public:
  Unrolled(TensorBuilder &b, const LinearAttention &in)
      : b_(b), in_(in), state_(in.state) {}

  LinearAttentionOutputs run();

private:
  /// Step `step` of an input [batch, steps, ..], with shape `shape`, in the
  /// wide type.
  Operand at(const Operand &input, int64_t step, ArrayRef<int64_t> shape);
  void advance(int64_t step);
  Operand read(int64_t step);

  TensorBuilder &b_;
  const LinearAttention &in_;
  Operand state_;
};

} // namespace

Operand Unrolled::at(const Operand &input, int64_t step,
                     ArrayRef<int64_t> shape) {
  Operand now = b_.reshape(b_.sliceAxis(input, 1, step, step + 1), shape);
  return b_.cast(now, state_.type);
}

void Unrolled::advance(int64_t step) {
  if (in_.decay) {
    int64_t each = in_.decay->shape[2] / in_.heads;
    Operand gate =
        b_.exp(at(*in_.decay, step, {in_.batch(), in_.heads, each, 1}));
    state_ = b_.binary(Binary::Mul, state_, b_.broadcastTo(gate, state_.shape));
  }
  Operand key = at(in_.key, step, {in_.batch(), in_.heads, in_.features, 1});
  Operand value = at(in_.value, step, {in_.batch(), in_.heads, 1, in_.width});
  if (in_.beta) {
    Operand found = b_.matmul(key, state_, /*transposeLhs=*/true);
    Operand beta = at(*in_.beta, step, {in_.batch(), in_.beta->shape[2], 1, 1});
    value = b_.binary(Binary::Mul, b_.broadcastTo(beta, value.shape),
                      b_.binary(Binary::Sub, value, found));
  }
  Operand outer = b_.binary(Binary::Mul, b_.broadcastTo(key, state_.shape),
                            b_.broadcastTo(value, state_.shape));
  state_ = b_.binary(Binary::Add, state_, outer);
}

/// Heads of queries that share one head of keys are next to each other.
Operand Unrolled::read(int64_t step) {
  Operand query =
      at(in_.query, step, {in_.batch(), in_.heads, in_.group, in_.features});
  Operand output = b_.matmul(b_.binary(Binary::Mul, query, in_.scale), state_);
  return b_.reshape(output,
                    {in_.batch(), 1, in_.heads * in_.group * in_.width});
}

LinearAttentionOutputs Unrolled::run() {
  SmallVector<Operand> outputs;
  for (int64_t step = 0; step < in_.query.shape[1]; ++step) {
    advance(step);
    outputs.push_back(read(step));
  }
  return {b_.concat(outputs, 1), state_};
}

LinearAttentionOutputs linearAttention(TensorBuilder &b,
                                       const LinearAttention &in) {
  return Unrolled(b, in).run();
}

} // namespace mpc::build
