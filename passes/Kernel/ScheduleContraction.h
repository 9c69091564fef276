// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The part of kernel-schedule that deals with contractions.
#ifndef MPC_PASSES_KERNEL_SCHEDULECONTRACTION_H
#define MPC_PASSES_KERNEL_SCHEDULECONTRACTION_H

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mpc::kernel {

/// Gives `kernel` the schedule #kernel.gemm if its body is a contraction and a
/// map on its result, and says whether it did. Where a factor is packed by a
/// kernel of its own, that kernel is added to the module, with a launch before
/// each of `launches` (those of `kernel`, which are replaced).
bool scheduleContraction(FuncOp kernel, mlir::ArrayRef<LaunchOp> launches,
                         mlir::SymbolTable &symbols, int64_t lanes);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_SCHEDULECONTRACTION_H
