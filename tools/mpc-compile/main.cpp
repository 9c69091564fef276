// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-compile: a model's training step, or its evaluation, as a file for
// mpc-run.
#include "lib/Driver/Eval.h"
#include "lib/Driver/TrainingProgram.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Support/Output.h"
#include "runtime/Support/Text.h"
#include "tools/Flags/RecipeFlags.h"

using namespace mpc;

namespace {

struct Flags {
  TrainingRequest request;
  std::string output;
  std::vector<std::string> levels = {"x86-64-v3"};
  bool evaluates = false, gradients = false, training = false;
  const CLI::App *app = nullptr; ///< Whose flags these are.
};

void addFlags(CLI::App &app, Flags &flags) {
  using namespace rt::flag_group;
  flags.app = &app;
  app.add_option("model", flags.request.modelPath, "MODEL.onnx or FILE.mlir")
      ->required()
      ->type_name("MODEL")
      ->group(kInput);
  addRecipeFlags(app, flags.request.recipe);
  app.remove_option(app.get_option("--cpu"));
  app.add_option("--batch-size", flags.request.batchSize,
                 "Samples of a batch (default: the model's fixed first "
                 "dimension)")
      ->type_name("N")
      ->group(kInput)
      ->check(rt::wholeNumber(1));
  auto *evaluation = app.add_flag(
      "--eval", flags.evaluates,
      "Compile one evaluation in place of a step; of the recipe its precision "
      "counts, and --loss where it is given");
  evaluation->group(kInput);
  app.add_flag("--gradients", flags.gradients,
               "Of an evaluation: also grad.<parameter> of the loss")
      ->group(kInput)
      ->needs(evaluation);
  app.add_flag("--training", flags.training,
               "Of an evaluation: as a training step computes it")
      ->group(kInput)
      ->needs(evaluation);
  app.add_option("--data", flags.request.dataPath,
                 "Training data, whose target's shape decides which axis of "
                 "the logits is the classes' (default: the last that fits)")
      ->type_name("FILE.safetensors")
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
  app.add_option("-o,--output", flags.output,
                 "The program; - is standard output")
      ->required()
      ->type_name("STEP.mpc")
      ->group(kOutput);
}

void warn(const std::vector<std::string> &warnings) {
  for (const std::string &warning : warnings)
    rt::reportWarning("mpc-compile", warning);
}

/// The step for each processor asked for; warnings are those of the first.
rt::Result<rt::ProgramVariants> compileSteps(Flags &flags) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  PrecisionFlags &precision = flags.request.recipe.precision;
  MPC_RETURN_IF_ERROR(readAutocastPolicy(precision, context));
  MPC_ASSIGN_OR_RETURN(TrainingPlan plan, planTraining(flags.request, context));
  warn(plan.model.warnings);
  rt::ProgramVariants programs;
  for (const std::string &level : flags.levels) {
    CompileReport report;
    auto program =
        compileTrainingProgram(plan, level, /*runsHere=*/false, report);
    if (!program.ok())
      return program.status().withContext(flags.request.modelPath);
    if (programs.empty())
      warn(report.warnings);
    programs.push_back(*std::move(program));
  }
  return programs;
}

rt::Result<EvalRequest> evalRequest(const Flags &flags) {
  const RecipeFlags &recipe = flags.request.recipe;
  EvalRequest request;
  request.modelPath = flags.request.modelPath;
  ImportFlags import = recipe.import;
  import.batchSize = flags.request.batchSize;
  MPC_ASSIGN_OR_RETURN(request.importOptions, toImportOptions(import));
  if (flags.app->count("--loss") > 0) {
    MPC_ASSIGN_OR_RETURN(request.loss, parseLoss(recipe.loss));
    request.lossOptions = recipe.lossOptions;
  } else if (flags.gradients) {
    return rt::usageError("--gradients needs --loss");
  }
  request.options.gradients = flags.gradients;
  request.options.training = flags.training;
  request.precision = recipe.precision;
  request.options.target = recipe.target;
  request.options.target.fuse = !recipe.noFuse;
  request.options.target.runsHere = false;
  return request;
}

/// The same of an evaluation.
rt::Result<rt::ProgramVariants> compileEvaluations(const Flags &flags) {
  MPC_ASSIGN_OR_RETURN(EvalRequest request, evalRequest(flags));
  return compileEvalPrograms(request, flags.levels, warn);
}

rt::Result<int> compile(Flags &flags) {
  MPC_RETURN_IF_ERROR(rt::checkOutput(flags.output));
  MPC_ASSIGN_OR_RETURN(rt::ProgramVariants programs,
                       flags.evaluates ? compileEvaluations(flags)
                                       : compileSteps(flags));
  MPC_ASSIGN_OR_RETURN(std::string file, rt::encodeProgramFile(programs));
  MPC_RETURN_IF_ERROR(rt::writeOutput(flags.output, file));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  rt::Tool tool;
  tool.name = "mpc-compile";
  tool.description =
      "Compiles a model's whole training step, or its evaluation, to a program "
      "for\nmpc-run.";
  tool.addFlags = [&](CLI::App &app) { addFlags(app, flags); };
  tool.run = [&] { return compile(flags); };
  return rt::runTool(tool, argc, argv);
}
