// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that are compiled again while a training runs.
#include "lib/Driver/NanProbe.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Recipe.h"
#include "lib/Driver/Patterns.h"
#include "runtime/Runner/EntryCall.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/NanJudge.h"

using namespace mlir;
using namespace mpc;

static ImportedModel cloneModule(const ImportedModel &source) {
  ImportedModel model;
  model.module = ModuleOp(source.module.get()).clone();
  return model;
}

Recompiler::Recompiler(const TrainingPlan &plan,
                       rt::RunnerOptions runnerOptions)
    : runnerOptions_(runnerOptions) {
  plan_.options = plan.options;
  plan_.model = cloneModule(plan.model);
  for (const ImportedModel &other : plan.otherShapes)
    plan_.otherShapes.push_back(cloneModule(other));
}

ImportedModel Recompiler::copyModel(const ImportedModel &source) const {
  ImportedModel model = cloneModule(source);
  amp::RecipeOp recipe = amp::findRecipe(*model.module);
  SmallVector<Attribute> patterns(recipe.getKeepFp32().getValue());
  for (const std::string &node : keptFp32_)
    patterns.push_back(
        StringAttr::get(recipe.getContext(), exactPattern(node)));
  recipe.setKeepFp32Attr(ArrayAttr::get(recipe.getContext(), patterns));
  return model;
}

rt::Status Recompiler::compile() {
  auto probe = [&](const ImportedModel &source) {
    ImportedModel model = copyModel(source);
    CompileReport report;
    return compileProbe(model, plan_.options, report);
  };
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compileShapes(plan_, probe));
  MPC_ASSIGN_OR_RETURN(probe_, rt::Runner::create(program, runnerOptions_));
  return {};
}

rt::Status Recompiler::prepare(const rt::ProbeRequest &step) {
  if (!probe_)
    MPC_RETURN_IF_ERROR(compile());
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
  keptFp32_ = nodes;
  // The old one is of another step.
  probe_.reset();
  auto compile = [&](const ImportedModel &source) {
    ImportedModel model = copyModel(source);
    CompileReport report;
    return compileTraining(model, plan_.options, report);
  };
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compileShapes(plan_, compile));
  return rt::Runner::create(program, runnerOptions_);
}
