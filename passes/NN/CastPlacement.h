// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides which of the ops whose type nn-autocast left open run in the low
/// type. Changes no IR. The cost model: docs/rationale/cast-placement.md.
#ifndef MPC_PASSES_NN_CASTPLACEMENT_H
#define MPC_PASSES_NN_CASTPLACEMENT_H

#include "dialects/NN/NNDialect.h"
#include "passes/NN/PlacementGraph.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::nn {

class CastPlacement {
public:
  /// Decides for the ops of `block` that are marked with `low`. `refuse` says
  /// whether ops of rule `lower` may run in f32.
  CastPlacement(mlir::Block &block, mlir::FloatType low, bool refuse);

  struct Decision {
    bool wasLow, isLow;
    /// The source of each operand, before any cast that may be removed; null
    /// for an operand that is neither f32 nor of the low type, or that has a
    /// type of its own.
    llvm::SmallVector<mlir::Value> sources;
  };
  /// The decisions in program order, also those that change nothing.
  using Decisions = llvm::MapVector<mlir::Operation *, Decision>;
  const Decisions &decisions() const { return placed_; }

  /// True of f32 and of the low type.
  bool isCastable(mlir::Value value) const;
  /// True of an operand or result of `op` that has the type in which `op` runs.
  bool isChosen(mlir::Operation *op, mlir::Value value) const;
  /// True of a cast that may be removed: an exact widening, or a cast inserted
  /// for a refusable op.
  bool isTransparent(CastOp cast) const;
  /// The additional cost of the program, in bytes, if the type of this op alone
  /// were the other one.
  int64_t bytesOfChange(mlir::Operation *op) const;
  /// The graph and its cut. The first two of its ops stand for all ops that are
  /// decided; the others have their names.
  llvm::json::Object toJSON() const;

private:
  /// The first two nodes stand for all ops that are decided.
  enum : unsigned { PinnedLow, PinnedF32, FirstFree };
  /// Each reading op with its node.
  using Readers = llvm::SmallMapVector<mlir::Operation *, unsigned, 4>;

  void addOp(mlir::Operation *op);
  bool isFree(mlir::Operation *op) const;
  mlir::Value source(mlir::Value value) const;
  unsigned pinnedNode(mlir::Value value) const;
  unsigned freeNode(mlir::Operation *op) const;
  unsigned readerNode(mlir::Operation *op, mlir::Value read) const;
  void findReaders(mlir::Value value, Readers &readers) const;
  bool isReadLowOnly(mlir::Operation *op) const;
  void limitTypes();
  void addValues(mlir::Block &block);
  void addValue(mlir::Value value);
  void addOwnCost(mlir::Operation *op);
  bool isMoved(mlir::Value value);
  bool findMoved(mlir::Value value) const;

  mlir::FloatType low_, f32_;
  bool refuse_;
  Decisions placed_;
  llvm::DenseMap<mlir::Value, bool> moved_; ///< The results of isMoved so far.
  PlacementGraph graph_;
  llvm::SmallVector<bool> isLow_; ///< Whether each node runs in the low type.
};

} // namespace mpc::nn

#endif // MPC_PASSES_NN_CASTPLACEMENT_H
