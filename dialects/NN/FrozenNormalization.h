// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// nn.frozen: normalizations that compute the same in training as in an
/// evaluation.
#ifndef MPC_DIALECTS_NN_FROZENNORMALIZATION_H
#define MPC_DIALECTS_NN_FROZENNORMALIZATION_H

#include "llvm/ADT/StringRef.h"

namespace mpc::nn {

/// On an nn.batch_norm: its running statistics normalize in training too.
inline constexpr llvm::StringLiteral kFrozen = "nn.frozen";

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_FROZENNORMALIZATION_H
