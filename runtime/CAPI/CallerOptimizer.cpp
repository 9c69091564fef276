// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls an optimizer of the caller's with the results of a step.
#include "runtime/CAPI/CallerOptimizer.h"

#include "runtime/CAPI/Boundary.h"
#include "runtime/CAPI/CallerTensor.h"
#include "runtime/Program/StepNames.h"
#include "runtime/Support/Text.h"

#include <fmt/format.h>
#include <limits>

namespace mpc::rt {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The output of `entry` that is the gradient of parameter `tensor`.
Result<size_t> findGradient(const Entry &entry, std::string_view output,
                            const StateTensor &tensor) {
  for (size_t i = 0; i < entry.outputs.size(); ++i)
    if (const TensorDesc &desc = entry.outputs[i];
        desc.name == output && desc.dtype == DType::F32 &&
        tensor.desc.dtype == DType::F32 && desc.shape == tensor.desc.shape)
      return i;
  return invalidInput(fmt::format("the program's entry {} has no f32 output {} "
                                  "of the shape of parameter {}",
                                  quote(entry.name), quote(output),
                                  quote(tensor.desc.name)));
}

/// The output of the entry that ends the step. It has the same position in the
/// entries of all shapes.
Result<size_t> findGradient(const StepRun &step, std::string_view output,
                            const StateTensor &tensor) {
  MPC_ASSIGN_OR_RETURN(size_t place,
                       findGradient(step.lastCall().entry(), output, tensor));
  for (size_t i = 0; i < step.numShapes() && !step.hasWindow(); ++i) {
    const Entry &entry = step.calls()[i].entry();
    MPC_ASSIGN_OR_RETURN(size_t other, findGradient(entry, output, tensor));
    if (other != place)
      return invalidInput(fmt::format("the program's entry {} has output {} at "
                                      "another place than {}",
                                      quote(entry.name), quote(output),
                                      quote(step.lastCall().entry().name)));
  }
  return place;
}

MpcUpdate updateOf(const StepOutcome &outcome) {
  MpcUpdate update = {};
  update.structSize = sizeof update;
  update.step = outcome.step;
  update.applied = outcome.applied;
  update.scale = outcome.scale.value_or(kNaN);
  update.gradNorm = outcome.gradNorm;
  update.foundInf = outcome.foundInf;
  update.skipped = outcome.skipped;
  return update;
}

} // namespace

Status CallerOptimizer::open(Runner &runner, const StepRun &step) {
  runner_ = &runner;
  step_ = &step;
  const Program &program = runner.program();
  for (const auto &[parameter, gradient] : program.protocol.callerUpdates) {
    const StateTensor *tensor = program.findState(parameter);
    if (!tensor || tensor->role != StateRole::Parameter)
      return invalidInput(fmt::format("the program has no parameter {}, which "
                                      "the caller is to update",
                                      quote(parameter)));
    MPC_ASSIGN_OR_RETURN(size_t output, findGradient(step, gradient, *tensor));
    names_.push_back(parameter.c_str());
    outputs_.push_back(output);
    tensors_.push_back(tensor);
  }
  parameters_.resize(names_.size());
  gradients_.resize(names_.size());
  return {};
}

/// The parameter where the caller is to write it: on the device if it was given
/// to him there. The next run reads what he writes.
Result<DLTensor> CallerOptimizer::parameter(size_t index) const {
  const StateTensor &tensor = *tensors_[index];
  if (!runner_->isHandedOut(tensor)) {
    MPC_ASSIGN_OR_RETURN(std::span<std::byte> memory,
                         runner_->editState(tensor.desc.name));
    return toDLPack(tensor.desc, memory.data());
  }
  MPC_ASSIGN_OR_RETURN(DeviceAddress address,
                       runner_->handOutState(tensor.desc.name));
  return toDLPack(tensor.desc, reinterpret_cast<void *>(address),
                  {kDLCUDA, kDeviceNumber});
}

/// Its gradient where the step has written it.
DLTensor CallerOptimizer::gradient(size_t index) const {
  const EntryCall &call = step_->lastCall();
  const TensorDesc &desc = tensors_[index]->desc;
  size_t output = outputs_[index];
  if (DeviceAddress address = call.deviceOutput(output))
    return toDLPack(desc, reinterpret_cast<void *>(address),
                    {kDLCUDA, kDeviceNumber});
  return toDLPack(desc, call.outputMemory(output));
}

Status CallerOptimizer::set(const MpcOptimizer &optimizer) {
  if (!isNeeded())
    return usageError("the program updates its parameters itself: compile it "
                      "with --optimizer=callback");
  optimizer_ = optimizer;
  return {};
}

Status CallerOptimizer::check() const {
  if (!isNeeded() || optimizer_.update)
    return {};
  return usageError("the program's optimizer is a callback: register one first "
                    "(mpcRunnerSetOptimizer)");
}

Status CallerOptimizer::afterStep(Training & /*training*/, StepReport &report) {
  if (!isNeeded() || (report.outcome.skipped && !optimizer_.onSkipped))
    return {};
  for (size_t i = 0; i < names_.size(); ++i) {
    MPC_ASSIGN_OR_RETURN(parameters_[i], parameter(i));
    gradients_[i] = gradient(i);
  }
  MpcUpdate update = updateOf(report.outcome);
  update.lr = step_->lastCall().number(step::kLearningRate).value_or(kNaN);
  update.numParameters = names_.size();
  update.names = names_.data();
  update.parameters = parameters_.data();
  update.gradients = gradients_.data();
  return takeError(optimizer_.update(optimizer_.context, &update));
}

} // namespace mpc::rt
