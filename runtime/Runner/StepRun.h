// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs one optimizer step after the other by its entries, and gives the
/// results of each.
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

/// Outputs are scalars by name. All are optional: see train().
class StepRun {
public:
  /// A step of `batches`, whose inputs must be set before it runs. `runner`
  /// must outlive this object.
  static Result<StepRun> create(Runner &runner, int64_t batches);

  [[nodiscard]] const Runner &runner() const { return *runner_; }
  /// The entries: those that run on a batch, one for each shape of the program,
  /// and then the one that ends a window.
  [[nodiscard]] std::vector<EntryCall> &calls() { return calls_; }
  [[nodiscard]] const std::vector<EntryCall> &calls() const { return calls_; }
  [[nodiscard]] size_t numShapes() const { return numShapes_; }
  /// The number of the first shape that takes `shapes`; empty where none does.
  [[nodiscard]] std::optional<size_t>
  findShape(const TensorShapes &shapes) const;
  /// Sets the shape of the next batches. It is 0 at first.
  void chooseShape(size_t shape) { shape_ = shape; }
  /// The call for the next batch; in a step that has begun, that for the last
  /// one.
  [[nodiscard]] EntryCall &batchCall() { return calls_[shape_]; }
  [[nodiscard]] const EntryCall &batchCall() const { return calls_[shape_]; }
  /// The call that ends the step. In a step of one batch, that is the batch's
  /// own.
  [[nodiscard]] const EntryCall &lastCall() const {
    return hasWindow() ? calls_.back() : batchCall();
  }
  /// Whether a step has entries for each batch and one that ends it.
  [[nodiscard]] bool hasWindow() const { return calls_.size() > numShapes_; }

  /// Runs the next batch of the step; an error if the step has all its batches.
  Status addBatch();
  /// Ends the step, which must have all its batches.
  Status finish();

  /// Begins a step and runs all of it without waiting. `next` fetches each
  /// batch to the inputs' memory, and chooses its shape. settle() waits for the
  /// step, which has no results before.
  Status begin(const std::function<Status()> &next);
  Status settle();

  /// The number of batches of a step, and of those in the current one.
  [[nodiscard]] int64_t batches() const { return batches_; }
  [[nodiscard]] int64_t numAdded() const { return numAdded_; }
  /// Whether the next batch begins a step.
  [[nodiscard]] bool isDone() const { return isDone_; }
  /// Whether the step has all of its batches, and only its end is left.
  [[nodiscard]] bool isFull() const {
    return !isDone_ && numAdded_ == batches_;
  }

  /// An output of the step: of the entries that have run for it, the last one
  /// with such an output counts.
  [[nodiscard]] std::optional<TensorView> output(std::string_view name) const;
  /// A scalar output of the step, found in the same way.
  [[nodiscard]] std::optional<double> scalar(std::string_view name) const;

  [[nodiscard]] bool skipped() const;
  [[nodiscard]] bool foundInf() const;
  /// Whether the policy has given up.
  [[nodiscard]] bool hasScaleError() const;
  [[nodiscard]] bool hasLoss() const;
  /// The mean over the batches so far, those of all ranks in a step that is
  /// settled; NaN where the step has no loss.
  [[nodiscard]] double meanLoss() const;
  /// The sum, over the same batches, of an output that counts, as "underflow";
  /// empty for any other output.
  [[nodiscard]] std::optional<double> counted(std::string_view name) const;

  /// A number that goes to all ranks with the losses of a step, when it is
  /// settled; and the largest that any rank had for the last one.
  void setShared(double own) { ownShared_ = own; }
  [[nodiscard]] double largestShared() const { return largestShared_; }

private:
  /// An output of each batch of a step. The output's own memory has the value
  /// of the last batch only.
  struct PerBatch {
    /// The output's index for each shape.
    std::vector<std::optional<size_t>> outputs;
    struct alignas(8) Value {
      std::byte bytes[8];
    };
    std::vector<Value> values;
  };

  StepRun(Runner &runner, int64_t batches)
      : runner_(&runner), batches_(batches) {}
  [[nodiscard]] PerBatch perBatch(std::string_view name) const;
  void redirect(PerBatch &values, size_t batch);
  void addValues(PerBatch &values, std::vector<double> &all);
  Status sumOverRanks();
  Status addOtherRanks();
  [[nodiscard]] const EntryCall *callThatRan(size_t fromLast) const;

  Runner *runner_;
  int64_t batches_;
  int64_t numAdded_ = 0;
  bool isDone_ = true;
  /// What has run for this step: a batch, and the end.
  bool hasBatch_ = false, hasEnded_ = false;
  double ownShared_ = 0, largestShared_ = 0;
  std::vector<double> ownLosses_; ///< Of this rank's batches so far.
  double lossSum_ = 0;
  int64_t numSummed_ = 0; ///< The batches in that sum.
  std::vector<EntryCall> calls_;
  size_t numShapes_ = 0, shape_ = 0;
  std::vector<size_t> shapes_; ///< The shape of each batch of the current step.
  PerBatch losses_;
  struct Count {
    std::string_view name;
    PerBatch batches;
    double sum = 0;
  };
  std::vector<Count> counts_;
  uint64_t lastRun_ = 0; ///< The number of the current step's last run.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_STEPRUN_H
