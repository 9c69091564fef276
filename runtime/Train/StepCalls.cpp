// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From batches to a row of metrics.
#include "runtime/Train/StepCalls.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace mpc::rt {
namespace {

/// What amp-count-underflow adds.
constexpr std::string_view kUnderflow = "underflow";

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Status checkRate(const Entry &entry) {
  for (const TensorDesc &input : entry.inputs)
    if (input.name == kLearningRate &&
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
      if (desc.name != kLearningRate &&
          std::none_of(inputs.begin(), inputs.end(),
                       [&](auto &known) { return known.name == desc.name; }))
        inputs.push_back(desc);
  return inputs;
}

Result<StepCalls> StepCalls::bind(Runner &runner, DataLoader &loader,
                                  int64_t accumulate, const float *lr) {
  const Program &program = runner.program();
  std::vector<const Entry *> entries = program.stepEntries(accumulate);
  if (entries.empty())
    return invalidInput(fmt::format(
        "the program has no {}",
        accumulate > 1 ? "entries 'accumulate' and 'apply'" : "entry 'step'"));
  std::vector<TensorDesc> inputs = dataInputs(program, accumulate);
  StepCalls calls(loader, accumulate);
  for (const Entry *entry : entries) {
    MPC_RETURN_IF_ERROR(checkRate(*entry));
    auto find = [&](const TensorDesc &input) -> const void * {
      if (input.name == kLearningRate)
        return lr;
      auto known = std::find_if(
          inputs.begin(), inputs.end(),
          [&](const TensorDesc &desc) { return desc.name == input.name; });
      return loader.batch(static_cast<size_t>(known - inputs.begin()));
    };
    MPC_ASSIGN_OR_RETURN(EntryCall call, EntryCall::bind(runner, *entry, find));
    calls.calls_.push_back(std::move(call));
  }
  calls.findOthers();
  return calls;
}

void StepCalls::findOthers() {
  // Metrics that have a column of their own, and columns that no output fills.
  std::set<std::string, std::less<>> known = {
      "step",    "loss",      "lr",      "scale",     "good_steps",
      "skipped", "grad_norm", "step_ms", "found_inf", "scale_error"};
  for (const EntryCall &call : calls_)
    for (const TensorDesc &output : call.entry().outputs)
      if (output.numElements() == 1 && known.insert(output.name).second)
        others_.push_back(output.name);
}

Status StepCalls::run(MetricsRow &row) {
  row.loss = 0;
  double underflow = 0;
  for (int64_t i = 0; i < accumulate_; ++i) {
    MPC_RETURN_IF_ERROR(loader_->next());
    MPC_RETURN_IF_ERROR(calls_[0].run());
    row.loss += calls_[0].scalar("loss").value_or(kNaN);
    underflow += calls_[0].scalar(kUnderflow).value_or(0);
  }
  row.loss /= static_cast<double>(accumulate_);
  for (size_t i = 1; i < calls_.size(); ++i)
    MPC_RETURN_IF_ERROR(calls_[i].run());
  row.scale = output("scale").value_or(1);
  row.goodSteps = output("good_steps").value_or(0);
  row.gradNorm = output("grad_norm").value_or(kNaN);
  row.skipped = skipped();
  row.others.clear();
  for (const std::string &name : others_)
    row.others.push_back(name == kUnderflow ? underflow
                                            : output(name).value_or(0));
  return {};
}

std::optional<double> StepCalls::output(std::string_view name) const {
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call)
    if (auto value = call->scalar(name))
      return value;
  return std::nullopt;
}

bool StepCalls::foundInf() const {
  return output("found_inf").value_or(0) != 0;
}

bool StepCalls::skipped() const {
  return output("skipped").value_or(foundInf()) != 0;
}

bool StepCalls::hasScaleError() const {
  return output("scale_error").value_or(0) != 0;
}

bool StepCalls::hasLoss() const { return calls_[0].scalar("loss").has_value(); }

} // namespace mpc::rt
