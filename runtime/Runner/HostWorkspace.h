// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What runs on a CPU need beside the state: threads, the arena and scratch.
/// Programs that run one at a time have it once, as large as the largest needs.
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
  /// With `threads` workers in all; 0 means one for each CPU that the process
  /// may use.
  static Result<std::shared_ptr<HostWorkspace>> create(int threads);

  /// Makes the arena and each worker's scratch at least as large. What was in
  /// them is lost where they move. Fails without changing anything.
  Status reserve(uint64_t arenaBytes, uint64_t scratchBytes);

  [[nodiscard]] ThreadPool &pool() const { return *pool_; }
  [[nodiscard]] std::byte *arena() const { return arena_.data(); }
  [[nodiscard]] std::byte *scratch(int worker) const {
    return scratch_.data() + static_cast<uint64_t>(worker) * scratchStride_;
  }
  /// How often the arena has moved: who keeps addresses in it looks here.
  [[nodiscard]] uint64_t numMoves() const { return numMoves_; }
  /// Whether any of these bytes are of this memory.
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
