// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules at points whose values are known in closed form.
#include "runtime/Train/Schedule.h"

#include <cmath>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

TEST(Schedule, Constant) {
  Schedule schedule{ScheduleKind::Constant, 0.5, 0, 10};
  for (int64_t step : {0, 5, 9, 100})
    EXPECT_EQ(schedule.at(step), 0.5);
}

TEST(Schedule, WarmUpRisesToTheFullRate) {
  for (ScheduleKind kind :
       {ScheduleKind::Constant, ScheduleKind::Cosine, ScheduleKind::Linear}) {
    Schedule schedule{kind, 1.0, 4, 12};
    EXPECT_EQ(schedule.at(0), 0.25);
    EXPECT_EQ(schedule.at(1), 0.5);
    EXPECT_EQ(schedule.at(3), 1.0);
    EXPECT_EQ(schedule.at(4), 1.0);
  }
}

TEST(Schedule, LinearFallsToZero) {
  Schedule schedule{ScheduleKind::Linear, 2.0, 4, 12};
  EXPECT_EQ(schedule.at(6), 1.5);
  EXPECT_EQ(schedule.at(8), 1.0);
  EXPECT_EQ(schedule.at(11), 0.25);
  EXPECT_EQ(schedule.at(12), 0);
  EXPECT_EQ(schedule.at(99), 0);
}

// Features: I3.
TEST(Schedule, CosineFallsToZero) {
  Schedule schedule{ScheduleKind::Cosine, 2.0, 0, 12};
  EXPECT_EQ(schedule.at(0), 2.0);
  EXPECT_NEAR(schedule.at(2), 1 + std::sqrt(3) / 2, 1e-15); // cos 30
  EXPECT_NEAR(schedule.at(4), 1.5, 1e-15);                  // cos 60
  EXPECT_NEAR(schedule.at(6), 1.0, 1e-15);
  EXPECT_NEAR(schedule.at(8), 0.5, 1e-15);
  EXPECT_EQ(schedule.at(12), 0);
}

TEST(Schedule, AllWarmUp) {
  Schedule schedule{ScheduleKind::Cosine, 1.0, 10, 10};
  EXPECT_EQ(schedule.at(9), 1.0);
  EXPECT_EQ(schedule.at(11), 0.0);
}

} // namespace
} // namespace mpc::rt
