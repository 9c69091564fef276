// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The entries of one optimizer step, bound to a loader's batches.
#ifndef MPC_RUNTIME_TRAIN_STEPCALLS_H
#define MPC_RUNTIME_TRAIN_STEPCALLS_H

#include "runtime/Runner/StepRun.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Data.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpc::rt {

/// The inputs that training takes from the data: all but rates. `shapes` says
/// which where the program has several; see Program::findEntry().
[[nodiscard]] std::vector<TensorDesc>
dataInputs(const Program &program, int64_t accumulate = 1,
           const TensorShapes &shapes = {});

/// The shapes of the batches that a loader has: whole ones, and of `rows`
/// samples.
[[nodiscard]] TensorShapes batchShapes(const DataLoader &loader, int64_t rows);

/// The learning rate of a step that begins.
struct StepRates {
  float rate = 0;
  /// The same, unless a step is under way whose outcome is not known: then of a
  /// step behind one that is skipped. See Entry::choosesRate().
  float afterSkip = 0;
};

class StepCalls {
public:
  /// A step of `accumulate` batches of `loader`, which is open for dataInputs()
  /// of the program, at `*rates`. All must outlive this. An error where the
  /// program has no step for a smaller batch that the loader has.
  static Result<StepCalls> bind(Runner &runner, DataLoader &loader,
                                int64_t accumulate, const StepRates *rates);

  /// Begins a step, of which two may be under way where the runner is
  /// asynchronous.
  Status begin();
  /// Waits for the oldest step under way: the mean loss and the sum of
  /// underflows over its batches, of all else the last.
  Status finish();

  /// What the entries say of the step that was finished last.
  [[nodiscard]] const StepRun &outcome() const { return steps_[turn(next_)]; }
  /// Scalars of no column of their own, which all rows have.
  [[nodiscard]] const std::vector<std::string> &others() const {
    return others_;
  }
  /// Their values, of that step.
  [[nodiscard]] std::vector<std::optional<double>> valuesOfOthers() const;

private:
  explicit StepCalls(DataLoader &loader) : loader_(&loader) {}
  /// The step whose turn it is after `step`; of two also the one before.
  [[nodiscard]] size_t turn(size_t step) const {
    return (step + 1) % steps_.size();
  }
  void findOthers();
  Status findShapes(int64_t accumulate);
  Status fetch(StepRun &step);

  DataLoader *loader_;
  size_t whole_ = 0, rest_ = 0; ///< Shapes of StepRun.
  std::vector<StepRun> steps_;  ///< As many as may be under way; in turns.
  size_t begin_ = 0, next_ = 0; ///< Which begins next, and which ends.
  std::vector<std::string> others_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_STEPCALLS_H
