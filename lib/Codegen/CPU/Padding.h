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

/// Makes `kernel`, a contraction of `windows` over `image`, read what padding
/// has read: it copies its windows, and can leave the zeros out. That is so if
/// all of `launches`, those of `kernel`, have the same padding, and if windows
/// go along each axis that is padded.
void readUnpadded(kernel::FuncOp kernel,
                  llvm::ArrayRef<kernel::LaunchOp> launches,
                  const mlir::SymbolTable &symbols, const Windows &windows,
                  mlir::Value image);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_PADDING_H
