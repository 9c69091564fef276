// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop: batch, step, bookkeeping, checkpoint.
#include "runtime/Train/Trainer.h"

#include "runtime/Support/Output.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/CheckpointKeeper.h"
#include "runtime/Train/ExportedWeights.h"
#include "runtime/Train/Lookahead.h"
#include "runtime/Train/NanWatch.h"
#include "runtime/Train/StepCalls.h"
#include "runtime/Train/StepRecorder.h"
#include "runtime/Train/TraceRecorder.h"
#include "runtime/Train/WeightCopies.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace mpc::rt {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Names of the entries of a step whose batches have so many rows; of any
/// where it has none of those, which StepCalls refuses.
std::vector<std::string_view> entriesFor(const Runner &runner,
                                         const TrainOptions &options,
                                         const DataLoader &loader,
                                         int64_t rows) {
  const Program &program = runner.program();
  auto entries =
      program.stepEntries(options.accumulate, batchShapes(loader, rows));
  if (entries.empty())
    entries = program.stepEntries(options.accumulate);
  std::vector<std::string_view> names;
  for (const Entry *entry : entries)
    names.emplace_back(entry->name);
  return names;
}

class Trainer {
public:
  Trainer(Runner &runner, DataLoader &loader, const TrainOptions &options,
          const TrainHooks &hooks)
      : runner_(&runner), loader_(loader), options_(options), hooks_(hooks),
        schedule_(options.schedule),
        checkpoints_(options,
                     [this](std::string_view kind, std::string_view text) {
                       tell(kind, text);
                     }),
        recorder_({options.metrics, options.plot, options.tensorboard,
                   options.resume},
                  hooks.output),
        trace_(options.record),
        watch_(
            {options.nanReport, options.keepState,
             entriesFor(runner, options, loader, loader.batchSize()),
             entriesFor(runner, options, loader, loader.restRows()).front(),
             options.accumulate, options.resume},
            hooks.probe, loader,
            dataInputs(runner.program(), options.accumulate),
            [this](std::string_view kind, std::string_view text) {
              tell(kind, text);
            },
            hooks.output),
        saturation_([this](std::string_view text) { tell("warning", text); }) {
    summary_.compileSeconds = options.compileSeconds;
    summary_.compileStages = options.compileStages;
    for (const StateTensor &tensor : runner.program().state)
      if (tensor.role == StateRole::Slot)
        summary_.slotBytes += tensor.desc.numBytes();
  }

  Result<TrainResult> train();

private:
  Status prepare();
  Status openCheckpoints();
  Status openEvaluation();
  Status evaluate(MetricsRow &row);
  Status keepBest();
  [[nodiscard]] bool stopsEarly() const;
  Status bindEntries();
  Status loop(TrainResult &result);
  Status step();
  Status begin();
  Status settle();
  Status finishOldest();
  Status runUntilFinite(MetricsRow &row);
  Status account(MetricsRow row);
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
  /// A step that has begun.
  struct StepUnderWay {
    Clock::time_point start;
    LoaderState before, after; ///< Its batches.
  };

  Schedule schedule_;
  TrainPosition position_;
  StepRates rates_;
  Lookahead lookahead_;
  std::deque<StepUnderWay> underWay_; ///< The oldest first.
  Clock::time_point lastFinished_;
  std::optional<StepCalls> calls_;
  std::optional<Evaluator> evaluator_;
  CheckpointKeeper checkpoints_;
  std::optional<Progress> progress_;
  RunSummary summary_;
  StepRecorder recorder_;
  TraceRecorder trace_;
  NanWatch watch_;
  SaturationWatch saturation_;
  Clock::time_point begin_;
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
  MPC_RETURN_IF_ERROR(checkpoints_.open());
  MPC_ASSIGN_OR_RETURN(std::optional<TrainPosition> position,
                       checkpoints_.load(*runner_));
  if (!position)
    return {};
  std::string file = checkpoints_.fileOf(position->step);
  if (position->loader.isNone())
    tell("note", file + ": has no place in the data, which begins anew");
  else
    MPC_RETURN_IF_ERROR(loader_.restore(position->loader).withContext(file));
  if (!position->keptFp32.empty())
    MPC_RETURN_IF_ERROR(keepFp32(position->keptFp32).withContext(file));
  position_ = *position;
  if (evaluator_)
    evaluator_->resume(position_,
                       [this](std::string_view kind, std::string_view text) {
                         tell(kind, text);
                       });
  tell("note", "resuming " + escape(file));
  return checkpoints_.replaceNumbers(*runner_);
}

Status Trainer::bindEntries() {
  MPC_ASSIGN_OR_RETURN(
      calls_, StepCalls::bind(*runner_, loader_, options_.accumulate, &rates_));
  return {};
}

Status Trainer::openEvaluation() {
  if (options_.evaluation.files.empty())
    return {};
  MPC_ASSIGN_OR_RETURN(
      evaluator_,
      Evaluator::open(options_.evaluation, *runner_, options_.evaluationData,
                      [this](std::string_view kind, std::string_view text) {
                        tell(kind, text);
                      }));
  return {};
}

/// Evaluates the state that a step has left, where it is time to; its row tells
/// what was found.
Status Trainer::evaluate(MetricsRow &row) {
  if (!evaluator_)
    return {};
  std::vector<std::string> columns = evaluator_->columns();
  if (!evaluator_->isDue(position_.step, schedule_.totalSteps)) {
    row.others.resize(row.others.size() + columns.size());
    return {};
  }
  MPC_RETURN_IF_ERROR(evaluator_->run(position_));
  EvaluationSummary &summary = summary_.evaluation;
  ++summary.evaluations;
  summary.values.clear();
  for (size_t i = 0; i < columns.size(); ++i) {
    double value = evaluator_->values()[i];
    row.others.emplace_back(value);
    summary.values.emplace_back(columns[i], value);
  }
  return keepBest();
}

Status Trainer::keepBest() {
  if (position_.best)
    summary_.evaluation.best = {position_.best->metric, position_.best->value,
                                position_.best->step};
  summary_.evaluation.stoppedEarly =
      !evaluator_->reasonToStop(position_).empty();
  return evaluator_->hasBest() ? checkpoints_.saveBest(*runner_, position_)
                               : Status();
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
  if (!options_.exportedWeights.empty())
    MPC_RETURN_IF_ERROR(checkOutput(options_.exportedWeights));
  MPC_RETURN_IF_ERROR(trace_.check(options_.rule));
  MPC_RETURN_IF_ERROR(watch_.open());
  MPC_RETURN_IF_ERROR(openEvaluation());
  MPC_RETURN_IF_ERROR(openCheckpoints());
  std::vector<std::string> others = calls_->others(), evaluated;
  if (evaluator_)
    evaluated = evaluator_->columns();
  others.insert(others.end(), evaluated.begin(), evaluated.end());
  MPC_RETURN_IF_ERROR(recorder_.open(position_.step, others, evaluated.size()));
  MPC_RETURN_IF_ERROR(position_.step > 0
                          ? trace_.resume(*runner_, position_.step)
                          : trace_.open(*runner_));
  lookahead_ = Lookahead(options_, schedule_, *runner_);
  progress_.emplace(hooks_.terminal, position_.step, schedule_.totalSteps,
                    loader_.batchSize() * options_.accumulate);
  if (position_.step >= schedule_.totalSteps)
    tell("note", fmt::format("all {} steps are done", schedule_.totalSteps));
  return {};
}

/// A skipped step has changed nothing but the loss scale: with a lower one the
/// same batches may do.
Status Trainer::runUntilFinite(MetricsRow &row) {
  for (int64_t replay = 0;; ++replay) {
    MPC_RETURN_IF_ERROR(calls_->finish(row));
    trace_.add(*runner_, {position_.step, calls_->outcome().foundInf(),
                          !row.skipped, row.scale});
    if (!row.skipped || calls_->outcome().hasScaleError() ||
        replay == options_.replays)
      return {};
    MPC_RETURN_IF_ERROR(loader_.restore(underWay_.front().before));
    MPC_RETURN_IF_ERROR(watch_.beforeStep(*runner_, expectsFault()));
    MPC_RETURN_IF_ERROR(calls_->begin());
  }
}

/// Begins the next step, behind one that is under way or none.
Status Trainer::begin() {
  auto unknown = static_cast<int64_t>(underWay_.size());
  rates_ = {schedule_.rateAt(position_.applied + unknown),
            schedule_.rateAt(position_.applied)};
  StepUnderWay step = {Clock::now(), loader_.state(), {}};
  MPC_RETURN_IF_ERROR(watch_.beforeStep(*runner_, expectsFault()));
  MPC_RETURN_IF_ERROR(calls_->begin());
  step.after = loader_.state();
  underWay_.push_back(step);
  return {};
}

Status Trainer::finishOldest() {
  MetricsRow row;
  MPC_RETURN_IF_ERROR(runUntilFinite(row));
  StepUnderWay step = underWay_.front();
  underWay_.pop_front();
  row.stepMs = secondsSince(std::max(step.start, lastFinished_)) * 1e3;
  lastFinished_ = Clock::now();
  row.step = position_.step;
  row.lr = schedule_.rateAt(position_.applied);
  position_.loader = step.after;
  return account(row);
}

/// Finishes what is under way.
Status Trainer::settle() {
  while (!underWay_.empty())
    MPC_RETURN_IF_ERROR(finishOldest());
  return {};
}

/// Begins a step, and finishes the one before, which has run meanwhile; this
/// one too, unless the next may begin without knowing what comes of it.
Status Trainer::step() {
  Status begun = begin();
  if (!begun.ok()) {
    MPC_RETURN_IF_ERROR(settle());
    return begun;
  }
  if (underWay_.size() > 1)
    MPC_RETURN_IF_ERROR(finishOldest());
  return lookahead_.mayPass(position_) ? Status() : settle();
}

/// A step without a loss has NaN in its row, and nothing wrong with it.
bool Trainer::lossIsBad(const MetricsRow &row) const {
  return !std::isfinite(row.loss) && calls_->outcome().hasLoss();
}

/// Counts, records and judges a finished step.
Status Trainer::account(MetricsRow row) {
  ++position_.step;
  position_.applied += !row.skipped;
  position_.skippedInRow = row.skipped ? position_.skippedInRow + 1 : 0;
  MPC_RETURN_IF_ERROR(evaluate(row));
  summary_.add(row);
  MPC_RETURN_IF_ERROR(recorder_.add(row));
  if (lossIsBad(row) && !row.skipped && !warnedOfLoss_) {
    warnedOfLoss_ = true;
    tell("warning", fmt::format("step {}: loss is {}", row.step,
                                shortestDecimal(row.loss)));
  }
  ProgressState state = {position_.step, row.loss, row.scale,
                         summary_.skipped()};
  if (evaluator_ && summary_.evaluation.evaluations > 0) {
    state.evaluation = evaluator_->describe();
    state.isEvaluated = evaluator_->isDue(position_.step, schedule_.totalSteps);
  }
  progress_->update(state, secondsSince(begin_));
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
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> state, runner_->exportState());
  MPC_RETURN_IF_ERROR(next->importState(state));
  runner_ = next.get();
  owned_ = std::move(next);
  calls_.reset();
  if (evaluator_)
    MPC_RETURN_IF_ERROR(evaluator_->bind(*runner_));
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
  if (row.skipped && calls_->outcome().hasScaleError())
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
  if (!checkpoints_.isDue(position_.step))
    return {};
  // Rows of steps that a checkpoint calls done must outlive it.
  MPC_RETURN_IF_ERROR(recorder_.sync());
  MPC_RETURN_IF_ERROR(checkpoints_.save(*runner_, position_));
  MPC_RETURN_IF_ERROR(trace_.refresh());
  return recorder_.refreshPlot();
}

Status Trainer::loop(TrainResult &result) {
  begin_ = Clock::now();
  while (position_.step < schedule_.totalSteps && !stopsEarly()) {
    MPC_RETURN_IF_ERROR(step());
    if (underWay_.empty() && options_.checkpointEvery > 0 &&
        position_.step % options_.checkpointEvery == 0)
      MPC_RETURN_IF_ERROR(checkpoint());
    result.signal = hooks_.signal ? hooks_.signal() : 0;
    if (result.signal)
      break;
  }
  MPC_RETURN_IF_ERROR(settle());
  return checkpoint();
}

bool Trainer::stopsEarly() const {
  return evaluator_ && !evaluator_->reasonToStop(position_).empty();
}

Status Trainer::finish(const TrainResult &result) {
  progress_->finish(secondsSince(begin_));
  if (stopsEarly() && !result.signal)
    tell("note", fmt::format("stopped after step {}: {}", position_.step,
                             evaluator_->reasonToStop(position_)));
  if (result.signal)
    tell("note", fmt::format("stopped after step {}; {}", position_.step,
                             checkpoints_.isKept()
                                 ? "continue with --resume"
                                 : "without --checkpoint-dir it is not "
                                   "saved"));
  MPC_RETURN_IF_ERROR(recorder_.writePlot());
  MPC_RETURN_IF_ERROR(trace_.write());
  if (!options_.exportedWeights.empty())
    MPC_RETURN_IF_ERROR(exportWeights(*runner_, options_.exportedWeights));
  if (hooks_.exportModel)
    MPC_RETURN_IF_ERROR(hooks_.exportModel(*runner_));
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

Result<TrainResult> train(Runner &runner, DataLoader &loader,
                          const TrainOptions &options,
                          const TrainHooks &hooks) {
  return Trainer(runner, loader, options, hooks).train();
}

} // namespace mpc::rt
