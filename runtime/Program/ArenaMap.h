// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What lives where in an entry's arena, and when.
#ifndef MPC_RUNTIME_PROGRAM_ARENAMAP_H
#define MPC_RUNTIME_PROGRAM_ARENAMAP_H

#include "runtime/Program/Program.h"

#include <cstdint>
#include <vector>

namespace mpc::rt {

/// A range of the arena from the launch that writes it to the last one that
/// reads it before it is overwritten.
struct ArenaValue {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  size_t first = 0; ///< Index of a launch,
  size_t last = 0;  ///< not before `first`.
};

struct ArenaMap {
  std::vector<ArenaValue> values; ///< By `first`, then by offset.
  /// The most bytes that live at one launch: no plan for this order of launches
  /// could do with a smaller arena.
  uint64_t lowerBound = 0;
  size_t fullest = 0; ///< The first launch at which so many live.
  /// Of those, the bytes that launches before it wrote and later ones read.
  uint64_t waitingBytes = 0;
};

[[nodiscard]] ArenaMap mapArena(const Entry &entry);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_ARENAMAP_H
