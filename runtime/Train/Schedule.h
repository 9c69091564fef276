// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The learning rate over a training run.
#ifndef MPC_RUNTIME_TRAIN_SCHEDULE_H
#define MPC_RUNTIME_TRAIN_SCHEDULE_H

#include <cstdint>
#include <string_view>

namespace mpc::rt {

enum class ScheduleKind : uint8_t { Constant, Cosine, Linear };

/// As a flag names it.
[[nodiscard]] std::string_view name(ScheduleKind kind);

/// A function of the steps applied so far: a skipped step does not move it.
///
/// With W warm-up steps of T, before applied step a (from 0):
///   a < W:     lr * (a + 1) / W
///   constant:  lr
///   linear:    lr * (1 - p)
///   cosine:    lr * (1 + cos(pi p)) / 2
/// where p = (a - W) / (T - W), at most 1.
struct Schedule {
  ScheduleKind kind = ScheduleKind::Constant;
  double lr = 1e-3;
  int64_t warmupSteps = 0;
  int64_t totalSteps = 0;

  [[nodiscard]] double at(int64_t appliedSteps) const;
  /// The same as steps take it.
  [[nodiscard]] float rateAt(int64_t appliedSteps) const {
    return static_cast<float>(at(appliedSteps));
  }
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_SCHEDULE_H
