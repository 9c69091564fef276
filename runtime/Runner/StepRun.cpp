// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which entry runs when, and whose output counts.
#include "runtime/Runner/StepRun.h"

#include "runtime/Program/StepNames.h"

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
  for (const Entry *entry : entries) {
    MPC_ASSIGN_OR_RETURN(EntryCall call, EntryCall::create(runner, *entry));
    run.calls_.push_back(std::move(call));
  }
  run.losses_ = run.perBatch(step::kLoss);
  for (std::string_view name : {step::kUnderflow, step::kHiddenInfinities})
    run.counts_.push_back({name, run.perBatch(name)});
  return run;
}

StepRun::PerBatch StepRun::perBatch(std::string_view name) const {
  return {calls_[0].findScalar(name),
          std::vector<PerBatch::Value>(static_cast<size_t>(batches_))};
}

Status StepRun::addBatch() {
  if (!isDone_ && numAdded_ == batches_)
    return usageError(fmt::format(
        "the step has all of its {} batches: apply it first", batches_));
  if (isDone_) {
    numAdded_ = 0;
    lossSum_ = 0;
    for (Count &count : counts_)
      count.sum = 0;
  }
  MPC_RETURN_IF_ERROR(calls_[0].run());
  isDone_ = false;
  numRun_ = 1;
  ++numAdded_;
  lossSum_ += calls_[0].scalar(step::kLoss).value_or(kNaN);
  for (Count &count : counts_)
    count.sum += calls_[0].scalar(count.name).value_or(0);
  return {};
}

Status StepRun::finish() {
  if (isDone_ || numAdded_ < batches_)
    return usageError(fmt::format("the step has {} of its {} batches",
                                  isDone_ ? 0 : numAdded_, batches_));
  for (size_t i = 1; i < calls_.size(); ++i)
    MPC_RETURN_IF_ERROR(calls_[i].run());
  numRun_ = calls_.size();
  isDone_ = true;
  return {};
}

Status StepRun::begin(const std::function<Status()> &next) {
  EntryCall &batch = calls_[0];
  for (size_t i = 0; i < losses_.values.size(); ++i) {
    MPC_RETURN_IF_ERROR(next());
    if (losses_.output)
      batch.setOutput(*losses_.output, losses_.values[i].bytes);
    for (Count &count : counts_)
      if (count.batches.output)
        batch.setOutput(*count.batches.output, count.batches.values[i].bytes);
    MPC_RETURN_IF_ERROR(batch.enqueue());
  }
  for (size_t i = 1; i < calls_.size(); ++i)
    MPC_RETURN_IF_ERROR(calls_[i].enqueue());
  lastRun_ = runner_->lastRun();
  return {};
}

double StepRun::sum(PerBatch &values) {
  double sum = 0;
  for (PerBatch::Value &value : values.values) {
    calls_[0].setOutput(*values.output, value.bytes);
    sum += *calls_[0].scalar(calls_[0].entry().outputs[*values.output].name);
  }
  return sum;
}

Status StepRun::settle() {
  MPC_RETURN_IF_ERROR(runner_->waitFor(lastRun_));
  lossSum_ = losses_.output ? sum(losses_) : kNaN;
  for (Count &count : counts_)
    count.sum = count.batches.output ? sum(count.batches) : 0;
  numAdded_ = batches_;
  numRun_ = calls_.size();
  isDone_ = true;
  return {};
}

std::optional<double> StepRun::counted(std::string_view name) const {
  for (const Count &count : counts_)
    if (count.name == name)
      return count.sum;
  return std::nullopt;
}

std::optional<TensorView> StepRun::output(std::string_view name) const {
  for (size_t i = numRun_; i-- > 0;)
    if (auto view = calls_[i].output(name))
      return view;
  return std::nullopt;
}

std::optional<double> StepRun::scalar(std::string_view name) const {
  for (size_t i = numRun_; i-- > 0;)
    if (auto value = calls_[i].scalar(name))
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
  return lossSum_ / static_cast<double>(numAdded_);
}

} // namespace mpc::rt
