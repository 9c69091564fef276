// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-train: mpc-compile and mpc-run in one. Where an earlier start with this
// command line left a program and nothing has changed, no compiler is loaded.
#include "runtime/CommandLine/CompilerModule.h"
#include "runtime/CommandLine/DirectStart.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/Support/Output.h"
#include "runtime/Train/DataFiles.h"
#include "tools/mpc-train/Compiler.h"

#include <chrono>
#include <fmt/format.h>

using namespace mpc;

namespace {

using Clock = std::chrono::steady_clock;

struct CommandLine {
  int argc;
  char **argv;
};

/// The facts about the data on which a program depends: the shape of its
/// labels, and, where it also takes a smaller batch, the number of samples in
/// each tensor.
std::string shapesOf(const rt::DataFlags &data) {
  auto files = rt::DataFiles::open(data.data.files);
  if (!files.ok())
    return "";
  std::string text;
  for (const rt::TensorDesc &tensor : files->tensors())
    if (auto shape = files->shapeOf(tensor.name);
        shape && (tensor.name == "target" ||
                  data.data.lastBatch == rt::LastBatch::Smaller))
      text += fmt::format("{} {}\n", tensor.name, fmt::join(*shape, "x"));
  return text;
}

/// Reads the flags of the loop alone. False where they are wrong, or need the
/// compiler.
bool readFlags(const CommandLine &line, CLI::App &app, rt::TrainTool &tool) {
  app.set_help_flag();
  app.allow_extras();
  rt::addDataFlags(app, tool.data);
  rt::addLoopFlags(app, tool);
  const rt::OutputFlags &output = tool.output;
  return rt::parseFlags(app, line.argc, line.argv).ok() &&
         rt::checkData(tool.data, output.evaluation).ok() &&
         output.explain.empty() && output.exportedModel.empty() &&
         output.nanReport.empty() && tool.replays == 0 &&
         output.atFloor == rt::AtFloor::Warn;
}

rt::DirectStart directStart(const CommandLine &line, const CLI::App &app,
                            const rt::TrainTool &tool,
                            const rt::CompilerModule &compiler) {
  rt::DirectKey key = {"mpc-train", compiler.path(),
                       rt::wordsOfProgram(app, line.argc, line.argv)};
  if (key.words.empty())
    return {};
  key.words.push_back(std::to_string(tool.data.batchSize));
  key.words.push_back(shapesOf(tool.data));
  key.words.emplace_back(
      tool.data.data.lastBatch == rt::LastBatch::Smaller ? "smaller" : "");
  key.words.emplace_back(
      tool.output.evaluation.files.empty() ? "step" : "measured step");
  auto launched = rt::launchedRank(tool.ranks);
  if (!launched.ok())
    return {};
  key.words.push_back(*launched ? fmt::format("{} ranks", (*launched)->size)
                                : "no launcher");
  for (const std::string &name : tool.data.data.shared)
    key.words.push_back(name);
  return rt::DirectStart(key);
}

/// A start without the compiler loads it only when the step is compiled again,
/// which few trainings do.
rt::Recompile lazyRecompile(const CommandLine &line,
                            const rt::CompilerModule &compiler) {
  return
      [=, recompile = rt::Recompile()](
          rt::StepForm form, const std::vector<std::string> &keptFp32) mutable
          -> rt::Result<std::shared_ptr<const rt::Program>> {
        if (!recompile) {
          MPC_ASSIGN_OR_RETURN(
              auto *make,
              compiler.find<decltype(mpcTrainRecompile)>("mpcTrainRecompile"));
          rt::Result<rt::Recompile> made = rt::Recompile();
          make(line.argc, line.argv, made);
          MPC_ASSIGN_OR_RETURN(recompile, std::move(made));
        }
        return recompile(form, keptFp32);
      };
}

void warn(const std::string &text) { rt::reportWarning("mpc-train", text); }

/// Compiles, and keeps the program for the next start with this command line.
rt::Result<CompiledTraining> compile(const CommandLine &line,
                                     const rt::DirectStart &start,
                                     const rt::CompilerModule &compiler) {
  MPC_ASSIGN_OR_RETURN(auto *compile, compiler.find<decltype(mpcTrainCompile)>(
                                          "mpcTrainCompile"));
  rt::Result<CompiledTraining> training = CompiledTraining();
  compile(line.argc, line.argv, warn, training);
  if (training.ok() && training->program &&
      !training->program->start.files.empty())
    start.store(*training->program, training->program->start);
  return training;
}

/// Finds the program, or compiles it.
rt::Result<CompiledTraining> prepare(const CommandLine &line,
                                     const rt::CompilerModule &compiler) {
  CompiledTraining training;
  CLI::App app;
  if (!readFlags(line, app, training.tool))
    return compile(line, {}, compiler);
  rt::DirectStart start = directStart(line, app, training.tool, compiler);
  training.program = start.find();
  if (!training.program)
    return compile(line, start, compiler);
  for (const std::string &text : training.program->warnings)
    warn(text);
  training.tool.given = training.program->start.given;
  training.tool.recompile = lazyRecompile(line, compiler);
  return training;
}

/// Prepares the program, and trains.
rt::Result<int> run(const CommandLine &line) {
  auto begun = Clock::now();
  rt::CompilerModule compiler("mpc-train-compiler");
  MPC_ASSIGN_OR_RETURN(CompiledTraining training, prepare(line, compiler));
  if (!training.text.empty()) {
    MPC_RETURN_IF_ERROR(rt::writeOutput("-", training.text));
    return 0;
  }
  training.tool.name = "mpc-train";
  training.tool.compileSeconds =
      std::chrono::duration<double>(Clock::now() - begun).count();
  return rt::trainProgram(training.program, training.tool);
}

} // namespace

int main(int argc, char **argv) {
  return rt::runReporting("mpc-train", [&] { return run({argc, argv}); });
}
