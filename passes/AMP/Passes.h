// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Passes on the amp level.
#ifndef MPC_PASSES_AMP_PASSES_H
#define MPC_PASSES_AMP_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mpc::amp {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/AMP/Passes.h.inc"

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_PASSES_H
