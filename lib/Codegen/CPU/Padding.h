// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels that put zeros around a tensor, and contractions of windows that
/// need not have them in memory.
#ifndef MPC_LIB_CODEGEN_CPU_PADDING_H
#define MPC_LIB_CODEGEN_CPU_PADDING_H

#include "lib/Codegen/CPU/Windows.h"
#include "mlir/IR/SymbolTable.h"

namespace mpc::cpu {

/// The border of zeros that `kernel` puts around its only input; null where it
/// computes anything else.
kernel::BorderAttr getPadding(kernel::FuncOp kernel);

/// Makes `kernel`, a contraction over `image`, read what padding has read: it
/// copies what it reads, and can leave the zeros out. That is so if all of
/// `launches`, those of `kernel`, have the same padding, of which `canLeaveOut`
/// says that the copy can have it.
void readUnpadded(kernel::FuncOp kernel,
                  llvm::ArrayRef<kernel::LaunchOp> launches,
                  const mlir::SymbolTable &symbols,
                  llvm::function_ref<bool(kernel::BorderAttr)> canLeaveOut,
                  mlir::Value image);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_PADDING_H
