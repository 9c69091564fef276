// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Logits of attention from scores: scale, masks, and which key is seen. On
/// scalars and on vectors along the keys.
#ifndef MPC_LIB_CODEGEN_CPU_ATTENTIONSCORES_H
#define MPC_LIB_CODEGEN_CPU_ATTENTIONSCORES_H

#include "dialects/Kernel/Attention.h"
#include "lib/Codegen/CPU/LaneMath.h"

namespace mpc::cpu {

/// The batch, head and query of a row, and its first key.
struct ScorePlace {
  mlir::Value batch, head, query, key;
};

/// By what the exponentials of a row are shifted, and what they are multiplied
/// with to be weights, from the row's maximum and sum: 0 and 1 where it has no
/// key.
std::pair<mlir::Value, mlir::Value> emitShiftAndFactor(const LaneMath &math,
                                                       mlir::Value rowMax,
                                                       mlir::Value rowSum);

class AttentionScores {
public:
  /// Vectors of `math` may reach up to the next multiple of `padding` keys.
  AttentionScores(Emitter &emitter, kernel::AttentionOpInterface op,
                  LaneMath math, int64_t padding);

  /// Whether the query sees each key; null where it sees all.
  mlir::Value emitSeen(const ScorePlace &place);
  /// The scaled products of a query and keys, within the cap, if there is one.
  mlir::Value emitScores(mlir::Value products);
  /// The logits of `scores`; -inf where a key is not `seen`.
  mlir::Value emitLogits(mlir::Value scores, const ScorePlace &place,
                         mlir::Value seen);
  /// The gradient of products, but for the scale, by that of logits.
  mlir::Value emitGradient(mlir::Value scores, mlir::Value dLogits);
  /// exp(logits - shift), the weights of keys. They are 0 where that is less
  /// than the least normal number; NaN stays NaN. The difference is at most 0,
  /// but for a rounding.
  mlir::Value emitWeights(mlir::Value logits, mlir::Value shift);

  // What is left out, as far as causality and window say:

  /// The keys [first, end) that queries [`first`, `end`) see in all. Those of a
  /// row are a part of them.
  std::pair<mlir::Value, mlir::Value> emitKeys(mlir::Value firstQuery,
                                               mlir::Value endQuery);
  /// The queries that see keys [`first`, `end`), likewise.
  std::pair<mlir::Value, mlir::Value> emitQueries(mlir::Value firstKey,
                                                  mlir::Value endKey);
  /// The number of keys from `firstKey` on, up to `endKey`, behind which no
  /// query before `endQuery` sees one.
  mlir::Value emitKeyCount(mlir::Value endQuery, mlir::Value firstKey,
                           mlir::Value endKey);
  /// The number of queries from `firstQuery` on that see neither `key` nor one
  /// behind it.
  mlir::Value emitHiddenRows(mlir::Value key, mlir::Value firstQuery);

private:
  mlir::Value emitLanesBelow(mlir::Value limit);
  mlir::Value loadMask(const ScorePlace &place);
  mlir::Value both(mlir::Value a, mlir::Value b);
  bool isPadded() const { return sizes_.keys % padding_ != 0; }
  mlir::Value getMask();

  Emitter &emitter_;
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  kernel::AttentionOpInterface op_;
  LaneMath math_;
  int64_t padding_;
  kernel::AttentionSizes sizes_;
  std::optional<float> cap_;
  bool isCausal_;
  std::optional<int64_t> window_;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ATTENTIONSCORES_H
