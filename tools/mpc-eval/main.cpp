// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-eval: one evaluation of a model, with its loss and gradients.
#include "lib/Driver/Eval.h"
#include "lib/Driver/Flags/ImportFlags.h"
#include "lib/Driver/Flags/RecipeFlags.h"
#include "runtime/CommandLine/EvalFlags.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/Validators.h"

using namespace mpc;

namespace {

struct Flags {
  EvalRequest request;
  ImportFlags import;
  bool noFuse = false;
};

/// What is evaluated.
void addModelFlags(CLI::App &app, Flags &flags) {
  using namespace rt::flag_group;
  EvalRequest &request = flags.request;
  app.add_option("model", request.modelPath, "MODEL.onnx, MODEL.pt2 or FILE.mlir")
      ->required()
      ->group(kInput);
  rt::addEvaluationFlags(app, request.run);
  app.add_option("--init", request.run.initPath,
                 "weights by name (default: the model's own)")
      ->type_name("FILE.safetensors")
      ->group(kInput);
  addInputShapeFlag(app, flags.import);
  addRoleFlags(app, flags.import);
  addModeFlags(app, flags.import);
  addOpLibraryFlag(app, flags.import);
  addBatchSizeFlag(app, flags.import);
  addClauseFlags(app, request.recipe, amp::Section::Loss);
  app.add_flag("--gradients", request.options.gradients,
               "also write grad.<parameter> of the loss")
      ->group(kInput);
  app.add_flag("--training", request.options.training,
               "as a training step computes it: dropout drops, normalizations "
               "use statistics of the batch, and stat.<buffer> is what running "
               "ones become")
      ->group(kInput);
  addClauseFlags(app, request.recipe, amp::Section::Mode);
  app.add_option("--seed", request.options.seed,
                 "seed of random numbers, which are those of a first step "
                 "(default: 0)")
      ->type_name("N")
      ->check(rt::wholeNumber(0))
      ->group(kInput);
}

/// How it is compiled and run.
void addTargetFlags(CLI::App &app, Flags &flags) {
  using namespace rt::flag_group;
  EvalRequest &request = flags.request;
  app.add_option("--cpu", request.options.target.cpu,
                 "host, x86-64-v3 or x86-64-v4 (default: host)")
      ->type_name("CPU")
      ->group(kTarget);
  app.add_option("--threads", request.run.runner.threads,
                 "worker threads (default: one a CPU)")
      ->check(rt::wholeNumber(1))
      ->type_name("N")
      ->group(kTarget);
  // A flag takes its value by "=" only, so that a file may follow it.
  app.add_flag("--explain{-}", request.explainPath,
               "which op got which precision, by which rule, and the cost of "
               "each cast; .html and .json by the name (default: stdout)")
      ->type_name("[=FILE]")
      ->group(kDebugging);
  app.add_flag("--no-fuse", flags.noFuse, "every op is a kernel of its own")
      ->group(kDebugging);
  app.add_flag("--naive", request.options.target.naive,
               "run every kernel by scalar loops")
      ->group(kDebugging);
}

void addFlags(CLI::App &app, Flags &flags) {
  addModelFlags(app, flags);
  addClauseFlags(app, flags.request.recipe, amp::Section::Precision);
  addTargetFlags(app, flags);
}

rt::Result<int> run(Flags &flags) {
  EvalRequest &request = flags.request;
  bool evaluates =
      !request.run.outputsPath.empty() || !request.run.expectPath.empty();
  if (!evaluates && request.explainPath.empty())
    return rt::usageError(
        "nothing to do: give --outputs or --expect, or --explain");
  if (evaluates && request.run.inputsPath.empty())
    return rt::usageError("--inputs is required");
  if (request.options.gradients && !request.recipe.find<std::string>("--loss"))
    return rt::usageError("--gradients needs --loss");
  if (request.modelPath == "-" && request.run.inputsPath == "-")
    return rt::usageError("--inputs=-: standard input is the model already");
  MPC_ASSIGN_OR_RETURN(request.importOptions, toImportOptions(flags.import));
  request.options.target.fuse = !flags.noFuse;
  MPC_ASSIGN_OR_RETURN(EvalReport report, evaluate(request));
  for (const std::string &warning : report.warnings)
    rt::reportWarning("mpc-eval", warning);
  return rt::reportEvaluation("mpc-eval", report.results);
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
