// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Layers that carry a state from step to step instead of attending to all
/// steps.
#ifndef MPC_LIB_IMPORT_BUILD_LINEARATTENTION_H
#define MPC_LIB_IMPORT_BUILD_LINEARATTENTION_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// With state S [features, values] of each head of keys, at each step:
///   S = exp(decay) * S                     (gated)
///   v = beta * (v - S^T k)                 (delta)
///   S = S + k v^T,   output = scale * S^T q
struct LinearAttention {
  /// [batch, steps, heads * ..]; there are `group` heads of queries for each
  /// head of keys, and at least one step.
  Operand query = {}, key = {}, value = {};
  /// S before the first step. Its type is the type of the whole computation.
  Operand state = {};
  /// [batch, steps, heads or heads * features], and [batch, steps, heads or 1].
  std::optional<Operand> decay = {}, beta = {};
  int64_t heads = 0, group = 0, features = 0, width = 0;
  double scale = 1.0;

  int64_t batch() const { return query.shape[0]; }
};

struct LinearAttentionOutputs {
  /// [batch, steps, heads * group * width], and S; in the state's type.
  Operand output, state;
};

LinearAttentionOutputs linearAttention(TensorBuilder &b,
                                       const LinearAttention &in);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_LINEARATTENTION_H
