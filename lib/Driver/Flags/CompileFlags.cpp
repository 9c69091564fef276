// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the flags of a compilation, and compiles by them.
#include "lib/Driver/Flags/CompileFlags.h"

#include "lib/Driver/BatchShapes.h"
#include "lib/Driver/Flags/RecipeFlags.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Device/CPU/CpuLevel.h"

using namespace mpc;
using namespace mpc::rt::flag_group;

static void addEvaluationFlags(CLI::App &app, CompileFlags &flags) {
  auto *evaluation =
      app.add_flag("--eval", flags.evaluates,
                   "Compile one evaluation in place of a step; of the recipe "
                   "only its precision counts, and --loss if it is given");
  evaluation->group(kInput);
  app.add_flag("--with-eval", flags.evaluatesToo,
               "Compile an evaluation beside the step, on the same state: for "
               "mpc-run --eval-data, and --inputs")
      ->group(kInput)
      ->excludes(evaluation);
  app.add_flag("--gradients", flags.request.gradients,
               "Of an evaluation: also grad.<parameter> of the loss")
      ->group(kInput)
      ->needs(evaluation);
  app.add_flag("--training", flags.request.training,
               "Of an evaluation: as a training step computes it")
      ->group(kInput)
      ->needs(evaluation);
}

void mpc::addCompileFlags(CLI::App &app, CompileFlags &flags) {
  flags.app = &app;
  addRequestFlags(app, flags.request);
  flags.request.target.runsHere = false;
  app.remove_option(app.get_option("--cpu"));
  app.add_option(
         "--batch-size", flags.request.data.batchSizes,
         "Samples of a batch; for several, or for several --input-shape of one "
         "input, the program has a step each, and a run takes the one that its "
         "batch has (default: the model's fixed first "
         "dimension)")
      ->type_name("N[,N...]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(kInput)
      ->check(rt::wholeNumber(1));
  addEvaluationFlags(app, flags);
  rt::addRunFlags(app, flags.run);
  app.add_option("--data", flags.request.data.files,
                 "Training data, by whose target's shape --class-axis is "
                 "found where it is not given (without: of three axes the "
                 "last)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(kInput);
  app.add_option("--shared-input", flags.request.data.shared,
                 "An input without a sample axis: its first dimension is not "
                 "the batch")
      ->type_name("NAME")
      ->group(kInput);
  app.add_option("--cpu", flags.levels,
                 "Processors to make code for, of which the best is taken "
                 "where the program is loaded: " +
                     rt::listCpus() + " (default: x86-64-v3)")
      ->type_name("CPU[,CPU...]")
      ->delimiter(',')
      ->group(kTarget);
  app.add_option("--target", flags.targets,
                 "What to make code for: cpu, and GPUs as cuda:sm_80, of "
                 "which mpc-run takes what fits (default: cpu)")
      ->type_name("TARGET[,TARGET...]")
      ->delimiter(',')
      ->group(kTarget);
}

/// The names of --target. The levels of --cpu replace the name cpu.
static std::vector<std::string> targetNames(const CompileFlags &flags) {
  std::vector<std::string> names;
  for (const std::string &target : flags.targets)
    if (target == "cpu")
      llvm::append_range(names, flags.levels);
    else
      names.push_back(target);
  return names;
}

rt::Result<rt::RunDefaults> mpc::runDefaults(const CompileFlags &flags) {
  return rt::givenRunFlags(*flags.app, flags.run);
}

rt::Status mpc::checkOneShape(const CompileFlags &flags,
                              const std::string &flag) {
  MPC_ASSIGN_OR_RETURN(
      std::vector<ImportFlags> shapes,
      splitShapes(flags.request.import, flags.request.data.batchSizes));
  if (shapes.size() == 1)
    return {};
  return rt::usageError(flag + " is the code for one shape of a batch, and " +
                        std::to_string(shapes.size()) + " are given");
}

rt::Result<rt::ProgramVariants> mpc::compilePrograms(const CompileFlags &flags,
                                                     CompileReport &report) {
  CompileRequest request = flags.request;
  request.recipe.rate = flags.run.schedule.lr;
  if (flags.evaluates) {
    request.kind = ProgramKind::Evaluation;
  } else {
    MPC_ASSIGN_OR_RETURN(request.runDefaults, runDefaults(flags));
    request.evaluates = request.measures = flags.evaluatesToo;
    request.needs.replays = flags.run.replays > 0;
  }
  return compileVariants(std::move(request), targetNames(flags), report);
}
