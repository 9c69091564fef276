// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges parameters and their averages.
#include "runtime/Train/AveragedWeights.h"

#include <algorithm>

namespace mpc::rt {

bool AveragedWeights::has(const Program &program) {
  return std::any_of(program.state.begin(), program.state.end(),
                     [](const StateTensor &tensor) {
                       return tensor.role == StateRole::Average;
                     });
}

Status AveragedWeights::save(Runner &runner) {
  saved_.clear();
  for (const StateTensor &tensor : runner.program().state) {
    bool isCopy = tensor.role == StateRole::LowPrecision;
    if (!isCopy && tensor.role != StateRole::Average)
      continue;
    const std::string &name = isCopy ? tensor.desc.name : tensor.owner;
    MPC_ASSIGN_OR_RETURN(TensorView view, runner.readState(name));
    auto *bytes = static_cast<const std::byte *>(view.data);
    saved_.push_back({name, {bytes, bytes + view.desc.numBytes()}});
  }
  return {};
}

Status AveragedWeights::swapIn(Runner &runner) {
  MPC_RETURN_IF_ERROR(save(runner));
  for (const StateTensor &tensor : runner.program().state) {
    if (tensor.role != StateRole::Average)
      continue;
    MPC_ASSIGN_OR_RETURN(TensorView view, runner.readState(tensor.desc.name));
    view.desc.name = tensor.owner;
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
