// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Records the loss scale of a training as a trace for `mpc-scale replay`.
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
  /// `path` is the trace's file; empty for no trace.
  explicit TraceRecorder(std::string path) : path_(std::move(path)) {}

  /// A usage error for a policy whose events are not in a step's outputs.
  [[nodiscard]] Status check(const TrainingRule &rule);
  /// Starts a trace with the numbers of the state.
  [[nodiscard]] Status open(const Runner &runner);
  /// Continues the trace of a run up to `step`. Numbers and a scale that have
  /// changed since become entries.
  [[nodiscard]] Status resume(const Runner &runner, int64_t step);
  Status afterTry(Training &training, const StepOutcome &tried) override;
  /// Writes the trace so far, if it goes to a file. Another output gets it
  /// once, at the end.
  Status afterSave() override;
  [[nodiscard]] Status write() const;

private:
  /// An entry of "steps", on a line.
  struct Entry {
    int64_t step; ///< The number of steps before it.
    std::string fields;
  };
  using Numbers = std::map<std::string, double>;

  [[nodiscard]] Numbers readSettings(const Runner &runner) const;
  Status readBack(int64_t step);
  void push(int64_t step, std::string fields);
  [[nodiscard]] std::string toJson() const;

  std::string path_;
  PolicyKind policy_ = PolicyKind::None;
  Numbers config_;   ///< The settings before the first step.
  Numbers settings_; ///< The settings after all entries so far.
  double scale_ = 1; ///< The scale after all entries so far.
  std::vector<Entry> entries_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TRACERECORDER_H
