// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of mpc-train with a compiler: compiles a model's training step.
#include "tools/mpc-train/Compiler.h"

#include "lib/Codegen/CUDA/Target.h"
#include "lib/Driver/Flags/RecipeFlags.h"
#include "lib/Driver/OnnxExport.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/TrainTool.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Runner/CudaExecutor.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/ExportedWeights.h"

#include <fmt/format.h>
#include <optional>

using namespace mpc;

namespace {

struct Flags {
  std::string target = "cpu";
  CompileRequest request;
  rt::TrainTool tool;
  /// The file for --export-onnx; null without that flag.
  std::shared_ptr<const OnnxExport> exported;
};

void addFlags(CLI::App &app, Flags &flags) {
  app.add_option("model", flags.request.modelPath,
                 "MODEL.onnx, MODEL.pt2 or FILE.mlir")
      ->required()
      ->type_name("MODEL")
      ->group(rt::flag_group::kInput);
  app.add_option("--target", flags.target, "Where to train (default: cpu)")
      ->type_name("cpu|cuda")
      ->group(rt::flag_group::kTarget)
      ->check(rt::oneOf({"cpu", "cuda"}));
  rt::addDataFlags(app, flags.tool.data);
  addRequestFlags(app, flags.request);
  rt::addLoopFlags(app, flags.tool);
}

/// Refuses flags of the loop that do not go together.
rt::Status checkFlags(const Flags &flags) {
  MPC_RETURN_IF_ERROR(
      rt::checkData(flags.tool.data, flags.tool.output.evaluation));
  return flags.tool.schedule.check();
}

/// Compiles the step again. `request` is the step's request, whose model has
/// been read.
rt::Recompile recompileOf(CompileRequest request) {
  request.usesCache = request.explains = false;
  return [request = std::move(request)](
             rt::StepForm form, const std::vector<std::string> &keptFp32)
             -> rt::Result<std::shared_ptr<const rt::Program>> {
    CompileRequest again = request;
    again.keptFp32 = keptFp32;
    if (form == rt::StepForm::Probe)
      again.kind = ProgramKind::Probe;
    CompileReport report;
    MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                         compileProgram(again, report));
    return std::shared_ptr<const rt::Program>(std::move(program));
  };
}

/// Reads --export-onnx. Its errors are reported before the training starts.
rt::Status addExport(Flags &flags) {
  const std::string &path = flags.tool.output.exportedModel;
  if (path.empty())
    return {};
  MPC_ASSIGN_OR_RETURN(OnnxExport opened,
                       OnnxExport::open(flags.request.modelPath));
  MPC_RETURN_IF_ERROR(opened.checkPath(path));
  auto model = std::make_shared<OnnxExport>(std::move(opened));
  flags.tool.exportModel = [model, path](const rt::Runner &runner) {
    rt::Result<std::vector<rt::TensorView>> values = rt::modelTensors(runner);
    return values.ok() ? model->write(*values, path) : values.status();
  };
  flags.exported = model;
  return {};
}

/// The target of the step: the GPU of this machine, or the given CPU.
rt::Result<std::string> findTarget(const Flags &flags) {
  if (flags.target == "cpu")
    return flags.request.target.cpu;
  auto device = rt::openCuda();
  if (!device.ok())
    return device.status().withContext("--target=cuda");
  int arch = (*device)->info().capability.number();
  std::string target = fmt::format("cuda:sm_{}", arch);
  // The user named no architecture, so that this is no wrong flag but a GPU
  // that is too old.
  if (llvm::errorToBool(cuda::getCudaArch(target).takeError()))
    return rt::environmentError(fmt::format(
        "--target=cuda: {} is sm_{}, for which no kernels can be made; without "
        "a newer GPU use --target=cpu",
        (*device)->label(), arch));
  return target;
}

/// Adds what a launcher decides where no flag does. The step is then the same
/// for any number of ranks.
void addRanks(const rt::LaunchedRank &launched, RecipeFlags &recipe) {
  int64_t size = launched.size;
  recipe.clauses.try_emplace("--num-ranks", size);
  recipe.clauses.try_emplace("--sum-order", std::string("pairs"));
  recipe.clauses.try_emplace("--accumulate", size);
}

/// Adds how the checkpoint's steps are summed, where no flag says it.
void addSavedWindow(const rt::OutputFlags &output, RecipeFlags &recipe) {
  std::optional<rt::SavedWindow> saved;
  if (output.resume)
    saved = rt::findSavedWindow(output.checkpointDir);
  if (!saved)
    return;
  recipe.clauses.try_emplace("--accumulate", saved->batches);
  if (saved->isPairwise)
    recipe.clauses.try_emplace("--sum-order", std::string("pairs"));
}

/// The request for the step that the flags describe.
rt::Result<CompileRequest> requestOf(const Flags &flags) {
  CompileRequest request = flags.request;
  MPC_ASSIGN_OR_RETURN(std::optional<rt::LaunchedRank> launched,
                       rt::launchedRank(flags.tool.ranks));
  addSavedWindow(flags.tool.output, request.recipe);
  if (launched)
    addRanks(*launched, request.recipe);
  const rt::DataFlags &data = flags.tool.data;
  const rt::OutputFlags &output = flags.tool.output;
  request.recipe.rate = flags.tool.schedule.lr;
  if (data.batchSize != 0)
    request.data.batchSizes = {data.batchSize};
  request.data.smallerLastBatch = data.data.lastBatch == rt::LastBatch::Smaller;
  request.data.files = data.data.files;
  request.data.shared = data.data.shared;
  request.measures = !output.evaluation.files.empty();
  request.evaluationFlag = "--eval-data";
  request.needs = {.replays = flags.tool.replays > 0,
                   .nanReport = !output.nanReport.empty(),
                   .floor = output.atFloor != rt::AtFloor::Warn};
  request.explains = !output.explain.empty();
  return request;
}

/// The record for the next start. It has no files where the next start may need
/// another program: the GPU may be another one, the input of a stream may
/// differ, and with another --lr groups have other multiples of it.
rt::StartRecord recordOf(const Flags &flags, const CompileReport &report,
                         const rt::Program &program) {
  rt::StartRecord record;
  record.given = flags.tool.given;
  if (program.cuda() || flags.request.modelPath == "-" ||
      flags.request.recipe.clauses.count("--group") > 0)
    return record;
  for (const std::string &path : report.files)
    record.files.push_back({path, ""});
  return record;
}

/// Compiles, and reports warnings.
rt::Result<std::shared_ptr<rt::Program>> compile(CompileRequest &request,
                                                 CompileReport &report,
                                                 const WarningFunction &warn) {
  rt::Status read = readModel(request, report);
  auto program = read.ok() ? compileProgram(request, report)
                           : rt::Result<std::shared_ptr<rt::Program>>(read);
  for (const std::string &warning : report.warnings)
    warn(warning);
  return program;
}

rt::Result<std::shared_ptr<rt::Program>> compile(Flags &flags,
                                                 const WarningFunction &warn) {
  rt::TrainTool &tool = flags.tool;
  MPC_RETURN_IF_ERROR(checkFlags(flags));
  MPC_RETURN_IF_ERROR(addExport(flags));
  MPC_ASSIGN_OR_RETURN(CompileRequest request, requestOf(flags));
  MPC_ASSIGN_OR_RETURN(request.target.cpu, findTarget(flags));
  CompileReport report;
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       compile(request, report, warn));
  if (request.explains)
    MPC_RETURN_IF_ERROR(
        writeExplanation(report.explanation, tool.output.explain));
  if (flags.exported)
    MPC_RETURN_IF_ERROR(flags.exported->checkNames(rt::modelNames(*program)));
  tool.given = givenNumbers(request.recipe);
  tool.recompile = recompileOf(std::move(request));
  tool.compileStages = std::move(report.stages);
  program->start = recordOf(flags, report, *program);
  program->warnings = std::move(report.warnings);
  return program;
}

/// Reads the whole command line. Returns a text where a flag asks for one in
/// place of a training.
rt::Result<std::string> readAllFlags(int argc, char **argv, Flags &flags) {
  rt::Tool tool;
  tool.name = "mpc-train";
  tool.description =
      "Compiles a model's whole training step (forward, backward, loss "
      "scaling,\nfinite check, clipping, optimizer) and trains it.";
  tool.addFlags = [&](CLI::App &app) { addFlags(app, flags); };
  CLI::App app;
  return rt::readFlags(tool, app, argc, argv);
}

rt::Result<CompiledTraining> compileTraining(int argc, char **argv,
                                             const WarningFunction &warn) {
  Flags flags;
  CompiledTraining training;
  MPC_ASSIGN_OR_RETURN(training.text, readAllFlags(argc, argv, flags));
  if (!training.text.empty())
    return training;
  MPC_ASSIGN_OR_RETURN(training.program, compile(flags, warn));
  training.tool = std::move(flags.tool);
  return training;
}

rt::Result<rt::Recompile> makeRecompile(int argc, char **argv) {
  Flags flags;
  MPC_RETURN_IF_ERROR(readAllFlags(argc, argv, flags).status());
  MPC_ASSIGN_OR_RETURN(CompileRequest request, requestOf(flags));
  CompileReport report;
  MPC_RETURN_IF_ERROR(readModel(request, report));
  return recompileOf(std::move(request));
}

} // namespace

extern "C" void mpcTrainCompile(int argc, char **argv,
                                const WarningFunction &warn,
                                rt::Result<CompiledTraining> &training) {
  training = compileTraining(argc, argv, warn);
}

extern "C" void mpcTrainRecompile(int argc, char **argv,
                                  rt::Result<rt::Recompile> &recompile) {
  recompile = makeRecompile(argc, argv);
}
