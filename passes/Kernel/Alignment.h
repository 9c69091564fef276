// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The alignment of the addresses of each kernel argument, over all launches.
#ifndef MPC_PASSES_KERNEL_ALIGNMENT_H
#define MPC_PASSES_KERNEL_ALIGNMENT_H

#include "passes/Kernel/MemoryPlanner.h"

namespace mpc::kernel {

/// The alignment of each argument of each kernel of a module. Does nothing
/// where the target does not use alignments.
class Alignments {
public:
  explicit Alignments(mlir::ModuleOp module);

  /// Copies the views of `function`, which is still on tensors, that prevent
  /// kernels from wide accesses to much memory. Returns the number of copies.
  mlir::FailureOr<unsigned> copyCostlyViews(mlir::func::FuncOp function);
  /// Takes the places that `planner` gives the operands of `launch` into
  /// account.
  void add(LaunchOp launch, const MemoryPlanner &planner);
  /// States on the kernels the alignment that all added launches have.
  void state();

private:
  int64_t alignmentOf(mlir::Value value, const MemoryPlanner &planner) const;
  bool narrows(LaunchOp launch, unsigned input, const MemoryPlanner &planner);
  void copy(ViewOp view, int64_t alignment,
            llvm::ArrayRef<mlir::OpOperand *> uses);

  mlir::SymbolTable symbols_;
  TargetAttrInterface target_;
  /// The alignment of a buffer; 1 where the target does not use alignments.
  int64_t buffers_ = 1;
  llvm::DenseMap<mlir::StringAttr, int64_t> numLaunches_;
  llvm::DenseSet<mlir::StringAttr>
      bodies_; ///< The functions that are repeated.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, int64_t> widest_;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<int64_t>> least_;
};

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_ALIGNMENT_H
