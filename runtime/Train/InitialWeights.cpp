// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Setting parameters by name from a safetensors file.
#include "runtime/Train/InitialWeights.h"

#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Text.h"

#include <fmt/format.h>

namespace mpc::rt {
namespace {

bool isWeight(const StateTensor *tensor) {
  return tensor && (tensor->role == StateRole::Parameter ||
                    tensor->role == StateRole::Buffer);
}

} // namespace

Result<InitialWeightsReport> loadInitialWeights(Runner &runner,
                                                const std::string &path) {
  MPC_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(path));
  InitialWeightsReport report;
  for (const TensorView &tensor : file.tensors()) {
    if (!isWeight(runner.program().findState(tensor.desc.name))) {
      report.unused.push_back(tensor.desc.name);
      continue;
    }
    Status status = runner.writeState(tensor);
    if (!status.ok())
      return status.withContext(escape(path));
  }
  std::vector<std::string> known;
  for (const StateTensor &tensor : runner.program().state) {
    if (isWeight(&tensor))
      known.push_back(quote(tensor.desc.name));
    if (tensor.role == StateRole::Parameter && !file.find(tensor.desc.name))
      report.missing.push_back(tensor.desc.name);
  }
  if (report.unused.size() == file.tensors().size())
    return invalidInput(fmt::format(
        "{}: holds none of the model's weights: the file has {}; the model "
        "has {}",
        escape(path), file.describe(), joinSome(known)));
  MPC_RETURN_IF_ERROR(runner.derive());
  return report;
}

} // namespace mpc::rt
