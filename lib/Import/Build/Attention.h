// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Attention: masks and caps between two matrix products. Axes are batch,
/// heads, sequence, features.
#ifndef MPC_LIB_IMPORT_BUILD_ATTENTION_H
#define MPC_LIB_IMPORT_BUILD_ATTENTION_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// Repeats heads of keys, where there are fewer of them than of queries. Each
/// then serves as many queries.
Operand repeatedHeads(TensorBuilder &b, const Operand &operand, int64_t wanted);

/// The products of queries and keys. Each factor gets the root of the scale.
Operand attentionScores(TensorBuilder &b, const Operand &queries,
                        const Operand &keys, double scale);

struct AttentionForm {
  Operand queries, keys, values;
  double scale = 1.0;
  /// The bound that keeps scores within [-cap, cap] smoothly; 0 for none.
  double cap = 0.0;
  /// Tensors of the scores' shape: numbers that are added to scores, and a mask
  /// that is true where scores count.
  std::optional<Operand> bias = {}, allowed = {};
  /// Whether a row may be masked as a whole; its result is then zeros.
  bool mayMaskRows = false;
};

/// The capped and masked scores, the weights, and the result.
struct Attention {
  Operand raw, capped, masked, weights, output;
};

Attention attend(TensorBuilder &b, const AttentionForm &form);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_ATTENTION_H
