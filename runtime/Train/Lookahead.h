// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// When a step may begin before anybody knows what has come of the one before.
#ifndef MPC_RUNTIME_TRAIN_LOOKAHEAD_H
#define MPC_RUNTIME_TRAIN_LOOKAHEAD_H

#include "runtime/Runner/Runner.h"
#include "runtime/Train/Checkpoint.h"
#include "runtime/Train/Schedule.h"

#include <cstdint>

namespace mpc::rt {

struct TrainOptions;

/// A device that is waited for after each step idles while the host makes ready
/// the next. What a run writes and saves is the same with and without.
class Lookahead {
public:
  Lookahead() = default;
  /// `schedule` has its totalSteps.
  Lookahead(const TrainOptions &options, const Schedule &schedule,
            const Runner &runner);

  /// Whether, with one step under way behind `position`, the step after that
  /// one may begin.
  [[nodiscard]] bool mayPass(const TrainPosition &position) const;

private:
  [[nodiscard]] bool isRateKnown(int64_t applied) const;

  bool isPossible_ = false;
  bool skips_ = true;        ///< The policy may skip a step.
  bool choosesRate_ = false; ///< The step does, where one was skipped.
  int64_t checkpointEvery_ = 0, evaluateEvery_ = 0;
  Schedule schedule_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_LOOKAHEAD_H
