// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A runner of the C ABI: a Runner with its bound tensors, its step and its
/// log.
#ifndef MPC_RUNTIME_CAPI_SESSION_H
#define MPC_RUNTIME_CAPI_SESSION_H

#include "mpc-c/Checkpoints.h"
#include "mpc-c/Runner.h"
#include "runtime/CAPI/Bindings.h"
#include "runtime/CAPI/CallerOptimizer.h"
#include "runtime/CAPI/Handles.h"
#include "runtime/CAPI/SharedUse.h"
#include "runtime/Profile/RunProfile.h"
#include "runtime/Runner/MetricSums.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Runner/StepRun.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/FileEvaluation.h"
#include "runtime/Train/Training.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace mpc::rt {

/// The destination of messages.
struct Log {
  MpcLogFunction function = nullptr;
  void *context = nullptr;

  void write(MpcLogLevel level, const std::string &message) const {
    if (function)
      function(context, level, message.c_str());
  }
};

/// A session, used by one thread at a time, which use() ensures.
/// How a checkpoint lies on disk: as a file, or as a folder with one of each
/// rank.
enum class CheckpointForm : uint8_t { File, Parts };

class Session : public std::enable_shared_from_this<Session> {
public:
  static Result<std::shared_ptr<Session>>
  create(std::shared_ptr<const Program> program,
         const MpcRunnerOptions &options);
  /// Creates a session that shares the state of this one. The caller must have
  /// this one in use.
  Result<std::shared_ptr<Session>>
  createShared(std::shared_ptr<const Program> program,
               const MpcRunnerOptions &options) const;

  ~Session();
  /// Whether this process is the one that has the worker threads.
  [[nodiscard]] bool isOfThisProcess() const;
  /// Runs `body`, unless another call is using the session.
  template <typename Body>
  Status use(Body body);

  [[nodiscard]] Bindings &bindings() { return bindings_; }
  [[nodiscard]] CallerOptimizer &optimizer() { return optimizer_; }
  Status loadWeights(const std::string &path);

  Result<MpcStepResult> step();
  /// Runs a batch and returns its loss.
  Result<double> accumulate();
  Result<MpcStepResult> apply();
  Status evaluate();
  /// Evaluates a batch, in which the first rows count (0: all), and adds the
  /// results to metrics().
  Status measure(int64_t numRows);
  [[nodiscard]] Result<MetricSums *> metrics();
  /// Evaluates all samples of files, which were opened for this program.
  Result<std::vector<double>> evaluate(FileEvaluation &files);
  [[nodiscard]] const Log &log() const { return log_; }
  [[nodiscard]] bool isOf(const Program &program) const {
    return &runner_->program() == &program;
  }
  /// An output of the last run.
  Result<TensorView> output(std::string_view name) const;
  [[nodiscard]] MpcProgress progress() const;

  /// Calls `use` with a tensor of the state. All ranks must call it for one
  /// that is divided among them.
  Status readState(std::string_view name,
                   const std::function<Status(const TensorView &)> &use);
  /// A tensor of the state in place; an error for one that is divided.
  Result<TensorView> shareState(std::string_view name);
  Status writeState(const TensorView &source);
  /// Memory that the caller may write between any two runs from now on.
  Result<TensorView> editState(std::string_view name);
  /// A tensor of the state in the device's memory. Its data is an address
  /// there.
  Result<TensorView> deviceState(std::string_view name, Access access);
  Status setStream(void *stream) { return runner_->setCallerStream(stream); }
  Result<double> readNumber(std::string_view name) const;
  Status writeNumber(std::string_view name, double value);
  Status updateScale(double newScale, std::string_view scaler);

  /// Gives all ranks the state of rank 0.
  Status broadcastState();

  Status startProfile();
  /// The newest profile; an error where there was none.
  [[nodiscard]] Result<RunProfile *> profile() const;
  /// Keeps a text for the caller until the next one.
  const char *keep(std::string text);

  /// Rank 0 saves to its folder; of a divided state the others must call it,
  /// without one, and all to save in parts.
  Status save(CheckpointFolder *folder, const LoaderState &data,
              CheckpointForm form);
  /// Loads the newest checkpoint; empty where the folder has none.
  Result<std::optional<LoaderState>> loadNewest(CheckpointFolder &folder);

private:
  Session(const Log &log);
  Status open(std::unique_ptr<Runner> runner, uint64_t seed);
  Status findRanks(const Program &program, const MpcRunnerOptions &options);
  Status agreeAtStart();
  Status bindEntries();
  Status takeRate();
  Status checkCall(const EntryCall &call) const;
  Status checkInput(const EntryCall &call, size_t input) const;
  [[nodiscard]] Result<const StateTensor *>
  findEditable(std::string_view name) const;
  Status refuseDivided(const StateTensor *tensor) const;
  /// Checks that a call can run, and updates what follows from the state.
  Status prepare(const EntryCall &call);
  void noteLoaded();
  Status settle();
  Status checkMissing() const;
  Status checkBetweenSteps(const char *what) const;
  Status addBatch();
  Status chooseShape();
  /// Chooses, among calls of one role, the one for the shapes that were bound
  /// last.
  Result<EntryCall *> choose(std::vector<EntryCall> &calls);
  [[nodiscard]] Status
  refuseShapes(const std::vector<const Entry *> &known) const;
  Result<MpcStepResult> finish();
  Status writeScalerSlot(const ScalerSlot &slot, double value);
  void setRule(CheckpointFolder &folder) const;
  Status saveOwnPart(CheckpointFolder *folder);

  Log log_;
  pid_t process_;
  std::shared_ptr<SharedUse> use_ = std::make_shared<SharedUse>();
  std::shared_ptr<Ranks> ranks_; ///< Null for one process alone.
  /// Whether all ranks have begun with one program and one state.
  bool hasAgreed_ = false;
  /// The number of this rank's first batch in a step.
  int64_t firstBatch_ = 0;
  std::unique_ptr<Runner> runner_;
  std::optional<StepRun> step_;
  /// One call for each shape of the program.
  std::vector<EntryCall> evaluations_, measurements_;
  MetricSums metrics_;
  int64_t countedRows_ = 0; ///< The number of rows that count in a measurement.
  Bindings bindings_;
  CallerOptimizer optimizer_;
  std::set<std::string, std::less<>> missing_; ///< Weights without values.
  /// The value of numWrites at which the copies were made.
  uint64_t numDerived_ = 0;
  const EntryCall *evaluatedLast_ = nullptr;
  /// The folder of the parts that were loaded, and the step. Until another step
  /// the other ranks read theirs there, where the state is shared. Empty for
  /// none.
  std::string loadedParts_;
  int64_t loadedStep_ = 0;
  /// The training whose batches and evaluations the caller chooses, and whose
  /// position in the data he gives when he saves.
  std::optional<Training> training_;
  std::unique_ptr<RunProfile> profile_; ///< Null before the first one.
  std::string text_;                    ///< See keep().
};

template <typename Body>
Status Session::use(Body body) {
  if (!isOfThisProcess())
    return usageError("the runner belongs to the process that forked this one");
  // Keeps the flag, because the session may be destroyed during its own call.
  std::shared_ptr<SharedUse> used = use_;
  if (used->isInUse.test_and_set(std::memory_order_acquire))
    return usageError("the runner is in use, by another thread or by the call "
                      "from which this one is made");
  struct Release {
    std::atomic_flag &flag;
    ~Release() { flag.clear(std::memory_order_release); }
  } release{used->isInUse};
  return body();
}

/// The object of a handle of a program.
struct LoadedProgram {
  explicit LoadedProgram(std::shared_ptr<const Program> known)
      : program(std::move(known)), target(nameOf(program->target)) {}

  std::shared_ptr<const Program> program;
  std::string target; ///< The name of its target.
};

/// The object of a handle of a folder of checkpoints.
struct OpenCheckpoints {
  Log log;
  std::optional<CheckpointFolder> folder;
};

template <>
struct HandleTraits<MpcProgram> {
  using Object = LoadedProgram;
  static constexpr HandleKind kKind = HandleKind::Program;
  static constexpr const char *kName = "program";
};
template <>
struct HandleTraits<MpcRunner> {
  using Object = Session;
  static constexpr HandleKind kKind = HandleKind::Runner;
  static constexpr const char *kName = "runner";
};
template <>
struct HandleTraits<MpcCheckpoints> {
  using Object = OpenCheckpoints;
  static constexpr HandleKind kKind = HandleKind::Checkpoints;
  static constexpr const char *kName = "folder of checkpoints";
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_SESSION_H
