// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which entry runs when, and whose output counts.
#include "runtime/Runner/StepRun.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Ranks/Ranks.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace mpc::rt {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

Result<StepRun> StepRun::create(Runner &runner, int64_t batches) {
  std::vector<const Entry *> entries = runner.program().stepEntries(batches);
  if (entries.empty())
    return invalidInput(fmt::format(
        "the program has no {}",
        batches > 1 ? "entries 'accumulate' and 'apply'" : "entry 'step'"));
  StepRun run(runner, batches);
  std::vector<const Entry *> all = runner.program().batchEntries(batches);
  run.numShapes_ = all.size();
  all.insert(all.end(), entries.begin() + 1, entries.end());
  for (const Entry *entry : all) {
    MPC_ASSIGN_OR_RETURN(EntryCall call, EntryCall::create(runner, *entry));
    run.calls_.push_back(std::move(call));
  }
  run.shapes_.resize(static_cast<size_t>(batches));
  run.losses_ = run.perBatch(step::kLoss);
  for (std::string_view name : {step::kUnderflow, step::kHiddenInfinities})
    run.counts_.push_back({name, run.perBatch(name)});
  return run;
}

StepRun::PerBatch StepRun::perBatch(std::string_view name) const {
  PerBatch batches{{},
                   std::vector<PerBatch::Value>(static_cast<size_t>(batches_))};
  for (size_t shape = 0; shape < numShapes_; ++shape)
    batches.outputs.push_back(calls_[shape].findScalar(name));
  return batches;
}

std::optional<size_t> StepRun::findShape(const TensorShapes &shapes) const {
  for (size_t shape = 0; shape < numShapes_; ++shape)
    if (calls_[shape].entry().takes(shapes))
      return shape;
  return std::nullopt;
}

Status StepRun::addBatch() {
  if (isFull())
    return usageError(fmt::format(
        "the step has all of its {} batches: apply it first", batches_));
  if (isDone_) {
    numAdded_ = 0;
    ownLosses_.clear();
    lossSum_ = 0;
    for (Count &count : counts_)
      count.sum = 0;
  }
  MPC_RETURN_IF_ERROR(batchCall().run());
  isDone_ = false;
  hasBatch_ = true;
  hasEnded_ = false;
  numSummed_ = ++numAdded_;
  ownLosses_.push_back(batchCall().scalar(step::kLoss).value_or(kNaN));
  lossSum_ += ownLosses_.back();
  for (Count &count : counts_)
    count.sum += batchCall().scalar(count.name).value_or(0);
  return {};
}

Status StepRun::finish() {
  if (!isFull())
    return usageError(fmt::format("the step has {} of its {} batches",
                                  isDone_ ? 0 : numAdded_, batches_));
  for (size_t i = numShapes_; i < calls_.size(); ++i)
    MPC_RETURN_IF_ERROR(calls_[i].run());
  MPC_RETURN_IF_ERROR(addOtherRanks());
  isDone_ = hasEnded_ = true;
  return {};
}

/// Sums up the losses of all batches in the order of the ranks, and their
/// counts.
Status StepRun::addOtherRanks() {
  Ranks *ranks = runner_->ranks();
  if (!ranks)
    return {};
  std::vector<double> own = ownLosses_;
  for (const Count &count : counts_)
    own.push_back(count.sum);
  MPC_ASSIGN_OR_RETURN(std::vector<double> all, ranks->gatherValues(own));
  lossSum_ = 0;
  for (Count &count : counts_)
    count.sum = 0;
  for (size_t first = 0; first < all.size(); first += own.size()) {
    for (size_t i = 0; i < ownLosses_.size(); ++i)
      lossSum_ += all[first + i];
    for (size_t i = 0; i < counts_.size(); ++i)
      counts_[i].sum += all[first + ownLosses_.size() + i];
  }
  numSummed_ = batches_ * ranks->size();
  return {};
}

/// Makes the next run write its results for this batch there.
void StepRun::redirect(PerBatch &values, size_t batch) {
  if (std::optional<size_t> output = values.outputs[shape_])
    batchCall().setOutput(*output, values.values[batch].bytes);
}

Status StepRun::begin(const std::function<Status()> &next) {
  for (size_t i = 0; i < shapes_.size(); ++i) {
    MPC_RETURN_IF_ERROR(next());
    shapes_[i] = shape_;
    redirect(losses_, i);
    for (Count &count : counts_)
      redirect(count.batches, i);
    MPC_RETURN_IF_ERROR(batchCall().enqueue());
  }
  for (size_t i = numShapes_; i < calls_.size(); ++i)
    MPC_RETURN_IF_ERROR(calls_[i].enqueue());
  lastRun_ = runner_->lastRun();
  return {};
}

/// Adds an output's value of each batch; NaN where the step has no such output.
void StepRun::addValues(PerBatch &values, std::vector<double> &all) {
  for (size_t i = 0; i < values.values.size(); ++i) {
    EntryCall &call = calls_[shapes_[i]];
    std::optional<size_t> output = values.outputs[shapes_[i]];
    if (output)
      call.setOutput(*output, values.values[i].bytes);
    all.push_back(output ? *call.scalar(call.entry().outputs[*output].name)
                         : kNaN);
  }
}

/// Sums up the values of all batches, in the batches' order, which is that of
/// the ranks.
Status StepRun::sumOverRanks() {
  std::vector<double> values;
  addValues(losses_, values);
  for (Count &count : counts_)
    addValues(count.batches, values);
  values.push_back(ownShared_);
  size_t perRank = values.size();
  if (Ranks *ranks = runner_->ranks()) {
    MPC_ASSIGN_OR_RETURN(values, ranks->gatherValues(values));
  }
  auto batches = static_cast<size_t>(batches_);
  auto sum = [&](size_t first) {
    double total = 0;
    for (; first < values.size(); first += perRank)
      for (size_t batch = 0; batch < batches; ++batch)
        total += values[first + batch];
    return total;
  };
  largestShared_ = 0;
  for (size_t last = perRank; last <= values.size(); last += perRank)
    largestShared_ = std::max(largestShared_, values[last - 1]);
  lossSum_ = sum(0);
  for (size_t i = 0; i < counts_.size(); ++i)
    counts_[i].sum = counts_[i].batches.outputs[0] ? sum((i + 1) * batches) : 0;
  numSummed_ = static_cast<int64_t>(values.size() / perRank) * batches_;
  return {};
}

Status StepRun::settle() {
  MPC_RETURN_IF_ERROR(runner_->waitFor(lastRun_));
  MPC_RETURN_IF_ERROR(sumOverRanks());
  numAdded_ = batches_;
  shape_ = shapes_.back();
  isDone_ = hasBatch_ = hasEnded_ = true;
  return {};
}

/// The call that ran `fromLast` calls before the last one of this step; null
/// where there were fewer.
const EntryCall *StepRun::callThatRan(size_t fromLast) const {
  size_t ends = hasEnded_ ? calls_.size() - numShapes_ : 0;
  if (fromLast < ends)
    return &calls_[calls_.size() - 1 - fromLast];
  return fromLast == ends && hasBatch_ ? &batchCall() : nullptr;
}

std::optional<double> StepRun::counted(std::string_view name) const {
  for (const Count &count : counts_)
    if (count.name == name)
      return count.sum;
  return std::nullopt;
}

std::optional<TensorView> StepRun::output(std::string_view name) const {
  for (size_t i = 0; const EntryCall *call = callThatRan(i); ++i)
    if (auto view = call->output(name))
      return view;
  return std::nullopt;
}

std::optional<double> StepRun::scalar(std::string_view name) const {
  for (size_t i = 0; const EntryCall *call = callThatRan(i); ++i)
    if (auto value = call->scalar(name))
      return value;
  return std::nullopt;
}

bool StepRun::foundInf() const {
  return scalar(step::kFoundInf).value_or(0) != 0;
}

bool StepRun::skipped() const {
  return scalar(step::kSkipped).value_or(foundInf()) != 0;
}

bool StepRun::hasScaleError() const {
  return scalar(step::kScaleError).value_or(0) != 0;
}

bool StepRun::hasLoss() const {
  return calls_[0].scalar(step::kLoss).has_value();
}

double StepRun::meanLoss() const {
  return lossSum_ / static_cast<double>(numSummed_);
}

} // namespace mpc::rt
