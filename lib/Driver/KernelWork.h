// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How much kernels compute, counted before their bodies become code.
#ifndef MPC_LIB_DRIVER_KERNELWORK_H
#define MPC_LIB_DRIVER_KERNELWORK_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program/Commands.h"
#include "llvm/ADT/StringMap.h"

namespace mpc {

/// That of each kernel, by name.
using WorkByKernel = llvm::StringMap<rt::KernelWork>;

/// Of each kernel.func of `module`.
WorkByKernel countWork(mlir::ModuleOp module);

} // namespace mpc

#endif // MPC_LIB_DRIVER_KERNELWORK_H
