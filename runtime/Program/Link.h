// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs of one model for batches of several shapes as one program.
#ifndef MPC_RUNTIME_PROGRAM_LINK_H
#define MPC_RUNTIME_PROGRAM_LINK_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mpc::rt {

/// One program with the entries of all: the first one's, and of each other
/// those that take or return tensors of other shapes. Its state is theirs, and
/// is there once, as are constants that are equal; code is one behind the
/// other. An error where two keep different states, so that one could not go on
/// where the other stood, are for different targets, or have the same shapes.
/// All else, as its protocol, is the first one's.
Result<std::shared_ptr<Program>>
linkPrograms(std::span<const std::shared_ptr<Program>> programs);

/// What linkPrograms() calls an entry of program number `program`, from 0:
/// "step", "step.2".
[[nodiscard]] std::string linkedName(std::string_view entry, size_t program);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_LINK_H
