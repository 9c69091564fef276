// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-train: mpc-compile and mpc-run in one. Where an earlier start with this
// command line left a program and nothing has changed, no compiler is loaded.
#include "runtime/CommandLine/CompilerModule.h"
#include "runtime/CommandLine/DirectStart.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Support/Output.h"
#include "runtime/Train/Checkpoint.h"
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

/// Reads the flags of the loop alone. False where they are wrong.
bool readFlags(const CommandLine &line, CLI::App &app, rt::TrainTool &tool) {
  app.set_help_flag();
  app.allow_extras();
  rt::addDataFlags(app, tool.data);
  rt::addLoopFlags(app, tool);
  return rt::parseFlags(app, line.argc, line.argv).ok();
}

/// Whether these flags are right, and need no compiler.
bool mayStartDirectly(const rt::TrainTool &tool) {
  const rt::OutputFlags &output = tool.output;
  return rt::checkData(tool.data, output.evaluation).ok() &&
         output.explain.empty() && output.exportedModel.empty() &&
         output.nanReport.empty() && tool.replays == 0 &&
         output.atFloor == rt::AtFloor::Warn;
}

/// What a resume takes from its checkpoint, as text.
std::string savedWindowOf(const rt::OutputFlags &output) {
  if (!output.resume)
    return "";
  std::optional<rt::SavedWindow> saved =
      rt::findSavedWindow(output.checkpointDir);
  return saved ? fmt::format("{} batches{}", saved->batches,
                             saved->isPairwise ? " by pairs" : "")
               : "no checkpoint";
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
  key.words.push_back(savedWindowOf(tool.output));
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
  if (!readFlags(line, app, training.tool) || !mayStartDirectly(training.tool))
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

using ProgramResult = rt::Result<std::shared_ptr<const rt::Program>>;

/// Gives the other ranks a program of rank 0: the exit code of its making, and
/// its bytes, which are missing where there is none.
rt::Status sendProgram(rt::Ranks &ranks, const ProgramResult &program) {
  std::string code = std::to_string(static_cast<int>(program.status().code()));
  std::string bytes;
  if (program.ok() && *program) {
    std::shared_ptr<const rt::Program> programs[] = {*program};
    MPC_ASSIGN_OR_RETURN(bytes, rt::encodeProgramFile(programs));
  }
  MPC_RETURN_IF_ERROR(ranks.broadcast(code));
  return ranks.broadcast(bytes);
}

rt::Status sendProgram(rt::Ranks &ranks,
                       const rt::Result<CompiledTraining> &training) {
  return sendProgram(ranks, training.ok() ? ProgramResult(training->program)
                                          : training.status());
}

/// The program that sendProgram() gives; null, with rank 0's exit code, where
/// there is none.
ProgramResult receiveProgram(rt::Ranks &ranks, int &exitCode) {
  std::string code, bytes;
  MPC_RETURN_IF_ERROR(ranks.broadcast(code));
  MPC_RETURN_IF_ERROR(ranks.broadcast(bytes));
  exitCode = std::stoi(code);
  if (bytes.empty())
    return std::shared_ptr<const rt::Program>();
  MPC_ASSIGN_OR_RETURN(rt::ProgramVariants programs,
                       rt::parseProgramFile(rt::SharedBytes::of(
                           std::vector<uint8_t>(bytes.begin(), bytes.end()))));
  return programs.front();
}

/// Of several ranks one alone compiles again, too. All call the function.
rt::Recompile recompileOnRanks(std::shared_ptr<rt::Ranks> ranks,
                               rt::Recompile recompile) {
  return [=](rt::StepForm form,
             const std::vector<std::string> &keptFp32) -> ProgramResult {
    if (ranks->isFirst()) {
      ProgramResult program = recompile(form, keptFp32);
      MPC_RETURN_IF_ERROR(sendProgram(*ranks, program));
      return program;
    }
    int code = 0;
    MPC_ASSIGN_OR_RETURN(std::shared_ptr<const rt::Program> program,
                         receiveProgram(*ranks, code));
    if (program)
      return program;
    return rt::Status(rt::StatusCode::Peer,
                      "rank 0 cannot compile the step again, and says why");
  };
}

/// Trains the program of rank 0, with the flags of the loop. A rank whose
/// program could not be made ends with the code of rank 0, which says why.
rt::Result<int> trainReceived(const std::shared_ptr<rt::Ranks> &ranks,
                              rt::TrainTool tool) {
  int code = 0;
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<const rt::Program> program,
                       receiveProgram(*ranks, code));
  if (!program)
    return code;
  tool.recompile = recompileOnRanks(ranks, nullptr);
  return rt::trainProgram(program, tool);
}

/// Opens the ranks that a launcher has started; null where there are none. What
/// is wrong with the flags is reported later.
rt::Result<std::shared_ptr<rt::Ranks>> openRanks(const CommandLine &line,
                                                 rt::TrainTool &tool) {
  CLI::App app;
  if (!readFlags(line, app, tool))
    return std::shared_ptr<rt::Ranks>();
  tool.name = "mpc-train";
  MPC_ASSIGN_OR_RETURN(tool.openRanks, rt::openRanks(tool.ranks, tool.name));
  return tool.openRanks;
}

/// Prepares the program, and trains. Of several ranks one alone compiles.
rt::Result<int> run(const CommandLine &line) {
  auto begun = Clock::now();
  rt::TrainTool own;
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Ranks> ranks, openRanks(line, own));
  if (ranks && !ranks->isFirst())
    return trainReceived(ranks, own);
  rt::CompilerModule compiler("mpc-train-compiler");
  rt::Result<CompiledTraining> prepared = prepare(line, compiler);
  if (ranks && !prepared.ok()) {
    // The reason comes first: a launcher ends all ranks when another has ended.
    int code = rt::reportError("mpc-train", prepared.status());
    MPC_RETURN_IF_ERROR(sendProgram(*ranks, prepared));
    return code;
  }
  if (ranks)
    MPC_RETURN_IF_ERROR(sendProgram(*ranks, prepared));
  MPC_ASSIGN_OR_RETURN(CompiledTraining training, std::move(prepared));
  if (!training.text.empty()) {
    MPC_RETURN_IF_ERROR(rt::writeOutput("-", training.text));
    return 0;
  }
  training.tool.name = "mpc-train";
  training.tool.openRanks = ranks;
  if (ranks && training.tool.recompile)
    training.tool.recompile = recompileOnRanks(ranks, training.tool.recompile);
  training.tool.compileSeconds =
      std::chrono::duration<double>(Clock::now() - begun).count();
  return rt::trainProgram(training.program, training.tool);
}

} // namespace

int main(int argc, char **argv) {
  return rt::runReporting("mpc-train", [&] { return run({argc, argv}); });
}
