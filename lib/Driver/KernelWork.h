// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How much kernels compute, counted before their bodies become code.
#ifndef MPC_LIB_DRIVER_KERNELWORK_H
#define MPC_LIB_DRIVER_KERNELWORK_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program/Program.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace mpc {

struct KernelWork {
  std::string kind;   ///< "map", "rows", "contraction", ...
  uint64_t flops = 0; ///< As rt::Launch has them.
};

/// That of each kernel.func of `module`, by name.
llvm::StringMap<KernelWork> countWork(mlir::ModuleOp module);

/// Gives the launches of `program` the work of their kernels.
void setWork(const llvm::StringMap<KernelWork> &work, rt::Program &program);

} // namespace mpc

#endif // MPC_LIB_DRIVER_KERNELWORK_H
