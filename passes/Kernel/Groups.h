// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides which structured ops run in one kernel.
#ifndef MPC_PASSES_KERNEL_GROUPS_H
#define MPC_PASSES_KERNEL_GROUPS_H

#include "mlir/IR/Block.h"
#include "passes/Kernel/GroupGraph.h"

namespace mpc::kernel {

/// A structured op with the fills before it that only it uses. Empty where `op`
/// is no structured op, or is such a fill.
llvm::SmallVector<mlir::Operation *> withItsFills(mlir::Operation *op);

/// The partition of a block's structured ops into kernels. This is an analysis;
/// Fuse.cpp rewrites. Two groups are joined if they run over one space, one
/// reads the other element by element or row by row, and no third group lies
/// between them.
class Groups {
public:
  /// With `peak`, the op at which most bytes are live, groups are not joined
  /// where that would keep more bytes alive there.
  explicit Groups(mlir::Block &block, mlir::Operation *peak = nullptr);

  /// The ops of each group. The order of groups respects uses.
  llvm::ArrayRef<llvm::ArrayRef<mlir::Operation *>> inOrder() const {
    return order_;
  }

private:
  void tryJoin(unsigned producer, unsigned consumer);
  void join(unsigned producer, unsigned consumer, SharedSpace space);
  void sort();

  mlir::Operation *peak_; ///< Null where the peak of memory does not matter.
  llvm::SmallVector<Group> groups_;
  GroupGraph graph_;
  llvm::SmallVector<llvm::ArrayRef<mlir::Operation *>> order_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_GROUPS_H
