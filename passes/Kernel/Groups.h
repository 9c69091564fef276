// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides which structured ops run in one kernel.
#ifndef MPC_PASSES_KERNEL_GROUPS_H
#define MPC_PASSES_KERNEL_GROUPS_H

#include "dialects/Kernel/Peak.h"
#include "mlir/IR/Block.h"
#include "passes/Kernel/GroupPeak.h"

namespace mpc::kernel {

/// A structured op with the fills before it that only it uses. Empty where `op`
/// is no structured op, or is such a fill.
llvm::SmallVector<mlir::Operation *> withItsFills(mlir::Operation *op);

/// The partition of a block's structured ops into kernels. This is an analysis;
/// Fuse.cpp rewrites. Two groups are joined if their stages are those of a
/// kernel that has a schedule, and no third group lies between them.
class Groups {
public:
  /// `leastRows` is the target's (TargetAttrInterface::getLeastRows). Groups
  /// are not joined where that would keep more bytes from one side of `peak`,
  /// if there is one, to the other; where memory `isScarce`, also not where
  /// operands would wait for each other.
  Groups(mlir::Block &block, TargetAttrInterface target, Peak peak = {},
         bool isScarce = false);

  /// The ops of each group. The order of groups respects uses. An op may be of
  /// several groups, each of which computes it.
  llvm::ArrayRef<llvm::ArrayRef<mlir::Operation *>> inOrder() const {
    return order_;
  }
  /// Where most bytes are live that groups hand each other.
  Peak getFullest() const { return fullest_; }
  /// Calls `visit` for each value of at least `minBytes` that one group stores
  /// and another reads as it is, with the op that reads it and the reason why
  /// the two are not one kernel.
  void explain(
      int64_t minBytes,
      llvm::function_ref<void(mlir::Value, mlir::Operation *, llvm::StringRef)>
          visit) const;

private:
  /// Why the two are not joined; empty where they are, to `joined`.
  llvm::StringRef whyApart(unsigned producer, unsigned consumer,
                           Group &joined) const;
  void joinSources(mlir::Operation *op);
  bool tryJoin(unsigned producer, unsigned consumer);
  void join(unsigned producer, unsigned consumer, Group joined);
  llvm::SmallVector<unsigned> sortBy(GroupKey key) const;
  void sort(bool repeatsWidenings);
  llvm::SmallVector<llvm::ArrayRef<mlir::Operation *>>
  statementsOf(llvm::ArrayRef<unsigned> groups) const;

  bool keepsMore(unsigned producer, unsigned consumer) const;

  Peak peak_;
  bool isScarce_;
  GroupJoiner joiner_;
  llvm::SmallVector<Group> groups_;
  GroupGraph graph_;
  llvm::SmallVector<llvm::ArrayRef<mlir::Operation *>> order_;
  Peak fullest_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_GROUPS_H
