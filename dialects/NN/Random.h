// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ops that draw random numbers. They have a header of their own, since few
/// files need them.
#ifndef MPC_DIALECTS_NN_RANDOM_H
#define MPC_DIALECTS_NN_RANDOM_H

#include "dialects/NN/NNDialect.h"

#include "dialects/NN/NNRandomInterface.h.inc"

#define GET_OP_CLASSES
#include "dialects/NN/NNRandomOps.h.inc"

namespace mpc::nn {

/// On a function's argument: which input of a draw it is.
inline constexpr llvm::StringLiteral kRandom = "nn.random";
inline constexpr llvm::StringLiteral kRandomParts[] = {"key", "step", "batch"};

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_RANDOM_H
