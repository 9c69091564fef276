// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the entries of a program on one kind of machine. A new kind of machine
/// is a new class, and a line of createExecutor().
#ifndef MPC_RUNTIME_RUNNER_EXECUTOR_H
#define MPC_RUNTIME_RUNNER_EXECUTOR_H

#include "runtime/Program/Program.h"
#include "runtime/Runner/State.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mpc::rt {

class DeviceWorkspace;
class HostWorkspace;
class LaunchObserver;
class Ranks;

/// The number of the GPU that runs programs.
inline constexpr int kDeviceNumber = 0;

/// The memory of a run's inputs and outputs, in the entry's order.
struct RunMemory {
  /// Addresses on the host; null for what the device has.
  std::span<const void *const> inputs;
  std::span<void *const> outputs;
  /// Addresses in memory of the program's device, 0 for what the host has;
  /// empty where the host has all. An output may have both.
  std::span<const DeviceAddress> deviceInputs = {}, deviceOutputs = {};
};

/// A tensor of the state whose old value is kept: the value before the last run
/// of an entry that uses its slab.
struct KeptTensor {
  const StateTensor *tensor;
  std::span<std::byte> before; ///< The memory for that value.
};

/// Not for concurrent use. The program must have been checked: its launches
/// name places inside of their memory, and commands that this machine can run.
class Executor {
public:
  virtual ~Executor() = default;

  /// Begins a run of entry number `entry`. Inputs are read before the call
  /// returns, or must stay unchanged until wait(). Outputs are written by
  /// wait() at the latest. On a CPU the run is done when the call returns.
  virtual Status enqueue(size_t entry, const RunMemory &memory) = 0;
  /// Waits until all runs are done and their outputs written.
  virtual Status wait() = 0;
  /// Waits for the first `run` runs; later ones go on.
  virtual Status waitFor(uint64_t run) = 0;
  /// The number of runs that have begun.
  [[nodiscard]] virtual uint64_t numRuns() const = 0;
  /// Whether a run may still be under way when enqueue() returns.
  [[nodiscard]] virtual bool isAsynchronous() const = 0;

  /// Updates a slab of the state on the host, and the values kept of it, to the
  /// result of all runs.
  virtual Status readSlab(uint32_t slab) = 0;
  /// As readSlab(). The next run begins with what the caller then writes to
  /// both.
  virtual Status writeSlab(uint32_t slab) = 0;
  /// Ends the caller's writing: memory that handOutSlab() gave has it, too.
  virtual Status finishWriting() = 0;

  /// The first byte of a slab in memory of the device, from now on for others
  /// to read and write between two runs, in the order of the caller's stream.
  virtual Result<DeviceAddress> handOutSlab(uint32_t slab);
  [[nodiscard]] virtual bool isHandedOut(uint32_t /*slab*/) const {
    return false;
  }
  /// The caller's stream; null for CUDA's default stream, which it is at first.
  virtual Status setCallerStream(void *stream);
  /// Fails where these bytes are no memory of the device that a run may use.
  virtual Status checkDeviceMemory(DeviceAddress begin, uint64_t bytes) const;
  /// Copies device memory to `to`, in the order of the caller's stream.
  virtual Status readDevice(std::span<std::byte> to, DeviceAddress from) const;

  /// Has later runs tell `observer` of their launches; null ends that. It must
  /// outlive them. Runs without an observer cost nothing for it; observed ones
  /// have the same results.
  virtual void observe(LaunchObserver *observer) = 0;

  /// Whether any of these bytes belong to this executor, so that a run may
  /// write them.
  [[nodiscard]] virtual bool ownsSome(const void *data, size_t bytes) const = 0;
  /// The executor's workspace on a CPU; null where it does not run on one.
  [[nodiscard]] virtual std::shared_ptr<HostWorkspace> workspace() const {
    return nullptr;
  }
  /// The same on a GPU.
  [[nodiscard]] virtual std::shared_ptr<DeviceWorkspace>
  deviceWorkspace() const {
    return nullptr;
  }
  /// Differences between the program's request and what was possible.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

struct ExecutorOptions {
  /// The number of workers in all; 0: one for each CPU that the process may
  /// use.
  int threads = 0;
  /// The workspace of another runner, whose runs and this one's never overlap;
  /// null for a new one.
  std::shared_ptr<HostWorkspace> workspace = {};
  std::shared_ptr<DeviceWorkspace> deviceWorkspace = {};
  /// See Executor::observe(); null for none.
  LaunchObserver *observer = nullptr;
  /// The ranks of the training; null where this process is alone. It must
  /// outlive all runs.
  Ranks *ranks = nullptr;
};

/// The executor for the program's machine. Allocates all memory that any run
/// needs. `state` must outlive it, and so must the memory that `kept` names.
Result<std::unique_ptr<Executor>>
createExecutor(std::shared_ptr<const Program> program, State &state,
               std::vector<KeptTensor> kept, ExecutorOptions options);

/// Whether `entry` has a buffer in that slab of the state.
[[nodiscard]] bool usesSlab(const Entry &entry, uint32_t slab);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_EXECUTOR_H
