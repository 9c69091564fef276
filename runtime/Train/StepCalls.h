// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The entries of one optimizer step, bound to a loader's batches.
#ifndef MPC_RUNTIME_TRAIN_STEPCALLS_H
#define MPC_RUNTIME_TRAIN_STEPCALLS_H

#include "runtime/Runner/EntryCall.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Data.h"
#include "runtime/Train/Metrics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The input that the schedule sets.
inline constexpr std::string_view kLearningRate = "lr";

/// The inputs that training takes from the data: all but "lr".
[[nodiscard]] std::vector<TensorDesc> dataInputs(const Program &program,
                                                 int64_t accumulate = 1);

class StepCalls {
public:
  /// A step of `accumulate` batches of `loader`, which is open for dataInputs()
  /// of the program, at the learning rate in `*lr`. All must outlive this.
  static Result<StepCalls> bind(Runner &runner, DataLoader &loader,
                                int64_t accumulate, const float *lr);

  /// Runs a step: the mean loss and the sum of underflows over its batches, of
  /// all else the last. Fills in what the row has of the step itself.
  Status run(MetricsRow &row);

  /// A scalar of the last entry that has it.
  [[nodiscard]] std::optional<double> output(std::string_view name) const;
  [[nodiscard]] bool skipped() const;
  [[nodiscard]] bool foundInf() const;
  /// The policy has given up.
  [[nodiscard]] bool hasScaleError() const;
  [[nodiscard]] bool hasLoss() const;
  /// Scalars of no column of their own, which all rows have.
  [[nodiscard]] const std::vector<std::string> &others() const {
    return others_;
  }

private:
  StepCalls(DataLoader &loader, int64_t accumulate)
      : loader_(&loader), accumulate_(accumulate) {}
  void findOthers();

  DataLoader *loader_;
  int64_t accumulate_;
  std::vector<EntryCall> calls_; ///< The first runs on each batch.
  std::vector<std::string> others_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_STEPCALLS_H
