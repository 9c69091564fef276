// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop: batch, step, bookkeeping, checkpoint.
#include "runtime/Train/Trainer.h"

#include "runtime/Support/Text.h"
#include "runtime/Train/BoundEntry.h"
#include "runtime/Train/NanWatch.h"
#include "runtime/Train/StepRecorder.h"
#include "runtime/Train/TraceRecorder.h"
#include "runtime/Train/WeightCopies.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>
#include <unistd.h>

namespace mpc::rt {
namespace {

using Clock = std::chrono::steady_clock;

/// What amp-count-underflow adds.
constexpr std::string_view kUnderflow = "underflow";

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<std::string_view> entriesOf(const Program &program,
                                        int64_t accumulate) {
  bool isWindow = program.findEntry("apply") && !program.findEntry("step");
  if (accumulate > 1 || isWindow)
    return {"accumulate", "apply"};
  return {"step"};
}

class Trainer {
public:
  Trainer(Runner &runner, DataLoader &loader, const TrainOptions &options,
          const TrainHooks &hooks)
      : runner_(&runner), loader_(loader), options_(options), hooks_(hooks),
        schedule_(options.schedule),
        recorder_({options.metrics, options.plot, options.tensorboard,
                   options.resume},
                  hooks.output),
        trace_(options.record),
        watch_(
            {options.nanReport, options.keepState,
             entriesOf(runner.program(), options.accumulate),
             options.accumulate, options.resume},
            hooks.probe, loader,
            dataInputs(runner.program(), options.accumulate),
            [this](std::string_view kind, std::string_view text) {
              tell(kind, text);
            },
            hooks.output),
        saturation_([this](std::string_view text) { tell("warning", text); }) {
    summary_.compileSeconds = options.compileSeconds;
    for (const StateTensor &tensor : runner.program().state)
      if (tensor.role == StateRole::Slot)
        summary_.slotBytes += tensor.desc.numBytes();
  }

  Result<TrainResult> train();

private:
  Status prepare();
  Status openCheckpoints();
  Status replaceNumbers();
  void warnOfUselessScale();
  Status bindEntries();
  void findOthers();
  Status loop(TrainResult &result);
  Status step();
  Status runEntries(MetricsRow &row);
  Status runUntilFinite(MetricsRow &row);
  [[nodiscard]] bool skipped() const;
  std::optional<double> output(std::string_view name) const;
  Status account(const MetricsRow &row);
  [[nodiscard]] bool lossIsBad(const MetricsRow &row) const;
  Status watch(const MetricsRow &row);
  bool isAtFloor(const MetricsRow &row) const;
  Status handleFloor(const MetricsRow &row);
  Status keepGuiltyInFp32(const MetricsRow &row);
  Status keepFp32(const std::vector<std::string> &nodes);
  Status judge(const MetricsRow &row);
  Status giveUp(const MetricsRow &row, const std::string &why);
  [[nodiscard]] bool expectsFault() const;
  Status checkpoint();
  Status finish(const TrainResult &result);
  void tell(std::string_view kind, std::string_view text);

  Runner *runner_;
  std::unique_ptr<Runner> owned_; ///< Where another has taken its place.
  DataLoader &loader_;
  const TrainOptions &options_;
  const TrainHooks &hooks_;
  Schedule schedule_;
  TrainPosition position_;
  float lr_ = 0;
  std::vector<BoundEntry> entries_;
  std::vector<std::string> others_; ///< Scalars of no column that all have.
  std::optional<CheckpointFolder> checkpoints_;
  std::optional<Progress> progress_;
  RunSummary summary_;
  StepRecorder recorder_;
  TraceRecorder trace_;
  NanWatch watch_;
  SaturationWatch saturation_;
  Clock::time_point begin_;
  int64_t savedStep_ = -1;
  bool warnedOfLoss_ = false, warnedOfFloor_ = false;
};

void Trainer::tell(std::string_view kind, std::string_view text) {
  std::string line = fmt::format("{}: {}: {}", hooks_.tool, kind, text);
  if (progress_)
    progress_->message(line);
  else
    hooks_.terminal.write(line + "\n");
}

Status Trainer::openCheckpoints() {
  if (options_.checkpointDir.empty()) {
    if (options_.resume || options_.checkpointEvery)
      return usageError(
          fmt::format("{} needs --checkpoint-dir",
                      options_.resume ? "--resume" : "--checkpoint-every"));
    return {};
  }
  MPC_ASSIGN_OR_RETURN(checkpoints_,
                       CheckpointFolder::open(options_.checkpointDir,
                                              [this](const std::string &text) {
                                                tell("warning", text);
                                              }));
  checkpoints_->setRule(options_.rule);
  std::vector<int64_t> steps = checkpoints_->steps();
  if (!options_.resume) {
    // A new run would otherwise delete an old one's checkpoints.
    if (!steps.empty())
      return usageError(fmt::format(
          "{}: holds checkpoints up to step {}; continue them with --resume, "
          "or name another folder",
          escape(options_.checkpointDir), steps[0]));
    return {};
  }
  MPC_ASSIGN_OR_RETURN(std::optional<TrainPosition> position,
                       checkpoints_->loadNewest(*runner_));
  if (!position) {
    tell("note", fmt::format("{}: no checkpoint to resume, starting from "
                             "scratch",
                             escape(options_.checkpointDir)));
    return {};
  }
  MPC_RETURN_IF_ERROR(loader_.restore(position->loader)
                          .withContext(checkpoints_->fileOf(position->step)));
  if (!position->keptFp32.empty())
    MPC_RETURN_IF_ERROR(keepFp32(position->keptFp32)
                            .withContext(checkpoints_->fileOf(position->step)));
  position_ = *position;
  savedStep_ = position_.step;
  tell("note", fmt::format("resuming {}",
                           escape(checkpoints_->fileOf(position_.step))));
  MPC_RETURN_IF_ERROR(replaceNumbers());
  warnOfUselessScale();
  return {};
}

/// Such a scale was reached by the policy's own rule, and no step leaves it.
void Trainer::warnOfUselessScale() {
  Result<double> scale = runner_->readNumber("scale");
  if (scale.ok() && !(*scale > 0 && std::isfinite(*scale)))
    tell("warning", fmt::format("the loss scale is {}, with which no step is "
                                "applied; --init-scale sets another",
                                shortestDecimal(*scale)));
}

/// A flag that was given holds for the rest of the training, whatever the run
/// that is resumed was told; what was not given stays as it was.
Status Trainer::replaceNumbers() {
  for (const GivenNumber &given : options_.given) {
    MPC_ASSIGN_OR_RETURN(double saved, runner_->readNumber(given.name));
    if (saved == given.value)
      continue;
    MPC_RETURN_IF_ERROR(runner_->writeNumber(given.name, given.value));
    std::string effect;
    if (given.name == "init_scale") {
      MPC_ASSIGN_OR_RETURN(double scale, runner_->readNumber("scale"));
      MPC_RETURN_IF_ERROR(runner_->writeNumber("scale", given.value));
      effect = fmt::format(", and the scale, {}, starts from it again",
                           shortestDecimal(scale));
    }
    tell("note", fmt::format("{}={} replaces {} of the checkpoint{}",
                             given.flag, shortestDecimal(given.value),
                             shortestDecimal(saved), effect));
  }
  return {};
}

Status Trainer::bindEntries() {
  std::vector<TensorDesc> inputs =
      dataInputs(runner_->program(), options_.accumulate);
  for (std::string_view name :
       entriesOf(runner_->program(), options_.accumulate)) {
    MPC_ASSIGN_OR_RETURN(
        BoundEntry entry,
        BoundEntry::bind(*runner_, name, loader_, inputs, &lr_));
    entries_.push_back(std::move(entry));
  }
  findOthers();
  return {};
}

void Trainer::findOthers() {
  // Metrics that have a column of their own, and columns that no output fills.
  std::set<std::string, std::less<>> known = {
      "step",    "loss",      "lr",      "scale",     "good_steps",
      "skipped", "grad_norm", "step_ms", "found_inf", "scale_error"};
  others_.clear();
  for (const BoundEntry &entry : entries_)
    for (const TensorDesc &output : entry.outputs())
      if (output.numElements() == 1 && known.insert(output.name).second)
        others_.push_back(output.name);
}

Status Trainer::prepare() {
  schedule_.totalSteps = options_.steps;
  if (options_.steps == 0)
    schedule_.totalSteps = static_cast<int64_t>(
        options_.epochs * static_cast<double>(loader_.batchesPerEpoch()) /
        static_cast<double>(options_.accumulate));
  if (schedule_.totalSteps <= 0)
    return usageError(fmt::format("--epochs={}: not one step of {} x {} "
                                  "samples; the data holds {}",
                                  options_.epochs, options_.accumulate,
                                  loader_.batchSize(), loader_.numSamples()));
  MPC_RETURN_IF_ERROR(bindEntries());
  MPC_RETURN_IF_ERROR(recorder_.checkPlot());
  MPC_RETURN_IF_ERROR(trace_.check(options_.rule));
  MPC_RETURN_IF_ERROR(watch_.open());
  MPC_RETURN_IF_ERROR(openCheckpoints());
  MPC_RETURN_IF_ERROR(recorder_.open(position_.step, others_));
  MPC_RETURN_IF_ERROR(position_.step > 0
                          ? trace_.resume(*runner_, position_.step)
                          : trace_.open(*runner_));
  progress_.emplace(hooks_.terminal, position_.step, schedule_.totalSteps,
                    loader_.batchSize() * options_.accumulate);
  if (position_.step >= schedule_.totalSteps)
    tell("note", fmt::format("all {} steps are done", schedule_.totalSteps));
  return {};
}

/// Of the last entry that has it.
std::optional<double> Trainer::output(std::string_view name) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
    if (auto value = entry->scalar(name))
      return value;
  return std::nullopt;
}

/// Runs the entries of one optimizer step: the mean loss and the sum of
/// underflows over its batches, of all else the last.
Status Trainer::runEntries(MetricsRow &row) {
  row.loss = 0;
  double underflow = 0;
  for (int64_t i = 0; i < options_.accumulate; ++i) {
    MPC_RETURN_IF_ERROR(loader_.next());
    MPC_RETURN_IF_ERROR(entries_[0].run(*runner_));
    row.loss += entries_[0].scalar("loss").value_or(
        std::numeric_limits<double>::quiet_NaN());
    underflow += entries_[0].scalar(kUnderflow).value_or(0);
  }
  row.loss /= static_cast<double>(options_.accumulate);
  if (entries_.size() > 1)
    MPC_RETURN_IF_ERROR(entries_[1].run(*runner_));
  row.others.clear();
  for (const std::string &name : others_)
    row.others.push_back(name == kUnderflow ? underflow
                                            : output(name).value_or(0));
  return {};
}

bool Trainer::skipped() const {
  return output("skipped").value_or(output("found_inf").value_or(0)) != 0;
}

/// A skipped step has changed nothing but the loss scale: with a lower one the
/// same batches may do.
Status Trainer::runUntilFinite(MetricsRow &row) {
  LoaderState begin = loader_.state();
  for (int64_t replay = 0;; ++replay) {
    MPC_RETURN_IF_ERROR(watch_.beforeStep(*runner_, expectsFault()));
    MPC_RETURN_IF_ERROR(runEntries(row));
    trace_.add(*runner_, {position_.step, output("found_inf").value_or(0) != 0,
                          !skipped(), output("scale").value_or(1)});
    bool gaveUp = output("scale_error").value_or(0) != 0;
    if (!skipped() || gaveUp || replay == options_.replays)
      return {};
    MPC_RETURN_IF_ERROR(loader_.restore(begin));
  }
}

Status Trainer::step() {
  Clock::time_point begin = Clock::now();
  lr_ = static_cast<float>(schedule_.at(position_.applied));
  MetricsRow row;
  MPC_RETURN_IF_ERROR(runUntilFinite(row));
  row.stepMs = secondsSince(begin) * 1e3;
  row.step = position_.step;
  row.lr = lr_;
  row.scale = output("scale").value_or(1);
  row.goodSteps = output("good_steps").value_or(0);
  row.gradNorm =
      output("grad_norm").value_or(std::numeric_limits<double>::quiet_NaN());
  row.skipped = skipped();
  return account(row);
}

/// A step without a loss has NaN in its row, and nothing wrong with it.
bool Trainer::lossIsBad(const MetricsRow &row) const {
  return !std::isfinite(row.loss) && entries_[0].scalar("loss");
}

/// Counts, records and judges a finished step.
Status Trainer::account(const MetricsRow &row) {
  ++position_.step;
  position_.applied += !row.skipped;
  position_.skippedInRow = row.skipped ? position_.skippedInRow + 1 : 0;
  position_.loader = loader_.state();
  summary_.add(row);
  MPC_RETURN_IF_ERROR(recorder_.add(row));
  if (lossIsBad(row) && !row.skipped && !warnedOfLoss_) {
    warnedOfLoss_ = true;
    tell("warning", fmt::format("step {}: loss is {}", row.step,
                                shortestDecimal(row.loss)));
  }
  progress_->update({position_.step, row.loss, row.scale, summary_.skipped()},
                    secondsSince(begin_));
  MPC_RETURN_IF_ERROR(watch(row));
  return judge(row);
}

NanStep nanStep(const MetricsRow &row) {
  return {.step = row.step,
          .skipped = row.skipped,
          .loss = row.loss,
          .scale = row.scale,
          .lr = row.lr};
}

/// Whether this step may have to be run again though no report is asked for.
bool Trainer::expectsFault() const {
  return position_.skippedInRow > 0 || options_.atFloor == AtFloor::Stop ||
         options_.atFloor == AtFloor::Fp32;
}

/// Says where a step that is not finite went wrong.
Status Trainer::watch(const MetricsRow &row) {
  if (row.skipped || lossIsBad(row))
    MPC_RETURN_IF_ERROR(watch_.report(*runner_, nanStep(row)));
  return isAtFloor(row) ? handleFloor(row) : Status();
}

/// False also where the policy has no floor.
bool Trainer::isAtFloor(const MetricsRow &row) const {
  if (!row.skipped)
    return false;
  Result<double> floor = runner_->readNumber(options_.floorName);
  return floor.ok() && row.scale <= *floor;
}

Status Trainer::handleFloor(const MetricsRow &row) {
  if (options_.atFloor == AtFloor::Stop)
    return giveUp(row, fmt::format("step {} is not finite, and the loss scale "
                                   "is at its floor {}",
                                   row.step, shortestDecimal(row.scale)));
  if (options_.atFloor == AtFloor::Fp32)
    return keepGuiltyInFp32(row);
  if (options_.atFloor == AtFloor::Warn && !warnedOfFloor_) {
    warnedOfFloor_ = true;
    tell("warning",
         fmt::format("step {} is not finite, and the loss scale is at its "
                     "floor {}; --at-floor chooses what happens",
                     row.step, shortestDecimal(row.scale)));
  }
  return {};
}

Status Trainer::keepGuiltyInFp32(const MetricsRow &row) {
  std::string where =
      fmt::format("step {} is not finite at the floor of the loss scale, {}",
                  row.step, shortestDecimal(row.scale));
  MPC_ASSIGN_OR_RETURN(std::optional<NanFinding> finding,
                       watch_.find(*runner_, nanStep(row)));
  std::vector<std::string> nodes = position_.keptFp32, added;
  for (const std::string &node :
       finding ? finding->guilty : std::vector<std::string>())
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
      nodes.push_back(node);
      added.push_back(quote(node));
    }
  if (added.empty())
    return giveUp(row, where + ", and no node is left that fp32 could help");
  tell("warning",
       fmt::format("{}: from here on in fp32: {}", where, joinSome(added)));
  MPC_RETURN_IF_ERROR(keepFp32(nodes));
  position_.keptFp32 = nodes;
  // These steps were the old program's.
  position_.skippedInRow = 0;
  return {};
}

/// Goes on with the step compiled anew.
Status Trainer::keepFp32(const std::vector<std::string> &nodes) {
  if (!hooks_.keepFp32)
    return invalidInput("keeps nodes in fp32, which takes the compiler");
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<Runner> next, hooks_.keepFp32(nodes));
  MPC_RETURN_IF_ERROR(next->importState(runner_->exportState()));
  runner_ = next.get();
  owned_ = std::move(next);
  entries_.clear();
  return bindEntries();
}

Status Trainer::judge(const MetricsRow &row) {
  bool holds = options_.atFloor == AtFloor::Hold && isAtFloor(row);
  if (holds)
    return {};
  if (options_.maxSkipsInRow > 0 &&
      position_.skippedInRow >= options_.maxSkipsInRow)
    return giveUp(
        row, fmt::format("{} steps in a row had gradients that are not finite, "
                         "the last at step {} with loss scale {}",
                         position_.skippedInRow, row.step,
                         shortestDecimal(row.scale)));
  if (row.skipped && output("scale_error").value_or(0) != 0)
    return giveUp(row, fmt::format("the loss-scale policy gave up at step {} "
                                   "with loss scale {}",
                                   row.step, shortestDecimal(row.scale)));
  return {};
}

Status Trainer::giveUp(const MetricsRow &row, const std::string &why) {
  return diverged("training diverged: " + why +
                  watch_.cause(*runner_, nanStep(row)) +
                  "; try a lower --lr, --precision=bf16 or gradient clipping");
}

Status Trainer::checkpoint() {
  if (!checkpoints_ || savedStep_ == position_.step)
    return {};
  // Rows of steps that a checkpoint calls done must outlive it.
  MPC_RETURN_IF_ERROR(recorder_.sync());
  MPC_RETURN_IF_ERROR(checkpoints_->save(*runner_, position_));
  savedStep_ = position_.step;
  MPC_RETURN_IF_ERROR(trace_.refresh());
  return recorder_.refreshPlot();
}

Status Trainer::loop(TrainResult &result) {
  begin_ = Clock::now();
  while (position_.step < schedule_.totalSteps) {
    MPC_RETURN_IF_ERROR(step());
    if (options_.checkpointEvery > 0 &&
        position_.step % options_.checkpointEvery == 0)
      MPC_RETURN_IF_ERROR(checkpoint());
    result.signal = hooks_.signal ? hooks_.signal() : 0;
    if (result.signal)
      break;
  }
  return checkpoint();
}

Status Trainer::finish(const TrainResult &result) {
  progress_->finish(secondsSince(begin_));
  if (result.signal)
    tell("note",
         fmt::format("stopped after step {}; {}", position_.step,
                     checkpoints_ ? "continue with --resume"
                                  : "without --checkpoint-dir it is not "
                                    "saved"));
  MPC_RETURN_IF_ERROR(recorder_.writePlot());
  MPC_RETURN_IF_ERROR(trace_.write());
  if (options_.json)
    hooks_.output(summary_.toJson());
  return {};
}

Result<TrainResult> Trainer::train() {
  MPC_RETURN_IF_ERROR(prepare());
  saturation_.look(*runner_);
  TrainResult result;
  Status status = loop(result);
  saturation_.look(*runner_);
  // The curves of a run that failed are what one wants to see most.
  Status finished = finish(result);
  if (!status.ok())
    return status;
  if (!finished.ok())
    return finished;
  result.position = position_;
  return result;
}

} // namespace

void writeStandardOutput(std::string_view text) {
  (void)!writeAll(Io::system(), STDOUT_FILENO, text.data(), text.size());
}

std::vector<TensorDesc> dataInputs(const Program &program, int64_t accumulate) {
  std::vector<TensorDesc> inputs;
  for (std::string_view name : entriesOf(program, accumulate))
    if (const Entry *entry = program.findEntry(name))
      for (const TensorDesc &desc : entry->inputs)
        if (desc.name != kLearningRate &&
            std::none_of(inputs.begin(), inputs.end(),
                         [&](auto &known) { return known.name == desc.name; }))
          inputs.push_back(desc);
  return inputs;
}

Result<TrainResult> train(Runner &runner, DataLoader &loader,
                          const TrainOptions &options,
                          const TrainHooks &hooks) {
  return Trainer(runner, loader, options, hooks).train();
}

} // namespace mpc::rt
