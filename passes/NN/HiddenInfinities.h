// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Infinities that 16 bits alone make and that what reads them hides.
#ifndef MPC_PASSES_NN_HIDDENINFINITIES_H
#define MPC_PASSES_NN_HIDDENINFINITIES_H

#include "passes/NN/AutocastDecisions.h"

namespace mpc::nn {

/// Looks at what `decisions` mean for the ops of `function`, before a cast is
/// made. An op that runs in a low type of a smaller range than f32's, may
/// overflow, and is followed, by way of ops that pass an infinity on, by one
/// that hides it, would give wrong numbers without a trace: 1 / x^2 is 0 where
/// x is 300 in f16.
///
/// Where the policy is open these ops, up to the one that hides it, are decided
/// to stay in f32. Where a flag, a rule or another system decides, the last of
/// them get the attribute nn.hidden_infinity, which names what hides them.
/// What may have grown too large is kept out of the hands of
/// nn-simplify-casts, too.
void keepInfinitiesVisible(mlir::func::FuncOp function, Numbers numbers,
                           Decisions &decisions);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_HIDDENINFINITIES_H
