// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains a program by the flags of a tool.
#include "runtime/CommandLine/TrainTool.h"

#include "runtime/CommandLine/Tool.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/BatchShape.h"
#include "runtime/Train/InitialWeights.h"
#include "runtime/Train/Interrupt.h"
#include "runtime/Train/NanWatch.h"

#include <fmt/format.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

Status initialize(Runner &runner, const TrainTool &tool) {
  MPC_RETURN_IF_ERROR(
      initializeState(runner, tool.data.init, tool.data.data.seed));
  if (tool.data.init.empty())
    return {};
  MPC_ASSIGN_OR_RETURN(InitialWeightsReport report,
                       loadInitialWeights(runner, tool.data.init));
  auto warn = [&](const char *what, const std::vector<std::string> &names) {
    std::vector<std::string> quoted;
    for (const std::string &name : names)
      quoted.push_back(quote(name));
    if (!names.empty())
      reportWarning(tool.name, fmt::format("{}: {}: {}", escape(tool.data.init),
                                           what, joinSome(quoted)));
  };
  warn("no parameter of that name", report.unused);
  warn("lacks parameters, which keep the model's values", report.missing);
  return {};
}

/// The program's rule, and the flags of the run.
TrainingRule wholeRule(const Program &program, const TrainTool &tool) {
  TrainingRule rule = {clausesOf(program.protocol.rule)};
  if (rule.isKnown())
    for (const auto &[flag, value] : tool.schedule.flags())
      rule.schedule[flag] = value;
  return rule;
}

Status checkBatchSize(const TrainTool &tool, const DataLoader &loader) {
  if (tool.data.batchSize == 0 || tool.data.batchSize == loader.batchSize())
    return {};
  return usageError(fmt::format("--batch-size={}: the program's is {}",
                                tool.data.batchSize, loader.batchSize()));
}

/// Opens the data, in batches of the shape that fits the data and --batch-size.
Result<DataLoader> openData(const Program &program, const DataOptions &data) {
  MPC_ASSIGN_OR_RETURN(DataFiles files, DataFiles::open(data.files));
  int64_t accumulate = program.protocol.accumulate;
  MPC_ASSIGN_OR_RETURN(
      const Entry *entry,
      chooseByData(program.batchEntries(accumulate), files, data));
  return DataLoader::open(std::move(files), data,
                          dataInputs(program, accumulate, entry->dataShapes()));
}

Status checkEvaluation(const Program &program, const TrainTool &tool) {
  if (tool.output.evaluation.files.empty() || program.measureEntry())
    return {};
  return usageError("--eval-data: the program has no evaluation beside its "
                    "step; mpc-compile --with-eval puts one there");
}

Status checkUpdates(const Program &program) {
  if (program.protocol.callerUpdates.empty())
    return {};
  return usageError("the optimizer is a callback: run the program from C, C++ "
                    "or Python, which register one");
}

/// Refuses ranks that do not move what the program exchanges.
Status checkEngine(const Program &program, const RankFlags &flags) {
  if (program.protocol.ranks == 1 || !program.cuda() || flags.engine == "nccl")
    return {};
  return usageError("--target=cuda: ranks on GPUs reach each other by "
                    "--ranks=nccl; with --ranks=off this process trains alone");
}

/// What a rank other than the first does: it trains, and is silent.
void makeSilent(TrainTool &tool) {
  OutputFlags &output = tool.output;
  for (std::string *file :
       {&output.metrics, &output.plot, &output.tensorboard, &output.record,
        &output.exportedWeights, &output.exportedModel})
    file->clear();
  output.json = false;
  // A step is run again on all ranks, and rank 0 says what was found.
  if (!output.nanReport.empty())
    output.nanReport = NanWatchOptions::kTextOnly;
  tool.exportModel = nullptr;
}

/// The loop on all ranks; null for one alone.
Result<int> trainOnRanks(std::shared_ptr<const Program> program,
                         const TrainTool &tool, Ranks *ranks) {
  DataOptions data = tool.data.data;
  data.bounds = program->bounds;
  data.batchSize = tool.data.batchSize;
  MPC_ASSIGN_OR_RETURN(DataLoader loader, openData(*program, data));
  MPC_RETURN_IF_ERROR(checkBatchSize(tool, loader));
  RunnerOptions runnerOptions = tool.runner;
  runnerOptions.ranks = ranks;
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<Runner> runner,
                       Runner::create(program, runnerOptions));
  for (const std::string &warning : runner->warnings())
    reportWarning(tool.name, warning);
  MPC_RETURN_IF_ERROR(initialize(*runner, tool));
  TrainOptions options = toTrainOptions(tool.data, tool.output, tool.schedule);
  const StepProtocol &protocol = program->protocol;
  options.evaluationData.bounds = program->bounds;
  options.evaluationData.batchSize = loader.batchSize();
  options.accumulate = protocol.accumulate;
  options.checkRanksEvery = ranks ? tool.ranks.checkEvery : 0;
  bool isFirst = !ranks || ranks->isFirst();
  options.sharesCheckpoints = !isFirst && !options.checkpointDir.empty();
  if (!isFirst)
    options.checkpointDir.clear();
  options.keepState = protocol.keepState;
  options.floorName = protocol.floorName;
  options.rule = wholeRule(*program, tool);
  options.given = tool.given;
  options.replays = tool.replays;
  options.compileSeconds = tool.compileSeconds;
  options.compileStages = tool.compileStages;
  TrainHooks hooks;
  Recompiler recompiler(tool.recompile, runnerOptions);
  if (tool.recompile) {
    hooks.probe = [&](const ProbeRequest &step) {
      return recompiler.find(step);
    };
    hooks.keepFp32 = [&](const std::vector<std::string> &nodes) {
      return recompiler.keepFp32(nodes);
    };
  }
  if (!isFirst)
    hooks.terminal = {[](std::string_view) {}};
  hooks.exportModel = tool.exportModel;
  hooks.tool = tool.name;
  hooks.signal = SignalGuard::received;
  MPC_ASSIGN_OR_RETURN(TrainResult result,
                       train(*runner, loader, options, hooks));
  return result.signal ? 128 + result.signal : 0;
}

/// Ends a rank that has failed, while others may wait for it: nothing of the
/// library that connects them may run then.
[[noreturn]] void endRank(const TrainTool &tool, const Ranks &ranks,
                          const Status &status) {
  int code =
      reportError(fmt::format("{}: rank {}", tool.name, ranks.rank()), status);
  ::_exit(code);
}

Result<int> trainByFlags(std::shared_ptr<const Program> program,
                         const TrainTool &tool) {
  MPC_RETURN_IF_ERROR(checkUpdates(*program));
  MPC_RETURN_IF_ERROR(tool.schedule.check());
  MPC_RETURN_IF_ERROR(checkEvaluation(*program, tool));
  MPC_RETURN_IF_ERROR(checkEngine(*program, tool.ranks));
  MPC_RETURN_IF_ERROR(checkRanks(tool.ranks, *program));
  SignalGuard guard;
  std::shared_ptr<Ranks> ranks = tool.openRanks;
  if (!ranks) {
    MPC_ASSIGN_OR_RETURN(ranks, openRanks(tool.ranks, tool.name));
  }
  if (!ranks)
    return trainOnRanks(program, tool, nullptr);
  TrainTool own = tool;
  if (!ranks->isFirst())
    makeSilent(own);
  Result<int> result = trainOnRanks(program, own, ranks.get());
  if (!result.ok())
    endRank(tool, *ranks, result.status());
  return result;
}

} // namespace

void addLoopFlags(CLI::App &app, TrainTool &tool) {
  addScheduleFlags(app, tool.schedule);
  addReplayFlag(app, tool.replays);
  addThreadFlag(app, tool.runner);
  addRankFlags(app, tool.ranks);
  addOutputFlags(app, tool.output);
  addProfileFlags(app, tool.profile);
  addFloorFlag(app, tool.output);
}

Result<int> trainProgram(std::shared_ptr<const Program> program,
                         const TrainTool &tool) {
  TrainTool observed = tool;
  MPC_ASSIGN_OR_RETURN(std::optional<LaunchedRank> launched,
                       launchedRank(tool.ranks));
  if (launched && tool.runner.threads == 0)
    observed.runner.threads = threadsOf(*launched);
  return runProfiled(tool.profile, *program, observed.runner,
                     [&] { return trainByFlags(program, observed); });
}

} // namespace mpc::rt
