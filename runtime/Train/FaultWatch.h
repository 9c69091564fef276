// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The reactions to steps that are not finite: reports, nodes that compute in
/// fp32 from there on, and the end of a training.
#ifndef MPC_RUNTIME_TRAIN_FAULTWATCH_H
#define MPC_RUNTIME_TRAIN_FAULTWATCH_H

#include "runtime/Train/NanWatch.h"
#include "runtime/Train/Training.h"

#include <string>
#include <vector>

namespace mpc::rt {

struct TrainOptions;
struct TrainHooks;

class FaultWatch : public TrainObserver {
public:
  /// `options` and `hooks` must outlive this object.
  FaultWatch(const TrainOptions &options, const TrainHooks &hooks,
             NanWatch watch, NanWatch::Tell tell)
      : options_(options), hooks_(hooks), watch_(std::move(watch)),
        tell_(std::move(tell)) {}

  Status open() { return watch_.open(); }

  Status beforeStep(Training &training) override;
  /// Fails with a Diverged status where the training no longer makes progress.
  Status afterStep(Training &training, StepReport &report) override;

private:
  [[nodiscard]] bool isAtFloor(const Training &training,
                               const MetricsRow &row) const;
  void warnOfFloor(const MetricsRow &row);
  Status keepGuiltyInFp32(Training &training, const MetricsRow &row);
  Status judge(Training &training, const StepReport &report);
  Status giveUp(const Training &training, const MetricsRow &row,
                const std::string &why);

  const TrainOptions &options_;
  const TrainHooks &hooks_;
  NanWatch watch_;
  NanWatch::Tell tell_;
  bool warnedOfFloor_ = false;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_FAULTWATCH_H
