// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Passes on the nn level.
#ifndef MPC_PASSES_NN_PASSES_H
#define MPC_PASSES_NN_PASSES_H

#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/AutocastPreset.h"
#include "dialects/NN/Losses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mpc::nn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/NN/Passes.h.inc"

struct AutocastPolicy;

/// nn-autocast by a policy that was read before; `options.policy` only names
/// it.
std::unique_ptr<mlir::Pass>
createAutocastPass(const AutocastPassOptions &options,
                   std::shared_ptr<const AutocastPolicy> policy);

/// nn-find-norms with a function that tells which squares are in f32.
std::unique_ptr<mlir::Pass>
createFindNormsPass(const FindNormsPassOptions &options,
                    std::shared_ptr<const AutocastPolicy> policy);

/// nn-find-attention by a policy that was read before.
std::unique_ptr<mlir::Pass>
createFindAttentionPass(const FindAttentionPassOptions &options,
                        std::shared_ptr<const AutocastPolicy> policy);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_PASSES_H
