// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Expands ops for which x86 has no instruction.
#ifndef MPC_LIB_CODEGEN_CPU_EXPAND_H
#define MPC_LIB_CODEGEN_CPU_EXPAND_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace mpc::cpu {

/// A pass that expands math functions, arithmetic on f16 or bf16 (computed in
/// f32 and rounded), conversions to bf16, and double rounding.
std::unique_ptr<mlir::Pass> createExpandPass();

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_EXPAND_H
