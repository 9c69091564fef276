// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What happened to the loss scale in a training, as a trace that
/// `mpc-scale replay` reads.
#ifndef MPC_RUNTIME_TRAIN_TRACERECORDER_H
#define MPC_RUNTIME_TRAIN_TRACERECORDER_H

#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Training.h"
#include "runtime/Train/TrainingRule.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mpc::rt {

class TraceRecorder : public TrainObserver {
public:
  /// `path` is where the trace goes; empty for nowhere.
  explicit TraceRecorder(std::string path) : path_(std::move(path)) {}

  /// A usage error for a rule whose events a step does not tell.
  [[nodiscard]] Status check(const TrainingRule &rule);
  /// Begins with the numbers that the state holds.
  [[nodiscard]] Status open(const Runner &runner);
  /// Goes on with the trace of a run up to `step`. Numbers and a scale that are
  /// others since are entries of their own.
  [[nodiscard]] Status resume(const Runner &runner, int64_t step);
  Status afterTry(Training &training, const StepOutcome &tried) override;
  /// Writes a file as far as the trace goes; what is no file gets it once, at
  /// the end.
  Status afterSave() override;
  [[nodiscard]] Status write() const;

private:
  /// A line of "steps".
  struct Entry {
    int64_t step; ///< Steps that are done before it.
    std::string fields;
  };
  using Numbers = std::map<std::string, double>;

  [[nodiscard]] Numbers readSettings(const Runner &runner) const;
  Status readBack(int64_t step);
  void push(int64_t step, std::string fields);
  [[nodiscard]] std::string toJson() const;

  std::string path_;
  PolicyKind policy_ = PolicyKind::None;
  Numbers config_;   ///< Before the first step.
  Numbers settings_; ///< As the entries so far leave them.
  double scale_ = 1; ///< The same of the scale.
  std::vector<Entry> entries_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TRACERECORDER_H
