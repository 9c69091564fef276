// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Passes on the kernel level.
#ifndef MPC_PASSES_KERNEL_PASSES_H
#define MPC_PASSES_KERNEL_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mpc::kernel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Kernel/Passes.h.inc"

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_PASSES_H
