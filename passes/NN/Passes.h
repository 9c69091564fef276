// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Passes on the nn level.
#ifndef MPC_PASSES_NN_PASSES_H
#define MPC_PASSES_NN_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mpc::nn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/NN/Passes.h.inc"

} // namespace mpc::nn

#endif // MPC_PASSES_NN_PASSES_H
