// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles steps again during a training.
#include "runtime/Train/Recompiler.h"

#include "runtime/Runner/EntryCall.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/NanJudge.h"

namespace mpc::rt {

Result<std::unique_ptr<Runner>> Recompiler::compile(StepForm form) {
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<const Program> program,
                       recompile_(form, keptFp32_));
  RunnerOptions options = options_;
  // A probe is no run of the training.
  if (form == StepForm::Probe)
    options.observer = nullptr;
  return Runner::create(std::move(program), options);
}

Status Recompiler::prepare(const ProbeRequest &step) {
  if (!probe_) {
    MPC_ASSIGN_OR_RETURN(probe_, compile(StepForm::Probe));
  }
  if (!step.state.empty())
    MPC_RETURN_IF_ERROR(probe_->importState(step.state));
  // A step without scaling has no scaler.
  if (step.scale && probe_->readNumber("scale").ok())
    return probe_->writeNumber("scale", *step.scale);
  return {};
}

Result<std::optional<NanFinding>> Recompiler::find(const ProbeRequest &step) {
  MPC_RETURN_IF_ERROR(prepare(step));
  const Entry *entry = probe_->program().findEntry(step.entry);
  if (!entry)
    return internalError("the probe has no entry " + quote(step.entry));
  auto findInput = [&](const TensorDesc &input) {
    return step.input(input.name);
  };
  MPC_ASSIGN_OR_RETURN(EntryCall call,
                       EntryCall::bind(*probe_, *entry, findInput));
  MPC_RETURN_IF_ERROR(call.run());
  std::vector<double> largest;
  for (const TensorView &output : call.outputs())
    largest.push_back(output.desc.dtype == DType::F64
                          ? *static_cast<const double *>(output.data)
                          : *static_cast<const float *>(output.data));
  return findFault(entry->sites, largest);
}

Result<std::unique_ptr<Runner>>
Recompiler::keepFp32(const std::vector<std::string> &nodes) {
  keptFp32_ = nodes;
  // The old probe belongs to another step.
  probe_.reset();
  return compile(StepForm::Step);
}

} // namespace mpc::rt
