// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Attention: masks and caps between two matrix products. Axes are batch,
/// heads, sequence, features.
#ifndef MPC_LIB_IMPORT_BUILD_ATTENTION_H
#define MPC_LIB_IMPORT_BUILD_ATTENTION_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// Fewer heads of keys than of queries: each serves as many.
Operand repeatedHeads(TensorBuilder &b, const Operand &operand, int64_t wanted);

/// Products of queries and keys, which get half of the scale each.
Operand attentionScores(TensorBuilder &b, const Operand &queries,
                        const Operand &keys, double scale);

struct AttentionForm {
  Operand queries, keys, values;
  double scale = 1.0;
  /// Scores are within [-cap, cap], smoothly; 0 for no such bound.
  double cap = 0.0;
  /// Of the scores' shape: what is added to them, and where they count.
  std::optional<Operand> bias = {}, allowed = {};
  /// A row may be masked as a whole, which then gives zeros.
  bool mayMaskRows = false;
};

/// The scores, capped, and masked; the weights; and the result.
struct Attention {
  Operand raw, capped, masked, weights, output;
};

Attention attend(TensorBuilder &b, const AttentionForm &form);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_ATTENTION_H
