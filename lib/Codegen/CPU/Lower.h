// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lowers emitted kernels (func, scf, memref, vector, arith, math) to the LLVM
/// dialect.
#ifndef MPC_LIB_CODEGEN_CPU_LOWER_H
#define MPC_LIB_CODEGEN_CPU_LOWER_H

#include "mlir/Pass/PassManager.h"

namespace mpc::cpu {

/// Adds the passes. Each `func.func @k` with a `kernel.emitted` becomes a
/// function @k of the runtime's kernel ABI, `void(void *const *buffers, int64_t
/// begin, int64_t end, void *scratch)`, with the same body.
void buildLowerToLLVM(mlir::OpPassManager &manager);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_LOWER_H
