// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// amp.random_state: the state from which the random numbers of a step follow.
#ifndef MPC_DIALECTS_AMP_RANDOMSTATE_H
#define MPC_DIALECTS_AMP_RANDOMSTATE_H

#include "dialects/AMP/AMPDialect.h"

#define GET_OP_CLASSES
#include "dialects/AMP/AMPRandomState.h.inc"

namespace mpc::amp {

/// The name of the hyper-parameter that seeds random numbers.
inline constexpr llvm::StringLiteral kRandomSeed = "random_seed";

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_RANDOMSTATE_H
