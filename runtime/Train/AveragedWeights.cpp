// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Swaps of parameters and averages.
#include "runtime/Train/AveragedWeights.h"

#include <algorithm>

namespace mpc::rt {
namespace {

/// The average of a parameter; null where none is kept.
const StateTensor *averageOf(const Program &program,
                             const StateTensor &parameter) {
  if (parameter.role != StateRole::Parameter)
    return nullptr;
  const StateTensor *average =
      program.findState(parameter.desc.name + std::string(kAverageSuffix));
  return average && average->role == StateRole::Slot ? average : nullptr;
}

} // namespace

bool AveragedWeights::has(const Program &program) {
  return std::any_of(program.state.begin(), program.state.end(),
                     [&](const StateTensor &tensor) {
                       return averageOf(program, tensor) != nullptr;
                     });
}

Status AveragedWeights::save(Runner &runner) {
  saved_.clear();
  for (const StateTensor &tensor : runner.program().state) {
    if (!averageOf(runner.program(), tensor) &&
        tensor.role != StateRole::LowPrecision)
      continue;
    MPC_ASSIGN_OR_RETURN(TensorView view, runner.readState(tensor.desc.name));
    auto *bytes = static_cast<const std::byte *>(view.data);
    saved_.push_back({tensor.desc.name, {bytes, bytes + view.desc.numBytes()}});
  }
  return {};
}

Status AveragedWeights::swapIn(Runner &runner) {
  MPC_RETURN_IF_ERROR(save(runner));
  for (const StateTensor &tensor : runner.program().state) {
    const StateTensor *average = averageOf(runner.program(), tensor);
    if (!average)
      continue;
    MPC_ASSIGN_OR_RETURN(TensorView view, runner.readState(average->desc.name));
    view.desc.name = tensor.desc.name;
    MPC_RETURN_IF_ERROR(runner.writeState(view));
  }
  return runner.derive();
}

Status AveragedWeights::swapOut(Runner &runner) {
  for (const Saved &saved : saved_) {
    MPC_ASSIGN_OR_RETURN(auto memory, runner.editState(saved.name));
    std::copy(saved.bytes.begin(), saved.bytes.end(), memory.begin());
  }
  return {};
}

} // namespace mpc::rt
