// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reverse-mode differentiation of ops in one block.
#ifndef MPC_PASSES_NN_REVERSEMODE_H
#define MPC_PASSES_NN_REVERSEMODE_H

#include "passes/NN/ScanGradient.h"

namespace mpc::nn {

/// The ops between some values and others, and what the VJPs of these ops, in
/// reverse order, make of cotangents.
///
///     ReverseMode reverse(symbols, expand);
///     reverse.activate(x);
///     for (Operation &op : ops) reverse.add(op);
///     reverse.seed(y, dy);
///     if (succeeded(reverse.run(builder)))
///       dx = reverse.gradientOf(builder, x, loc);
class ReverseMode {
public:
  /// `symbols` are those of the module, to which bodies of loops are added, and
  /// `expand` expands the nn.vjp in them.
  ReverseMode(mlir::SymbolTable &symbols, ExpandFunction expand)
      : symbols_(symbols), expand_(expand) {}

  /// Wants the gradient of `value`, and so those of what depends on it.
  void activate(mlir::Value value) { active_.insert(value); }
  [[nodiscard]] bool isActive(mlir::Value value) const {
    return active_.contains(value);
  }
  /// Adds the next op. Its results are active where an operand is.
  void add(mlir::Operation &op);
  /// Adds `cotangent` to that of `value`.
  void seed(mlir::Value value, mlir::Value cotangent) {
    cotangents_[value].push_back(cotangent);
  }
  /// Builds the VJPs of all active ops at `builder`. A loop that is
  /// differentiated is replaced, and so are its results among `tracked`.
  mlir::LogicalResult run(mlir::OpBuilder &builder,
                          llvm::MutableArrayRef<mlir::Value> tracked = {});
  /// The gradient of all `values` together, zero of `type` where nothing
  /// depends on them.
  mlir::Value gradientOf(mlir::OpBuilder &builder,
                         llvm::ArrayRef<mlir::Value> values, mlir::Type type,
                         mlir::Location loc);

private:
  /// The cotangents of an op's results, and those that its VJP makes of its
  /// operands.
  struct Around {
    llvm::ArrayRef<mlir::Value> results;
    llvm::MutableArrayRef<mlir::Value> operands;
  };
  mlir::LogicalResult runOp(mlir::OpBuilder &builder, mlir::Operation *op,
                            llvm::MutableArrayRef<mlir::Value> tracked);
  mlir::LogicalResult buildGradient(mlir::OpBuilder &builder,
                                    mlir::Operation *op, Around around,
                                    llvm::MutableArrayRef<mlir::Value> tracked);
  mlir::LogicalResult replaceScan(mlir::OpBuilder &builder, ScanOp scan,
                                  Around around,
                                  llvm::MutableArrayRef<mlir::Value> tracked);
  llvm::SmallVector<mlir::Value> cotangentsOf(mlir::Value value) const {
    return cotangents_.lookup(value);
  }

  mlir::SymbolTable &symbols_;
  ExpandFunction expand_;
  llvm::DenseSet<mlir::Value> active_;
  /// Those with an active operand, in their order.
  llvm::SmallVector<mlir::Operation *> ops_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> cotangents_;
};

} // namespace mpc::nn

#endif // MPC_PASSES_NN_REVERSEMODE_H
