// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-scale step: runs a recorded optimizer step through the compiled step.
#include "tools/mpc-scale/Commands.h"

#include "lib/Driver/OptimizerCase.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Output.h"

#include <memory>

using namespace mpc;

namespace {

struct StepFlags {
  std::string path;
  bool unfused = false;
};

} // namespace

static rt::Status runStep(const StepFlags &flags) {
  MPC_ASSIGN_OR_RETURN(std::string text, rt::readInput(flags.path));
  rt::Result<std::string> lines = runOptimizerCase(text, !flags.unfused);
  if (!lines.ok())
    return lines.status().withContext(flags.path);
  return rt::writeOutput("-", *lines);
}

Command mpc::addStepCommand(CLI::App &program) {
  auto flags = std::make_shared<StepFlags>();
  CLI::App *app = program.add_subcommand(
      "step", "Runs an optimizer-step case through the compiled step; one JSON "
              "line a step.");
  app->add_option("case", flags->path, "CASE.json; - is stdin")
      ->required()
      ->group(rt::flag_group::kInput);
  app->add_flag("--unfused", flags->unfused,
                "Every structured op is a kernel of its own")
      ->group(rt::flag_group::kDebugging);
  return {app, [flags] { return runStep(*flags); }};
}
