// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs, runners and checkpoints in C++: handles that destroy themselves,
/// over mpc-c, whose headers say what each call does.
///
///     auto program = mpc::Program::load("step.mpc");
///     if (!program.ok()) ... program.status().message() ...
///     auto runner = mpc::Runner::create(*program);
///     runner->bindInput("x", {x.data(), {256, 64}});
///     runner->writeNumber("lr", 0.05);
///     auto result = runner->step();
#ifndef MPC_RUNTIME_H
#define MPC_RUNTIME_H

#include "mpc-c/Checkpoints.h"
#include "mpc-c/Program.h"
#include "mpc-c/Ranks.h"
#include "mpc-c/Runner.h"
#include "mpc/Status.h"
#include "mpc/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mpc {

/// A struct of the C ABI with its size set, to be filled in.
template <typename Struct>
Struct sized() {
  Struct value = {};
  value.structSize = sizeof value;
  return value;
}

namespace detail {

template <auto function>
struct Destroy {
  template <typename Handle>
  void operator()(Handle *handle) const {
    function(handle);
  }
};

/// The value that a call fills in, or its error.
template <typename Value, typename Call>
Expected<Value> filled(Value value, Call call) {
  Status status(call(&value));
  if (!status.ok())
    return Expected<Value>(std::move(status));
  return Expected<Value>(std::move(value));
}

} // namespace detail

/// A tensor that another owner lends; it is given back on destruction.
using ManagedTensor = std::unique_ptr<DLManagedTensorVersioned,
                                      void (*)(DLManagedTensorVersioned *)>;

/// Receives a message and its level.
using LogFunction = std::function<void(MpcLogLevel, const char *)>;

using Update = MpcUpdate;

/// Updates the parameters of a step: see mpcRunnerSetOptimizer. To fail it
/// returns Status(mpcErrorCreate(...)).
using OptimizerFunction = std::function<Status(const Update &)>;

namespace detail {

inline MpcError *callOptimizer(void *context, const MpcUpdate *update) {
  return (*static_cast<OptimizerFunction *>(context))(*update).release();
}

inline void callLog(void *context, MpcLogLevel level, const char *message) {
  (*static_cast<LogFunction *>(context))(level, message);
}

} // namespace detail

class Program {
public:
  /// `cpu` is empty for the best code that this processor can run.
  static Expected<Program> load(const std::string &path,
                                const std::string &cpu = "") {
    return create(cpu, [&](const MpcProgramOptions *options, MpcProgram **out) {
      return mpcProgramLoad(path.c_str(), options, out);
    });
  }
  static Expected<Program> loadBytes(const void *bytes, size_t size,
                                     const std::string &cpu = "") {
    return create(cpu, [&](const MpcProgramOptions *options, MpcProgram **out) {
      return mpcProgramLoadBytes(bytes, size, options, out);
    });
  }

  /// Takes ownership of the handle.
  explicit Program(MpcProgram *program) : program_(program) {}

  const MpcProgram *get() const { return program_.get(); }

  /// The program without the initial values of these parameters and buffers,
  /// which the caller writes into each runner: see mpcProgramWithoutValues.
  Expected<Program> withoutValues(const std::vector<std::string> &names) const {
    std::vector<const char *> given;
    for (const std::string &name : names)
      given.push_back(name.c_str());
    MpcProgram *other = nullptr;
    if (Status status(
            mpcProgramWithoutValues(get(), given.size(), given.data(), &other));
        !status.ok())
      return Expected<Program>(std::move(status));
    return Expected<Program>(Program(other));
  }

  Expected<MpcProgramInfo> info() const {
    return detail::filled(sized<MpcProgramInfo>(), [&](auto *info) {
      return mpcProgramGetInfo(get(), info);
    });
  }
  Expected<size_t> findEntry(const std::string &name) const {
    return detail::filled(size_t(), [&](size_t *entry) {
      return mpcProgramFindEntry(get(), name.c_str(), entry);
    });
  }
  Expected<MpcEntryInfo> entry(size_t index) const {
    return detail::filled(sized<MpcEntryInfo>(), [&](auto *info) {
      return mpcProgramGetEntry(get(), index, info);
    });
  }
  Expected<MpcTensorInfo> input(size_t entry, size_t index) const {
    return detail::filled(sized<MpcTensorInfo>(), [&](auto *info) {
      return mpcProgramGetInput(get(), entry, index, info);
    });
  }
  Expected<MpcTensorInfo> output(size_t entry, size_t index) const {
    return detail::filled(sized<MpcTensorInfo>(), [&](auto *info) {
      return mpcProgramGetOutput(get(), entry, index, info);
    });
  }
  Expected<MpcTensorInfo> state(size_t index) const {
    return detail::filled(sized<MpcTensorInfo>(), [&](auto *info) {
      return mpcProgramGetState(get(), index, info);
    });
  }
  Expected<MpcStateRecord> stateRecord(size_t index) const {
    return detail::filled(sized<MpcStateRecord>(), [&](auto *record) {
      return mpcProgramGetStateRecord(get(), index, record);
    });
  }

private:
  template <typename Load>
  static Expected<Program> create(const std::string &cpu, Load load) {
    auto options = sized<MpcProgramOptions>();
    options.cpu = cpu.empty() ? nullptr : cpu.c_str();
    MpcProgram *program = nullptr;
    if (Status status(load(&options, &program)); !status.ok())
      return Expected<Program>(std::move(status));
    return Expected<Program>(Program(program));
  }

  std::unique_ptr<MpcProgram, detail::Destroy<mpcProgramDestroy>> program_;
};

/// Processes that train together: see mpc-c/Ranks.h.
class Ranks {
public:
  /// Those that mpirun or srun has started. The waits are in seconds; 0 for the
  /// default of each.
  static Expected<Ranks> joinMPI(double timeout = 0, double patience = 0) {
    auto options = sized<MpcRanksOptions>();
    options.timeout = timeout;
    options.patience = patience;
    MpcRanks *ranks = nullptr;
    if (Status status(mpcRanksCreateMPI(&options, &ranks)); !status.ok())
      return Expected<Ranks>(std::move(status));
    return Expected<Ranks>(Ranks(ranks));
  }
  /// Those that have a GPU each, of which this process has number `device`.
  static Expected<Ranks> joinNCCL(uint32_t rank, uint32_t size, int device,
                                  const std::string &rendezvous,
                                  double timeout = 0, double patience = 0) {
    auto options = sized<MpcNcclOptions>();
    options.rank = rank;
    options.size = size;
    options.device = device;
    options.rendezvous = rendezvous.c_str();
    options.timeout = timeout;
    options.patience = patience;
    MpcRanks *ranks = nullptr;
    if (Status status(mpcRanksCreateNCCL(&options, &ranks)); !status.ok())
      return Expected<Ranks>(std::move(status));
    return Expected<Ranks>(Ranks(ranks));
  }
  /// Those whose messages `exchange` moves. `context` must outlive the ranks
  /// and their runners.
  static Expected<Ranks> create(uint32_t rank, uint32_t size,
                                MpcExchangeFunction exchange, void *context) {
    MpcRanks *ranks = nullptr;
    if (Status status(
            mpcRanksCreateCallbacks(rank, size, exchange, context, &ranks));
        !status.ok())
      return Expected<Ranks>(std::move(status));
    return Expected<Ranks>(Ranks(ranks));
  }

  MpcRanks *get() const { return ranks_.get(); }
  uint32_t rank() const { return place().first; }
  uint32_t size() const { return place().second; }

private:
  explicit Ranks(MpcRanks *ranks) : ranks_(ranks) {}
  std::pair<uint32_t, uint32_t> place() const {
    uint32_t rank = 0, size = 0;
    Status status(mpcRanksGetPlace(get(), &rank, &size));
    return {rank, size};
  }

  std::unique_ptr<MpcRanks, detail::Destroy<mpcRanksDestroy>> ranks_;
};

struct RunnerOptions {
  int numThreads = 0; ///< The number of threads; 0: one for each CPU.
  uint64_t seed = 0;
  LogFunction log = {};         ///< Receives messages; may be empty.
  const Ranks *ranks = nullptr; ///< Those of a program for several.
};

/// A runner, used by one thread at a time.
class Runner {
public:
  static Expected<Runner> create(const Program &program,
                                 const RunnerOptions &given = {}) {
    return make(given, [&](const MpcRunnerOptions *options, MpcRunner **out) {
      return mpcRunnerCreate(program.get(), options, out);
    });
  }
  /// A runner that shares the state of this one.
  Expected<Runner> createShared(const Program &program,
                                const RunnerOptions &given = {}) const {
    return make(given, [&](const MpcRunnerOptions *options, MpcRunner **out) {
      return mpcRunnerCreateShared(program.get(), get(), options, out);
    });
  }

  MpcRunner *get() const { return runner_.get(); }

  Status loadWeights(const std::string &path) {
    return Status(mpcRunnerLoadWeights(get(), path.c_str()));
  }

  /// The tensor's memory must live until the binding ends.
  Status bindInput(const std::string &name, const Tensor &tensor) {
    return Status(mpcRunnerBindInput(get(), name.c_str(), tensor.get()));
  }
  Status bindOutput(const std::string &name, const Tensor &tensor) {
    return Status(mpcRunnerBindOutput(get(), name.c_str(), tensor.get()));
  }
  /// On success the tensor is taken; otherwise it stays in `tensor`.
  Status bindInput(const std::string &name, ManagedTensor &&tensor) {
    Status status(mpcRunnerBindInputManaged(get(), name.c_str(), tensor.get()));
    if (status.ok())
      (void)tensor.release();
    return status;
  }
  Status bindOutput(const std::string &name, ManagedTensor &&tensor) {
    Status status(
        mpcRunnerBindOutputManaged(get(), name.c_str(), tensor.get()));
    if (status.ok())
      (void)tensor.release();
    return status;
  }
  Status unbindInput(const std::string &name) {
    return Status(mpcRunnerUnbindInput(get(), name.c_str()));
  }
  Status unbindOutput(const std::string &name) {
    return Status(mpcRunnerUnbindOutput(get(), name.c_str()));
  }

  Expected<MpcStepResult> step() {
    return detail::filled(sized<MpcStepResult>(), [&](auto *result) {
      return mpcRunnerStep(get(), result);
    });
  }
  /// Runs one batch of a window and returns its loss.
  Expected<double> accumulate() {
    return detail::filled(double(), [&](double *loss) {
      return mpcRunnerAccumulate(get(), loss);
    });
  }
  Expected<MpcStepResult> apply() {
    return detail::filled(sized<MpcStepResult>(), [&](auto *result) {
      return mpcRunnerApply(get(), result);
    });
  }
  Status evaluate() { return Status(mpcRunnerEvaluate(get())); }
  Status measure(int64_t numRows = 0) {
    return Status(mpcRunnerMeasure(get(), numRows));
  }
  Expected<size_t> numMetrics() const {
    return detail::filled(size_t(), [&](size_t *count) {
      return mpcRunnerGetNumMetrics(get(), count);
    });
  }
  /// A metric's name and value; the name is valid while this object lives.
  Expected<std::pair<const char *, double>> metric(size_t index) const {
    return detail::filled(std::pair<const char *, double>(), [&](auto *known) {
      return mpcRunnerGetMetric(get(), index, &known->first, &known->second);
    });
  }
  Status resetMetrics() { return Status(mpcRunnerResetMetrics(get())); }

  Status startProfile() { return Status(mpcRunnerStartProfile(get())); }
  Status stopProfile() { return Status(mpcRunnerStopProfile(get())); }
  Expected<std::string> profile(MpcProfileForm form) {
    return detail::filled(std::string(), [&](std::string *known) {
      const char *text = nullptr;
      MpcError *error = mpcRunnerGetProfile(get(), form, &text);
      known->assign(text ? text : "");
      return error;
    });
  }
  Status writeTimeline(const std::string &path) {
    return Status(mpcRunnerWriteTimeline(get(), path.c_str()));
  }

  /// Registers the optimizer of a program with --optimizer=callback.
  Status setOptimizer(OptimizerFunction given, bool onSkipped = false) {
    auto function = std::make_unique<OptimizerFunction>(std::move(given));
    auto optimizer = sized<MpcOptimizer>();
    optimizer.update = detail::callOptimizer;
    optimizer.context = function.get();
    optimizer.onSkipped = onSkipped;
    Status status(
        mpcRunnerSetOptimizer(get(), *function ? &optimizer : nullptr));
    if (status.ok())
      optimizer_ = std::move(function);
    return status;
  }

  Expected<double> readScalar(const std::string &name) const {
    return detail::filled(double(), [&](double *value) {
      return mpcRunnerReadScalar(get(), name.c_str(), value);
    });
  }
  Status readOutput(const std::string &name, const Tensor &target) const {
    return Status(mpcRunnerReadOutput(get(), name.c_str(), target.get()));
  }
  Expected<MpcProgress> progress() const {
    return detail::filled(sized<MpcProgress>(), [&](auto *progress) {
      return mpcRunnerGetProgress(get(), progress);
    });
  }

  Status readState(const std::string &name, const Tensor &target) const {
    return Status(mpcRunnerReadState(get(), name.c_str(), target.get()));
  }
  Status writeState(const std::string &name, const Tensor &source) {
    return Status(mpcRunnerWriteState(get(), name.c_str(), source.get()));
  }
  /// A read-only tensor of the state. It may outlive the runner.
  Expected<ManagedTensor> shareState(const std::string &name) const {
    return managed(mpcRunnerShareState, name);
  }
  /// A tensor of the state that may be written between two runs.
  Expected<ManagedTensor> editState(const std::string &name) {
    return managed(mpcRunnerEditState, name);
  }
  /// The same two in memory of the GPU that the program is for.
  Expected<ManagedTensor> shareDeviceState(const std::string &name) const {
    return managed(mpcRunnerShareDeviceState, name);
  }
  Expected<ManagedTensor> editDeviceState(const std::string &name) {
    return managed(mpcRunnerEditDeviceState, name);
  }
  /// The CUstream in whose order memory of the GPU is used.
  Status setStream(void *stream) {
    return Status(mpcRunnerSetStream(get(), stream));
  }

  Expected<double> readNumber(const std::string &name) const {
    return detail::filled(double(), [&](double *value) {
      return mpcRunnerReadNumber(get(), name.c_str(), value);
    });
  }
  Status writeNumber(const std::string &name, double value) {
    return Status(mpcRunnerWriteNumber(get(), name.c_str(), value));
  }
  /// Gives all ranks the state of rank 0. All ranks must call it.
  Status broadcastState() { return Status(mpcRunnerBroadcastState(get())); }
  /// Updates the scale. `scaler` is empty for the only scaler.
  Status updateScale(double newScale, const std::string &scaler = "") {
    return Status(mpcRunnerUpdateScale(
        get(), scaler.empty() ? nullptr : scaler.c_str(), newScale));
  }

private:
  template <typename Create>
  static Expected<Runner> make(const RunnerOptions &given, Create create) {
    auto log = std::make_unique<LogFunction>(given.log);
    auto options = sized<MpcRunnerOptions>();
    options.numThreads = given.numThreads;
    options.seed = given.seed;
    options.log = given.log ? detail::callLog : nullptr;
    options.logContext = log.get();
    options.ranks = given.ranks ? given.ranks->get() : nullptr;
    MpcRunner *runner = nullptr;
    if (Status status(create(&options, &runner)); !status.ok())
      return Expected<Runner>(std::move(status));
    return Expected<Runner>(Runner(runner, std::move(log)));
  }
  template <typename Call>
  Expected<ManagedTensor> managed(Call call, const std::string &name) const {
    DLManagedTensorVersioned *tensor = nullptr;
    if (Status status(call(get(), name.c_str(), &tensor)); !status.ok())
      return Expected<ManagedTensor>(std::move(status));
    return Expected<ManagedTensor>(ManagedTensor(tensor, tensor->deleter));
  }

  Runner(MpcRunner *runner, std::unique_ptr<LogFunction> log)
      : log_(std::move(log)), runner_(runner) {}

  // Both keep their addresses when this object moves.
  std::unique_ptr<LogFunction> log_;
  std::unique_ptr<OptimizerFunction> optimizer_;
  std::unique_ptr<MpcRunner, detail::Destroy<mpcRunnerDestroy>> runner_;
};

class Checkpoints {
public:
  /// Opens a folder of checkpoints. `given` may be empty.
  static Expected<Checkpoints> open(const std::string &path,
                                    const LogFunction &given = {}) {
    auto log = std::make_unique<LogFunction>(given);
    auto options = sized<MpcCheckpointsOptions>();
    options.log = given ? detail::callLog : nullptr;
    options.logContext = log.get();
    MpcCheckpoints *checkpoints = nullptr;
    Status status(mpcCheckpointsOpen(path.c_str(), &options, &checkpoints));
    if (!status.ok())
      return Expected<Checkpoints>(std::move(status));
    return Expected<Checkpoints>(Checkpoints(checkpoints, std::move(log)));
  }

  /// Saves a checkpoint. `position` comes from sized<MpcDataPosition>().
  Status save(const Runner &runner, const MpcDataPosition &position) {
    return Status(mpcCheckpointsSave(get(), runner.get(), &position));
  }
  Status save(const Runner &runner) {
    return Status(mpcCheckpointsSave(get(), runner.get(), nullptr));
  }
  /// Saves one as a folder with a file of each rank.
  Status saveInParts(const Runner &runner, const MpcDataPosition &position) {
    return Status(mpcCheckpointsSaveInParts(get(), runner.get(), &position));
  }
  Status saveInParts(const Runner &runner) {
    return Status(mpcCheckpointsSaveInParts(get(), runner.get(), nullptr));
  }
  /// What other ranks call where rank 0 calls save() or saveInParts().
  static Status saveOnOther(const Runner &runner) {
    return Status(mpcCheckpointsSave(nullptr, runner.get(), nullptr));
  }
  static Status saveInPartsOnOther(const Runner &runner) {
    return Status(mpcCheckpointsSaveInParts(nullptr, runner.get(), nullptr));
  }
  /// Loads the newest checkpoint; empty where the folder has none.
  Expected<std::optional<MpcDataPosition>> loadNewest(Runner &runner) {
    using Result = Expected<std::optional<MpcDataPosition>>;
    auto position = sized<MpcDataPosition>();
    int found = 0;
    Status status(
        mpcCheckpointsLoadNewest(get(), runner.get(), &position, &found));
    if (!status.ok())
      return Result(std::move(status));
    return Result(found ? std::optional(position) : std::nullopt);
  }

  MpcCheckpoints *get() const { return checkpoints_.get(); }

private:
  Checkpoints(MpcCheckpoints *checkpoints, std::unique_ptr<LogFunction> log)
      : log_(std::move(log)), checkpoints_(checkpoints) {}

  /// The function keeps its address when this object moves.
  std::unique_ptr<LogFunction> log_;
  std::unique_ptr<MpcCheckpoints, detail::Destroy<mpcCheckpointsDestroy>>
      checkpoints_;
};

} // namespace mpc

#endif // MPC_RUNTIME_H
