// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-eval: runs one evaluation of a model, with its loss and gradients.
#include "lib/Driver/Flags/ImportFlags.h"
#include "lib/Driver/Flags/RecipeFlags.h"
#include "runtime/CommandLine/EvalFlags.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/Validators.h"

using namespace mpc;

namespace {

struct Flags {
  CompileRequest request;
  rt::EvaluationRequest run;
  std::string explainPath; ///< "-" is standard output; empty: none.
};

/// Adds the flags on what is evaluated.
void addModelFlags(CLI::App &app, Flags &flags) {
  using namespace rt::flag_group;
  CompileRequest &request = flags.request;
  app.add_option("model", request.modelPath,
                 "MODEL.onnx, MODEL.pt2 or FILE.mlir")
      ->required()
      ->group(kInput);
  rt::addEvaluationFlags(app, flags.run);
  app.add_option("--init", flags.run.initPath,
                 "weights by name (default: the model's own)")
      ->type_name("FILE.safetensors")
      ->group(kInput);
  addInputShapeFlag(app, request.import);
  addRoleFlags(app, request.import);
  addModeFlags(app, request.import);
  addOpLibraryFlag(app, request.import);
  addBatchSizeFlag(app, request.import);
  addClauseFlags(app, request.recipe, amp::Section::Loss);
  app.add_flag("--gradients", request.gradients,
               "also write grad.<parameter> of the loss")
      ->group(kInput);
  app.add_flag("--training", request.training,
               "as a training step computes it: dropout drops, normalizations "
               "use statistics of the batch, and stat.<buffer> is what running "
               "ones become")
      ->group(kInput);
  addClauseFlags(app, request.recipe, amp::Section::Mode);
  app.add_option("--seed", request.seed,
                 "seed of random numbers, which are those of a first step "
                 "(default: 0)")
      ->type_name("N")
      ->check(rt::wholeNumber(0))
      ->group(kInput);
}

/// Adds the flags on how it is compiled and run.
void addTargetFlags(CLI::App &app, Flags &flags) {
  using namespace rt::flag_group;
  CompileRequest &request = flags.request;
  mpc::addTargetFlags(app, request.target);
  app.add_option("--threads", flags.run.runner.threads,
                 "worker threads (default: one a CPU)")
      ->check(rt::wholeNumber(1))
      ->type_name("N")
      ->group(kTarget);
  // The flag takes a value only after "=", so that a file may follow it.
  app.add_flag("--explain{-}", flags.explainPath,
               "which op got which precision, by which rule, and the cost of "
               "each cast; .html and .json by the name (default: stdout)")
      ->type_name("[=FILE]")
      ->group(kDebugging);
}

void addFlags(CLI::App &app, Flags &flags) {
  addModelFlags(app, flags);
  addClauseFlags(app, flags.request.recipe, amp::Section::Precision);
  addTargetFlags(app, flags);
}

rt::Status checkFlags(const Flags &flags) {
  bool evaluates =
      !flags.run.outputsPath.empty() || !flags.run.expectPath.empty();
  if (!evaluates && flags.explainPath.empty())
    return rt::usageError(
        "nothing to do: give --outputs or --expect, or --explain");
  if (evaluates && flags.run.inputsPath.empty())
    return rt::usageError("--inputs is required");
  if (flags.request.modelPath == "-" && flags.run.inputsPath == "-")
    return rt::usageError("--inputs=-: standard input is the model already");
  return {};
}

/// Compiles for the inputs, and evaluates.
rt::Result<rt::EvaluationReport> evaluate(Flags &flags, CompileReport &report) {
  MPC_ASSIGN_OR_RETURN(rt::SafetensorsFile inputs,
                       rt::SafetensorsFile::open(flags.run.inputsPath));
  for (const rt::TensorView &tensor : inputs.tensors())
    flags.request.data.batch.push_back(tensorOf(tensor));
  flags.request.explains = !flags.explainPath.empty();
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compileProgram(flags.request, report));
  if (flags.request.explains)
    MPC_RETURN_IF_ERROR(
        writeExplanation(report.explanation, flags.explainPath));
  return rt::evaluate(program, inputs, flags.run);
}

rt::Result<rt::EvaluationReport> explain(Flags &flags, CompileReport &report) {
  MPC_RETURN_IF_ERROR(explainModel(flags.request, report));
  MPC_RETURN_IF_ERROR(writeExplanation(report.explanation, flags.explainPath));
  return rt::EvaluationReport();
}

rt::Result<int> run(Flags &flags) {
  MPC_RETURN_IF_ERROR(checkFlags(flags));
  flags.request.kind = ProgramKind::Evaluation;
  CompileReport report;
  MPC_ASSIGN_OR_RETURN(rt::EvaluationReport results,
                       flags.run.inputsPath.empty() ? explain(flags, report)
                                                    : evaluate(flags, report));
  for (const std::string &warning : report.warnings)
    rt::reportWarning("mpc-eval", warning);
  return rt::reportEvaluation("mpc-eval", results);
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  rt::Tool tool;
  tool.name = "mpc-eval";
  tool.description = "Evaluates a model once, with its loss and gradients.";
  tool.addFlags = [&](CLI::App &app) { addFlags(app, flags); };
  tool.run = [&] { return run(flags); };
  return rt::runTool(tool, argc, argv);
}
