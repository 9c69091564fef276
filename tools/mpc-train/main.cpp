// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-train: compiles a model's training step and trains it.
#include "lib/Driver/NanProbe.h"
#include "lib/Driver/OwnStep.h"
#include "lib/Driver/Parameters.h"
#include "lib/Driver/Recipe.h"
#include "lib/Driver/RuleRecord.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/TrainTool.h"
#include "runtime/CommandLine/Validators.h"

#include <chrono>

using namespace mpc;

namespace {

struct Flags {
  std::string model;
  std::string target = "cpu";
  RecipeFlags recipe;
  rt::TrainTool tool;
};

void addFlags(CLI::App &app, Flags &flags) {
  app.add_option("model", flags.model, "MODEL.onnx or FILE.mlir")
      ->required()
      ->type_name("MODEL")
      ->group(rt::flag_group::kInput);
  app.add_option("--target", flags.target, "Where to train (default: cpu)")
      ->type_name("cpu|cuda")
      ->group(rt::flag_group::kTarget)
      ->check(rt::oneOf({"cpu", "cuda"}));
  rt::addDataFlags(app, flags.tool.data);
  addRecipeFlags(app, flags.recipe);
  rt::addScheduleFlags(app, flags.tool.schedule);
  rt::addReplayFlag(app, flags.tool.replays);
  rt::addThreadFlag(app, flags.tool.runner);
  rt::addOutputFlags(app, flags.tool.output);
  rt::addFloorFlag(app, flags.tool.output);
}

/// Flags of the contract whose work is not there yet must not be ignored.
rt::Status refuseMissing(const Flags &flags) {
  if (flags.target != "cpu")
    return rt::environmentError("--target=" + flags.target +
                                ": this build trains on the CPU only");
  if (flags.tool.data.data.path == "-")
    return rt::usageError("--data=-: the data is read more than once; name a "
                          "file");
  return {};
}

rt::Result<ImportOptions> importOptions(const Flags &flags) {
  ImportFlags import = flags.recipe.import;
  import.batchSize = flags.tool.data.batchSize;
  return toImportOptions(import);
}

/// Shape of one batch of labels, as the data and the batch size have it.
rt::Result<std::vector<int64_t>> targetShape(const Flags &flags,
                                             int64_t batch) {
  MPC_ASSIGN_OR_RETURN(rt::SafetensorsFile file,
                       rt::SafetensorsFile::open(flags.tool.data.data.path));
  const rt::TensorView *target = file.find("target");
  if (!target || target->desc.shape.empty() || batch == 0)
    return std::vector<int64_t>();
  std::vector<int64_t> shape = target->desc.shape;
  shape.front() = batch;
  return shape;
}

/// What a step that a module writes out must tell for these to make sense; and
/// where its floor is.
rt::Status checkProbe(Flags &flags, ImportedModel &model) {
  const rt::OutputFlags &output = flags.tool.output;
  if (!output.nanReport.empty())
    MPC_RETURN_IF_ERROR(checkTellsFinite(model, "--nan-report"));
  auto floor = findFloor(model, "--at-floor");
  flags.tool.floorName = floor.ok() ? *floor : "";
  return output.atFloor == rt::AtFloor::Warn ? rt::Status() : floor.status();
}

/// What the flags and the data say of the step; of one that is written out, how
/// its models are compiled.
rt::Result<TrainingOptions> trainingOptions(Flags &flags,
                                            ImportedModel &model) {
  if (hasOwnStep(model)) {
    MPC_RETURN_IF_ERROR(checkOwnStep(flags.recipe, model));
    MPC_RETURN_IF_ERROR(checkProbe(flags, model));
  }
  MPC_ASSIGN_OR_RETURN(TrainingOptions options,
                       toTrainingOptions(flags.recipe));
  options.roundingSeed = flags.tool.data.data.seed;
  if (hasOwnStep(model)) {
    options.keepState = true; // It changes what it likes.
    return options;
  }
  if (flags.tool.output.atFloor != rt::AtFloor::Warn && options.minScale == 0)
    return rt::usageError("--at-floor: the loss scale of policy '" +
                          options.policy + "' has no floor");
  if (flags.tool.replays > 0)
    MPC_RETURN_IF_ERROR(checkReplay(options));
  MPC_ASSIGN_OR_RETURN(int64_t batch,
                       checkBatchSize(model, flags.tool.data.batchSize));
  MPC_ASSIGN_OR_RETURN(options.loss.targetShape, targetShape(flags, batch));
  return options;
}

void addRecompiler(rt::TrainTool &tool, Recompiler &recompiler) {
  tool.probe = [&](const rt::ProbeRequest &step) {
    return recompiler.find(step);
  };
  tool.keepFp32 = [&](const std::vector<std::string> &nodes) {
    return recompiler.keepFp32(nodes);
  };
}

rt::Result<int> train(Flags &flags) {
  auto start = std::chrono::steady_clock::now();
  rt::TrainTool &tool = flags.tool;
  tool.name = "mpc-train";
  MPC_RETURN_IF_ERROR(refuseMissing(flags));
  MPC_ASSIGN_OR_RETURN(ImportOptions import, importOptions(flags));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  PrecisionOptions &precision = flags.recipe.precision;
  precision.explain = !tool.output.explain.empty();
  MPC_RETURN_IF_ERROR(readAutocastPolicy(precision, context));
  MPC_ASSIGN_OR_RETURN(ImportedModel model,
                       loadModel(flags.model, context, import));
  for (const std::string &warning : model.warnings)
    rt::reportWarning(tool.name, warning);
  MPC_ASSIGN_OR_RETURN(TrainingOptions options, trainingOptions(flags, model));
  bool hasOwn = hasOwnStep(model);
  std::vector<ParameterInit> inits = listParameterInits(*model.module);
  Recompiler recompiler(model, options, tool.runner);
  CompileReport report;
  auto program = compileTraining(model, options, report);
  if (!program.ok())
    return program.status().withContext(flags.model);
  for (const std::string &warning : report.warnings)
    rt::reportWarning(tool.name, warning);
  if (precision.explain)
    MPC_RETURN_IF_ERROR(
        writeExplanation(report.explanation, tool.output.explain));
  tool.accumulate = options.accumulate;
  tool.given = givenNumbers(flags.recipe);
  tool.rule = hasOwn ? recordOwnRule(precision) : recordRule(options);
  tool.keepState = options.keepState;
  addRecompiler(tool, recompiler);
  tool.initialize = [&](rt::Runner &runner) {
    return initializeParameters(runner, model, inits, tool.data.init,
                                tool.data.data.seed);
  };
  tool.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return rt::trainProgram(*program, tool);
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  rt::Tool tool;
  tool.name = "mpc-train";
  tool.description =
      "Compiles a model's whole training step (forward, backward, loss "
      "scaling,\nfinite check, clipping, optimizer) and trains it.";
  tool.addFlags = [&](CLI::App &app) { addFlags(app, flags); };
  tool.run = [&] { return train(flags); };
  return rt::runTool(tool, argc, argv);
}
