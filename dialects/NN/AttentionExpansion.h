// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Attention as ops on tensors of scores, for targets without a kernel of their
/// own, and for gradients that no kernel computes.
#ifndef MPC_DIALECTS_NN_ATTENTIONEXPANSION_H
#define MPC_DIALECTS_NN_ATTENTIONEXPANSION_H

#include "dialects/NN/Attention.h"
#include "dialects/NN/Gradient.h"

namespace mpc::nn {

/// The operands and attributes that nn.attention and its gradient share.
struct AttentionForm {
  static AttentionForm of(AttentionOp op);
  static AttentionForm of(AttentionGradientOp op);

  mlir::Value query, key, value, mask;
  double scale = 1.0;
  std::optional<double> softcap = {};
  bool causal = false;
  std::optional<int64_t> window = {};
  /// The ratio of weights that are dropped; none where none is.
  std::optional<llvm::APFloat> dropout = {};
  uint32_t stream = 0;
  mlir::ValueRange randomKey = {};
};

/// Builds the parts of attention at one location. Scores are
/// [batch, query head, query, key] in the compute type; rows are without the
/// last axis.
class AttentionBuilder {
public:
  AttentionBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                   const AttentionForm &form);

  /// The scaled products of queries and keys, which are bounded where there is
  /// a cap.
  mlir::Value scores();
  /// The masked `scores`, -inf where a key takes no part.
  mlir::Value logits(mlir::Value scores);
  /// exp(logits - rowMax) / rowSum, 0 in a row without a key.
  mlir::Value weights(mlir::Value logits, mlir::Value rowMax,
                      mlir::Value rowSum);
  /// exp(logits - rowMax).
  mlir::Value exponentials(mlir::Value logits, mlir::Value rowMax);
  /// P (dropped(dOutput value^T) - delta), the gradient of the logits.
  mlir::Value gradientOfLogits(mlir::Value weights, mlir::Value dOutput,
                               mlir::Value delta);
  /// The gradient of the products of queries and keys, by that of logits.
  mlir::Value gradientOfProducts(mlir::Value scores, mlir::Value dLogits);
  /// `scores`, or what dropout makes of them.
  mlir::Value dropped(mlir::Value scores);
  /// The sum of `scores` that a mask of this shape repeats.
  mlir::Value reduceTo(mlir::Value scores, mlir::Value mask);

  /// The products of `rows`, one a query, with `others`, one a key.
  mlir::Value products(mlir::Value rows, mlir::Value others);
  /// The sum over keys of `scores` times `others`, one a key.
  mlir::Value sumOverKeys(mlir::Value scores, mlir::Value others);
  /// The sum over the queries of a key head of `scores` times `rows`, one a
  /// query.
  mlir::Value sumOverQueries(mlir::Value scores, mlir::Value rows);
  /// A row repeated for each key.
  mlir::Value repeat(mlir::Value row);

  GradientBuilder g;

private:
  mlir::Value grouped(mlir::Value perQuery);
  mlir::Value hideUnless(mlir::Value visible, mlir::Value scores);
  mlir::Value replaced(mlir::Value row, double from, double to);
  mlir::Value hideLater(mlir::Value scores);

  AttentionForm form_;
  llvm::SmallVector<int64_t> scores_; ///< The shape of scores.
};

/// The results of `op` as products of matrices and what lies between them.
llvm::SmallVector<mlir::Value> expandAttention(mlir::OpBuilder &builder,
                                               AttentionOp op);
llvm::SmallVector<mlir::Value> expandAttention(mlir::OpBuilder &builder,
                                               AttentionGradientOp op);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_ATTENTIONEXPANSION_H
