// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What addresses of a kernel's arguments are multiples of, at all launches.
#ifndef MPC_PASSES_KERNEL_ALIGNMENT_H
#define MPC_PASSES_KERNEL_ALIGNMENT_H

#include "passes/Kernel/MemoryPlanner.h"

namespace mpc::kernel {

/// The alignment of each argument of each kernel of a module. Does nothing
/// where the target does not ask for it.
class Alignments {
public:
  explicit Alignments(mlir::ModuleOp module);

  /// Copies the views of `function`, on tensors still, that cost kernels their
  /// wide accesses to much memory. Returns how many.
  mlir::FailureOr<unsigned> copyCostlyViews(mlir::func::FuncOp function);
  /// Counts in where `planner` puts what `launch` gets.
  void add(LaunchOp launch, const MemoryPlanner &planner);
  /// States on the kernels what all launches that were added have.
  void state();

private:
  int64_t alignmentOf(mlir::Value value, const MemoryPlanner &planner) const;
  bool narrows(LaunchOp launch, unsigned input, const MemoryPlanner &planner);
  void copy(ViewOp view, int64_t alignment,
            llvm::ArrayRef<mlir::OpOperand *> uses);

  mlir::SymbolTable symbols_;
  TargetAttrInterface target_;
  int64_t buffers_ = 1; ///< The alignment of a buffer; 1 where nobody asks.
  llvm::DenseMap<mlir::StringAttr, int64_t> numLaunches_;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, int64_t> widest_;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<int64_t>> least_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_ALIGNMENT_H
