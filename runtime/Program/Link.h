// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Links programs of one model, for batches of several shapes, to one program.
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

/// One program with the entries of all: those of the first, and from each other
/// program the entries that take or return tensors of other shapes. All share
/// one state, and equal constants are stored once. The code of programs is one
/// after the other. An error where two programs have different states, so that
/// one could not continue from the other's; where they are for different
/// targets; or where they have the same shapes. All else, as the protocol,
/// comes from the first program.
Result<std::shared_ptr<Program>>
linkPrograms(std::span<const std::shared_ptr<Program>> programs);

/// The name that linkPrograms() gives an entry of program number `program`,
/// counted from 0: "step", "step.2".
[[nodiscard]] std::string linkedName(std::string_view entry, size_t program);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_LINK_H
