// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The parts of attention that a model writes out: factors of its products, and
/// what it does to scores between them.
#ifndef MPC_PASSES_NN_WRITTENATTENTION_H
#define MPC_PASSES_NN_WRITTENATTENTION_H

#include "passes/NN/AttentionMask.h"

#include <optional>
#include <string>

namespace mpc::nn {

/// The number that each element of `value` is.
std::optional<double> numberOf(mlir::Value value);

/// The operand of an op that leaves numbers where they are in each matrix: a
/// cast between floats, or a reshape of the other axes. Null of others.
mlir::Value behindMove(mlir::Operation *op);

/// An operand of a product of matrices, without what attention does itself.
struct AttentionFactor {
  /// Takes numbers that `value` is multiplied by into `scale`, if given.
  AttentionFactor(mlir::Value value, bool isSwapped, double *scale = nullptr)
      : value(value), isSwapped(isSwapped) {
    while (strip(scale))
      ;
  }

  /// Builds the factor as [batch, heads, rows, columns].
  mlir::Value build(GradientBuilder &g, int64_t batch, int64_t heads) const;

  /// The number of heads, each of which is repeated for as many of `heads`;
  /// `heads` where none is.
  [[nodiscard]] int64_t groups(int64_t batch, int64_t heads) const;

  mlir::Value value;
  bool isSwapped; ///< Whether `value` has columns before rows.

private:
  bool strip(double *scale);
};

/// The scores between a product and a softmax, walked backwards.
class WrittenScores {
public:
  /// Walks from `value` to the product. False where something else is done to
  /// scores; `reason` says what.
  bool walk(mlir::Value value);
  /// Walks from numbers that are -inf where no score is left: masks without
  /// scores. True where they have the same masks.
  bool masksAs(mlir::Value value) const;

  MatmulOp product;
  double scale = 1.0;
  std::optional<double> softcap; ///< The bound of scaled scores.
  llvm::SmallVector<MaskTerm> terms;
  /// The shapes that scores have.
  llvm::SmallVector<llvm::SmallVector<int64_t>> shapes;
  llvm::SmallVector<mlir::Operation *> ops;
  std::string reason;

private:
  bool step(mlir::Value &value);
  bool choose(SelectOp select, mlir::Value &value);
  bool add(AddOp sum, mlir::Value &value);
  bool cap(TanhOp tanh, mlir::Value &value);
  bool fail(const llvm::Twine &why) {
    reason = why.str();
    return false;
  }
};

} // namespace mpc::nn

#endif // MPC_PASSES_NN_WRITTENATTENTION_H
