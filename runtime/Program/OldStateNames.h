// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The old form of a state, for files written before tensors had a role, an
/// owner and a key of their own. Such files describe tensors only by their
/// names. No other code takes such names apart.
#ifndef MPC_RUNTIME_PROGRAM_OLDSTATENAMES_H
#define MPC_RUNTIME_PROGRAM_OLDSTATENAMES_H

#include "runtime/Program/StateRecord.h"

#include <set>
#include <string>
#include <vector>

namespace mpc::rt {

using StateNames = std::set<std::string, std::less<>>;

/// The record of all tensors of a state, from their names. Names do not
/// distinguish parameters and buffers for certain: a tensor with slots is a
/// parameter. Where no tensor has slots, every tensor not named like a
/// statistic of a batch normalization is one.
[[nodiscard]] StateRecord recordOfNames(const StateNames &names);

/// Completes the state of a program file in which no tensor has an owner or a
/// key.
void completeOldState(std::vector<StateTensor> &state);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_OLDSTATENAMES_H
