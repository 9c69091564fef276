// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From batches to a row of metrics.
#include "runtime/Train/StepCalls.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <limits>
#include <set>

namespace mpc::rt {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Status checkRate(const Entry &entry) {
  for (const TensorDesc &input : entry.inputs)
    if (input.name == step::kLearningRate &&
        (input.dtype != DType::F32 || !input.shape.empty()))
      return invalidInput("input 'lr' is " + toString(input) +
                          ", expected f32[]");
  return {};
}

} // namespace

std::vector<TensorDesc> dataInputs(const Program &program, int64_t accumulate) {
  std::vector<TensorDesc> inputs;
  for (const Entry *entry : program.stepEntries(accumulate))
    for (const TensorDesc &desc : entry->inputs)
      if (desc.name != step::kLearningRate &&
          std::none_of(inputs.begin(), inputs.end(),
                       [&](auto &known) { return known.name == desc.name; }))
        inputs.push_back(desc);
  return inputs;
}

/// Where an input of a step lies.
static const void *place(const TensorDesc &input,
                         const std::vector<TensorDesc> &data,
                         const DataLoader &loader, const float *lr) {
  if (input.name == step::kLearningRate)
    return lr;
  auto known =
      std::find_if(data.begin(), data.end(), [&](const TensorDesc &desc) {
        return desc.name == input.name;
      });
  return loader.batch(static_cast<size_t>(known - data.begin()));
}

Result<StepCalls> StepCalls::bind(Runner &runner, DataLoader &loader,
                                  int64_t accumulate, const StepRates *rates) {
  std::vector<TensorDesc> data = dataInputs(runner.program(), accumulate);
  StepCalls calls(loader);
  for (int i = 0; i < (runner.isAsynchronous() ? 2 : 1); ++i) {
    MPC_ASSIGN_OR_RETURN(StepRun step, StepRun::create(runner, accumulate));
    for (EntryCall &call : step.calls()) {
      const std::vector<TensorDesc> &inputs = call.entry().inputs;
      MPC_RETURN_IF_ERROR(checkRate(call.entry()));
      for (size_t k = 0; k < inputs.size(); ++k)
        call.setInput(k, place(inputs[k], data, loader, &rates->rate));
      call.setRateAfterSkip(&rates->afterSkip);
    }
    calls.steps_.push_back(std::move(step));
  }
  calls.findOthers();
  return calls;
}

void StepCalls::findOthers() {
  // Metrics that have a column of their own, and columns that no output fills.
  std::set<std::string_view> known = {
      "step",          "step_ms",        step::kLoss,    step::kLearningRate,
      step::kScale,    step::kGoodSteps, step::kSkipped, step::kGradNorm,
      step::kFoundInf, step::kScaleError};
  for (const EntryCall &call : steps_.front().calls())
    for (const TensorDesc &output : call.entry().outputs)
      if (output.numElements() == 1 && known.insert(output.name).second)
        others_.push_back(output.name);
}

Status StepCalls::begin() {
  MPC_RETURN_IF_ERROR(steps_[begin_].begin([this] { return loader_->next(); }));
  begin_ = turn(begin_);
  return {};
}

Status StepCalls::finish(MetricsRow &row) {
  StepRun &step = steps_[next_];
  MPC_RETURN_IF_ERROR(step.settle());
  next_ = turn(next_);
  row.loss = step.meanLoss();
  row.scale = step.scalar(step::kScale).value_or(1);
  row.goodSteps = step.scalar(step::kGoodSteps).value_or(0);
  row.gradNorm = step.scalar(step::kGradNorm).value_or(kNaN);
  row.skipped = step.skipped();
  row.others.clear();
  for (const std::string &name : others_)
    row.others.push_back(
        step.counted(name).value_or(step.scalar(name).value_or(0)));
  return {};
}

} // namespace mpc::rt
