// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-scale step: runs a recorded optimizer step through the compiled step.
#include "tools/mpc-scale/Commands.h"

#include "lib/Driver/OptimizerCase.h"
#include "tools/mpc-scale/TextIo.h"

#include <memory>

using namespace mpc;

namespace {

struct StepFlags {
  std::string path;
  bool unfused = false;
};

} // namespace

static rt::Status runStep(const StepFlags &flags) {
  MPC_ASSIGN_OR_RETURN(std::string text, readText(flags.path));
  rt::Result<std::string> lines = runOptimizerCase(text, !flags.unfused);
  if (!lines.ok())
    return lines.status().withContext(flags.path);
  return writeText("-", *lines);
}

Command mpc::addStepCommand(CLI::App &program) {
  auto flags = std::make_shared<StepFlags>();
  CLI::App *app = program.add_subcommand(
      "step", "Runs an optimizer-step case through the compiled step; one JSON "
              "line a step.");
  app->add_option("case", flags->path, "CASE.json; - is stdin")->required();
  app->add_flag("--unfused", flags->unfused,
                "Every structured op is a kernel of its own");
  return {app, [flags] { return runStep(*flags); }};
}
