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

  [[nodiscard]] const Runner &runner() const { return *runner_; }
  /// The entries: what runs on a batch, one for each shape that the program
  /// has, and then what ends a window.
  [[nodiscard]] std::vector<EntryCall> &calls() { return calls_; }
  [[nodiscard]] const std::vector<EntryCall> &calls() const { return calls_; }
  [[nodiscard]] size_t numShapes() const { return numShapes_; }
  /// Number of the first shape that takes these; empty where none does.
  [[nodiscard]] std::optional<size_t>
  findShape(const TensorShapes &shapes) const;
  /// The next batches are of this shape; before the first of all, of shape 0.
  void chooseShape(size_t shape) { shape_ = shape; }
  /// What runs on the next batch; in a step that has begun, on the last one.
  [[nodiscard]] EntryCall &batchCall() { return calls_[shape_]; }
  [[nodiscard]] const EntryCall &batchCall() const { return calls_[shape_]; }
  /// What ends the step: of a step of one batch that which runs on it.
  [[nodiscard]] const EntryCall &lastCall() const {
    return hasWindow() ? calls_.back() : batchCall();
  }
  /// Whether a step is entries for each batch, and one that ends it.
  [[nodiscard]] bool hasWindow() const { return calls_.size() > numShapes_; }

  /// Runs the next batch of the step; of one that has all, an error.
  Status addBatch();
  /// Ends the step, which must have all of its batches.
  Status finish();

  /// Begins a step and goes through with it without waiting: `next` fetches
  /// each batch to where the inputs are, and chooses its shape. settle() waits
  /// for it, before which nothing is known of it.
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
    std::vector<std::optional<size_t>> outputs; ///< Of each shape.
    struct alignas(8) Value {
      std::byte bytes[8];
    };
    std::vector<Value> values;
  };

  StepRun(Runner &runner, int64_t batches)
      : runner_(&runner), batches_(batches) {}
  [[nodiscard]] PerBatch perBatch(std::string_view name) const;
  void redirect(PerBatch &values, size_t batch);
  [[nodiscard]] double sum(PerBatch &values);
  [[nodiscard]] const EntryCall *callThatRan(size_t fromLast) const;

  Runner *runner_;
  int64_t batches_;
  int64_t numAdded_ = 0;
  bool isDone_ = true;
  bool hasBatch_ = false, hasEnded_ = false; ///< What has run for this step.
  double lossSum_ = 0;
  std::vector<EntryCall> calls_;
  size_t numShapes_ = 0, shape_ = 0;
  std::vector<size_t> shapes_; ///< Of each batch of the step that has begun.
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
