// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Offsets in one arena for buffers that live at different times.
#ifndef MPC_PASSES_KERNEL_ARENALAYOUT_H
#define MPC_PASSES_KERNEL_ARENALAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mpc::kernel {

/// Alignment of every buffer, in bytes: a cache line, and a whole vector.
inline constexpr int64_t kBufferAlignment = 64;

/// A range of a buffer that is used from step `first` to step `last`, both
/// included.
struct ArenaPiece {
  int64_t offset = 0; ///< In the buffer.
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
};

/// A buffer: one range of memory, whose pieces are in use at different times. A
/// slab of gradients has a piece for each, which is other memory until that is
/// written.
struct ArenaBuffer {
  int64_t bytes = 0;
  llvm::SmallVector<ArenaPiece, 1> pieces;
  int64_t offset = -1; ///< Set by `layOut`.
};

/// Gives each buffer an offset such that pieces in use at the same time do not
/// overlap. The largest buffers are placed first, each as low as it fits.
/// Returns the size of the arena.
int64_t layOut(llvm::MutableArrayRef<ArenaBuffer> buffers);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_ARENALAYOUT_H
