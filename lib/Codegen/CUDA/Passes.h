// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Passes from kernels to CUDA C++.
#ifndef MPC_LIB_CODEGEN_CUDA_PASSES_H
#define MPC_LIB_CODEGEN_CUDA_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mpc::cuda {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Codegen/CUDA/Passes.h.inc"

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_PASSES_H
