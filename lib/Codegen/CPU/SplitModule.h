// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Splits emitted kernels into modules that can be compiled at the same time.
#ifndef MPC_LIB_CODEGEN_CPU_SPLITMODULE_H
#define MPC_LIB_CODEGEN_CPU_SPLITMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace mpc::cpu {

/// Distributes the public functions of `module`, which are kernels and code
/// that kernels share, to modules of about equal size, in order. Each module
/// has copies of the functions that its own functions call. The number of
/// modules follows from the code alone and never from the machine, so that an
/// image has the same bytes everywhere.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitModule(mlir::ModuleOp module);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SPLITMODULE_H
