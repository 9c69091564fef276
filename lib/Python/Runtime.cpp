// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of mpc_compiler._runtime. During long calls other threads of
// Python may run.
#include "lib/Python/Runtime.h"

#include "lib/Python/Error.h"

namespace mpc::python {
namespace {

LogFunction logTo(Messages &messages) {
  return [&messages](MpcLogLevel level, const char *text) {
    messages.emplace_back(int(level), text);
  };
}

RunnerOptions optionsOf(int numThreads, uint64_t seed, Messages &messages,
                        const mpc::Ranks *ranks = nullptr) {
  return {numThreads, seed, logTo(messages), ranks};
}

/// Pairs of a rank and its bytes. PyTorch makes no tensors of what is
/// read-only, so that what is sent is not.
nb::list listOf(const MpcRankMessage *messages, size_t count) {
  nb::list list;
  for (size_t i = 0; i < count; ++i)
    list.append(nb::make_tuple(
        messages[i].peer,
        nb::steal(PyMemoryView_FromMemory(
            static_cast<char *>(messages[i].data),
            static_cast<Py_ssize_t>(messages[i].numBytes), PyBUF_WRITE))));
  return list;
}

MpcError *callExchange(void *function, const MpcRankMessage *sends,
                       size_t numSends, const MpcRankMessage *receives,
                       size_t numReceives) {
  nb::gil_scoped_acquire acquire;
  try {
    nb::handle(static_cast<PyObject *>(function))(
        listOf(sends, numSends), listOf(receives, numReceives));
    return nullptr;
  } catch (const std::exception &error) {
    return mpcErrorCreate(MPC_ERROR_PEER, error.what());
  }
}

/// The value of a call that may take long.
template <typename Call>
auto waitFor(Call call) {
  auto expected = [&] {
    nb::gil_scoped_release release;
    return call();
  }();
  return valueOf(std::move(expected));
}

/// Visits a position's fields by their names in Python.
template <typename Visit>
void visitFields(MpcDataPosition &position, Visit visit) {
  visit("seed", position.seed);
  visit("epoch", position.epoch);
  visit("position", position.position);
  visit("samples", position.samples);
  visit("batch_size", position.batchSize);
  visit("shuffled", position.shuffled);
  visit("wraps", position.wraps);
}

} // namespace

MpcDataPosition toC(const Position &given) {
  auto position = sized<MpcDataPosition>();
  visitFields(position, [&](const char *name, auto &field) {
    if (auto it = given.find(name); it != given.end())
      field = static_cast<std::decay_t<decltype(field)>>(it->second);
  });
  return position;
}

Position toPosition(MpcDataPosition position) {
  Position named;
  visitFields(position, [&](const char *name, auto &field) {
    named[name] = int64_t(field);
  });
  return named;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Program Program::load(const std::string &path, const std::string &cpu) {
  return Program(waitFor([&] { return mpc::Program::load(path, cpu); }));
}

Program Program::loadBytes(nb::bytes bytes, const std::string &cpu) {
  return Program(
      valueOf(mpc::Program::loadBytes(bytes.c_str(), bytes.size(), cpu)));
}

Program Program::withoutValues(const std::vector<std::string> &names) const {
  return Program(valueOf(program_.withoutValues(names)));
}

MpcProgramInfo Program::info() const { return valueOf(program_.info()); }

std::vector<Entry> Program::entries() const {
  std::vector<Entry> entries;
  for (size_t i = 0; i < info().numEntries; ++i) {
    MpcEntryInfo info = valueOf(program_.entry(i));
    Entry &entry = entries.emplace_back(Entry{info.name, info.role, {}, {}});
    for (size_t j = 0; j < info.numInputs; ++j)
      entry.inputs.push_back(toInfo(valueOf(program_.input(i, j))));
    for (size_t j = 0; j < info.numOutputs; ++j)
      entry.outputs.push_back(toInfo(valueOf(program_.output(i, j))));
  }
  return entries;
}

std::vector<StateInfo> Program::state() const {
  std::vector<StateInfo> tensors;
  for (size_t i = 0; i < info().numStateTensors; ++i) {
    MpcStateRole role = MPC_STATE_PARAMETER;
    int isSaved = 0;
    check(mpcProgramGetStateRole(program_.get(), i, &role, &isSaved));
    MpcStateRecord record = valueOf(program_.stateRecord(i));
    tensors.push_back({toInfo(valueOf(program_.state(i))), int(role),
                       isSaved != 0, record.owner, record.key});
  }
  return tensors;
}

void joinCheckpoint(const std::string &folder, const std::string &file) {
  check(mpcCheckpointJoin(folder.c_str(), file.c_str()));
}

std::map<std::string, StateRecord> readRecords(const std::string &path) {
  std::map<std::string, StateRecord> records;
  auto add = [](void *context, const MpcStateRecord *record) {
    auto &all = *static_cast<std::map<std::string, StateRecord> *>(context);
    all[record->name] = {int(record->role), record->owner, record->key};
  };
  check(mpcCheckpointReadRecords(path.c_str(), add, &records));
  return records;
}

std::map<std::string, std::string> Program::tied() const {
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < info().numTied; ++i) {
    const char *name = nullptr, *parameter = nullptr;
    check(mpcProgramGetTied(program_.get(), i, &name, &parameter));
    names[name] = parameter;
  }
  return names;
}

//===----------------------------------------------------------------------===//
// Runners
//===----------------------------------------------------------------------===//

std::unique_ptr<Ranks> Ranks::joinMpi(double timeout, double patience) {
  auto ranks = std::make_unique<Ranks>();
  ranks->ranks_.emplace(
      waitFor([&] { return mpc::Ranks::joinMPI(timeout, patience); }));
  return ranks;
}

std::unique_ptr<Ranks> Ranks::joinNccl(uint32_t rank, uint32_t size, int device,
                                       const std::string &rendezvous,
                                       double timeout, double patience) {
  auto ranks = std::make_unique<Ranks>();
  ranks->ranks_.emplace(waitFor([&] {
    return mpc::Ranks::joinNCCL(rank, size, device, rendezvous, timeout,
                                patience);
  }));
  return ranks;
}

std::unique_ptr<Ranks> Ranks::create(uint32_t rank, uint32_t size,
                                     nb::object exchange) {
  auto ranks = std::make_unique<Ranks>();
  ranks->exchange_ = std::move(exchange);
  ranks->ranks_.emplace(valueOf(
      mpc::Ranks::create(rank, size, callExchange, ranks->exchange_.ptr())));
  return ranks;
}

Runner::Runner(const Program &program, int numThreads, uint64_t seed,
               const Ranks *ranks)
    : runner_(valueOf(mpc::Runner::create(
          program.get(), optionsOf(numThreads, seed, *messages_,
                                   ranks ? ranks->get() : nullptr)))) {}

Runner::Runner(const Program &program, const Runner &other, uint64_t seed)
    : runner_(valueOf(other.runner_.createShared(
          program.get(), optionsOf(0, seed, *messages_)))) {}

void Runner::loadWeights(const std::string &path) {
  check(runner_.loadWeights(path));
}

void Runner::bindInput(const std::string &name, nb::ndarray<nb::ro> array,
                       bool isBF16) {
  ArrayTensor tensor(std::move(array), isBF16);
  check(mpcRunnerBindInput(runner_.get(), name.c_str(), tensor.get()));
  bound_.insert_or_assign(name, std::move(tensor));
}

void Runner::bindOutput(const std::string &name, nb::ndarray<nb::ro> array) {
  ArrayTensor tensor(std::move(array), /*isBF16=*/false);
  check(mpcRunnerBindOutput(runner_.get(), name.c_str(), tensor.get()));
  boundOutputs_.insert_or_assign(name, std::move(tensor));
}

template <typename Call>
auto Runner::finish(Call call) {
  try {
    return waitFor(call);
  } catch (...) {
    if (raised_)
      std::rethrow_exception(std::exchange(raised_, nullptr));
    throw;
  }
}

MpcStepResult Runner::step() {
  return finish([&] { return runner_.step(); });
}

double Runner::accumulate() {
  return waitFor([&] { return runner_.accumulate(); });
}

MpcStepResult Runner::apply() {
  return finish([&] { return runner_.apply(); });
}

void Runner::setOptimizer(nb::object update, nb::object owner, bool onSkipped) {
  bool isGiven = !update.is_none();
  mpc::OptimizerFunction function;
  if (isGiven)
    function = [this](const MpcUpdate &numbers) {
      return callOptimizer(numbers);
    };
  check(runner_.setOptimizer(std::move(function), onSkipped));
  optimizer_ = isGiven ? std::move(update) : nb::object();
  memory_ = std::move(owner);
  parameters_.clear();
  gradients_.clear();
}

/// An array over the memory of a tensor of f32: NumPy's, or of a GPU what
/// hands it over by DLPack.
static nb::object arrayOf(const DLTensor &tensor, nb::handle owner) {
  std::vector<size_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.device.device_type != kDLCPU)
    return nb::cast(nb::ndarray<float>(tensor.data, shape.size(), shape.data(),
                                       owner, nullptr, nb::dtype<float>(),
                                       tensor.device.device_type,
                                       tensor.device.device_id));
  return nb::cast(nb::ndarray<nb::numpy, float>(tensor.data, shape.size(),
                                                shape.data(), owner));
}

mpc::Status Runner::callOptimizer(const MpcUpdate &numbers) {
  nb::gil_scoped_acquire acquire;
  try {
    for (size_t i = parameters_.size(); i < numbers.numParameters; ++i) {
      parameters_[numbers.names[i]] = arrayOf(numbers.parameters[i], memory_);
      gradients_[numbers.names[i]] = arrayOf(numbers.gradients[i], memory_);
    }
    optimizer_(Update{numbers, parameters_, gradients_});
    return {};
  } catch (...) {
    raised_ = std::current_exception();
    return Status(mpcErrorCreate(MPC_ERROR_USAGE,
                                 "the optimizer has raised an exception"));
  }
}

void Runner::evaluate() {
  Status status = [&] {
    nb::gil_scoped_release release;
    return runner_.evaluate();
  }();
  check(status);
}

void Runner::measure(int64_t numRows) {
  Status status = [&] {
    nb::gil_scoped_release release;
    return runner_.measure(numRows);
  }();
  check(status);
}

void Runner::resetMetrics() { check(runner_.resetMetrics()); }

std::map<std::string, double> Runner::metrics() {
  std::map<std::string, double> values;
  size_t count = valueOf(runner_.numMetrics());
  for (size_t i = 0; i < count; ++i)
    values.insert(valueOf(runner_.metric(i)));
  return values;
}

void Runner::readOutput(const std::string &name, nb::ndarray<nb::ro> target,
                        bool isBF16) {
  ArrayTensor tensor(std::move(target), isBF16);
  check(mpcRunnerReadOutput(runner_.get(), name.c_str(), tensor.get()));
}

void Runner::readState(const std::string &name, nb::ndarray<nb::ro> target,
                       bool isBF16) {
  ArrayTensor tensor(std::move(target), isBF16);
  check(mpcRunnerReadState(runner_.get(), name.c_str(), tensor.get()));
}

void Runner::writeState(const std::string &name, nb::ndarray<nb::ro> source,
                        bool isBF16) {
  ArrayTensor tensor(std::move(source), isBF16);
  check(mpcRunnerWriteState(runner_.get(), name.c_str(), tensor.get()));
}

static nb::capsule capsuleOf(ManagedTensor tensor) {
  nb::capsule capsule(tensor.get(), "dltensor_versioned");
  // A consumer that takes ownership of the tensor renames the capsule.
  PyCapsule_SetDestructor(capsule.ptr(), [](PyObject *object) {
    if (!PyCapsule_IsValid(object, "dltensor_versioned"))
      return;
    auto *tensor = static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(object, "dltensor_versioned"));
    tensor->deleter(tensor);
  });
  (void)tensor.release();
  return capsule;
}

nb::capsule Runner::shareState(const std::string &name) {
  return capsuleOf(valueOf(runner_.shareState(name)));
}

nb::capsule Runner::editState(const std::string &name) {
  return capsuleOf(valueOf(runner_.editState(name)));
}

nb::capsule Runner::shareDeviceState(const std::string &name) {
  return capsuleOf(valueOf(runner_.shareDeviceState(name)));
}

nb::capsule Runner::editDeviceState(const std::string &name) {
  return capsuleOf(valueOf(runner_.editDeviceState(name)));
}

void Runner::setStream(uintptr_t stream) {
  check(runner_.setStream(reinterpret_cast<void *>(stream)));
}

void Runner::savePart(bool inParts) {
  mpc::Status status = [&] {
    nb::gil_scoped_release release;
    return inParts ? mpc::Checkpoints::saveInPartsOnOther(runner_)
                   : mpc::Checkpoints::saveOnOther(runner_);
  }();
  check(std::move(status));
}

void Runner::broadcastState() {
  mpc::Status status = [&] {
    nb::gil_scoped_release release;
    return runner_.broadcastState();
  }();
  check(std::move(status));
}

double Runner::readNumber(const std::string &name) {
  return valueOf(runner_.readNumber(name));
}

void Runner::writeNumber(const std::string &name, double value) {
  check(runner_.writeNumber(name, value));
}

void Runner::updateScale(double newScale, const std::string &scaler) {
  check(runner_.updateScale(newScale, scaler));
}

void Runner::startProfile() {
  // It measures for a while.
  mpc::Status status = [&] {
    nb::gil_scoped_release release;
    return runner_.startProfile();
  }();
  check(status);
}

void Runner::stopProfile() { check(runner_.stopProfile()); }

std::string Runner::profile(bool asTable) {
  return valueOf(
      runner_.profile(asTable ? MPC_PROFILE_TABLE : MPC_PROFILE_JSON));
}

void Runner::writeTimeline(const std::string &path) {
  check(runner_.writeTimeline(path));
}

std::tuple<int64_t, int64_t, int64_t> Runner::progress() {
  MpcProgress progress = valueOf(runner_.progress());
  return {progress.steps, progress.applied, progress.skippedInRow};
}

Messages Runner::takeMessages() { return std::exchange(*messages_, {}); }

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

Checkpoints::Checkpoints(const std::string &path)
    : checkpoints_(valueOf(mpc::Checkpoints::open(path, logTo(*messages_)))) {}

void Checkpoints::save(Runner &runner, const Position &position, bool inParts) {
  MpcDataPosition given = toC(position);
  auto *write = inParts ? mpcCheckpointsSaveInParts : mpcCheckpointsSave;
  mpc::Status status = [&] {
    nb::gil_scoped_release release;
    return mpc::Status(write(checkpoints_.get(), runner.get().get(),
                             position.empty() ? nullptr : &given));
  }();
  check(std::move(status));
}

std::optional<Position> Checkpoints::loadNewest(Runner &runner) {
  auto found = waitFor([&] { return checkpoints_.loadNewest(runner.get()); });
  if (!found)
    return std::nullopt;
  return toPosition(*found);
}

Messages Checkpoints::takeMessages() { return std::exchange(*messages_, {}); }

} // namespace mpc::python
