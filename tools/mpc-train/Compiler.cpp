// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-train where a program is not at hand: compiles a model's training step
// and trains it.
#include "tools/mpc-train/Compiler.h"

#include "lib/Codegen/CUDA/Target.h"
#include "lib/Driver/Flags/RecipeFlags.h"
#include "lib/Driver/NanProbe.h"
#include "lib/Driver/OnnxExport.h"
#include "lib/Driver/OwnStep.h"
#include "lib/Driver/TrainingProgram.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/TrainTool.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Runner/CudaExecutor.h"
#include "runtime/Train/ExportedWeights.h"

#include <chrono>
#include <fmt/format.h>
#include <optional>

using namespace mpc;

namespace {

struct Flags {
  std::string model;
  std::string target = "cpu";
  RecipeFlags recipe;
  rt::TrainTool tool;
  std::shared_ptr<const OnnxExport> exported; ///< Null for no --export-onnx.
};

void addFlags(CLI::App &app, Flags &flags) {
  app.add_option("model", flags.model, "MODEL.onnx, MODEL.pt2 or FILE.mlir")
      ->required()
      ->type_name("MODEL")
      ->group(rt::flag_group::kInput);
  app.add_option("--target", flags.target, "Where to train (default: cpu)")
      ->type_name("cpu|cuda")
      ->group(rt::flag_group::kTarget)
      ->check(rt::oneOf({"cpu", "cuda"}));
  rt::addDataFlags(app, flags.tool.data);
  addRecipeFlags(app, flags.recipe);
  rt::addLoopFlags(app, flags.tool);
}

/// Flags of the contract whose work is not there yet must not be ignored.
rt::Status refuseMissing(const Flags &flags) {
  MPC_RETURN_IF_ERROR(
      rt::checkData(flags.tool.data, flags.tool.output.evaluation));
  return flags.tool.schedule.check();
}

/// What a step that a module writes out must tell for these to make sense.
rt::Status checkOwnProbe(const rt::OutputFlags &output, ImportedModel &model) {
  if (!output.nanReport.empty())
    MPC_RETURN_IF_ERROR(checkTellsFinite(model, "--nan-report"));
  if (output.atFloor == rt::AtFloor::Warn)
    return {};
  return findFloor(model, "--at-floor").status();
}

/// What the loop around the step asks of it.
rt::Status checkLoop(const Flags &flags, TrainingPlan &plan) {
  if (plan.hasOwnStep)
    return checkOwnProbe(flags.tool.output, plan.model);
  amp::RecipeOp recipe = amp::findRecipe(*plan.model.module);
  if (flags.tool.output.atFloor != rt::AtFloor::Warn && floorOf(recipe) == 0)
    return rt::usageError("--at-floor: the loss scale of policy '" +
                          recipe.getPolicy().str() + "' has no floor");
  return flags.tool.replays > 0 ? checkReplay(recipe) : rt::Status();
}

void addRecompiler(rt::TrainTool &tool, Recompiler &recompiler) {
  tool.probe = [&](const rt::ProbeRequest &step) {
    return recompiler.find(step);
  };
  tool.keepFp32 = [&](const std::vector<std::string> &nodes) {
    return recompiler.keepFp32(nodes);
  };
}

/// --export-onnx: what is at fault with it is said before anything is trained.
rt::Status addExport(Flags &flags) {
  const std::string &path = flags.tool.output.exportedModel;
  if (path.empty())
    return {};
  MPC_ASSIGN_OR_RETURN(OnnxExport opened, OnnxExport::open(flags.model));
  MPC_RETURN_IF_ERROR(opened.checkPath(path));
  auto model = std::make_shared<OnnxExport>(std::move(opened));
  flags.tool.exportModel = [model, path](const rt::Runner &runner) {
    rt::Result<std::vector<rt::TensorView>> values = rt::modelTensors(runner);
    return values.ok() ? model->write(*values, path) : values.status();
  };
  flags.exported = model;
  return {};
}

/// What the step is compiled for: the GPU at hand, or the CPU asked for.
rt::Result<std::string> findTarget(const Flags &flags) {
  if (flags.target == "cpu")
    return flags.recipe.target.cpu;
  auto device = rt::openCuda();
  if (!device.ok())
    return device.status().withContext("--target=cuda");
  int arch = (*device)->info().capability.number();
  std::string target = fmt::format("cuda:sm_{}", arch);
  // Nobody named an architecture: this is no wrong flag but a GPU that is too
  // old.
  if (llvm::errorToBool(cuda::getCudaArch(target).takeError()))
    return rt::environmentError(fmt::format(
        "--target=cuda: {} is sm_{}, for which no kernels can be made; without "
        "a newer GPU use --target=cpu",
        (*device)->label(), arch));
  return target;
}

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A model as the flags say that it is trained.
rt::Result<TrainingPlan> plan(Flags &flags, mlir::MLIRContext &context) {
  MPC_RETURN_IF_ERROR(readAutocastPolicy(flags.recipe, context));
  TrainingRequest request;
  request.modelPath = flags.model;
  request.recipe = flags.recipe;
  if (flags.tool.data.batchSize != 0)
    request.batchSizes = {flags.tool.data.batchSize};
  request.smallerLastBatch =
      flags.tool.data.data.lastBatch == rt::LastBatch::Smaller;
  request.dataFiles = flags.tool.data.data.files;
  request.sharedInputs = flags.tool.data.data.shared;
  request.measures = !flags.tool.output.evaluation.files.empty();
  request.evaluationFlag = "--eval-data";
  return planTraining(request, context);
}

/// For the next start with this command line. The device may be another then.
void keep(const Flags &flags, const TrainingPlan &plan,
          const rt::Program &program, const rt::DirectStart &start) {
  if (program.cuda() || flags.model == "-")
    return;
  rt::StartRecord record;
  record.given = flags.tool.given;
  for (const std::string &path : plan.model.files)
    record.files.push_back({path, ""});
  start.store(program, std::move(record));
}

rt::Result<int> train(Flags &flags, const rt::DirectStart &directStart) {
  auto start = Clock::now();
  rt::TrainTool &tool = flags.tool;
  tool.name = "mpc-train";
  MPC_RETURN_IF_ERROR(refuseMissing(flags));
  MPC_RETURN_IF_ERROR(addExport(flags));
  MPC_ASSIGN_OR_RETURN(std::string target, findTarget(flags));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  MPC_ASSIGN_OR_RETURN(TrainingPlan plan, ::plan(flags, context));
  for (const std::string &warning : plan.model.warnings)
    rt::reportWarning(tool.name, warning);
  MPC_RETURN_IF_ERROR(checkLoop(flags, plan));
  tool.compileStages.emplace_back("import", secondsSince(start));
  plan.options.explain = !tool.output.explain.empty();
  // What is compiled later, of a step at fault, runs where the step does.
  plan.options.target.cpu = target;
  Recompiler recompiler(plan, tool.runner);
  CompileReport report;
  auto program =
      compileTrainingProgram(plan, target, /*runsHere=*/true, report);
  if (!program.ok())
    return program.status().withContext(flags.model);
  for (const std::string &warning : report.warnings)
    rt::reportWarning(tool.name, warning);
  if (plan.options.explain)
    MPC_RETURN_IF_ERROR(
        writeExplanation(report.explanation, tool.output.explain));
  if (flags.exported)
    MPC_RETURN_IF_ERROR(flags.exported->checkNames(rt::modelNames(**program)));
  tool.given = givenNumbers(flags.recipe);
  addRecompiler(tool, recompiler);
  llvm::append_range(tool.compileStages, report.stages);
  tool.compileSeconds = secondsSince(start);
  (*program)->warnings = plan.model.warnings;
  llvm::append_range((*program)->warnings, report.warnings);
  keep(flags, plan, **program, directStart);
  return rt::trainProgram(*program, tool);
}

/// The flags of a command line that was right before.
rt::Status readFlags(int argc, char **argv, Flags &flags) {
  CLI::App app;
  addFlags(app, flags);
  return rt::parseFlags(app, argc, argv).status();
}

/// What a probe needs for as long as it is there.
struct ProbedTraining {
  Flags flags;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::optional<TrainingPlan> plan;
  std::optional<Recompiler> recompiler;
};

rt::Result<rt::NanProbe> makeProbe(int argc, char **argv) {
  auto training = std::make_shared<ProbedTraining>();
  Flags &flags = training->flags;
  MPC_RETURN_IF_ERROR(readFlags(argc, argv, flags));
  MPC_ASSIGN_OR_RETURN(training->plan, plan(flags, training->context));
  TrainingPlan &plan = *training->plan;
  training->recompiler.emplace(plan, flags.tool.runner);
  return rt::NanProbe([training](const rt::ProbeRequest &step) {
    return training->recompiler->find(step);
  });
}

} // namespace

extern "C" int mpcTrain(int argc, char **argv,
                        const rt::DirectStart &directStart) {
  Flags flags;
  rt::Tool tool;
  tool.name = "mpc-train";
  tool.description =
      "Compiles a model's whole training step (forward, backward, loss "
      "scaling,\nfinite check, clipping, optimizer) and trains it.";
  tool.addFlags = [&](CLI::App &app) { addFlags(app, flags); };
  tool.run = [&] { return train(flags, directStart); };
  return rt::runTool(tool, argc, argv);
}

extern "C" void mpcTrainProbe(int argc, char **argv,
                              rt::Result<rt::NanProbe> &probe) {
  probe = makeProbe(argc, argv);
}
