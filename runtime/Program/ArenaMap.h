// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The contents of an entry's arena over time.
#ifndef MPC_RUNTIME_PROGRAM_ARENAMAP_H
#define MPC_RUNTIME_PROGRAM_ARENAMAP_H

#include "runtime/Program/Program.h"

#include <cstdint>
#include <vector>

namespace mpc::rt {

/// A range of the arena, from the launch that writes it to the last launch that
/// reads it before it is overwritten.
struct ArenaValue {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  size_t first = 0; ///< The index of the launch that writes it.
  size_t last = 0;  ///< The last launch that reads it, not before `first`.
};

struct ArenaMap {
  std::vector<ArenaValue> values; ///< Sorted by `first`, then by offset.
  /// The most bytes that are live at one launch. No plan for this order of
  /// launches can have a smaller arena.
  uint64_t lowerBound = 0;
  size_t fullest = 0; ///< The first launch with so many live bytes.
  /// The bytes among them that earlier launches wrote and later ones read.
  uint64_t waitingBytes = 0;
};

[[nodiscard]] ArenaMap mapArena(const Entry &entry);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_ARENAMAP_H
