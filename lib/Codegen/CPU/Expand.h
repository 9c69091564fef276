// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Replaces what x86 has no instruction for.
#ifndef MPC_LIB_CODEGEN_CPU_EXPAND_H
#define MPC_LIB_CODEGEN_CPU_EXPAND_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace mpc::cpu {

/// A pass that leaves no math function, no arithmetic on f16 or bf16 (it is
/// done in f32 and rounded), no conversion to bf16, and no rounding twice.
std::unique_ptr<mlir::Pass> createExpandPass();

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_EXPAND_H
