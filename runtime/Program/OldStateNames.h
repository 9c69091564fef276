// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The old form of a state: files written before tensors had a role, an owner
/// and a key of their own. Only their names say what they are, and this is the
/// only place that takes such names apart.
#ifndef MPC_RUNTIME_PROGRAM_OLDSTATENAMES_H
#define MPC_RUNTIME_PROGRAM_OLDSTATENAMES_H

#include "runtime/Program/StateRecord.h"

#include <set>
#include <string>
#include <vector>

namespace mpc::rt {

using StateNames = std::set<std::string, std::less<>>;

/// The record of all tensors of a state, from their names. The names do not
/// tell parameters and buffers apart for certain: a tensor with slots is a
/// parameter, and where no tensor has slots, each that is not named as a
/// statistic of a batch normalization.
[[nodiscard]] StateRecord recordOfNames(const StateNames &names);

/// Completes the state of a program file in which no tensor has an owner or a
/// key.
void completeOldState(std::vector<StateTensor> &state);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_OLDSTATENAMES_H
