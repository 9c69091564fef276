// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles steps again during a training.
#include "runtime/Train/Recompiler.h"

#include "runtime/Ranks/Ranks.h"
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

/// Of a divided state each rank sets its own part.
static Status setState(Runner &runner, std::span<const TensorView> state) {
  MPC_RETURN_IF_ERROR(runner.importState(state));
  if (!runner.isDivided())
    return {};
  runner.keepOwnState();
  return runner.derive();
}

Status Recompiler::prepare(const ProbeRequest &step) {
  if (!probe_) {
    MPC_ASSIGN_OR_RETURN(probe_, compile(StepForm::Probe));
  }
  if (!step.state.empty())
    MPC_RETURN_IF_ERROR(setState(*probe_, step.state));
  // A step without scaling has no scaler.
  if (step.scale && probe_->readNumber("scale").ok())
    return probe_->writeNumber("scale", *step.scale);
  return {};
}

/// Gives the other ranks what they must know of the finding of rank 0, which
/// alone tells it: the nodes, each with a null behind it. Only rank 0 has a
/// probe's sites, which are in no program file.
static Status shareGuilty(Ranks &ranks, std::optional<NanFinding> &finding) {
  std::string text;
  if (finding)
    text = std::string(1, '\0');
  for (const std::string &node :
       finding ? finding->guilty : std::vector<std::string>())
    text += node + '\0';
  MPC_RETURN_IF_ERROR(ranks.broadcast(text));
  if (ranks.isFirst() || text.empty())
    return {};
  finding.emplace();
  for (size_t begin = 1, end; begin < text.size(); begin = end + 1) {
    end = text.find('\0', begin);
    finding->guilty.push_back(text.substr(begin, end - begin));
  }
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
  if (!options_.ranks)
    return findFault(entry->sites, largest);
  MPC_ASSIGN_OR_RETURN(std::vector<double> all,
                       options_.ranks->gatherValues(largest));
  std::optional<NanFinding> finding;
  if (options_.ranks->isFirst())
    finding = findFaultOnRanks(entry->sites, all, options_.ranks->size());
  MPC_RETURN_IF_ERROR(shareGuilty(*options_.ranks, finding));
  return finding;
}

Result<std::unique_ptr<Runner>>
Recompiler::keepFp32(const std::vector<std::string> &nodes) {
  keptFp32_ = nodes;
  // The old probe belongs to another step.
  probe_.reset();
  return compile(StepForm::Step);
}

} // namespace mpc::rt
