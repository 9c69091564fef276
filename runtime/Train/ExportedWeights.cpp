// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights and buffers as safetensors.
#include "runtime/Train/ExportedWeights.h"

#include "runtime/Support/Safetensors.h"

#include <vector>

namespace mpc::rt {
namespace {

bool isOfTheModel(const StateTensor &tensor) {
  return tensor.role == StateRole::Parameter ||
         tensor.role == StateRole::Buffer;
}

} // namespace

std::vector<std::string> modelNames(const Program &program) {
  std::vector<std::string> names;
  for (const StateTensor &tensor : program.state)
    if (isOfTheModel(tensor))
      names.push_back(tensor.desc.name);
  return names;
}

Result<std::vector<TensorView>> modelTensors(const Runner &runner) {
  std::vector<TensorView> tensors;
  for (const std::string &name : modelNames(runner.program())) {
    MPC_ASSIGN_OR_RETURN(TensorView view, runner.readState(name));
    tensors.push_back(view);
  }
  return tensors;
}

Status exportWeights(const Runner &runner, const std::string &path) {
  const Program &program = runner.program();
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> tensors, modelTensors(runner));
  for (const auto &[name, parameter] : program.tied) {
    // The program may not use the parameter, or may have another tensor of that
    // name.
    if (!program.findState(parameter) || program.findState(name))
      continue;
    MPC_ASSIGN_OR_RETURN(TensorView view, runner.readState(parameter));
    view.desc.name = name;
    tensors.push_back(view);
  }
  return writeSafetensorsOutput(path, tensors);
}

} // namespace mpc::rt
