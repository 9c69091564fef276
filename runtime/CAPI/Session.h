// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a runner of the C ABI is: a Runner with the tensors that are bound to
/// it, its step, and what was told of it.
#ifndef MPC_RUNTIME_CAPI_SESSION_H
#define MPC_RUNTIME_CAPI_SESSION_H

#include "mpc-c/Checkpoints.h"
#include "mpc-c/Runner.h"
#include "runtime/CAPI/Bindings.h"
#include "runtime/CAPI/CallerOptimizer.h"
#include "runtime/CAPI/Handles.h"
#include "runtime/CAPI/SharedUse.h"
#include "runtime/Runner/MetricSums.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Runner/StepRun.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/FileEvaluation.h"
#include "runtime/Train/Training.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace mpc::rt {

/// Where messages go.
struct Log {
  MpcLogFunction function = nullptr;
  void *context = nullptr;

  void write(MpcLogLevel level, const std::string &message) const {
    if (function)
      function(context, level, message.c_str());
  }
};

/// For one thread at a time, which use() holds it to.
class Session : public std::enable_shared_from_this<Session> {
public:
  static Result<std::shared_ptr<Session>>
  create(std::shared_ptr<const Program> program,
         const MpcRunnerOptions &options);
  /// On the state of this one, which must be in use by the caller.
  Result<std::shared_ptr<Session>>
  createShared(std::shared_ptr<const Program> program,
               const MpcRunnerOptions &options) const;

  ~Session();
  /// Whether this process is the one whose threads work here.
  [[nodiscard]] bool isOfThisProcess() const;
  /// Runs `body`, unless that must not be now.
  template <typename Body>
  Status use(Body body);

  [[nodiscard]] Bindings &bindings() { return bindings_; }
  [[nodiscard]] CallerOptimizer &optimizer() { return optimizer_; }
  Status loadWeights(const std::string &path);

  Result<MpcStepResult> step();
  /// The batch's loss.
  Result<double> accumulate();
  Result<MpcStepResult> apply();
  Status evaluate();
  /// Evaluates a batch of which the first rows count, all for 0, and adds what
  /// that tells to metrics().
  Status measure(int64_t numRows);
  [[nodiscard]] Result<MetricSums *> metrics();
  /// Evaluates all samples of files, which are open for this program.
  Result<std::vector<double>> evaluate(FileEvaluation &files);
  [[nodiscard]] const Log &log() const { return log_; }
  [[nodiscard]] bool isOf(const Program &program) const {
    return &runner_->program() == &program;
  }
  /// Of the last run.
  Result<TensorView> output(std::string_view name) const;
  [[nodiscard]] MpcProgress progress() const;

  Result<TensorView> readState(std::string_view name);
  Status writeState(const TensorView &source);
  /// Memory that the caller may write between two runs from now on.
  Result<TensorView> editState(std::string_view name);
  Result<double> readNumber(std::string_view name) const;
  Status writeNumber(std::string_view name, double value);
  Status updateScale(double newScale, std::string_view scaler);

  Status save(CheckpointFolder &folder, const LoaderState &data) const;
  /// Empty where the folder has none.
  Result<std::optional<LoaderState>> loadNewest(CheckpointFolder &folder);

private:
  Session(const Log &log);
  Status open(std::unique_ptr<Runner> runner, uint64_t seed);
  Status bindEntries();
  Status takeRate();
  /// Checks that a call can be run, and brings the state up to date.
  Status prepare(const EntryCall &call);
  Status settle();
  Status checkMissing() const;
  Status checkBetweenSteps(const char *what) const;
  Status addBatch();
  Status chooseShape();
  /// Of the calls of one role that which takes the shapes that were bound last.
  Result<EntryCall *> choose(std::vector<EntryCall> &calls);
  [[nodiscard]] Status
  refuseShapes(const std::vector<const Entry *> &known) const;
  Result<MpcStepResult> finish();
  Status updateByCaller(const StepOutcome &outcome);
  Status writeScalerSlot(const StateTensor &scaler, size_t index, double value);

  Log log_;
  pid_t process_;
  std::shared_ptr<SharedUse> use_ = std::make_shared<SharedUse>();
  std::unique_ptr<Runner> runner_;
  std::optional<StepRun> step_;
  /// One for each shape that the program has.
  std::vector<EntryCall> evaluations_, measurements_;
  MetricSums metrics_;
  int64_t countedRows_ = 0; ///< Of a measurement.
  Bindings bindings_;
  CallerOptimizer optimizer_;
  std::set<std::string, std::less<>> missing_; ///< Weights without values.
  uint64_t numDerived_ = 0; ///< The writes that copies are up to date with.
  const EntryCall *evaluatedLast_ = nullptr;
  /// Its steps; the place in the data is the caller's.
  std::optional<Training> training_;
};

template <typename Body>
Status Session::use(Body body) {
  if (!isOfThisProcess())
    return usageError("the runner belongs to the process that forked this one");
  // Keeps the flag, though the session end in its own call.
  std::shared_ptr<SharedUse> used = use_;
  if (used->isInUse.test_and_set(std::memory_order_acquire))
    return usageError("the runner is in use: by another thread, or by the call "
                      "that this one is made in");
  struct Release {
    std::atomic_flag &flag;
    ~Release() { flag.clear(std::memory_order_release); }
  } release{used->isInUse};
  return body();
}

/// A program, as its handle has it.
struct LoadedProgram {
  std::shared_ptr<const Program> program;
};

/// A folder of checkpoints, as its handle has it.
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
