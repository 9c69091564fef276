// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Passes from kernels to loops over vectors and memory.
#ifndef MPC_LIB_CODEGEN_CPU_PASSES_H
#define MPC_LIB_CODEGEN_CPU_PASSES_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mpc::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Codegen/CPU/Passes.h.inc"

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_PASSES_H
