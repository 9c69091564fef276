// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The learning rate schedules.
#include "runtime/Train/Schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mpc::rt {

std::string_view name(ScheduleKind kind) {
  switch (kind) {
  case ScheduleKind::Constant:
    return "constant";
  case ScheduleKind::Linear:
    return "linear";
  case ScheduleKind::Cosine:
    return "cosine";
  }
  return "";
}

double Schedule::at(int64_t appliedSteps) const {
  auto a = static_cast<double>(appliedSteps);
  auto warmup = static_cast<double>(warmupSteps);
  if (a < warmup)
    return lr * (a + 1) / warmup;
  double length = std::max(1.0, static_cast<double>(totalSteps) - warmup);
  double p = std::min(1.0, (a - warmup) / length);
  switch (kind) {
  case ScheduleKind::Constant:
    break;
  case ScheduleKind::Linear:
    return lr * (1 - p);
  case ScheduleKind::Cosine:
    return lr * (1 + std::cos(std::numbers::pi * p)) / 2;
  }
  return lr;
}

} // namespace mpc::rt
