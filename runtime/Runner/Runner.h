// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the entries of a program and owns the program's state.
#ifndef MPC_RUNTIME_RUNNER_RUNNER_H
#define MPC_RUNTIME_RUNNER_RUNNER_H

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

/// Not for concurrent use; several runners may share one program. It runs on
/// the machine that the program's code is for; the state of one for a GPU lies
/// there while it runs, and comes back when it is asked for.
class Runner {
public:
  /// Checks every place that a launch names, then allocates all memory that
  /// any run needs.
  static Result<std::unique_ptr<Runner>>
  create(std::shared_ptr<const Program> program, RunnerOptions options = {});
  /// A runner on the state of `other`, with its threads and its arena, which
  /// grows to the larger one's: see State::share. What only this program has
  /// begins as its first state says. The two never run at once. Programs for a
  /// CPU only.
  static Result<std::unique_ptr<Runner>>
  createShared(std::shared_ptr<const Program> program, const Runner &other);

  [[nodiscard]] const Program &program() const { return *program_; }
  /// Whether a tensor of the program lies in the memory of another runner's
  /// state, which this one was made of.
  [[nodiscard]] bool sharesState(std::string_view name) const;
  /// What of the device's a user should know, as that it refused machine code.
  [[nodiscard]] std::vector<std::string> warnings() const {
    return executor_->warnings();
  }

  /// Index of the entry for run(); empty where there is none of that name.
  [[nodiscard]] std::optional<size_t> findEntry(std::string_view name) const;

  /// Runs the entry on one pointer for each of its inputs and outputs, in
  /// their order, aligned as their elements, of the sizes that the entry
  /// declares. No output overlaps another tensor or this runner's memory.
  /// Allocates nothing.
  Status run(size_t entry, std::span<const void *const> inputs = {},
             std::span<void *const> outputs = {});
  Status run(std::string_view entry, std::span<const void *const> inputs = {},
             std::span<void *const> outputs = {});

  /// Begins a run, whose outputs are there after wait(). On a CPU the same as
  /// run().
  Status enqueue(size_t entry, std::span<const void *const> inputs = {},
                 std::span<void *const> outputs = {});
  Status wait() { return executor_->wait(); }
  /// See Executor. An error on a CPU.
  Result<std::vector<float>>
  timeLaunches(size_t entry, std::span<const void *const> inputs = {});
  /// Whether a run may still be under way when enqueue() returns.
  [[nodiscard]] bool isAsynchronous() const {
    return executor_->isAsynchronous();
  }
  /// Which run was begun last, and what waits for that one and those before.
  [[nodiscard]] uint64_t lastRun() const { return executor_->numRuns(); }
  Status waitFor(uint64_t run) { return executor_->waitFor(run); }

  /// Whether any of these bytes are this runner's, which a run may write.
  [[nodiscard]] bool ownsSome(const void *data, size_t bytes) const;

  /// See State. After writing parameters, call derive().
  Result<TensorView> readState(std::string_view name) const {
    MPC_RETURN_IF_ERROR(executor_->readState());
    return state_.read(name);
  }
  Status writeState(const TensorView &source);
  /// The memory of a tensor of the state, which does not move. Who changes it
  /// does so between two runs; after parameters, call derive().
  Result<std::span<std::byte>> editState(std::string_view name);
  [[nodiscard]] Result<std::vector<TensorView>> exportState() const {
    MPC_RETURN_IF_ERROR(executor_->readState());
    return state_.exportTensors();
  }
  /// Imports and derives the rest.
  Status importState(std::span<const TensorView> sources);

  /// A number of the state by its short name: a hyper-parameter or setting
  /// ("beta1", "growth_interval"), or what a loss scaler keeps ("scale",
  /// "counter", "skipped_total"). Where there are several scalers or optimizers
  /// theirs is in front: "critic.scale". A state scalar's full name will do.
  [[nodiscard]] Result<double> readNumber(std::string_view name) const;

  /// Sets a hyper-parameter, a setting or "scale", which the next run sees.
  /// Not checked beyond being a number: an interval below the counter is what
  /// the policy makes of it. What else a scaler keeps is its own.
  Status writeNumber(std::string_view name, double value);

  /// PyTorch's `update(new_scale)`: in place of the update that the last step
  /// made. What the step found is dropped and the policy's counter stands
  /// where it stood before; only the counts of steps stay. Where no step has
  /// run since the last call it sets the scale, and that is all. Of several
  /// scalers `scaler` names one.
  Status updateScale(double newScale, std::string_view scaler = {});

  /// Computes what follows from the parameters (low-precision copies) by
  /// running entry "init", where there is one.
  Status derive();

private:
  /// A loss scaler's state vector.
  struct Scaler {
    const StateTensor *tensor;
    std::span<double> now;
    /// The last run that used it; of all runners that share the state.
    std::shared_ptr<std::vector<double>> before;

    void remember() const { before->assign(now.begin(), now.end()); }
  };

  Runner(std::shared_ptr<const Program> program, State state);
  static Result<std::unique_ptr<Runner>>
  make(std::shared_ptr<const Program> program, State state,
       const RunnerOptions &options, const Runner *other);
  Status checkCall(size_t entry, size_t inputs, size_t outputs) const;
  Result<std::span<double>> findNumber(std::string_view name) const;
  void findScalers(const Runner *other);
  const Scaler *findScaler(std::string_view name) const;
  std::optional<std::span<double>> findScalerSlot(std::string_view name) const;

  std::shared_ptr<const Program> program_;
  State state_;
  std::vector<Scaler> scalers_;
  std::unique_ptr<Executor> executor_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_RUNNER_H
