// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the entries of a program on this CPU. Buffers are resolved to addresses
/// once, and a run goes through the launches.
#ifndef MPC_RUNTIME_RUNNER_CPUEXECUTOR_H
#define MPC_RUNTIME_RUNNER_CPUEXECUTOR_H

#include "runtime/Device/CPU/LoadedCode.h"
#include "runtime/Device/CPU/Memory.h"
#include "runtime/Program/Machines.h"
#include "runtime/Runner/Executor.h"
#include "runtime/Runner/HostWorkspace.h"
#include "runtime/Runner/TimedMachine.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mpc::rt {

class CpuExecutor final : public Executor, private HostMachine {
public:
  static Result<std::unique_ptr<Executor>>
  create(std::shared_ptr<const Program> program, State &state,
         std::vector<KeptTensor> kept, ExecutorOptions options);

  /// Allocates nothing.
  Status enqueue(size_t entry, const RunMemory &memory) override;
  Status wait() override { return {}; }
  Status waitFor(uint64_t /*run*/) override { return {}; }
  [[nodiscard]] uint64_t numRuns() const override { return numRuns_; }
  [[nodiscard]] bool isAsynchronous() const override { return false; }
  // Runs work on the state in place.
  Status readSlab(uint32_t /*slab*/) override { return {}; }
  Status writeSlab(uint32_t /*slab*/) override { return {}; }
  Status finishWriting() override { return {}; }
  void observe(LaunchObserver *observer) override;
  [[nodiscard]] bool ownsSome(const void *data, size_t bytes) const override {
    return workspace_->meets(data, bytes);
  }
  [[nodiscard]] std::shared_ptr<HostWorkspace> workspace() const override {
    return workspace_;
  }

private:
  /// A pointer that each run sets from its arguments.
  struct Patch {
    size_t pointer;
    BufferRef ref;
  };
  /// An entry with its buffers resolved to addresses.
  struct Plan {
    std::vector<void *> pointers;
    /// The index in `pointers` of each launch's first pointer.
    std::vector<size_t> first;
    std::vector<Patch> patches;
    /// The kept tensors that the entry may change.
    std::vector<KeptTensor> kept;
  };

  CpuExecutor(std::shared_ptr<const Program> program, State &state,
              Ranks *ranks)
      : program_(std::move(program)), state_(&state), ranks_(ranks) {}
  Status allocate(const ExecutorOptions &options);
  Status reserve();
  Status addConstant(const Constant &constant);
  void addPlan(const Entry &entry, std::span<const KeptTensor> kept);
  void resolve();
  void *const *pointersAt(const Entry &entry, const Plan &plan, size_t number,
                          uint64_t turn);
  Status runLaunches(const Entry &entry, const Plan &plan);
  Status runObserved(size_t entry, const Plan &plan);
  [[nodiscard]] void *address(const BufferRef &ref) const;

  void share(Chunks chunks, Body body, void *context) override {
    workspace_->pool().run(chunks, body, context);
  }
  [[nodiscard]] KernelFunction code(uint64_t offset) const override {
    return code_.at<KernelFunction>(offset);
  }
  [[nodiscard]] std::byte *scratch(int worker) const override {
    return workspace_->scratch(worker);
  }
  [[nodiscard]] Ranks *ranks() const override { return ranks_; }

  std::shared_ptr<const Program> program_;
  State *state_;
  LoadedCode code_;
  /// One arena serves all entries, which never run at the same time.
  std::shared_ptr<HostWorkspace> workspace_;
  /// The arena's number of moves when addresses were resolved.
  uint64_t numMoves_ = 0;
  std::vector<const std::byte *> constants_;
  /// Copies of constants that are not aligned.
  std::vector<HostBuffer> copies_;
  std::vector<Plan> plans_;
  /// The pointers of a launch in a later turn of its loop.
  std::vector<void *> moved_;
  uint64_t numRuns_ = 0;
  Ranks *ranks_;                       ///< Null where this process is alone.
  LaunchObserver *observer_ = nullptr; ///< The observer of runs, or null.
  std::optional<TimedMachine> timed_;  ///< Empty until runs are observed.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_CPUEXECUTOR_H
