// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Offsets in one arena for buffers that live at different times.
#ifndef MPC_PASSES_KERNEL_ARENALAYOUT_H
#define MPC_PASSES_KERNEL_ARENALAYOUT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace mpc::kernel {

/// Alignment of every buffer, in bytes: a cache line, and a whole vector.
inline constexpr int64_t kBufferAlignment = 64;

/// A buffer that is used from step `first` to step `last`, both included.
struct ArenaBuffer {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
  int64_t offset = -1; ///< Set by `layOut`.
};

/// Gives each buffer an offset such that buffers in use at the same time do not
/// overlap. The largest are placed first, each as low as it fits. Returns the
/// size of the arena.
int64_t layOut(llvm::MutableArrayRef<ArenaBuffer> buffers);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_ARENALAYOUT_H
