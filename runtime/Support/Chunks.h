// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The independent parts of a loop that workers share.
#ifndef MPC_RUNTIME_SUPPORT_CHUNKS_H
#define MPC_RUNTIME_SUPPORT_CHUNKS_H

#include <cstdint>

namespace mpc::rt {

/// Chunks 0 to `count`.
struct Chunks {
  int64_t count = 0;
  /// So many neighbours, from each multiple of it on, are cheaper when one
  /// worker has all of them. Few workers take such tiles whole, and many share
  /// them.
  int64_t tile = 1;

  /// Plain chunks are a number.
  Chunks(int64_t count, int64_t tile = 1) : count(count), tile(tile) {}
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_CHUNKS_H
