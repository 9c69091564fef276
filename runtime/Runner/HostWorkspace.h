// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The resources of runs on a CPU beside the state: threads, the arena and
/// scratch memory. Programs that never run at the same time share them, in the
/// size that the largest program needs.
#ifndef MPC_RUNTIME_RUNNER_HOSTWORKSPACE_H
#define MPC_RUNTIME_RUNNER_HOSTWORKSPACE_H

#include "runtime/Device/CPU/Memory.h"
#include "runtime/Device/CPU/ThreadPool.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace mpc::rt {

class HostWorkspace {
public:
  /// `threads` is the number of workers in all; 0: one for each CPU that the
  /// process may use.
  static Result<std::shared_ptr<HostWorkspace>> create(int threads);

  /// Makes the arena and each worker's scratch memory at least that large. If
  /// they move, their contents are lost. On failure nothing changes.
  Status reserve(uint64_t arenaBytes, uint64_t scratchBytes);

  [[nodiscard]] ThreadPool &pool() const { return *pool_; }
  [[nodiscard]] std::byte *arena() const { return arena_.data(); }
  [[nodiscard]] std::byte *scratch(int worker) const {
    return scratch_.data() + static_cast<uint64_t>(worker) * scratchStride_;
  }
  /// How often the arena has moved. Users that keep addresses in it compare the
  /// number.
  [[nodiscard]] uint64_t numMoves() const { return numMoves_; }
  /// Whether any of these bytes lie in this memory.
  [[nodiscard]] bool meets(const void *data, size_t bytes) const;

private:
  HostWorkspace() = default;

  std::unique_ptr<ThreadPool> pool_;
  HostBuffer arena_, scratch_;
  uint64_t scratchStride_ = 0;
  uint64_t numMoves_ = 0;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_HOSTWORKSPACE_H
