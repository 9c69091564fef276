// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-eval: one evaluation of a model, with its loss and gradients.
#include "lib/Driver/Eval.h"
#include "lib/Driver/Recipe.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstdio>

using namespace mpc;

namespace {

struct Flags {
  EvalRequest request;
  ImportFlags import;
  std::string loss;
  bool noFuse = false;
};

void addFlags(CLI::App &app, Flags &flags) {
  using namespace rt::flag_group;
  EvalRequest &request = flags.request;
  app.add_option("model", request.modelPath, "MODEL.onnx or FILE.mlir")
      ->required()
      ->group(kInput);
  app.add_option("--inputs", request.inputsPath,
                 "tensors named as the model's inputs, and target; - is stdin")
      ->type_name("FILE.safetensors")
      ->group(kInput);
  app.add_option("--init", request.initPath,
                 "weights by name (default: the model's own)")
      ->type_name("FILE.safetensors")
      ->group(kInput);
  app.add_flag("--ema", request.averaged,
               "the averages of weights that a checkpoint for --init holds")
      ->group(kInput);
  addInputShapeFlag(app, flags.import);
  addBatchSizeFlag(app, flags.import);
  app.add_option("--loss", flags.loss,
                 "cross_entropy[:OUTPUT], mse[:OUTPUT] or output:NAME")
      ->type_name("LOSS")
      ->group(kInput);
  app.add_flag("--gradients", request.options.gradients,
               "also write grad.<parameter> of the loss")
      ->group(kInput);
  app.add_flag("--training", request.options.training,
               "as a training step computes it: normalizations use statistics "
               "of the batch, and stat.<buffer> is what running ones become")
      ->group(kInput);
  addPrecisionFlags(app, request.options.precision);
  app.add_option("--outputs", request.outputsPath,
                 "where each output, loss and gradient is written; - is stdout")
      ->type_name("FILE.safetensors")
      ->group(kOutput);
  app.add_option(
         "--expect", request.expectPath,
         "reference values to compare with; exit 1 where they differ, or "
         "none was computed")
      ->type_name("FILE.safetensors")
      ->group(kOutput);
  app.add_option("--rtol", request.rtol,
                 "tolerance relative to a tensor's largest element "
                 "(default: 1e-5)")
      ->type_name("X")
      ->check(rt::nonNegativeNumber())
      ->group(kOutput);
  app.add_option("--atol", request.atol, "absolute tolerance (default: 0)")
      ->type_name("X")
      ->check(rt::nonNegativeNumber())
      ->group(kOutput);
  app.add_option("--cpu", request.options.target.cpu,
                 "host, x86-64-v3 or x86-64-v4 (default: host)")
      ->type_name("CPU")
      ->group(kTarget);
  app.add_option("--threads", request.threads,
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

void printComparisons(const EvalReport &report) {
  for (const Comparison &c : report.comparisons)
    std::fprintf(stderr, "%s %-40s error %.3g of %.3g\n",
                 c.passed ? "ok  " : "FAIL", c.name.c_str(), c.largestError,
                 c.largestValue);
  if (report.comparisons.empty())
    return;
  std::vector<std::string> names;
  for (const std::string &name : report.notComputed)
    names.push_back(rt::quote(name));
  if (!names.empty())
    rt::reportWarning("mpc-eval", "the reference also has, not computed and "
                                  "not compared: " +
                                      rt::joinSome(names));
  auto failed =
      std::count_if(report.comparisons.begin(), report.comparisons.end(),
                    [](const Comparison &c) { return !c.passed; });
  std::fprintf(stderr,
               "%zu compared, %td differ, %zu of the reference not "
               "computed\n",
               report.comparisons.size(), failed, report.notComputed.size());
}

rt::Result<int> run(Flags &flags) {
  EvalRequest &request = flags.request;
  bool evaluates = !request.outputsPath.empty() || !request.expectPath.empty();
  if (!evaluates && request.explainPath.empty())
    return rt::usageError(
        "nothing to do: give --outputs or --expect, or --explain");
  if (evaluates && request.inputsPath.empty())
    return rt::usageError("--inputs is required");
  if (request.options.gradients && flags.loss.empty())
    return rt::usageError("--gradients needs --loss");
  if (request.modelPath == "-" && request.inputsPath == "-")
    return rt::usageError("--inputs=-: standard input is the model already");
  if (!flags.loss.empty()) {
    MPC_ASSIGN_OR_RETURN(request.options.loss, parseLoss(flags.loss));
  }
  MPC_ASSIGN_OR_RETURN(request.importOptions, toImportOptions(flags.import));
  request.options.target.fuse = !flags.noFuse;
  MPC_ASSIGN_OR_RETURN(EvalReport report, evaluate(request));
  for (const std::string &warning : report.warnings)
    rt::reportWarning("mpc-eval", warning);
  printComparisons(report);
  return report.passed() ? 0 : 1;
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
