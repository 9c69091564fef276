// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The stages of ops that may become one kernel.
#ifndef MPC_PASSES_KERNEL_GROUPSTAGES_H
#define MPC_PASSES_KERNEL_GROUPSTAGES_H

#include "dialects/Kernel/Stages.h"

namespace mpc::kernel {

/// The tensors that `op` uses, also inside of its region.
llvm::SmallVector<mlir::Value> usedTensors(mlir::Operation *op);

/// The tensors in memory that `statements` read, as one kernel.
llvm::SmallVector<mlir::Value>
tensorsRead(llvm::ArrayRef<mlir::Operation *> statements);

/// Structured ops that become one kernel, in the order of its body.
struct Group {
  llvm::SmallVector<mlir::Operation *> statements;
  /// Empty for an op that is not joined with others.
  std::optional<Stages> stages;

  /// The kind of the kernel; Loops for an op that is not joined with others.
  KernelKind getKind() const {
    return stages ? mpc::kernel::getKind(*stages) : KernelKind::Loops;
  }
};

/// Whether `op` can share a kernel with others: it writes in the order of its
/// loops and reads at no computed places.
bool isJoinable(mlir::linalg::GenericOp op);

/// Joins groups of a block's ops.
class GroupJoiner {
public:
  /// `target` may be null.
  GroupJoiner(mlir::Block &block, TargetAttrInterface target);

  /// The stages of `ops`, in order, of which those that are no statements are
  /// skipped; empty where they have no common outer space.
  std::optional<Stages> stagesOf(llvm::ArrayRef<mlir::Operation *> ops) const;

  /// Why the two are no kernel; empty where they are one, which `joined` is
  /// then.
  llvm::StringRef tryJoin(const Group &producer, const Group &consumer,
                          Group &joined) const;

private:
  bool hasFewRows(const Group &group) const;
  bool sumsRuns(const Stages &stages) const;

  llvm::DenseMap<mlir::Operation *, Statement> statements_;
  TargetAttrInterface target_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_GROUPSTAGES_H
