// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the memory of an entry goes to, by the compiler's own plan.
#ifndef MPC_RUNTIME_PROGRAM_MEMORYCLASSES_H
#define MPC_RUNTIME_PROGRAM_MEMORYCLASSES_H

#include "runtime/Program/ArenaMap.h"
#include "runtime/Program/Program.h"

#include <cstdint>

namespace mpc::rt {

/// Bytes. All but `scratch` add up to the state's slabs and the arena.
struct MemoryClasses {
  uint64_t weights = 0;      ///< Parameters: masters, where there are some.
  uint64_t weightCopies = 0; ///< 16-bit copies of them.
  uint64_t moments = 0;      ///< What the optimizer keeps beside them.
  uint64_t otherState = 0;   ///< Statistics, scalars, accumulated gradients.
  /// At the launch with most live values: those that later launches read and
  /// this one does not make: what is kept for the backward pass, and gradients
  /// that wait for their update.
  uint64_t activations = 0;
  uint64_t operands = 0; ///< What that launch itself reads last, or writes.
  uint64_t gaps = 0;     ///< What the plan needs beyond that.
  uint64_t scratch = 0;  ///< Of each worker, beside the arena: the most.
};

/// `map` is that of `entry`, an entry of `program`.
[[nodiscard]] MemoryClasses
classifyMemory(const Program &program, const Entry &entry, const ArenaMap &map);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_MEMORYCLASSES_H
