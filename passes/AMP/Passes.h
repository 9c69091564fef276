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

/// On each result of a probed entry: which value it is of, as amp-add-probes
/// says.
inline constexpr llvm::StringLiteral kSiteAttrName = "amp.site";

/// Whether `function` is what entries are made of, by its name.
bool isModel(mlir::func::FuncOp function);
/// Whether `function` is run from outside: public, with a body, and no model.
bool isEntry(mlir::func::FuncOp function);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_PASSES_H
