// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that grows to the needs of the largest program.
#include "runtime/Runner/HostWorkspace.h"

namespace mpc::rt {

/// The distance of workers' scratch memory: a page, so that they share no cache
/// line.
static constexpr uint64_t kScratchAlignment = 4096;

Result<std::shared_ptr<HostWorkspace>> HostWorkspace::create(int threads) {
  std::shared_ptr<HostWorkspace> workspace(new HostWorkspace());
  MPC_ASSIGN_OR_RETURN(workspace->pool_, ThreadPool::create(threads));
  return workspace;
}

Status HostWorkspace::reserve(uint64_t arenaBytes, uint64_t scratchBytes) {
  auto workers = static_cast<uint64_t>(pool_->numWorkers());
  uint64_t stride = 0, total = 0;
  if (__builtin_add_overflow(scratchBytes, kScratchAlignment - 1, &stride) ||
      __builtin_mul_overflow(stride &= ~(kScratchAlignment - 1), workers,
                             &total))
    return invalidInput("program: scratch is too large");
  HostBuffer arena, scratch;
  bool growsArena = !arena_.data() || arenaBytes > arena_.size();
  bool growsScratch = !scratch_.data() || stride > scratchStride_;
  if (growsArena) {
    MPC_ASSIGN_OR_RETURN(arena, HostBuffer::allocate(arenaBytes, "the arena"));
  }
  if (growsScratch) {
    MPC_ASSIGN_OR_RETURN(scratch, HostBuffer::allocate(total, "scratch"));
  }
  if (growsArena) {
    arena_ = std::move(arena);
    ++numMoves_;
  }
  if (growsScratch) {
    scratch_ = std::move(scratch);
    scratchStride_ = stride;
  }
  return {};
}

bool HostWorkspace::meets(const void *data, size_t bytes) const {
  return meet(arena_, data, bytes) || meet(scratch_, data, bytes);
}

} // namespace mpc::rt
