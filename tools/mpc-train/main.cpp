// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-train: trains the program that this command line had before, without the
// compiler where nothing of it has changed.
#include "runtime/CommandLine/CompilerModule.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/TrainTool.h"
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

/// What of the data a program is made for: the shape of its labels, and where
/// it is for a smaller batch too, how many samples there are of each tensor.
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

/// The flags of the loop alone; false where they are wrong, or want something
/// of the compiler.
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
  for (const std::string &name : tool.data.data.shared)
    key.words.push_back(name);
  return rt::DirectStart(key);
}

/// The compiler makes the probe when a step is not finite, which few are.
rt::NanProbe lazyProbe(const CommandLine &line,
                       const rt::CompilerModule &compiler) {
  return [=, probe = rt::NanProbe()](const rt::ProbeRequest &step) mutable
             -> rt::Result<std::optional<rt::NanFinding>> {
    if (!probe) {
      MPC_ASSIGN_OR_RETURN(
          auto *make, compiler.find<decltype(mpcTrainProbe)>("mpcTrainProbe"));
      rt::Result<rt::NanProbe> made = rt::NanProbe();
      make(line.argc, line.argv, made);
      MPC_ASSIGN_OR_RETURN(probe, std::move(made));
    }
    return probe(step);
  };
}

rt::Result<int> train(std::shared_ptr<const rt::Program> program,
                      rt::TrainTool &tool) {
  for (const std::string &warning : program->warnings)
    rt::reportWarning(tool.name, warning);
  tool.given = program->start.given;
  return rt::trainProgram(std::move(program), tool);
}

rt::Result<int> compile(const CommandLine &line, const rt::DirectStart &start,
                        const rt::CompilerModule &compiler) {
  MPC_ASSIGN_OR_RETURN(auto *train,
                       compiler.find<decltype(mpcTrain)>("mpcTrain"));
  return train(line.argc, line.argv, start);
}

rt::Result<int> run(const CommandLine &line) {
  auto begun = Clock::now();
  rt::CompilerModule compiler("mpc-train-compiler");
  rt::TrainTool tool;
  tool.name = "mpc-train";
  CLI::App app;
  if (!readFlags(line, app, tool))
    return compile(line, {}, compiler);
  rt::DirectStart start = directStart(line, app, tool, compiler);
  std::shared_ptr<const rt::Program> program = start.find();
  if (!program)
    return compile(line, start, compiler);
  tool.probe = lazyProbe(line, compiler);
  tool.compileSeconds =
      std::chrono::duration<double>(Clock::now() - begun).count();
  return train(std::move(program), tool);
}

} // namespace

int main(int argc, char **argv) {
  return rt::runReporting("mpc-train", [&] { return run({argc, argv}); });
}
