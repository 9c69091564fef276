// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One optimizer step after the other by the entries that make it, and what
/// they say of each.
#ifndef MPC_RUNTIME_RUNNER_STEPRUN_H
#define MPC_RUNTIME_RUNNER_STEPRUN_H

#include "runtime/Runner/EntryCall.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// Outputs are scalars by name, all optional: see train().
class StepRun {
public:
  /// A step of `batches`, whose inputs must be set before it runs. `runner`
  /// must outlive this.
  static Result<StepRun> create(Runner &runner, int64_t batches);

  /// The entries: the first runs on each batch, one more ends a window.
  [[nodiscard]] std::vector<EntryCall> &calls() { return calls_; }
  [[nodiscard]] const std::vector<EntryCall> &calls() const { return calls_; }

  /// Runs the next batch of the step; of one that has all, an error.
  Status addBatch();
  /// Ends the step, which must have all of its batches.
  Status finish();

  /// Begins a step and goes through with it without waiting: `next` fetches
  /// each batch to where the inputs are. settle() waits for it, before which
  /// nothing is known of it.
  Status begin(const std::function<Status()> &next);
  Status settle();

  /// Batches of a step, and those that the one at hand has.
  [[nodiscard]] int64_t batches() const { return batches_; }
  [[nodiscard]] int64_t numAdded() const { return numAdded_; }
  /// Whether the next batch begins a step.
  [[nodiscard]] bool isDone() const { return isDone_; }

  /// An output of the last entry that has it, of those that have run for this
  /// step.
  [[nodiscard]] std::optional<TensorView> output(std::string_view name) const;
  /// The same of a scalar.
  [[nodiscard]] std::optional<double> scalar(std::string_view name) const;

  [[nodiscard]] bool skipped() const;
  [[nodiscard]] bool foundInf() const;
  /// The policy has given up.
  [[nodiscard]] bool hasScaleError() const;
  [[nodiscard]] bool hasLoss() const;
  /// The mean over the batches so far; NaN where the step has no loss.
  [[nodiscard]] double meanLoss() const;
  /// The sum over the batches so far of an output that counts, as "underflow";
  /// none for any other.
  [[nodiscard]] std::optional<double> counted(std::string_view name) const;

private:
  /// What each batch of a step says of itself; the output's own memory has
  /// what the last says.
  struct PerBatch {
    std::optional<size_t> output;
    struct alignas(8) Value {
      std::byte bytes[8];
    };
    std::vector<Value> values;
  };

  StepRun(Runner &runner, int64_t batches)
      : runner_(&runner), batches_(batches) {}
  [[nodiscard]] PerBatch perBatch(std::string_view name) const;
  double sum(PerBatch &values);

  Runner *runner_;
  int64_t batches_;
  int64_t numAdded_ = 0;
  bool isDone_ = true;
  size_t numRun_ = 0; ///< Of the calls, for this step.
  double lossSum_ = 0;
  std::vector<EntryCall> calls_;
  PerBatch losses_;
  struct Count {
    std::string_view name;
    PerBatch batches;
    double sum = 0;
  };
  std::vector<Count> counts_;
  uint64_t lastRun_ = 0; ///< Of the step that has begun.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_STEPRUN_H
