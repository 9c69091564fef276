// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How the memory of an entry is used, by the compiler's own plan.
#ifndef MPC_RUNTIME_PROGRAM_MEMORYCLASSES_H
#define MPC_RUNTIME_PROGRAM_MEMORYCLASSES_H

#include "runtime/Program/ArenaMap.h"
#include "runtime/Program/Program.h"

#include <cstdint>

namespace mpc::rt {

/// Numbers of bytes. All except `scratch` add up to the state's slabs and the
/// arena.
struct MemoryClasses {
  uint64_t weights = 0;      ///< Parameters: the masters, where there are some.
  uint64_t weightCopies = 0; ///< 16-bit copies of them.
  uint64_t moments = 0;      ///< The state that optimizers keep for parameters.
  uint64_t otherState = 0;   ///< Statistics, scalars, accumulated gradients.
  /// At the launch with the most live bytes: values of earlier launches for
  /// later ones. They are kept for the backward pass, or are gradients that
  /// wait for their update.
  uint64_t activations = 0;
  /// Values that this launch itself reads last, or writes.
  uint64_t operands = 0;
  uint64_t gaps = 0; ///< Bytes of the arena beyond those at this launch.
  /// The most workspace of a worker, which is outside of the arena.
  uint64_t scratch = 0;
};

/// `map` is the map of `entry`, an entry of `program`.
[[nodiscard]] MemoryClasses
classifyMemory(const Program &program, const Entry &entry, const ArenaMap &map);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_MEMORYCLASSES_H
