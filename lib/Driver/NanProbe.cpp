// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that are compiled again while a training runs.
#include "lib/Driver/NanProbe.h"

#include "runtime/Runner/EntryCall.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/NanJudge.h"

using namespace mpc;

Recompiler::Recompiler(CompileRequest request, rt::RunnerOptions runnerOptions)
    : request_(std::move(request)), runnerOptions_(runnerOptions) {
  request_.usesCache = request_.explains = false;
}

rt::Result<std::unique_ptr<rt::Runner>> Recompiler::compile(ProgramKind kind) {
  request_.kind = kind;
  CompileReport report;
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compileProgram(request_, report));
  return rt::Runner::create(program, runnerOptions_);
}

rt::Status Recompiler::prepare(const rt::ProbeRequest &step) {
  if (!probe_) {
    MPC_ASSIGN_OR_RETURN(probe_, compile(ProgramKind::Probe));
  }
  rt::Runner &runner = *probe_;
  if (!step.state.empty())
    MPC_RETURN_IF_ERROR(runner.importState(step.state));
  // A step that does not scale has no scaler.
  if (step.scale && runner.readNumber("scale").ok())
    return runner.writeNumber("scale", *step.scale);
  return {};
}

rt::Result<std::optional<rt::NanFinding>>
Recompiler::find(const rt::ProbeRequest &step) {
  MPC_RETURN_IF_ERROR(prepare(step));
  rt::Runner &runner = *probe_;
  const rt::Entry *entry = runner.program().findEntry(step.entry);
  if (!entry)
    return rt::internalError("the probe has no entry " + rt::quote(step.entry));
  auto findInput = [&](const rt::TensorDesc &input) {
    return step.input(input.name);
  };
  MPC_ASSIGN_OR_RETURN(rt::EntryCall call,
                       rt::EntryCall::bind(runner, *entry, findInput));
  MPC_RETURN_IF_ERROR(call.run());
  std::vector<double> largest;
  for (const rt::TensorView &output : call.outputs())
    largest.push_back(output.desc.dtype == rt::DType::F64
                          ? *static_cast<const double *>(output.data)
                          : *static_cast<const float *>(output.data));
  return rt::findFault(entry->sites, largest);
}

rt::Result<std::unique_ptr<rt::Runner>>
Recompiler::keepFp32(const std::vector<std::string> &nodes) {
  request_.keptFp32 = nodes;
  // The old one is of another step.
  probe_.reset();
  return compile(ProgramKind::Step);
}
