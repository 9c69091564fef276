// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of a program on this CPU.
#include "runtime/Runner/CpuExecutor.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>

namespace mpc::rt {

Result<std::unique_ptr<Executor>>
CpuExecutor::create(std::shared_ptr<const Program> program, State &state,
                    std::vector<KeptTensor> kept, ExecutorOptions options) {
  std::unique_ptr<CpuExecutor> executor(
      new CpuExecutor(std::move(program), state, options.ranks));
  MPC_RETURN_IF_ERROR(executor->allocate(options));
  for (const Entry &entry : executor->program_->entries)
    executor->addPlan(entry, kept);
  executor->resolve();
  return std::unique_ptr<Executor>(std::move(executor));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status CpuExecutor::allocate(const ExecutorOptions &options) {
  workspace_ = options.workspace;
  if (!workspace_) {
    MPC_ASSIGN_OR_RETURN(workspace_, HostWorkspace::create(options.threads));
  }
  const CpuTarget &target = *program_->cpu();
  MPC_ASSIGN_OR_RETURN(code_,
                       LoadedCode::load(target.image.view(), target.imageHash));
  for (const Constant &constant : program_->constants)
    MPC_RETURN_IF_ERROR(addConstant(constant));
  return reserve();
}

Status CpuExecutor::reserve() {
  uint64_t arenaBytes = 0, scratchBytes = 0;
  for (const Entry &entry : program_->entries) {
    arenaBytes = std::max(arenaBytes, entry.arenaBytes);
    for (const Launch &launch : entry.launches)
      scratchBytes = std::max(scratchBytes, launch.command->scratchBytes());
  }
  return workspace_->reserve(arenaBytes, scratchBytes);
}

/// Uses a constant in place if it is aligned there, as in a mapped file.
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
    return workspace_->arena() + ref.offset;
  case Space::State:
    return state_->part(ref.index, ranks_ ? ranks_->rank() : 0) + ref.offset;
  case Space::Constant:
    // Kernels take only one kind of pointer. They never write to constants.
    return const_cast<std::byte *>(constants_[ref.index]) + ref.offset;
  case Space::Input:
  case Space::Output:
    break;
  }
  return nullptr;
}

void CpuExecutor::addPlan(const Entry &entry,
                          std::span<const KeptTensor> kept) {
  Plan &plan = plans_.emplace_back();
  for (const Launch &launch : entry.launches) {
    plan.first.push_back(plan.pointers.size());
    if (moved_.size() < launch.buffers.size())
      moved_.resize(launch.buffers.size());
    for (const BufferRef &ref : launch.buffers) {
      if (ref.space == Space::Input || ref.space == Space::Output)
        plan.patches.push_back({plan.pointers.size(), ref});
      plan.pointers.push_back(nullptr);
    }
  }
  for (const KeptTensor &one : kept)
    if (usesSlab(entry, one.tensor->slab))
      plan.kept.push_back(one);
}

/// Stores the addresses that no run changes.
void CpuExecutor::resolve() {
  numMoves_ = workspace_->numMoves();
  for (size_t i = 0; i < plans_.size(); ++i) {
    size_t next = 0;
    for (const Launch &launch : program_->entries[i].launches)
      for (const BufferRef &ref : launch.buffers)
        plans_[i].pointers[next++] = address(ref);
  }
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Status CpuExecutor::enqueue(size_t entryIndex, const RunMemory &memory) {
  if (numMoves_ != workspace_->numMoves())
    resolve();
  const Entry &entry = program_->entries[entryIndex];
  Plan &plan = plans_[entryIndex];
  for (const Patch &patch : plan.patches) {
    const BufferRef &ref = patch.ref;
    // Kernels take only one kind of pointer. They never write to inputs.
    auto *base =
        ref.space == Space::Input
            ? static_cast<char *>(const_cast<void *>(memory.inputs[ref.index]))
            : static_cast<char *>(memory.outputs[ref.index]);
    plan.pointers[patch.pointer] = base + ref.offset;
  }
  for (const KeptTensor &kept : plan.kept)
    std::memcpy(kept.before.data(), state_->bytes(*kept.tensor).data(),
                kept.before.size());
  MPC_RETURN_IF_ERROR(observer_ ? runObserved(entryIndex, plan)
                                : runLaunches(entry, plan));
  ++numRuns_;
  return {};
}

/// The pointers of launch `number` at turn `turn` of its loop.
void *const *CpuExecutor::pointersAt(const Entry &entry, const Plan &plan,
                                     size_t number, uint64_t turn) {
  void *const *first = plan.pointers.data() + plan.first[number];
  if (turn == 0)
    return first;
  const std::vector<BufferRef> &buffers = entry.launches[number].buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    moved_[i] =
        static_cast<char *>(first[i]) +
        static_cast<int64_t>(buffers[i].offsetAt(turn) - buffers[i].offset);
  return moved_.data();
}

Status CpuExecutor::runLaunches(const Entry &entry, const Plan &plan) {
  return entry.forEachRun([&](size_t i, uint64_t turn) {
    return entry.launches[i].command->run(
        entry.launches[i], pointersAt(entry, plan, i, turn), *this);
  });
}

/// As runLaunches(), with a clock around each launch and each worker's chunks.
Status CpuExecutor::runObserved(size_t entryIndex, const Plan &plan) {
  const Entry &entry = program_->entries[entryIndex];
  observer_->beginRun(program_, entryIndex, steadyNow());
  MPC_RETURN_IF_ERROR(entry.forEachRun([&](size_t i, uint64_t turn) -> Status {
    timed_->reset();
    Nanoseconds begin = steadyNow();
    MPC_RETURN_IF_ERROR(entry.launches[i].command->run(
        entry.launches[i], pointersAt(entry, plan, i, turn), *timed_));
    observer_->addLaunch(i, {begin, steadyNow(), timed_->times()});
    return {};
  }));
  observer_->endRun(steadyNow());
  return {};
}

void CpuExecutor::observe(LaunchObserver *observer) {
  observer_ = observer;
  if (observer && !timed_)
    timed_.emplace(static_cast<HostMachine &>(*this),
                   workspace_->pool().numWorkers());
}

} // namespace mpc::rt
