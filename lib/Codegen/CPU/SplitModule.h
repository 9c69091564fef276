// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cuts emitted kernels into modules that can be compiled at the same time.
#ifndef MPC_LIB_CODEGEN_CPU_SPLITMODULE_H
#define MPC_LIB_CODEGEN_CPU_SPLITMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace mpc::cpu {

/// Distributes the public functions of `module`, kernels and what kernels of
/// several sizes run, to modules of about equal size, in order; each has copies
/// of the functions that its own call. How many there are follows from the code
/// alone, never from the machine, so that an image has the same bytes
/// everywhere.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitModule(mlir::ModuleOp module);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SPLITMODULE_H
