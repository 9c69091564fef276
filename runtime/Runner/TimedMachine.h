// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A CPU that measures how long each of its workers is busy with a command.
#ifndef MPC_RUNTIME_RUNNER_TIMEDMACHINE_H
#define MPC_RUNTIME_RUNNER_TIMEDMACHINE_H

#include "runtime/Program/Machines.h"
#include "runtime/Runner/LaunchObserver.h"

#include <span>
#include <vector>

namespace mpc::rt {

/// Commands run here as on the machine behind it, to the same bits.
class TimedMachine final : public HostMachine {
public:
  /// `machine` must outlive this object.
  TimedMachine(HostMachine &machine, int workers)
      : machine_(machine), slots_(static_cast<size_t>(workers)),
        times_(slots_.size()) {}

  /// Forgets the times so far.
  void reset();
  /// The times since reset(), by worker, valid until the next call.
  [[nodiscard]] std::span<const WorkerTime> times();

  void share(Chunks chunks, Body body, void *context) override;
  [[nodiscard]] KernelFunction code(uint64_t offset) const override {
    return machine_.code(offset);
  }
  [[nodiscard]] std::byte *scratch(int worker) const override {
    return machine_.scratch(worker);
  }
  [[nodiscard]] Ranks *ranks() const override { return machine_.ranks(); }

private:
  /// The time of a worker, in a cache line of its own.
  struct alignas(64) Slot {
    WorkerTime time;
  };

  HostMachine &machine_;
  std::vector<Slot> slots_;
  std::vector<WorkerTime> times_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_TIMEDMACHINE_H
