// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-run: trains or evaluates a program that mpc-compile wrote, without a
// compiler.
#include "runtime/CommandLine/EvalFlags.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/RunDefaults.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/TrainTool.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Device/CPU/CpuLevel.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Runner/ProgramChoice.h"
#include "runtime/Support/Text.h"

#include <chrono>

using namespace mpc;

namespace {

struct Flags {
  std::string program, cpu, target = "cpu";
  rt::TrainTool tool;
  rt::EvaluationRequest evaluation;
  CLI::App *app = nullptr; ///< The parser that has parsed them.
};

void addFlags(CLI::App &app, Flags &flags) {
  flags.app = &app;
  app.add_option("program", flags.program, "STEP.mpc; - is standard input")
      ->required()
      ->type_name("STEP.mpc")
      ->group(rt::flag_group::kInput);
  app.add_option("--cpu", flags.cpu,
                 "Which of the file's codes: " + rt::listCpus() +
                     " (default: the best that runs here)")
      ->type_name("CPU")
      ->group(rt::flag_group::kTarget);
  app.add_option("--target", flags.target, "Where to run (default: cpu)")
      ->type_name("cpu|cuda")
      ->group(rt::flag_group::kTarget)
      ->check(rt::oneOf({"cpu", "cuda"}));
  rt::addDataFlags(app, flags.tool.data);
  app.get_option("--data")->required(false);
  rt::addEvaluationFlags(app, flags.evaluation);
  rt::addScheduleFlags(app, flags.tool.schedule);
  rt::addReplayFlag(app, flags.tool.replays);
  rt::addThreadFlag(app, flags.tool.runner);
  rt::addRankFlags(app, flags.tool.ranks);
  rt::addOutputFlags(app, flags.tool.output);
  rt::addProfileFlags(app, flags.tool.profile);
  // These flags are refused with a reason, and are not listed in --help.
  for (const char *flag : {"--explain", "--nan-report", "--export-onnx"})
    app.get_option(flag)->group("");
}

/// Refuses flags that need the model or a compiler, since a program has
/// neither.
rt::Status refuseMissing(const Flags &flags) {
  const rt::OutputFlags &output = flags.tool.output;
  if (!output.explain.empty())
    return rt::usageError("--explain: a program no longer knows; ask mpc-train "
                          "or mpc-eval of the model");
  if (!output.exportedModel.empty())
    return rt::usageError("--export-onnx: a program does not have its model's "
                          "file; use mpc-train, or --export-weights");
  if (!output.nanReport.empty())
    return rt::usageError("--nan-report needs the compiler: use mpc-train");
  return rt::checkData(flags.tool.data, output.evaluation);
}

/// Loads the program. Flags that were not given take the numbers of the
/// program's defaults.
rt::Result<std::shared_ptr<const rt::Program>> load(Flags &flags) {
  MPC_ASSIGN_OR_RETURN(rt::ProgramVariants programs,
                       rt::readProgramFile(flags.program));
  auto program = flags.target == "cpu" ? rt::chooseProgram(programs, flags.cpu)
                                       : rt::chooseForDevice(programs);
  rt::Status status =
      program.ok() ? rt::applyRunDefaults((*program)->runDefaults, *flags.app,
                                          flags.tool.schedule)
                   : program.status();
  // Who names the code has chosen it.
  if (status.ok() && flags.cpu.empty())
    if (std::string warning = rt::warnOfUnusedUnit(**program); !warning.empty())
      rt::reportWarning(flags.tool.name,
                        rt::escape(flags.program) + ": " + warning);
  return status.ok() ? program : status.withContext(rt::escape(flags.program));
}

rt::Result<int> train(Flags &flags) {
  auto start = std::chrono::steady_clock::now();
  MPC_RETURN_IF_ERROR(refuseMissing(flags));
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<const rt::Program> program, load(flags));
  if (program->stepEntries(program->protocol.accumulate).empty())
    return rt::invalidInput(rt::escape(flags.program) +
                            ": holds no training step");
  flags.tool.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return rt::trainProgram(program, flags.tool);
}

rt::Result<int> evaluate(Flags &flags) {
  rt::EvaluationRequest &request = flags.evaluation;
  if (request.outputsPath.empty() && request.expectPath.empty())
    return rt::usageError("--inputs: nothing to do: give --outputs or "
                          "--expect");
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<const rt::Program> program, load(flags));
  request.initPath = flags.tool.data.init;
  request.seed = flags.tool.data.data.seed;
  request.runner = flags.tool.runner;
  if (program->evalEntries().empty())
    return rt::invalidInput(rt::escape(flags.program) +
                            ": holds nothing to evaluate");
  MPC_ASSIGN_OR_RETURN(rt::SafetensorsFile inputs,
                       rt::SafetensorsFile::open(request.inputsPath));
  return rt::runProfiled(
      flags.tool.profile, *program, request.runner, [&]() -> rt::Result<int> {
        MPC_ASSIGN_OR_RETURN(rt::EvaluationReport report,
                             rt::evaluate(program, inputs, request));
        return rt::reportEvaluation(flags.tool.name, report);
      });
}

rt::Result<int> run(Flags &flags) {
  flags.tool.name = "mpc-run";
  bool trains = !flags.tool.data.data.files.empty();
  if (trains != flags.evaluation.inputsPath.empty())
    return rt::usageError("give --data to train, or --inputs to evaluate");
  return trains ? train(flags) : evaluate(flags);
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  rt::Tool tool;
  tool.name = "mpc-run";
  tool.description = "Trains or evaluates a program that mpc-compile wrote. "
                     "Numbers of the run "
                     "that\nmpc-compile was given are the file's defaults.";
  tool.addFlags = [&](CLI::App &app) { addFlags(app, flags); };
  tool.run = [&] { return run(flags); };
  return rt::runTool(tool, argc, argv);
}
