// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The valid order of calls on a runner, and the work of each call.
#include "runtime/CAPI/Session.h"

#include "runtime/CAPI/Ranks.h"
#include "runtime/LossScale/ScalarState.h"
#include "runtime/Program/Commands.h"
#include "runtime/Program/StepNames.h"
#include "runtime/Runner/InputBounds.h"
#include "runtime/Support/Hash.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/CheckpointParts.h"
#include "runtime/Train/InitialWeights.h"
#include "runtime/Train/RankAgreement.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <unistd.h>

namespace mpc::rt {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string listed(const std::vector<std::string> &names) {
  std::vector<std::string> quoted;
  for (const std::string &name : names)
    quoted.push_back(quote(name));
  return joinSome(quoted);
}

/// The number of rows in a batch: of the labels, or, without labels, of the
/// first input that has rows.
int64_t batchRowsOf(const Entry &entry) {
  const TensorDesc *found = nullptr;
  for (const TensorDesc &input : entry.inputs)
    if (!input.shape.empty() && (!found || input.name == "target"))
      found = &input;
  return found ? found->shape[0] : 1;
}

MpcStepResult resultOf(const StepOutcome &outcome) {
  MpcStepResult result = {};
  result.structSize = sizeof result;
  result.step = outcome.step;
  result.loss = outcome.loss;
  result.scale = outcome.scale.value_or(kNaN);
  result.gradNorm = outcome.gradNorm;
  result.goodSteps = outcome.goodSteps.value_or(kNaN);
  result.foundInf = outcome.foundInf;
  result.skipped = outcome.skipped;
  result.scaleError = outcome.hasScaleError;
  return result;
}

} // namespace

Session::Session(const Log &log) : log_(log), process_(::getpid()) {}

/// A child of fork() has no worker threads, and must not wait for them.
Session::~Session() {
  if (!isOfThisProcess())
    (void)runner_.release();
}

Status Session::startProfile() {
  profile_.reset();
  MPC_ASSIGN_OR_RETURN(profile_, RunProfile::begin(*runner_));
  return {};
}

Result<RunProfile *> Session::profile() const {
  if (!profile_)
    return usageError("no profile was started");
  return profile_.get();
}

const char *Session::keep(std::string text) {
  text_ = std::move(text);
  return text_.c_str();
}

bool Session::isOfThisProcess() const { return ::getpid() == process_; }

Result<std::shared_ptr<Session>>
Session::create(std::shared_ptr<const Program> program,
                const MpcRunnerOptions &options) {
  if (options.numThreads < 0)
    return usageError(fmt::format("numThreads is {}, expected 0 or more",
                                  options.numThreads));
  std::shared_ptr<Session> session(
      new Session({options.log, options.logContext}));
  for (const std::string &warning : program->warnings)
    session->log_.write(MPC_LOG_WARNING, warning);
  MPC_RETURN_IF_ERROR(session->findRanks(*program, options));
  RunnerOptions runnerOptions{options.numThreads};
  runnerOptions.ranks = session->ranks_.get();
  MPC_ASSIGN_OR_RETURN(auto runner,
                       Runner::create(std::move(program), runnerOptions));
  MPC_RETURN_IF_ERROR(session->open(std::move(runner), options.seed));
  return session;
}

Result<std::shared_ptr<Session>>
Session::createShared(std::shared_ptr<const Program> program,
                      const MpcRunnerOptions &options) const {
  if (options.numThreads != 0)
    return usageError("numThreads is that of the runner whose state is shared: "
                      "expected 0");
  MPC_RETURN_IF_ERROR(checkMissing());
  std::shared_ptr<Session> session(
      new Session({options.log, options.logContext}));
  for (const std::string &warning : program->warnings)
    session->log_.write(MPC_LOG_WARNING, warning);
  session->use_ = use_;
  session->ranks_ = ranks_;
  session->firstBatch_ = firstBatch_;
  MPC_ASSIGN_OR_RETURN(auto runner,
                       Runner::createShared(std::move(program), *runner_));
  MPC_RETURN_IF_ERROR(session->open(std::move(runner), options.seed));
  return session;
}

Status Session::findRanks(const Program &program,
                          const MpcRunnerOptions &options) {
  if (!options.ranks)
    return {};
  MPC_ASSIGN_OR_RETURN(OpenRanks * open, objectOf(options.ranks));
  ranks_ = open->ranks;
  const StepProtocol &protocol = program.protocol;
  if (protocol.ranks != ranks_->size())
    return wrongNumberOfRanks(protocol.ranks, ranks_->size());
  firstBatch_ = ranks_->rank() * protocol.accumulate;
  return {};
}

/// Where ranks begin with different programs or states each would train
/// something else.
Status Session::agreeAtStart() {
  if (!ranks_ || hasAgreed_)
    return {};
  const Program &program = runner_->program();
  std::string facts = program.recipe;
  if (const CpuTarget *target = program.cpu())
    facts += ContentHash::of(target->image.data(), target->image.size());
  for (const Constant &constant : program.constants)
    facts += ContentHash::of(constant.bytes.data(), constant.bytes.size());
  MPC_RETURN_IF_ERROR(
      compareFacts(ranks_.get(), {{"the programs", std::move(facts)}}));
  MPC_RETURN_IF_ERROR(compareFirstStates(ranks_.get(), *runner_));
  hasAgreed_ = true;
  return {};
}

Status Session::broadcastState() {
  if (!ranks_)
    return usageError("the runner has no ranks: they are in its options");
  Status begin = checkBetweenSteps("the state is shared");
  if (begin.ok() && ranks_->isFirst())
    begin = checkMissing();
  MPC_RETURN_IF_ERROR(agree(ranks_.get(), begin));
  std::optional<TrainPosition> position = training_->position();
  std::string parts = std::exchange(loadedParts_, "");
  if (position->step != loadedStep_)
    parts.clear();
  MPC_RETURN_IF_ERROR(
      shareStart(ranks_.get(), *runner_, position, std::move(parts)));
  training_->position() = *position;
  numDerived_ = ++use_->numWrites;
  missing_.clear();
  return {};
}

Status Session::open(std::unique_ptr<Runner> runner, uint64_t seed) {
  runner_ = std::move(runner);
  training_.emplace(*runner_);
  for (const std::string &warning : runner_->warnings())
    log_.write(MPC_LOG_WARNING, warning);
  MPC_ASSIGN_OR_RETURN(std::vector<std::string> missing,
                       drawState(*runner_, seed));
  numDerived_ = use_->numWrites;
  use_->numWrites += runner_->isDivided();
  missing_.insert(missing.begin(), missing.end());
  // An optimizer of the caller's has access to the parameters' memory.
  use_->isHandedOut |= !runner_->program().protocol.callerUpdates.empty();
  return bindEntries();
}

Status Session::bindEntries() {
  const Program &program = runner_->program();
  std::vector<EntryCall *> calls;
  if (!program.stepEntries(program.protocol.accumulate).empty()) {
    MPC_ASSIGN_OR_RETURN(
        step_, StepRun::create(*runner_, program.protocol.accumulate));
    for (EntryCall &call : step_->calls())
      calls.push_back(&call);
    MPC_RETURN_IF_ERROR(optimizer_.open(*runner_, *step_));
    training_->add(optimizer_);
  }
  for (auto [role, own] : {std::pair(EntryRole::Eval, &evaluations_),
                           std::pair(EntryRole::Measure, &measurements_)}) {
    for (const Entry *entry : program.findEntries(role)) {
      MPC_ASSIGN_OR_RETURN(EntryCall call, EntryCall::create(*runner_, *entry));
      own->push_back(std::move(call));
    }
    for (EntryCall &call : *own)
      calls.push_back(&call);
  }
  if (const Entry *entry = program.findEntry(EntryRole::Measure))
    metrics_ = MetricSums(*entry, batchRowsOf(*entry));
  for (EntryCall *call : calls)
    for (size_t i = 0; i < call->entry().inputs.size(); ++i)
      if (call->entry().inputs[i].name == step::kFirstBatch)
        call->setInput(i, &firstBatch_);
  bindings_.open(*runner_, std::move(calls));
  return takeRate();
}

/// Takes the rate that the program has, until the caller writes another.
Status Session::takeRate() {
  const RunDefaults &defaults = runner_->program().runDefaults;
  auto given = defaults.find("--lr");
  if (given == defaults.end() || !bindings_.hasNumber(step::kLearningRate))
    return {};
  const std::string &text = given->second;
  double rate = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size())
    return invalidInput("manifest: the run's --lr is " + quote(text) +
                        ", which is not a number");
  return writeNumber(step::kLearningRate, rate);
}

Status Session::loadWeights(const std::string &path) {
  MPC_ASSIGN_OR_RETURN(InitialWeightsReport report,
                       loadInitialWeights(*runner_, path));
  noteLoaded();
  for (const std::string &name : report.loaded)
    missing_.erase(name);
  if (!report.unused.empty())
    log_.write(MPC_LOG_WARNING,
               fmt::format("{}: no parameter of that name: {}", escape(path),
                           listed(report.unused)));
  if (!report.missing.empty())
    log_.write(MPC_LOG_WARNING,
               fmt::format("{}: lacks parameters: {}", escape(path),
                           listed(report.missing)));
  return {};
}

Status Session::checkMissing() const {
  if (missing_.empty())
    return {};
  return usageError(
      fmt::format("the program has no values of {}: write or load them first",
                  listed({missing_.begin(), missing_.end()})));
}

/// The state is another, and what follows from it was derived, too. Of a
/// divided state all ranks derive that together, before their next run.
void Session::noteLoaded() {
  ++use_->numWrites;
  if (!runner_->isDivided())
    numDerived_ = use_->numWrites;
}

/// Updates the 16-bit copies of parameters that were written.
Status Session::settle() {
  if (!use_->isHandedOut && numDerived_ == use_->numWrites)
    return {};
  if (runner_->isDivided())
    runner_->keepOwnState();
  MPC_RETURN_IF_ERROR(runner_->derive());
  numDerived_ = use_->numWrites;
  return {};
}

Status Session::checkCall(const EntryCall &call) const {
  MPC_RETURN_IF_ERROR(checkMissing());
  const Entry &entry = call.entry();
  for (size_t i = 0; i < entry.inputs.size(); ++i)
    MPC_RETURN_IF_ERROR(checkInput(call, i));
  return {};
}

/// Checks that the input is there and within its bounds, for which a copy of
/// one on the device is made.
Status Session::checkInput(const EntryCall &call, size_t index) const {
  const TensorDesc &input = call.entry().inputs[index];
  const std::vector<InputBound> &bounds = runner_->program().bounds;
  if (call.input(index))
    return checkBounds({input, call.input(index)}, bounds);
  if (!call.deviceInput(index))
    return usageError(fmt::format("entry {}: input {} is not bound",
                                  quote(call.entry().name), quote(input.name)));
  if (!hasBounds(input, bounds))
    return {};
  std::vector<std::byte> copy(static_cast<size_t>(input.numBytes()));
  MPC_RETURN_IF_ERROR(runner_->readDevice(copy, call.deviceInput(index)));
  return checkBounds({input, copy.data()}, bounds);
}

Status Session::prepare(const EntryCall &call) {
  MPC_RETURN_IF_ERROR(checkCall(call));
  return settle();
}

Status Session::refuseShapes(const std::vector<const Entry *> &known) const {
  std::string bound;
  for (const auto &[name, shape] : bindings_.shapes())
    if (known.front()->dataShapes().contains(name))
      bound += fmt::format("{}{} {}", bound.empty() ? "" : ", ", escape(name),
                           fmt::join(shape, "x"));
  return usageError(fmt::format(
      "the bound tensors are not a batch of the program: found {}, expected {}",
      bound, describeData(known)));
}

/// Chooses the shape of the next batch: that of the tensors bound last.
Status Session::chooseShape() {
  if (step_->numShapes() == 1)
    return {};
  std::optional<size_t> shape = step_->findShape(bindings_.shapes());
  if (!shape)
    return refuseShapes(runner_->program().batchEntries(step_->batches()));
  step_->chooseShape(*shape);
  return {};
}

Result<EntryCall *> Session::choose(std::vector<EntryCall> &calls) {
  std::vector<const Entry *> known;
  for (EntryCall &call : calls) {
    if (calls.size() == 1 || call.entry().takes(bindings_.shapes()))
      return &call;
    known.push_back(&call.entry());
  }
  return refuseShapes(known);
}

Status Session::addBatch() {
  if (!step_)
    return usageError("the program has no training step");
  MPC_RETURN_IF_ERROR(optimizer_.check());
  MPC_RETURN_IF_ERROR(chooseShape());
  MPC_RETURN_IF_ERROR(prepare(step_->batchCall()));
  MPC_RETURN_IF_ERROR(agreeAtStart());
  evaluatedLast_ = nullptr;
  return training_->addBatch(*step_);
}

Result<MpcStepResult> Session::step() {
  if (step_ && step_->batches() != 1)
    return usageError(fmt::format("a step has {} batches: accumulate each, "
                                  "then apply",
                                  step_->batches()));
  if (step_) {
    // Both are checked before the first one runs.
    MPC_RETURN_IF_ERROR(chooseShape());
    MPC_RETURN_IF_ERROR(checkCall(step_->batchCall()));
    MPC_RETURN_IF_ERROR(checkCall(step_->lastCall()));
  }
  MPC_RETURN_IF_ERROR(addBatch());
  return finish();
}

Result<double> Session::accumulate() {
  if (step_ && !step_->hasWindow())
    return usageError("the program has no entries 'accumulate' and 'apply': "
                      "its step is one batch");
  MPC_RETURN_IF_ERROR(addBatch());
  return step_->batchCall().scalar(step::kLoss).value_or(kNaN);
}

Result<MpcStepResult> Session::apply() {
  if (!step_)
    return usageError("the program has no training step");
  MPC_RETURN_IF_ERROR(optimizer_.check());
  if (step_->isFull() && step_->hasWindow())
    MPC_RETURN_IF_ERROR(prepare(step_->lastCall()));
  return finish();
}

Result<MpcStepResult> Session::finish() {
  MPC_RETURN_IF_ERROR(step_->finish());
  evaluatedLast_ = nullptr;
  MPC_ASSIGN_OR_RETURN(StepOutcome outcome, training_->end(*step_));
  return resultOf(outcome);
}

Status Session::evaluate() {
  if (evaluations_.empty())
    return usageError("the program has no entry 'eval'");
  MPC_ASSIGN_OR_RETURN(EntryCall * call, choose(evaluations_));
  MPC_RETURN_IF_ERROR(prepare(*call));
  evaluatedLast_ = call;
  return call->run();
}

Status Session::measure(int64_t numRows) {
  MPC_RETURN_IF_ERROR(metrics().status());
  MPC_ASSIGN_OR_RETURN(EntryCall * call, choose(measurements_));
  int64_t batchRows = batchRowsOf(call->entry());
  if (numRows < 0 || numRows > batchRows)
    return usageError(fmt::format(
        "{} rows: expected 0 to {}, the rows of a batch", numRows, batchRows));
  bool isWhole = numRows == 0 || numRows == batchRows;
  countedRows_ = isWhole ? std::numeric_limits<int64_t>::max() : numRows;
  const std::vector<TensorDesc> &inputs = call->entry().inputs;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].name == step::kCountedRows)
      call->setInput(i, &countedRows_);
  MPC_RETURN_IF_ERROR(prepare(*call));
  evaluatedLast_ = call;
  MPC_RETURN_IF_ERROR(call->run());
  metrics_.add(metrics_.partsOf(*call, isWhole ? batchRows : numRows));
  return {};
}

Result<MetricSums *> Session::metrics() {
  if (measurements_.empty())
    return usageError("the program has no entry 'measure': compile it with "
                      "--with-eval");
  return &metrics_;
}

Result<std::vector<double>> Session::evaluate(FileEvaluation &files) {
  MPC_RETURN_IF_ERROR(checkMissing());
  MPC_RETURN_IF_ERROR(settle());
  MPC_RETURN_IF_ERROR(files.bind(*runner_));
  return files.run();
}

Result<TensorView> Session::output(std::string_view name) const {
  std::optional<TensorView> found;
  if (evaluatedLast_)
    found = evaluatedLast_->output(name);
  else if (step_)
    found = step_->output(name);
  if (!found)
    return usageError(
        fmt::format("the last run has no output {}", quote(name)));
  if (!found->data)
    return usageError(fmt::format("output {} is bound to memory of a GPU: read "
                                  "it there",
                                  quote(name)));
  return *found;
}

MpcProgress Session::progress() const {
  const TrainPosition &done = training_->position();
  return {sizeof(MpcProgress), done.step, done.applied, done.skippedInRow};
}

Status
Session::readState(std::string_view name,
                   const std::function<Status(const TensorView &)> &use) {
  MPC_RETURN_IF_ERROR(settle());
  const StateTensor *tensor = runner_->program().findState(name);
  bool isDivided = tensor && runner_->isDivided(*tensor);
  if (isDivided)
    MPC_RETURN_IF_ERROR(runner_->gatherState(*tensor));
  MPC_ASSIGN_OR_RETURN(TensorView view, runner_->readState(name));
  Status status = use(view);
  if (isDivided)
    runner_->keepOwnState();
  return status;
}

Result<TensorView> Session::shareState(std::string_view name) {
  MPC_RETURN_IF_ERROR(refuseDivided(runner_->program().findState(name)));
  MPC_RETURN_IF_ERROR(settle());
  return runner_->readState(name);
}

Status Session::refuseDivided(const StateTensor *tensor) const {
  if (!tensor || !runner_->isDivided(*tensor))
    return {};
  return usageError(fmt::format(
      "{} is divided among ranks, none of which has it whole: all read it by "
      "mpcRunnerReadState, and write it by mpcRunnerWriteState",
      quote(tensor->desc.name)));
}

Status Session::writeState(const TensorView &source) {
  const std::string &name = source.desc.name;
  const StateTensor *tensor = runner_->program().findState(name);
  if (tensor && tensor->role == StateRole::LowPrecision)
    return usageError(fmt::format(
        "{} is a copy that follows its parameter: write the parameter",
        quote(name)));
  MPC_RETURN_IF_ERROR(checkStateFields(runner_->program(), {&source, 1}));
  MPC_RETURN_IF_ERROR(runner_->writeState(source));
  missing_.erase(name);
  use_->numWrites += tensor->role == StateRole::Parameter;
  return {};
}

/// A tensor that the caller may write in place.
Result<const StateTensor *> Session::findEditable(std::string_view name) const {
  const StateTensor *tensor = runner_->program().findState(name);
  if (!tensor)
    return invalidInput("no tensor " + quote(name) + " in the state");
  if (tensor->role != StateRole::Parameter && tensor->role != StateRole::Slot &&
      tensor->role != StateRole::Buffer)
    return usageError(fmt::format("{} is neither a parameter, a slot nor a "
                                  "buffer: only those can be written in place",
                                  quote(name)));
  MPC_RETURN_IF_ERROR(refuseDivided(tensor));
  return tensor;
}

Result<TensorView> Session::editState(std::string_view name) {
  MPC_ASSIGN_OR_RETURN(const StateTensor *tensor, findEditable(name));
  MPC_ASSIGN_OR_RETURN(std::span<std::byte> memory, runner_->editState(name));
  use_->isHandedOut |= tensor->role == StateRole::Parameter;
  missing_.erase(std::string(name));
  return TensorView{tensor->desc, memory.data()};
}

Result<TensorView> Session::deviceState(std::string_view name, Access access) {
  const StateTensor *tensor = runner_->program().findState(name);
  if (access == Access::Write) {
    MPC_ASSIGN_OR_RETURN(tensor, findEditable(name));
  } else {
    MPC_RETURN_IF_ERROR(settle());
  }
  MPC_ASSIGN_OR_RETURN(DeviceAddress address, runner_->handOutState(name));
  if (access == Access::Write) {
    use_->isHandedOut |= tensor->role == StateRole::Parameter;
    missing_.erase(std::string(name));
  }
  return TensorView{tensor->desc, reinterpret_cast<const void *>(address)};
}

Result<double> Session::readNumber(std::string_view name) const {
  if (std::optional<double> number = bindings_.number(name))
    return *number;
  if (bindings_.hasNumber(name))
    return usageError(fmt::format("input {} is not set", quote(name)));
  return runner_->readNumber(name);
}

Status Session::writeNumber(std::string_view name, double value) {
  if (!bindings_.hasNumber(name)) {
    std::optional<ScalerSlot> slot = runner_->findScalerSlot(name);
    return slot && slot->slot != StateSlot::Scale
               ? writeScalerSlot(*slot, value)
               : runner_->writeNumber(name, value);
  }
  if (!std::isfinite(value))
    return invalidInput(fmt::format("{}: expected a finite number, found {}",
                                    quote(name), shortestDecimal(value)));
  bindings_.setNumber(name, value);
  return {};
}

Status Session::updateScale(double newScale, std::string_view scaler) {
  return runner_->updateScale(newScale, scaler);
}

/// Accepts only values that steps produce.
Status Session::writeScalerSlot(const ScalerSlot &slot, double value) {
  MPC_ASSIGN_OR_RETURN(TensorView state,
                       runner_->readState(slot.scaler->desc.name));
  std::vector<double> values(static_cast<size_t>(state.desc.numElements()));
  std::memcpy(values.data(), state.data, values.size() * sizeof(double));
  values[static_cast<size_t>(slot.slot)] = value;
  return writeState({state.desc, values.data()});
}

/// A checkpoint cannot hold the gradients of a part of a step.
Status Session::checkBetweenSteps(const char *what) const {
  if (!step_ || step_->isDone())
    return {};
  return usageError(fmt::format("the step has {} of its {} batches: apply it "
                                "before {}",
                                step_->numAdded(), step_->batches(), what));
}

void Session::setRule(CheckpointFolder &folder) const {
  folder.setRule({clausesOf(runner_->program().protocol.rule)});
}

/// The part of this rank, in the folder of rank 0.
Status Session::saveOwnPart(CheckpointFolder *folder) {
  return folder ? folder->saveInParts(ranks_.get(), *runner_,
                                      training_->position())
                : saveParts(ranks_.get(), *runner_, "", {});
}

Status Session::save(CheckpointFolder *folder, const LoaderState &data,
                     CheckpointForm form) {
  MPC_RETURN_IF_ERROR(checkBetweenSteps("the state is saved"));
  MPC_RETURN_IF_ERROR(checkMissing());
  if (!folder && (!ranks_ || ranks_->isFirst()))
    return usageError("checkpoints is NULL: only ranks other than 0 save "
                      "without a folder, to that of rank 0");
  if (folder)
    setRule(*folder);
  training_->position().loader = data;
  auto save = [&] {
    return folder ? folder->save(*runner_, training_->position()) : Status();
  };
  return training_->save([&] {
    if (form == CheckpointForm::Parts)
      return saveOwnPart(folder);
    return runner_->isDivided() ? withWholeState(*runner_, save) : save();
  });
}

Result<std::optional<LoaderState>>
Session::loadNewest(CheckpointFolder &folder) {
  MPC_RETURN_IF_ERROR(checkBetweenSteps("another state is loaded"));
  setRule(folder);
  MPC_ASSIGN_OR_RETURN(std::optional<TrainPosition> position,
                       folder.loadNewest(*runner_));
  if (!position)
    return std::optional<LoaderState>();
  MPC_RETURN_IF_ERROR(
      training_->keepFp32(position->keptFp32, /*compile=*/nullptr)
          .withContext(escape(folder.fileOf(position->step))));
  noteLoaded();
  missing_.clear();
  training_->position() = *position;
  loadedParts_ = folder.loadedParts();
  loadedStep_ = position->step;
  return std::optional(position->loader);
}

} // namespace mpc::rt
