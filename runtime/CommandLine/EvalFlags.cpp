// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of an evaluation, and the report of its comparisons.
#include "runtime/CommandLine/EvalFlags.h"

#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstdio>

namespace mpc::rt {

void addEvaluationFlags(CLI::App &app, EvaluationRequest &request) {
  using namespace flag_group;
  app.add_option("--inputs", request.inputsPath,
                 "tensors named as the model's inputs, and target; - is stdin")
      ->type_name("FILE.safetensors")
      ->group(kInput);
  app.add_flag("--ema", request.averaged,
               "the averages of weights that a checkpoint for --init holds")
      ->group(kInput);
  app.add_option("--outputs", request.outputsPath,
                 "where each output, loss and gradient is written; - is stdout")
      ->type_name("FILE.safetensors")
      ->group(kOutput);
  app.add_option("--expect", request.expectPath,
                 "reference values to compare with; exit 1 if some differ, or "
                 "if none was computed")
      ->type_name("FILE.safetensors")
      ->group(kOutput);
  app.add_option("--rtol", request.rtol,
                 "tolerance relative to a tensor's largest element "
                 "(default: 1e-5)")
      ->type_name("X")
      ->check(nonNegativeNumber())
      ->group(kOutput);
  app.add_option("--atol", request.atol, "absolute tolerance (default: 0)")
      ->type_name("X")
      ->check(nonNegativeNumber())
      ->group(kOutput);
}

int reportEvaluation(const std::string &tool, const EvaluationReport &report) {
  for (const std::string &warning : report.warnings)
    reportWarning(tool, warning);
  for (const Comparison &c : report.comparisons)
    std::fprintf(stderr, "%s %-40s error %.3g of %.3g\n",
                 c.passed ? "ok  " : "FAIL", c.name.c_str(), c.largestError,
                 c.largestValue);
  if (report.comparisons.empty())
    return 0;
  std::vector<std::string> names;
  for (const std::string &name : report.notComputed)
    names.push_back(quote(name));
  if (!names.empty())
    reportWarning(tool, "the reference also has, not computed and not "
                        "compared: " +
                            joinSome(names));
  auto failed =
      std::count_if(report.comparisons.begin(), report.comparisons.end(),
                    [](const Comparison &c) { return !c.passed; });
  std::fprintf(stderr,
               "%zu compared, %td differ, %zu of the reference not "
               "computed\n",
               report.comparisons.size(), failed, report.notComputed.size());
  return report.passed() ? 0 : 1;
}

} // namespace mpc::rt
