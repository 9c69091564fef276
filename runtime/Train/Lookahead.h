// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides when a step may begin before the outcome of the step before is
/// known.
#ifndef MPC_RUNTIME_TRAIN_LOOKAHEAD_H
#define MPC_RUNTIME_TRAIN_LOOKAHEAD_H

#include "runtime/Runner/Runner.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/Schedule.h"

#include <cstdint>

namespace mpc::rt {

struct TrainOptions;

/// A device that is waited for after each step idles while the host prepares
/// the next. The files and messages of a run are the same with and without
/// looking ahead.
class Lookahead {
public:
  Lookahead() = default;
  /// `schedule` must have its totalSteps set.
  Lookahead(const TrainOptions &options, const Schedule &schedule,
            const Runner &runner);

  /// Whether another step may begin while one step after `position` is running.
  [[nodiscard]] bool mayPass(const TrainPosition &position) const;

private:
  [[nodiscard]] bool isRateKnown(int64_t applied) const;

  bool isPossible_ = false;
  bool skips_ = true; ///< Whether the policy may skip a step.
  /// Whether the step itself chooses the rate after a skipped step.
  bool choosesRate_ = false;
  int64_t checkpointEvery_ = 0, evaluateEvery_ = 0, checkRanksEvery_ = 0;
  Schedule schedule_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_LOOKAHEAD_H
