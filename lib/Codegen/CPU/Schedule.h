// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How each kind of kernel runs on a CPU.
#ifndef MPC_LIB_CODEGEN_CPU_SCHEDULE_H
#define MPC_LIB_CODEGEN_CPU_SCHEDULE_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mpc::cpu {

/// Gives `kernel`, which `launches` launch, its schedule:
/// TargetAttrInterface::scheduleKernel.
void scheduleKernel(kernel::FuncOp kernel,
                    llvm::ArrayRef<kernel::LaunchOp> launches,
                    mlir::SymbolTable &symbols, TargetAttr target);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SCHEDULE_H
