// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the flags of a compilation, and what they ask for.
#include "lib/Driver/Flags/CompileFlags.h"

#include "lib/Driver/BatchShapes.h"
#include "lib/Driver/Flags/RecipeFlags.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Validators.h"

using namespace mpc;
using namespace mpc::rt::flag_group;

static void addEvaluationFlags(CLI::App &app, CompileFlags &flags) {
  auto *evaluation = app.add_flag(
      "--eval", flags.evaluates,
      "Compile one evaluation in place of a step; of the recipe its precision "
      "counts, and --loss where it is given");
  evaluation->group(kInput);
  app.add_flag("--with-eval", flags.evaluatesToo,
               "Compile an evaluation beside the step, on the same state: for "
               "mpc-run --eval-data, and --inputs")
      ->group(kInput)
      ->excludes(evaluation);
  app.add_flag("--gradients", flags.gradients,
               "Of an evaluation: also grad.<parameter> of the loss")
      ->group(kInput)
      ->needs(evaluation);
  app.add_flag("--training", flags.training,
               "Of an evaluation: as a training step computes it")
      ->group(kInput)
      ->needs(evaluation);
}

void mpc::addCompileFlags(CLI::App &app, CompileFlags &flags) {
  flags.app = &app;
  addRecipeFlags(app, flags.request.recipe);
  app.remove_option(app.get_option("--cpu"));
  app.add_option("--batch-size", flags.request.batchSizes,
                 "Samples of a batch; of several, or of several --input-shape "
                 "of one input, the program has a step for each, and a run "
                 "takes what its batch has (default: the model's fixed first "
                 "dimension)")
      ->type_name("N[,N...]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(kInput)
      ->check(rt::wholeNumber(1));
  addEvaluationFlags(app, flags);
  rt::addRunFlags(app, flags.run);
  app.add_option("--data", flags.request.dataFiles,
                 "Training data, by whose target's shape --class-axis is "
                 "found where it is not given (without: of three axes the "
                 "last)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(kInput);
  app.add_option("--shared-input", flags.request.sharedInputs,
                 "An input without a sample axis: its first dimension is not "
                 "the batch")
      ->type_name("NAME")
      ->group(kInput);
  app.add_option("--cpu", flags.levels,
                 "Processors to make code for, of which the best is taken "
                 "where the program is loaded: x86-64-v3, x86-64-v4, host "
                 "(default: x86-64-v3)")
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

/// --target, with the levels of --cpu in the place of cpu.
static std::vector<std::string> targetNames(const CompileFlags &flags) {
  std::vector<std::string> names;
  for (const std::string &target : flags.targets)
    if (target == "cpu")
      llvm::append_range(names, flags.levels);
    else
      names.push_back(target);
  return names;
}

/// Those of the model are the same for each target.
static void addNew(const std::vector<std::string> &found,
                   std::vector<std::string> &warnings) {
  for (const std::string &warning : found)
    if (!llvm::is_contained(warnings, warning))
      warnings.push_back(warning);
}

rt::Result<rt::RunDefaults> mpc::runDefaults(const CompileFlags &flags) {
  return rt::givenRunFlags(*flags.app, flags.run);
}

/// What only goes with some steps.
static rt::Status checkRun(const CompileFlags &flags, TrainingPlan &plan) {
  return flags.run.replays > 0 && !plan.hasOwnStep
             ? checkReplay(amp::findRecipe(*plan.model.module))
             : rt::Status();
}

/// The step for each processor asked for.
static rt::Result<rt::ProgramVariants>
compileSteps(CompileFlags &flags, std::vector<std::string> &warnings) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  MPC_RETURN_IF_ERROR(readAutocastPolicy(flags.request.recipe, context));
  MPC_ASSIGN_OR_RETURN(rt::RunDefaults defaults, runDefaults(flags));
  flags.request.evaluates = flags.request.measures = flags.evaluatesToo;
  MPC_ASSIGN_OR_RETURN(TrainingPlan plan, planTraining(flags.request, context));
  MPC_RETURN_IF_ERROR(checkRun(flags, plan));
  llvm::append_range(warnings, plan.model.warnings);
  rt::ProgramVariants programs;
  for (const std::string &level : targetNames(flags)) {
    CompileReport report;
    auto program =
        compileTrainingProgram(plan, level, /*runsHere=*/false, report);
    if (!program.ok())
      return program.status().withContext(flags.request.modelPath);
    addNew(report.warnings, warnings);
    (*program)->runDefaults = defaults;
    programs.push_back(*std::move(program));
  }
  return programs;
}

static rt::Result<EvalRequest> evalRequest(const CompileFlags &flags,
                                           const ImportFlags &import) {
  const RecipeFlags &recipe = flags.request.recipe;
  EvalRequest request;
  request.modelPath = flags.request.modelPath;
  request.modelBytes = flags.request.modelBytes;
  MPC_ASSIGN_OR_RETURN(request.importOptions, toImportOptions(import));
  if (flags.gradients && !recipe.find<std::string>("--loss"))
    return rt::usageError("--gradients needs --loss");
  request.recipe = recipe;
  request.options.gradients = flags.gradients;
  request.options.training = flags.training;
  request.options.target = recipe.target;
  request.options.target.fuse = !recipe.noFuse;
  request.options.target.runsHere = false;
  return request;
}

static rt::Result<std::vector<ImportFlags>>
shapesOf(const CompileFlags &flags) {
  return splitShapes(flags.request.recipe.import, flags.request.batchSizes);
}

rt::Status mpc::checkOneShape(const CompileFlags &flags,
                              const std::string &flag) {
  MPC_ASSIGN_OR_RETURN(std::vector<ImportFlags> shapes, shapesOf(flags));
  if (shapes.size() == 1)
    return {};
  return rt::usageError(flag + " is the code for one shape of a batch, and " +
                        std::to_string(shapes.size()) + " are given");
}

/// One for each shape of a batch.
static rt::Result<std::vector<EvalRequest>>
evalRequests(const CompileFlags &flags) {
  MPC_ASSIGN_OR_RETURN(std::vector<ImportFlags> shapes, shapesOf(flags));
  const TrainingRequest &request = flags.request;
  if (shapes.size() > 1)
    MPC_RETURN_IF_ERROR(
        checkReadAgain(request.modelPath, request.modelBytes != nullptr));
  std::vector<EvalRequest> requests;
  for (const ImportFlags &shape : shapes) {
    MPC_ASSIGN_OR_RETURN(requests.emplace_back(), evalRequest(flags, shape));
  }
  return requests;
}

rt::Result<rt::ProgramVariants>
mpc::compilePrograms(CompileFlags &flags, std::vector<std::string> &warnings) {
  if (!flags.evaluates)
    return compileSteps(flags, warnings);
  MPC_ASSIGN_OR_RETURN(std::vector<EvalRequest> requests, evalRequests(flags));
  return compileEvalPrograms(std::move(requests), targetNames(flags), warnings);
}

rt::Result<Explanation> mpc::explainModel(const CompileFlags &flags,
                                          std::vector<std::string> &warnings) {
  MPC_ASSIGN_OR_RETURN(std::vector<EvalRequest> requests, evalRequests(flags));
  return explainEval(requests.front(), warnings);
}
