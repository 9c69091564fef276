// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Schedules contractions for a CPU.
#ifndef MPC_LIB_CODEGEN_CPU_SCHEDULECONTRACTION_H
#define MPC_LIB_CODEGEN_CPU_SCHEDULECONTRACTION_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mpc::cpu {

/// Gives `kernel`, a contraction, the schedule #cpu.depthwise or #cpu.gemm.
/// Where a kernel of its own packs a factor, that kernel is added to the
/// module, with a launch before each of `launches`, the launches of `kernel`.
void scheduleContraction(kernel::FuncOp kernel,
                         mlir::ArrayRef<kernel::LaunchOp> launches,
                         mlir::SymbolTable &symbols, TargetAttr target);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SCHEDULECONTRACTION_H
