// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns batches into steps.
#include "runtime/Train/StepCalls.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Ranks/Ranks.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace mpc::rt {
namespace {

Status checkRate(const Entry &entry) {
  for (const TensorDesc &input : entry.inputs)
    if (step::isRate(input.name) &&
        (input.dtype != DType::F32 || !input.shape.empty()))
      return invalidInput(fmt::format("input {} is {}, expected f32[]",
                                      quote(input.name), toString(input)));
  return {};
}

} // namespace

std::vector<TensorDesc> dataInputs(const Program &program, int64_t accumulate,
                                   const TensorShapes &shapes) {
  std::vector<TensorDesc> inputs;
  for (const Entry *entry : program.stepEntries(accumulate, shapes))
    for (const TensorDesc &desc : entry->inputs)
      if (step::isData(desc.name) &&
          std::none_of(inputs.begin(), inputs.end(),
                       [&](auto &known) { return known.name == desc.name; }))
        inputs.push_back(desc);
  return inputs;
}

TensorShapes batchShapes(const DataLoader &loader, int64_t rows) {
  TensorShapes shapes;
  for (size_t i = 0; i < loader.numInputs(); ++i)
    shapes[loader.input(i).name] = loader.inputOf(i, rows).shape;
  return shapes;
}

/// The address of an input of a step.
const void *StepCalls::place(const TensorDesc &input,
                             const StepRates &rates) const {
  if (input.name == step::kLearningRate)
    return &rates.rate;
  if (input.name == step::kRateAfterSkip)
    return &rates.afterSkip;
  if (input.name == step::kFirstBatch)
    return share_.get();
  const DataLoader &loader = *loader_;
  for (size_t i = 0; i < loader.numInputs(); ++i)
    if (loader.input(i).name == input.name)
      return loader.batch(i);
  return nullptr;
}

StepCalls::Share StepCalls::shareOf(const Runner &runner, int64_t batches) {
  const Ranks *ranks = runner.ranks();
  if (!ranks)
    return {};
  int64_t before = ranks->rank() * batches;
  return {before, ranks->size() * batches - before - batches};
}

Result<StepCalls> StepCalls::bind(Runner &runner, DataLoader &loader,
                                  int64_t accumulate, const StepRates *rates) {
  StepCalls calls(loader);
  *calls.share_ = shareOf(runner, accumulate);
  for (int i = 0; i < (runner.isAsynchronous() ? 2 : 1); ++i) {
    MPC_ASSIGN_OR_RETURN(StepRun step, StepRun::create(runner, accumulate));
    for (EntryCall &call : step.calls()) {
      const std::vector<TensorDesc> &inputs = call.entry().inputs;
      MPC_RETURN_IF_ERROR(checkRate(call.entry()));
      for (size_t k = 0; k < inputs.size(); ++k)
        call.setInput(k, calls.place(inputs[k], *rates));
    }
    calls.steps_.push_back(std::move(step));
  }
  MPC_RETURN_IF_ERROR(calls.findShapes(accumulate));
  calls.findOthers();
  return calls;
}

Status StepCalls::findShapes(int64_t accumulate) {
  const StepRun &step = steps_.front();
  whole_ = rest_ =
      step.findShape(batchShapes(*loader_, loader_->batchSize())).value_or(0);
  int64_t rows = loader_->restRows();
  if (rows == 0)
    return {};
  if (auto shape = step.findShape(batchShapes(*loader_, rows))) {
    rest_ = *shape;
    return {};
  }
  const Program &program = step.runner().program();
  return usageError(fmt::format(
      "--last-batch=smaller: the last batch of an epoch has {} of {} samples, "
      "and the program has no step for that many, only for {}; mpc-compile "
      "--batch-size={},{} makes both",
      rows, loader_->batchSize(),
      describeData(program.batchEntries(accumulate)), loader_->batchSize(),
      rows));
}

void StepCalls::findOthers() {
  // The metrics that have a column of their own, and the columns that no output
  // fills.
  std::set<std::string_view> known = {
      "step",          "step_ms",        step::kLoss,    step::kLearningRate,
      step::kScale,    step::kGoodSteps, step::kSkipped, step::kGradNorm,
      step::kFoundInf, step::kScaleError};
  // Takes the shape of a whole batch. In a smaller batch an output may happen
  // to be one number.
  const StepRun &step = steps_.front();
  for (size_t i = 0; i < step.calls().size(); ++i)
    for (const TensorDesc &output : step.calls()[i].entry().outputs)
      if ((i == whole_ || i >= step.numShapes()) && output.numElements() == 1 &&
          known.insert(output.name).second)
        others_.push_back(output.name);
}

Status StepCalls::fetch(StepRun &step) {
  Ranks *ranks = step.runner().ranks();
  if (ranks)
    ranks->enter(RankPlace::Reading);
  MPC_RETURN_IF_ERROR(loader_->next());
  if (ranks)
    ranks->enter(RankPlace::Computing);
  step.chooseShape(loader_->rows() == loader_->batchSize() ? whole_ : rest_);
  return {};
}

Status StepCalls::begin() {
  StepRun &step = steps_[begin_];
  loader_->skip(share_->before);
  MPC_RETURN_IF_ERROR(step.begin([&] { return fetch(step); }));
  loader_->skip(share_->after);
  begin_ = turn(begin_);
  return {};
}

Status StepCalls::finish() {
  MPC_RETURN_IF_ERROR(steps_[next_].settle());
  next_ = turn(next_);
  return {};
}

std::vector<std::optional<double>> StepCalls::valuesOfOthers() const {
  std::vector<std::optional<double>> values;
  for (const std::string &name : others_)
    values.emplace_back(
        outcome().counted(name).value_or(outcome().scalar(name).value_or(0)));
  return values;
}

} // namespace mpc::rt
