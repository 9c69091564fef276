// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The amount of arithmetic in kernels, as the runtime's struct.
#ifndef MPC_LIB_DRIVER_KERNELWORK_H
#define MPC_LIB_DRIVER_KERNELWORK_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program/Commands.h"
#include "llvm/ADT/StringMap.h"

namespace mpc {

/// The `kernel.work` of each emitted kernel of `module`, by name.
llvm::StringMap<rt::KernelWork> readWork(mlir::ModuleOp module);

} // namespace mpc

#endif // MPC_LIB_DRIVER_KERNELWORK_H
