// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the entries of a program and owns the program's state.
#ifndef MPC_RUNTIME_RUNNER_RUNNER_H
#define MPC_RUNTIME_RUNNER_RUNNER_H

#include "runtime/LossScale/Policies.h"
#include "runtime/Program/Program.h"
#include "runtime/Runner/Executor.h"
#include "runtime/Runner/State.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mpc::rt {

using RunnerOptions = ExecutorOptions;

/// A number of a loss scaler's state.
struct ScalerSlot {
  const StateTensor *scaler;
  StateSlot slot;
  double value; ///< The value when the slot was found.
};

/// Not for concurrent use. Several runners may share one program. It runs on
/// the machine for which the program's code was compiled. The state of a
/// program for a GPU lies on the device while it runs, and is copied back when
/// it is asked for.
class Runner {
public:
  /// Checks every memory range that a launch names, and then allocates all
  /// memory that any run needs.
  static Result<std::unique_ptr<Runner>>
  create(std::shared_ptr<const Program> program, RunnerOptions options = {});
  /// A runner that shares the state, threads and arena of `other`; the arena
  /// grows to the larger program's size: see State::share. Tensors that only
  /// this program has begin with their first values. The two must never run at
  /// the same time. Both programs are for CPUs, or both for GPUs.
  static Result<std::unique_ptr<Runner>>
  createShared(std::shared_ptr<const Program> program, const Runner &other);

  [[nodiscard]] const Program &program() const { return *program_; }
  /// Whether a tensor of the program lies in the memory of the other runner
  /// from which this one was made.
  [[nodiscard]] bool sharesState(std::string_view name) const;
  /// Facts about the device that a user should know, as that it refused machine
  /// code.
  [[nodiscard]] std::vector<std::string> warnings() const {
    return executor_->warnings();
  }

  /// The index of the entry for run(); empty where there is none of that name.
  [[nodiscard]] std::optional<size_t> findEntry(std::string_view name) const;

  /// Runs the entry. There is one pointer for each of its inputs and outputs,
  /// in their order, aligned for their elements, to memory of the sizes that
  /// the entry declares. No output may overlap another tensor or this runner's
  /// memory. Allocates nothing.
  Status run(size_t entry, std::span<const void *const> inputs = {},
             std::span<void *const> outputs = {});
  Status run(std::string_view entry, std::span<const void *const> inputs = {},
             std::span<void *const> outputs = {});

  /// Begins a run. Its outputs are there after wait(). On a CPU it is the same
  /// as run().
  Status enqueue(size_t entry, std::span<const void *const> inputs = {},
                 std::span<void *const> outputs = {}) {
    return enqueue(entry, RunMemory{inputs, outputs});
  }
  /// A run of which some tensors may lie in the device's memory: see Executor.
  Status enqueue(size_t entry, const RunMemory &memory);
  Status wait() { return executor_->wait(); }
  /// See Executor.
  void observe(LaunchObserver *observer) { executor_->observe(observer); }
  [[nodiscard]] std::shared_ptr<HostWorkspace> workspace() const {
    return executor_->workspace();
  }
  /// The ranks of the training; null where this process is alone.
  [[nodiscard]] Ranks *ranks() const { return ranks_; }
  /// Whether a run may still be under way when enqueue() returns.
  [[nodiscard]] bool isAsynchronous() const {
    return executor_->isAsynchronous();
  }
  /// The number of the run that began last; and waiting for a run and all
  /// before it.
  [[nodiscard]] uint64_t lastRun() const { return executor_->numRuns(); }
  Status waitFor(uint64_t run) { return executor_->waitFor(run); }

  /// Whether any of these bytes belong to this runner, so that a run may write
  /// them.
  [[nodiscard]] bool ownsSome(const void *data, size_t bytes) const;

  /// See State. After writing parameters, call derive().
  Result<TensorView> readState(std::string_view name) const;
  Status writeState(const TensorView &source);
  /// The memory of a tensor of the state, which never moves. It may be changed
  /// between two runs; after a change of parameters, call derive(). An error
  /// where handOutState() has given it to others.
  Result<std::span<std::byte>> editState(std::string_view name);
  [[nodiscard]] Result<std::vector<TensorView>> exportState() const;
  /// Imports the state and derives the rest, as deriveAlone() does.
  Status importState(std::span<const TensorView> sources);

  /// The address of a tensor of the state in the device's memory, and what else
  /// concerns memory there: see Executor.
  Result<DeviceAddress> handOutState(std::string_view name);
  [[nodiscard]] bool isHandedOut(const StateTensor &tensor) const {
    return executor_->isHandedOut(tensor.slab);
  }
  Status setCallerStream(void *stream) {
    return executor_->setCallerStream(stream);
  }
  [[nodiscard]] Status checkDeviceMemory(DeviceAddress begin,
                                         uint64_t bytes) const {
    return executor_->checkDeviceMemory(begin, bytes);
  }
  Status readDevice(std::span<std::byte> to, DeviceAddress from) const {
    return executor_->readDevice(to, from);
  }

  /// The state as it is divided among ranks: see State.
  [[nodiscard]] bool isDivided() const { return state_.isDivided(); }
  [[nodiscard]] bool isDivided(const StateTensor &tensor) const {
    return state_.isDivided(tensor);
  }
  /// What this rank has of a tensor, after exportState().
  [[nodiscard]] OwnPart ownPart(const StateTensor &tensor) const {
    return state_.ownPart(tensor, ranks_ ? ranks_->rank() : 0);
  }
  /// The same to be written, as editState() gives a whole tensor.
  Result<OwnPart> editOwnPart(const StateTensor &tensor);
  /// Each rank gets the whole of a tensor, until keepOwnState(). All ranks must
  /// call it.
  Status gatherState(const StateTensor &tensor);
  Status collectState();
  Status dealState();
  void keepOwnState() { state_.keepOnly(ranks_->rank()); }

  /// A number of the state by its short name: a hyper-parameter or setting
  /// ("beta1", "growth_interval"), or a number of a loss scaler ("scale",
  /// "counter", "skipped_total"). Where there are several scalers or
  /// optimizers, the name has theirs as a prefix: "critic.scale". A state
  /// scalar's full name works too.
  [[nodiscard]] Result<double> readNumber(std::string_view name) const;

  /// The slot of a loss scaler with such a name; empty for any other name.
  [[nodiscard]] std::optional<ScalerSlot>
  findScalerSlot(std::string_view name) const;

  /// Sets a hyper-parameter, a setting or "scale" for the next run. The value
  /// must be finite and is not checked further: the policy decides what an
  /// interval below the counter means. Other numbers of a scaler cannot be set.
  Status writeNumber(std::string_view name, double value);

  /// PyTorch's `update(new_scale)`, in place of the update that the last step
  /// made. The finding of the step is dropped, and the policy's counter is
  /// restored; only the counts of steps stay. If no step has run since the last
  /// call, only the scale is set. `scaler` names one of several scalers.
  Status updateScale(double newScale, std::string_view scaler = {});

  /// Computes the state that follows from parameters (low-precision copies) by
  /// running entry "init", where there is one. Where the state is divided, all
  /// ranks must call it.
  Status derive();
  /// As derive(), but leaves it to the caller where the state is divided.
  Status deriveAlone() { return isDivided() ? Status() : derive(); }

private:
  /// A loss scaler's state vector.
  struct Scaler {
    const StateTensor *tensor;
    std::span<double> now;
    /// The vector before the last run that used it, by any runner that shares
    /// the state.
    std::shared_ptr<std::vector<double>> before;

    void remember() const { before->assign(now.begin(), now.end()); }
  };

  Runner(std::shared_ptr<const Program> program, State state);
  static Result<std::unique_ptr<Runner>>
  make(std::shared_ptr<const Program> program, State state,
       const RunnerOptions &options, const Runner *other);
  Status checkCall(size_t entry, const RunMemory &memory) const;
  Status readAll() const;
  Status writeAll();
  Result<const StateTensor *> findNumber(std::string_view name) const;
  [[nodiscard]] double &numberIn(const StateTensor &tensor) const;
  void findScalers(const Runner *other);
  const Scaler *findScaler(std::string_view name) const;

  std::shared_ptr<const Program> program_;
  State state_;
  std::vector<Scaler> scalers_;
  Ranks *ranks_ = nullptr;
  std::unique_ptr<Executor> executor_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_RUNNER_H
