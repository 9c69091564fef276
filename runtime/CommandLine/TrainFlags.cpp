// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the DATA and OUTPUT flags.
#include "runtime/CommandLine/TrainFlags.h"

#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Support/File.h"
#include "runtime/Train/NanWatch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mpc::rt {
namespace {

CLI::Option *path(CLI::App &app, const char *flag, std::string &value,
                  const char *type, const char *description,
                  const char *group) {
  return app.add_option(flag, value, description)
      ->type_name(type)
      ->group(group)
      ->check(nonEmptyPath());
}

void addCheckpointFlags(CLI::App &app, OutputFlags &flags) {
  const char *group = flag_group::kOutput;
  auto *folder = path(app, "--checkpoint-dir", flags.checkpointDir, "DIR",
                      "Keep the two newest checkpoints here", group);
  app.add_option("--checkpoint-every", flags.checkpointEvery,
                 "Steps between checkpoints (default: only at the end)")
      ->type_name("N")
      ->group(group)
      ->check(wholeNumber(1))
      ->needs(folder);
  app.add_flag("--checkpoint-parts", flags.savesInParts,
               "Let each rank write what it has of the state, to a folder for "
               "each checkpoint, which any number of ranks resumes; "
               "python -m mpc_compiler.convert makes one file of it")
      ->group(group)
      ->needs(folder);
  app.add_flag("--resume", flags.resume,
               "Continue from the newest whole checkpoint, where there is one")
      ->group(group)
      ->needs(folder);
}

/// Adds a flag for a parameter of schedules. A flag that names a file sets the
/// parameter to the file's content.
void addParameterFlag(CLI::App &app, Schedule &schedule,
                      const ScheduleParameterInfo &info) {
  auto set = [&schedule, &info](const std::string &value) {
    bool isFile = info.type == std::string_view("FILE");
    Result<std::string> text = isFile ? readInput(value) : value;
    Status status = text.ok() ? schedule.set(info, *text) : text.status();
    if (!status.ok())
      throw CLI::ValidationError(info.flag, status.message());
  };
  app.add_option_function<std::string>(info.flag, set, info.description)
      ->type_name(info.type)
      ->group(flag_group::kOptimizer);
}

/// Adds the flags for reports on precisions and on numbers that are not finite.
void addReportFlags(CLI::App &app, OutputFlags &flags) {
  // The flag takes a value only after "=", so that a file may follow it.
  app.add_flag("--explain{-}", flags.explain,
               "Which op got which precision, by which rule, and the cost of "
               "each cast")
      ->type_name("[=FILE]")
      ->group(flag_group::kDebugging);
  app.add_flag("--nan-report{" + std::string(NanWatchOptions::kTextOnly) + "}",
               flags.nanReport,
               "For the first steps with an inf or NaN, name the first op and "
               "parameter that has it; with FILE also as JSON lines")
      ->type_name("[=FILE]")
      ->group(flag_group::kDebugging);
}

} // namespace

void addLengthFlags(CLI::App &app, DataFlags &flags) {
  const char *group = flag_group::kInput;
  auto *steps = app.add_option("--steps", flags.steps,
                               "Optimizer steps in all, skipped ones too");
  steps->type_name("N")->group(group)->check(wholeNumber(1));
  app.add_option("--epochs", flags.epochs, "Passes over the data (default: 1)")
      ->type_name("N")
      ->group(group)
      ->check(positiveNumber())
      ->excludes(steps);
}

void addOrderFlags(CLI::App &app, DataOptions &data) {
  const char *group = flag_group::kInput;
  app.add_option("--seed", data.seed,
                 "Seed of the order of samples, of dropout and of stochastic "
                 "rounding (default: 0)")
      ->type_name("N")
      ->group(group)
      ->check(wholeNumber(0));
  app.add_option_function<std::string>(
         "--order",
         [&data](const std::string &word) {
           data.order = word == "shuffle" ? SampleOrder::Shuffle
                                          : SampleOrder::Sequential;
         },
         "shuffle: a new order each epoch; sequential: as in the file "
         "(default: shuffle)")
      ->type_name("shuffle|sequential")
      ->group(group)
      ->check(oneOf({"shuffle", "sequential"}));
  app.add_option_function<std::string>(
         "--last-batch",
         [&data](const std::string &word) {
           data.lastBatch = word == "wrap"      ? LastBatch::Wrap
                            : word == "smaller" ? LastBatch::Smaller
                                                : LastBatch::Drop;
         },
         "Samples that do not fill a batch at the end of an epoch: drop leaves "
         "them out; wrap fills their batch up with the first samples of the "
         "epoch; smaller makes a batch of their own, for which the step is "
         "compiled too (default: drop)")
      ->type_name("drop|wrap|smaller")
      ->group(group)
      ->check(oneOf({"drop", "wrap", "smaller"}));
}

void addDataFlags(CLI::App &app, DataFlags &flags) {
  const char *group = flag_group::kInput;
  app.add_option("--data", flags.data.files,
                 "A .safetensors, .npz or .npy file with tensors named as the "
                 "model's inputs, and target; the first dimension is the "
                 "sample. Given several times, or as a pattern, samples of "
                 "all files; NAME=FILE.npy names an array")
      ->type_name("FILE|PATTERN|NAME=FILE.npy")
      ->group(group)
      ->allow_extra_args(false)
      ->check(nonEmptyPath())
      ->required();
  app.add_option("--shared-input", flags.data.shared,
                 "An input without a sample axis, as a mask or the edges of a "
                 "graph: every batch has the whole tensor")
      ->type_name("NAME")
      ->group(group);
  path(app, "--init", flags.init, "FILE.safetensors",
       "Initial weights by name (default: the model's own)", group);
  app.add_option("--batch-size", flags.batchSize,
                 "Samples of a batch (default: the model's fixed first "
                 "dimension)")
      ->type_name("N")
      ->group(group)
      ->check(wholeNumber(1));
  addLengthFlags(app, flags);
  addOrderFlags(app, flags.data);
}

/// Refuses data from a stream, which cannot be read again.
static Status checkFiles(const char *flag,
                         const std::vector<std::string> &files) {
  for (const std::string &file : files)
    if (file == "-")
      return usageError(fmt::format("{}=-: the data is read more than once; "
                                    "name a file",
                                    flag));
  return {};
}

Status checkData(const DataFlags &flags, const EvaluatorOptions &evaluation) {
  MPC_RETURN_IF_ERROR(checkFiles("--data", flags.data.files));
  return checkFiles("--eval-data", evaluation.files);
}

void addOutputFlags(CLI::App &app, OutputFlags &flags) {
  const char *group = flag_group::kOutput;
  path(app, "--metrics", flags.metrics, "FILE.csv",
       "One row a step: step, loss, lr, scale, good_steps, skipped, "
       "grad_norm, step_ms; - is standard output",
       group);
  path(app, "--plot", flags.plot, "FILE.svg",
       "Curves of the loss and the loss scale", group);
  path(app, "--tensorboard", flags.tensorboard, "DIR",
       "Write an event file for TensorBoard", group);
  path(app, "--record", flags.record, "FILE.json",
       "What happened to the loss scale, as a trace for mpc-scale replay",
       group);
  addCheckpointFlags(app, flags);
  path(app, "--export-weights", flags.exportedWeights, "FILE.safetensors",
       "Weights and buffers at the end, under the model's names, for its "
       "load_state_dict",
       group);
  path(app, "--export-onnx", flags.exportedModel, "FILE.onnx",
       "The model's file at the end, with the trained weights and buffers in "
       "it; external data goes to FILE.onnx.data",
       group);
  app.add_flag("--json", flags.json,
               "Print one JSON line of results at the end")
      ->group(group);
  addFileEvaluationFlags(app, flags.evaluation);
  addReportFlags(app, flags);
}

void addFileEvaluationFlags(CLI::App &app, EvaluatorOptions &options) {
  const char *group = flag_group::kInput;
  auto *data = app.add_option(
      "--eval-data", options.files,
      "Samples, as --data takes them, that the model is evaluated on as it "
      "stands, without dropout and by running statistics: loss, accuracy and "
      "the like, each sample once");
  data->type_name("FILE|PATTERN|NAME=FILE.npy")
      ->group(group)
      ->allow_extra_args(false)
      ->check(nonEmptyPath());
  auto *every = app.add_option("--eval-every", options.every,
                               "Steps between evaluations (default: only at "
                               "the end)");
  every->type_name("N")->group(group)->check(wholeNumber(1))->needs(data);
  app.add_option_function<std::string>(
         "--eval-weights",
         [&options](const std::string &word) {
           options.averaged = word == "averages";
         },
         "Evaluate the weights as they are trained, or the averages of them "
         "that --ema keeps (default: trained)")
      ->type_name("trained|averages")
      ->group(group)
      ->check(oneOf({"trained", "averages"}))
      ->needs(data);
  app.add_option("--keep-best", options.keepBest,
                 "Keep the state that an evaluation finds best by this metric "
                 "in best.safetensors of --checkpoint-dir; min or max where "
                 "the metric does not imply it")
      ->type_name("METRIC[:min|max]")
      ->group(flag_group::kOutput)
      ->needs(data);
  app.add_option(
         "--stop-after", options.stopAfter,
         "End the training after that many evaluations in a row without a "
         "better value of the metric of --keep-best (default metric: loss)")
      ->type_name("N")
      ->group(group)
      ->check(wholeNumber(1))
      ->needs(every);
}

void addFloorFlag(CLI::App &app, OutputFlags &flags) {
  app.add_option_function<std::string>(
         "--at-floor",
         [&flags](const std::string &word) {
           flags.atFloor = word == "stop"   ? AtFloor::Stop
                           : word == "hold" ? AtFloor::Hold
                           : word == "fp32" ? AtFloor::Fp32
                                            : AtFloor::Warn;
         },
         "On an overflow at the scale's floor: warn once; stop; hold on, "
         "however many steps are skipped; or compute the nodes at fault in "
         "fp32 from there on (default: warn)")
      ->type_name("warn|stop|hold|fp32")
      ->group(flag_group::kLossScaling)
      ->check(oneOf({"warn", "stop", "hold", "fp32"}));
}

void addScheduleFlags(CLI::App &app, Schedule &schedule) {
  const char *group = flag_group::kOptimizer;
  app.add_option("--lr", schedule.lr, "Learning rate (default: 0.001)")
      ->type_name("X")
      ->group(group)
      ->check(nonNegativeNumber());
  std::vector<std::string> names;
  for (const ScheduleInfo &info : scheduleTable())
    names.emplace_back(info.name);
  app.add_option_function<std::string>(
         "--lr-schedule",
         [&schedule](const std::string &word) {
           schedule.kind = findSchedule(word)->kind;
         },
         "How the learning rate changes after the warm-up, over the applied "
         "steps (default: constant)")
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->group(group)
      ->check(oneOf(names));
  app.add_option("--warmup-steps", schedule.warmupSteps,
                 "Applied steps over which the learning rate rises "
                 "(default: 0)")
      ->type_name("N")
      ->group(group)
      ->check(wholeNumber(0));
  for (const ScheduleParameterInfo &info : scheduleParameterTable())
    addParameterFlag(app, schedule, info);
}

bool isScheduleFlag(std::string_view flag) {
  return flag == "--lr" || flag == "--warmup-steps" ||
         flag.starts_with("--lr-");
}

void addReplayFlag(CLI::App &app, int64_t &replays) {
  app.add_option("--replay", replays,
                 "Run a skipped step again on the same batches, at the lower "
                 "loss scale, up to N times (default: 0)")
      ->type_name("N")
      ->group(flag_group::kLossScaling)
      ->check(wholeNumber(0));
}

void addThreadFlag(CLI::App &app, RunnerOptions &options) {
  app.add_option("--threads", options.threads,
                 "Threads of the CPU (default: one for each CPU)")
      ->type_name("N")
      ->group(flag_group::kTarget)
      ->check(wholeNumber(1))
      ->check(CLI::Validator(
          [](std::string &text) -> std::string {
            return text.size() > 4 ? "expected at most 9999" : "";
          },
          ""));
}

TrainOptions toTrainOptions(const DataFlags &data, const OutputFlags &output,
                            const Schedule &schedule) {
  TrainOptions options;
  options.steps = data.steps;
  options.epochs = data.epochs;
  options.schedule = schedule;
  options.metrics = output.metrics;
  options.plot = output.plot;
  options.tensorboard = output.tensorboard;
  options.record = output.record;
  options.checkpointDir = output.checkpointDir;
  options.checkpointEvery = output.checkpointEvery;
  options.savesInParts = output.savesInParts;
  options.resume = output.resume;
  options.exportedWeights = output.exportedWeights;
  options.json = output.json;
  options.nanReport = output.nanReport;
  options.atFloor = output.atFloor;
  options.evaluation = output.evaluation;
  options.evaluationData = data.data;
  return options;
}

} // namespace mpc::rt
