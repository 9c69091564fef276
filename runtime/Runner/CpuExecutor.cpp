// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of a program on this CPU.
#include "runtime/Runner/CpuExecutor.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>

namespace mpc::rt {

/// Workers' scratch lies pages apart, so that they share no cache line.
static constexpr uint64_t kScratchAlignment = 4096;

Result<std::unique_ptr<Executor>>
CpuExecutor::create(std::shared_ptr<const Program> program, State &state,
                    std::vector<KeptTensor> kept, ExecutorOptions options) {
  std::unique_ptr<CpuExecutor> executor(
      new CpuExecutor(std::move(program), state));
  MPC_RETURN_IF_ERROR(executor->allocate(options));
  for (const Entry &entry : executor->program_->entries)
    executor->plans_.push_back(executor->resolve(entry, kept));
  return std::unique_ptr<Executor>(std::move(executor));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status CpuExecutor::allocate(ExecutorOptions options) {
  MPC_ASSIGN_OR_RETURN(pool_, ThreadPool::create(options.threads));
  const CpuTarget &target = *program_->cpu();
  MPC_ASSIGN_OR_RETURN(code_,
                       LoadedCode::load(target.image.view(), target.imageHash));
  uint64_t arenaBytes = 0;
  for (const Entry &entry : program_->entries)
    arenaBytes = std::max(arenaBytes, entry.arenaBytes);
  MPC_ASSIGN_OR_RETURN(arena_, HostBuffer::allocate(arenaBytes, "the arena"));
  MPC_RETURN_IF_ERROR(allocateScratch());
  for (const Constant &constant : program_->constants)
    MPC_RETURN_IF_ERROR(addConstant(constant));
  return {};
}

Status CpuExecutor::allocateScratch() {
  uint64_t bytes = 0, total = 0;
  for (const Entry &entry : program_->entries)
    for (const Launch &launch : entry.launches)
      bytes = std::max(bytes, launch.command->scratchBytes());
  auto workers = static_cast<uint64_t>(pool_->numWorkers());
  if (__builtin_add_overflow(bytes, kScratchAlignment - 1, &scratchStride_) ||
      __builtin_mul_overflow(scratchStride_ &= ~(kScratchAlignment - 1),
                             workers, &total))
    return invalidInput("program: scratch is too large");
  MPC_ASSIGN_OR_RETURN(scratch_, HostBuffer::allocate(total, "scratch"));
  return {};
}

/// Takes a constant where it lies if it lies well, as in a mapped file.
Status CpuExecutor::addConstant(const Constant &constant) {
  const std::byte *data = constant.bytes.data();
  bool isAligned =
      reinterpret_cast<uintptr_t>(data) % HostBuffer::kAlignment == 0;
  if (constant.bytes.empty() || !isAligned) {
    MPC_ASSIGN_OR_RETURN(
        HostBuffer copy,
        HostBuffer::allocate(constant.bytes.size(),
                             "constant " + quote(constant.name)));
    if (!constant.bytes.empty())
      std::memcpy(copy.data(), data, constant.bytes.size());
    data = copy.data();
    copies_.push_back(std::move(copy));
  }
  constants_.push_back(data);
  return {};
}

void *CpuExecutor::address(const BufferRef &ref) const {
  switch (ref.space) {
  case Space::Arena:
    return arena_.data() + ref.offset;
  case Space::State:
    return state_->slab(ref.index) + ref.offset;
  case Space::Constant:
    // Kernels take one kind of pointer; they do not write to constants.
    return const_cast<std::byte *>(constants_[ref.index]) + ref.offset;
  case Space::Input:
  case Space::Output:
    break;
  }
  return nullptr;
}

CpuExecutor::Plan CpuExecutor::resolve(const Entry &entry,
                                       std::span<const KeptTensor> kept) const {
  Plan plan;
  for (const Launch &launch : entry.launches) {
    plan.first.push_back(plan.pointers.size());
    for (const BufferRef &ref : launch.buffers) {
      if (ref.space == Space::Input || ref.space == Space::Output)
        plan.patches.push_back({plan.pointers.size(), ref});
      plan.pointers.push_back(address(ref));
    }
  }
  for (const KeptTensor &one : kept)
    if (usesSlab(entry, one.tensor->slab))
      plan.kept.push_back(one);
  return plan;
}

bool CpuExecutor::ownsSome(const void *data, size_t bytes) const {
  auto meets = [&](const HostBuffer &own) {
    auto begin = reinterpret_cast<uintptr_t>(data);
    auto ownBegin = reinterpret_cast<uintptr_t>(own.data());
    return begin < ownBegin + own.size() && ownBegin < begin + bytes;
  };
  return meets(arena_) || meets(scratch_);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Status CpuExecutor::enqueue(size_t entryIndex,
                            std::span<const void *const> inputs,
                            std::span<void *const> outputs) {
  const Entry &entry = program_->entries[entryIndex];
  Plan &plan = plans_[entryIndex];
  for (const Patch &patch : plan.patches) {
    const BufferRef &ref = patch.ref;
    // Kernels take one kind of pointer; they do not write to inputs.
    auto *base =
        ref.space == Space::Input
            ? static_cast<char *>(const_cast<void *>(inputs[ref.index]))
            : static_cast<char *>(outputs[ref.index]);
    plan.pointers[patch.pointer] = base + ref.offset;
  }
  for (const KeptTensor &kept : plan.kept)
    std::memcpy(kept.before.data(), state_->bytes(*kept.tensor).data(),
                kept.before.size());
  for (size_t i = 0; i < entry.launches.size(); ++i)
    MPC_RETURN_IF_ERROR(entry.launches[i].command->run(
        entry.launches[i], plan.pointers.data() + plan.first[i], *this));
  ++numRuns_;
  return {};
}

Result<std::vector<float>>
CpuExecutor::timeLaunches(size_t /*entry*/,
                          std::span<const void *const> /*inputs*/) {
  return usageError("launches are timed on a GPU only");
}

} // namespace mpc::rt
