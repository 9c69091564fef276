// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Infinities that arise in 16 bits but not in f32, and that later ops hide.
#ifndef MPC_PASSES_NN_HIDDENINFINITIES_H
#define MPC_PASSES_NN_HIDDENINFINITIES_H

#include "passes/NN/AutocastDecisions.h"

namespace mpc::nn {

/// Examines the effect of `decisions` on the ops of `function`, before any cast
/// is made. Consider an op that runs in a low type with a smaller range than
/// f32's, and that may overflow. If ops after it pass the infinity on to an op
/// that hides it, the result would be wrong without a trace: 1 / x^2 is 0 where
/// x is 300 in f16.
///
/// Where the policy is open, these ops, up to the one that hides the infinity,
/// stay in f32. Where a flag, a rule or another system decides, the last of
/// them get the attribute nn.hidden_infinity, which names the op that hides it.
/// Ops on numbers that may have grown too large are kept from nn-simplify-casts
/// too.
void keepInfinitiesVisible(mlir::func::FuncOp function, Numbers numbers,
                           Decisions &decisions);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_HIDDENINFINITIES_H
