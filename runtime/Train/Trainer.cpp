// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The training loop: batch, step, checkpoint.
#include "runtime/Train/Trainer.h"

#include "runtime/Support/Output.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/CheckpointKeeper.h"
#include "runtime/Train/ExportedWeights.h"
#include "runtime/Train/FaultWatch.h"
#include "runtime/Train/Lookahead.h"
#include "runtime/Train/RankAgreement.h"
#include "runtime/Train/StepCalls.h"
#include "runtime/Train/StepRecorder.h"
#include "runtime/Train/TraceRecorder.h"
#include "runtime/Train/Training.h"
#include "runtime/Train/WeightCopies.h"

#include <algorithm>
#include <chrono>
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

/// The names of the entries of a step for batches with so many rows. Without
/// such entries they are those for any batch, which StepCalls then refuses.
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

/// Collects the numbers for the summary of the run.
class SummaryObserver : public TrainObserver {
public:
  explicit SummaryObserver(RunSummary &summary) : summary_(summary) {}

  Status afterStep(Training & /*training*/, StepReport &report) override {
    summary_.add(report.row);
    return {};
  }

private:
  RunSummary &summary_;
};

/// Shows progress to a person, and messages between steps.
class Screen : public TrainObserver {
public:
  Screen(const TrainHooks &hooks, const RunSummary &summary,
         const Evaluator &evaluation)
      : hooks_(hooks), summary_(summary), evaluation_(evaluation) {}

  void open(int64_t step, int64_t totalSteps, int64_t samplesPerStep) {
    progress_.emplace(hooks_.terminal, step, totalSteps, samplesPerStep);
  }
  void start() { begin_ = Clock::now(); }
  void finish() { progress_->finish(secondsSince(begin_)); }
  void tell(std::string_view kind, std::string_view text);

  Status afterStep(Training &training, StepReport &report) override;

private:
  const TrainHooks &hooks_;
  const RunSummary &summary_;
  const Evaluator &evaluation_;
  std::optional<Progress> progress_;
  Clock::time_point begin_;
  bool warnedOfLoss_ = false;
};

void Screen::tell(std::string_view kind, std::string_view text) {
  std::string line = fmt::format("{}: {}: {}", hooks_.tool, kind, text);
  if (progress_)
    progress_->message(line);
  else
    hooks_.terminal.write(line + "\n");
}

Status Screen::afterStep(Training &training, StepReport &report) {
  const MetricsRow &row = report.row;
  if (report.hasBadLoss() && !row.skipped && !warnedOfLoss_) {
    warnedOfLoss_ = true;
    tell("warning", fmt::format("step {}: loss is {}", row.step,
                                shortestDecimal(row.loss)));
  }
  int64_t step = training.position().step;
  std::string found = evaluation_.describe();
  bool isEvaluated = !found.empty() && evaluation_.isDue(step);
  progress_->update(
      {step, row.loss, row.scale, summary_.skipped(), found, isEvaluated},
      secondsSince(begin_));
  return {};
}

/// The training loop, with its observers.
class Trainer {
public:
  Trainer(Runner &runner, DataLoader &loader, const TrainOptions &options,
          const TrainHooks &hooks)
      : loader_(loader), options_(options), hooks_(hooks), training_(runner),
        schedule_(options.schedule), checkpoints_(options, teller()),
        screen_(hooks, summary_, evaluation_),
        recorder_({options.metrics, options.plot, options.tensorboard,
                   options.resume},
                  hooks.output),
        trace_(options.record),
        faults_(options, hooks, makeNanWatch(), teller()),
        saturation_([this](std::string_view text) { tell("warning", text); }) {
    summary_.compileSeconds = options.compileSeconds;
    summary_.compileStages = options.compileStages;
    for (const StateTensor &tensor : runner.program().state)
      if (tensor.role == StateRole::Slot || tensor.role == StateRole::Average)
        summary_.slotBytes += tensor.desc.numBytes();
    for (TrainObserver *observer : std::initializer_list<TrainObserver *>{
             &evaluation_, &checkpoints_, &counter_, &trace_, &recorder_,
             &screen_, &faults_})
      training_.add(*observer);
  }

  Result<TrainResult> train();

private:
  /// A step that is running.
  struct StepUnderWay {
    Clock::time_point start;
    /// The loader's positions before and after its batches.
    LoaderState before, after;
  };

  NanWatch makeNanWatch();
  NanWatch::Tell teller() {
    return [this](std::string_view kind, std::string_view text) {
      tell(kind, text);
    };
  }
  void tell(std::string_view kind, std::string_view text) {
    screen_.tell(kind, text);
  }
  [[nodiscard]] Ranks *ranks() const { return training_.runner().ranks(); }
  /// The batches of a step on all ranks.
  [[nodiscard]] int64_t batchesOfStep() const {
    return options_.accumulate * (ranks() ? ranks()->size() : 1);
  }
  /// The signal that this process has received, or 0.
  [[nodiscard]] int ownSignal() const {
    return hooks_.signal ? hooks_.signal() : 0;
  }
  void enter(RankPlace place);
  Status findLength();
  Status prepare();
  Status prepareAlone();
  Status compareRanks();
  Status endIntervals();
  Status exportTrained(bool failed);
  Status check();
  Status resume();
  Result<std::optional<TrainPosition>> load();
  Status restore(const TrainPosition &position);
  Status openRecords();
  Status bindEntries();
  Status loop(TrainResult &result);
  Status step();
  Status begin();
  Status settle();
  Status finishOldest();
  Status runUntilFinite(StepOutcome &outcome);
  [[nodiscard]] MetricsRow rowOf(const StepOutcome &outcome) const;
  [[nodiscard]] bool stopsEarly() const;
  Status checkpoint();
  Status save();
  Status finish(const TrainResult &result);

  DataLoader &loader_;
  const TrainOptions &options_;
  const TrainHooks &hooks_;
  Training training_;
  Schedule schedule_;
  StepRates rates_;
  Lookahead lookahead_;
  std::deque<StepUnderWay> underWay_; ///< The steps under way, oldest first.
  Clock::time_point lastFinished_;
  /// The calls, bound to the training's runner.
  std::optional<StepCalls> calls_;
  const Runner *bound_ = nullptr; ///< The runner to which `calls_` are bound.
  RunSummary summary_;
  CheckpointKeeper checkpoints_;
  Evaluator evaluation_;
  SummaryObserver counter_{summary_};
  Screen screen_;
  StepRecorder recorder_;
  TraceRecorder trace_;
  FaultWatch faults_;
  SaturationWatch saturation_;
  /// The signal that any rank had received when the last step was finished.
  int signal_ = 0;
};

NanWatch Trainer::makeNanWatch() {
  const Runner &runner = training_.runner();
  const Ranks *all = ranks();
  int64_t before = all ? all->rank() * options_.accumulate : 0;
  int64_t behind =
      all ? (all->size() - 1 - all->rank()) * options_.accumulate : 0;
  return {{options_.nanReport, options_.keepState,
           entriesFor(runner, options_, loader_, loader_.batchSize()),
           entriesFor(runner, options_, loader_, loader_.restRows()).front(),
           options_.accumulate, before, behind, options_.resume},
          hooks_.probe,
          loader_,
          dataInputs(runner.program(), options_.accumulate),
          teller(),
          hooks_.output};
}

Status Trainer::findLength() {
  schedule_.totalSteps = options_.steps;
  if (options_.steps == 0)
    schedule_.totalSteps = static_cast<int64_t>(
        options_.epochs * static_cast<double>(loader_.batchesPerEpoch()) /
        static_cast<double>(batchesOfStep()));
  if (schedule_.totalSteps > 0)
    return {};
  return usageError(fmt::format(
      "--epochs={}: too few samples for one step of {} x {}; the data holds {}",
      options_.epochs, batchesOfStep(), loader_.batchSize(),
      loader_.numSamples()));
}

/// Binds the step to the training's runner, unless it is bound to it already.
Status Trainer::bindEntries() {
  if (bound_ == &training_.runner())
    return {};
  calls_.reset();
  MPC_ASSIGN_OR_RETURN(calls_, StepCalls::bind(training_.runner(), loader_,
                                               options_.accumulate, &rates_));
  bound_ = &training_.runner();
  return {};
}

/// Checks outputs that are written at the end, so that no training is lost for
/// them.
Status Trainer::check() {
  MPC_RETURN_IF_ERROR(recorder_.checkPlot());
  if (!options_.exportedWeights.empty())
    MPC_RETURN_IF_ERROR(checkOutput(options_.exportedWeights));
  MPC_RETURN_IF_ERROR(trace_.check(options_.rule));
  return faults_.open();
}

/// Loads the newest checkpoint, and returns its position.
Result<std::optional<TrainPosition>> Trainer::load() {
  MPC_RETURN_IF_ERROR(checkpoints_.open());
  MPC_ASSIGN_OR_RETURN(std::optional<TrainPosition> position,
                       checkpoints_.load(training_.runner()));
  if (!position)
    return position;
  std::string file = checkpoints_.fileOf(position->step);
  if (position->loader.isNone())
    tell("note",
         file +
             ": has no position in the data, which is read from its beginning");
  tell("note", "resuming " + escape(file));
  MPC_RETURN_IF_ERROR(checkpoints_.replaceNumbers(training_.runner()));
  return position;
}

/// Continues at a position whose state is there.
Status Trainer::restore(const TrainPosition &position) {
  if (!position.loader.isNone())
    MPC_RETURN_IF_ERROR(loader_.restore(position.loader));
  MPC_RETURN_IF_ERROR(training_.keepFp32(position.keptFp32, hooks_.keepFp32));
  training_.position() = position;
  evaluation_.resume(training_.position(), teller());
  return {};
}

/// Rank 0 alone reads checkpoints. The others get its state.
Status Trainer::resume() {
  std::optional<TrainPosition> position;
  Status loaded;
  if (!ranks() || ranks()->isFirst()) {
    auto found = load();
    loaded = found.status();
    if (found.ok())
      position = *found;
  }
  MPC_RETURN_IF_ERROR(agree(ranks(), loaded));
  MPC_RETURN_IF_ERROR(shareStart(ranks(), training_.runner(), position,
                                 checkpoints_.loadedParts()));
  if (!position)
    return {};
  checkpoints_.resumeFrom(position->step);
  Status restored = restore(*position);
  return checkpoints_.isKept()
             ? restored.withContext(checkpoints_.fileOf(position->step))
             : restored;
}

/// Refuses ranks that would train something else.
Status Trainer::compareRanks() {
  const LoaderState &data = loader_.state();
  std::string rule;
  for (const auto &[key, value] : toFields(options_.rule))
    rule += fmt::format("{}={}\n", key, value);
  const EvaluatorOptions &evaluation = options_.evaluation;
  return compareFacts(
      ranks(),
      {{"the flags",
        fmt::format("{}{} steps, {} replays, saved every {}, "
                    "compared every {}",
                    rule, schedule_.totalSteps, options_.replays,
                    options_.checkpointEvery, options_.checkRanksEvery)},
       {"the evaluations",
        fmt::format("{} samples every {} of averages: {}, best {}, patience {}",
                    evaluation_.numSamples(), evaluation.every,
                    evaluation.averaged, evaluation.keepBest,
                    evaluation.stopAfter)},
       {"the data", fmt::format("{} samples of seed {}, {}, {}, batches of {}",
                                data.samples, data.seed, name(data.order),
                                name(data.lastBatch), data.batchSize)},
       {"the programs",
        fmt::format("{} for {}", training_.runner().program().recipe,
                    nameOf(training_.runner().program().target))}});
}

Status Trainer::openRecords() {
  int64_t step = training_.position().step;
  std::vector<std::string> others = calls_->others(),
                           evaluated = evaluation_.columns();
  others.insert(others.end(), evaluated.begin(), evaluated.end());
  MPC_RETURN_IF_ERROR(recorder_.open(step, others, evaluated.size()));
  return step > 0 ? trace_.resume(training_.runner(), step)
                  : trace_.open(training_.runner());
}

/// The part of prepare() that needs no other rank.
Status Trainer::prepareAlone() {
  MPC_RETURN_IF_ERROR(findLength());
  MPC_RETURN_IF_ERROR(bindEntries());
  MPC_RETURN_IF_ERROR(check());
  MPC_ASSIGN_OR_RETURN(evaluation_,
                       Evaluator::open(options_.evaluation, training_.runner(),
                                       options_.evaluationData,
                                       schedule_.totalSteps, teller()));
  return {};
}

void Trainer::enter(RankPlace place) {
  if (ranks())
    ranks()->enter(place, training_.position().step);
}

Status Trainer::prepare() {
  MPC_RETURN_IF_ERROR(agree(ranks(), prepareAlone()));
  MPC_RETURN_IF_ERROR(compareRanks());
  MPC_RETURN_IF_ERROR(resume());
  MPC_RETURN_IF_ERROR(bindEntries());
  MPC_RETURN_IF_ERROR(openRecords());
  lookahead_ = Lookahead(options_, schedule_, training_.runner());
  int64_t step = training_.position().step;
  screen_.open(step, schedule_.totalSteps,
               loader_.batchSize() * batchesOfStep());
  if (step >= schedule_.totalSteps)
    tell("note", fmt::format("all {} steps are done", schedule_.totalSteps));
  return {};
}

/// Repeats a skipped step. It has changed nothing but the loss scale, so that
/// the same batches may work with a lower one.
Status Trainer::runUntilFinite(StepOutcome &outcome) {
  for (int64_t replay = 0;; ++replay) {
    if (ranks())
      calls_->setShared(ownSignal());
    MPC_RETURN_IF_ERROR(calls_->finish());
    signal_ = static_cast<int>(calls_->outcome().largestShared());
    outcome = training_.outcomeOf(calls_->outcome());
    MPC_RETURN_IF_ERROR(training_.endTry(outcome));
    if (!outcome.skipped || outcome.hasScaleError || replay == options_.replays)
      return {};
    MPC_RETURN_IF_ERROR(loader_.restore(underWay_.front().before));
    MPC_RETURN_IF_ERROR(training_.begin());
    MPC_RETURN_IF_ERROR(calls_->begin());
  }
}

/// Begins the next step, after a running one or none.
Status Trainer::begin() {
  auto unknown = static_cast<int64_t>(underWay_.size());
  int64_t applied = training_.position().applied;
  rates_ = {schedule_.rateAt(applied + unknown), schedule_.rateAt(applied)};
  StepUnderWay step = {Clock::now(), loader_.state(), {}};
  enter(RankPlace::Computing);
  MPC_RETURN_IF_ERROR(training_.begin());
  MPC_RETURN_IF_ERROR(calls_->begin());
  step.after = loader_.state();
  underWay_.push_back(step);
  return {};
}

MetricsRow Trainer::rowOf(const StepOutcome &outcome) const {
  return {.step = outcome.step,
          .loss = outcome.loss,
          .lr = schedule_.rateAt(outcome.applied),
          .scale = outcome.scale.value_or(1),
          .goodSteps = outcome.goodSteps.value_or(0),
          .skipped = outcome.skipped,
          .gradNorm = outcome.gradNorm,
          .others = calls_->valuesOfOthers()};
}

Status Trainer::finishOldest() {
  StepReport report;
  MPC_RETURN_IF_ERROR(runUntilFinite(report.outcome));
  StepUnderWay step = underWay_.front();
  underWay_.pop_front();
  report.row = rowOf(report.outcome);
  report.row.stepMs = secondsSince(std::max(step.start, lastFinished_)) * 1e3;
  lastFinished_ = Clock::now();
  training_.position().loader = step.after;
  MPC_RETURN_IF_ERROR(training_.end(report));
  return bindEntries();
}

/// Finishes the steps under way.
Status Trainer::settle() {
  while (!underWay_.empty())
    MPC_RETURN_IF_ERROR(finishOldest());
  return {};
}

/// Begins a step, and finishes the one before, which has run meanwhile.
/// Finishes this one too, unless the next may begin without knowing its
/// outcome.
Status Trainer::step() {
  Status begun = begin();
  if (!begun.ok()) {
    MPC_RETURN_IF_ERROR(settle());
    return begun;
  }
  if (underWay_.size() > 1)
    MPC_RETURN_IF_ERROR(finishOldest());
  return lookahead_.mayPass(training_.position()) ? Status() : settle();
}

/// Rank 0 saves, and the others learn whether it could.
Status Trainer::checkpoint() {
  return options_.checkpointDir.empty() && !options_.sharesCheckpoints
             ? Status()
             : agree(ranks(), save());
}

Status Trainer::save() {
  if (!checkpoints_.isDue(training_.position().step))
    return {};
  enter(RankPlace::Saving);
  return training_.save([&] {
    return checkpoints_.save(training_.runner(), training_.position());
  });
}

/// What is done every so many steps, with the state after a step.
Status Trainer::endIntervals() {
  int64_t step = training_.position().step;
  if (endsInterval(step, options_.checkRanksEvery))
    MPC_RETURN_IF_ERROR(compareStates(ranks(), training_.runner())
                            .withContext(fmt::format("after step {}", step)));
  return endsInterval(step, options_.checkpointEvery) ? checkpoint() : Status();
}

Status Trainer::loop(TrainResult &result) {
  screen_.start();
  while (training_.position().step < schedule_.totalSteps && !stopsEarly()) {
    MPC_RETURN_IF_ERROR(step());
    if (underWay_.empty())
      MPC_RETURN_IF_ERROR(endIntervals());
    // Ranks stop at the same step, which is that of the last exchange.
    result.signal = ranks() ? signal_ : ownSignal();
    if (result.signal)
      break;
  }
  MPC_RETURN_IF_ERROR(settle());
  return checkpoint();
}

bool Trainer::stopsEarly() const {
  return !evaluation_.reasonToStop(training_.position()).empty();
}

/// Writes the trained weights where rank 0 is asked for them. Those of a run
/// that failed are written too, but for parts that only other ranks have.
Status Trainer::exportTrained(bool failed) {
  Runner &runner = training_.runner();
  auto write = [&]() -> Status {
    if (!options_.exportedWeights.empty())
      MPC_RETURN_IF_ERROR(exportWeights(runner, options_.exportedWeights));
    return hooks_.exportModel ? hooks_.exportModel(runner) : Status();
  };
  if (failed)
    return runner.isDivided() ? Status() : write();
  char isAsked = !options_.exportedWeights.empty() || hooks_.exportModel;
  if (ranks())
    MPC_RETURN_IF_ERROR(
        ranks()->broadcast(std::as_writable_bytes(std::span(&isAsked, 1))));
  return isAsked ? withWholeState(runner, write) : Status();
}

Status Trainer::finish(const TrainResult &result) {
  const TrainPosition &position = training_.position();
  screen_.finish();
  if (stopsEarly() && !result.signal)
    tell("note", fmt::format("stopped after step {}: {}", position.step,
                             evaluation_.reasonToStop(position)));
  if (result.signal)
    tell("note", fmt::format("stopped after step {}; {}", position.step,
                             checkpoints_.isKept()
                                 ? "continue with --resume"
                                 : "without --checkpoint-dir it is not "
                                   "saved"));
  MPC_RETURN_IF_ERROR(recorder_.writePlot());
  MPC_RETURN_IF_ERROR(trace_.write());
  summary_.evaluation = evaluation_.summary();
  if (options_.json)
    hooks_.output(summary_.toJson());
  return {};
}

Result<TrainResult> Trainer::train() {
  MPC_RETURN_IF_ERROR(prepare());
  saturation_.look(training_.runner());
  TrainResult result;
  Status status = loop(result);
  saturation_.look(training_.runner());
  Status exported = exportTrained(!status.ok());
  // The curves of a failed run are written too, because they are needed most.
  Status finished = finish(result);
  for (const Status &one : {status, exported, finished})
    MPC_RETURN_IF_ERROR(one);
  result.position = training_.position();
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
