// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What runs the entries of a program on one kind of machine. A new kind of
/// machine is a class of its own, and a line of createExecutor().
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

class HostWorkspace;

/// A tensor of the state whose value from before the last run of an entry that
/// uses its slab is to be had again.
struct KeptTensor {
  const StateTensor *tensor;
  std::span<std::byte> before; ///< Where that value goes.
};

/// Not for concurrent use. The program is one that was checked: its launches
/// name places inside of their memory, and commands that this machine runs.
class Executor {
public:
  virtual ~Executor() = default;

  /// Begins a run of the entry of that number. Inputs are read before this
  /// returns, or lie still until wait(); outputs are written by wait() at the
  /// latest. On a CPU the run is done when this returns.
  virtual Status enqueue(size_t entry, std::span<const void *const> inputs,
                         std::span<void *const> outputs) = 0;
  /// Waits until all runs are done and their outputs written.
  virtual Status wait() = 0;
  /// The same of the first `run` runs; later ones go on.
  virtual Status waitFor(uint64_t run) = 0;
  /// How many have begun.
  [[nodiscard]] virtual uint64_t numRuns() const = 0;
  /// Whether a run may still be under way when enqueue() returns.
  [[nodiscard]] virtual bool isAsynchronous() const = 0;

  /// Makes the state, and what is kept of it, what the runs have made of it.
  virtual Status readState() = 0;
  /// The same; and the next run begins with what the caller then makes of both.
  virtual Status writeState() = 0;

  /// A run whose launches are waited for one by one: milliseconds of each. Its
  /// outputs are dropped.
  virtual Result<std::vector<float>>
  timeLaunches(size_t entry, std::span<const void *const> inputs) = 0;
  /// Whether any of these bytes are this executor's own, which a run may write.
  [[nodiscard]] virtual bool ownsSome(const void *data, size_t bytes) const = 0;
  /// What it needs of a CPU; null where it runs on none.
  [[nodiscard]] virtual std::shared_ptr<HostWorkspace> workspace() const {
    return nullptr;
  }
  /// What went otherwise than the program would have it.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

struct ExecutorOptions {
  /// Workers in all; 0 means one for each CPU that the process may use.
  int threads = 0;
  /// Of a runner whose runs and this one's are never under way at once; null
  /// for one of its own.
  std::shared_ptr<HostWorkspace> workspace = {};
};

/// The executor for the machine that the program is for. Allocates all memory
/// that any run needs. `state` outlives it, and so does what `kept` names.
Result<std::unique_ptr<Executor>>
createExecutor(std::shared_ptr<const Program> program, State &state,
               std::vector<KeptTensor> kept, ExecutorOptions options);

/// Whether `entry` has a buffer in that slab of the state.
[[nodiscard]] bool usesSlab(const Entry &entry, uint32_t slab);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_EXECUTOR_H
