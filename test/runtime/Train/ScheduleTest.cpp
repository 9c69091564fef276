// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules at points whose values are known in closed form, and against rates
// that PyTorch, transformers and NumPy gave (support/pytorch/schedules.py).
#include "runtime/Train/Schedule.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace mpc::rt {
namespace {

const ScheduleParameterInfo &parameterOf(std::string_view flag) {
  for (const ScheduleParameterInfo &info : scheduleParameterTable())
    if (info.flag == flag)
      return info;
  ADD_FAILURE() << flag;
  return scheduleParameterTable()[0];
}

Schedule scheduleOf(const nlohmann::json &recorded, double lr) {
  Schedule schedule;
  schedule.kind = findSchedule(recorded["schedule"].get<std::string>())->kind;
  schedule.lr = lr;
  schedule.warmupSteps = recorded["warmup"];
  schedule.totalSteps = recorded["steps"];
  for (const auto &[flag, text] : recorded["flags"].items()) {
    Status status = schedule.set(parameterOf(flag), text.get<std::string>());
    EXPECT_TRUE(status.ok()) << status.message();
  }
  return schedule;
}

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

TEST(Schedule, RatesAreThoseOfOtherSystems) {
  std::ifstream file(MPC_TEST_INPUTS "/training/schedules.json");
  auto recorded = nlohmann::json::parse(file);
  std::set<ScheduleKind> kinds;
  for (const nlohmann::json &one : recorded["cases"]) {
    Schedule schedule = scheduleOf(one, recorded["lr"]);
    kinds.insert(schedule.kind);
    EXPECT_TRUE(schedule.check().ok()) << schedule.check().message();
    int64_t applied = schedule.warmupSteps;
    for (double rate : one["rates"]) {
      // They multiply step by step: some 100 roundings, and a cosine near 0.
      EXPECT_NEAR(schedule.at(applied), rate, 1e-14 + 4e-14 * rate)
          << name(schedule.kind) << " " << one["flags"] << " " << applied;
      ++applied;
    }
  }
  EXPECT_EQ(kinds.size(), scheduleTable().size() - 2); // constant and linear
}

TEST(Schedule, OneCycleWithoutAStepForAPhaseIsFinite) {
  for (double share : {0.0, 0.1, 0.5, 1.0})
    for (double phases : {0.0, 1.0})
      for (int64_t total : {0, 1, 2, 3, 10}) {
        Schedule schedule{ScheduleKind::OneCycle, 1.0, 0, total};
        schedule.parameters[ScheduleParameter::RisingShare] = {share};
        schedule.parameters[ScheduleParameter::ThreePhase] = {phases};
        for (int64_t step = 0; step < 12; ++step) {
          EXPECT_GE(schedule.at(step), 1e-6) << share << " " << total;
          EXPECT_LE(schedule.at(step), 1.0) << share << " " << total;
        }
      }
}

TEST(Schedule, TablesAreInTheOrderOfTheirEnumerations) {
  for (size_t i = 0; i < scheduleTable().size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(scheduleTable()[i].kind), i);
    EXPECT_EQ(findSchedule(scheduleTable()[i].name), &scheduleTable()[i]);
  }
  for (size_t i = 0; i < scheduleParameterTable().size(); ++i)
    EXPECT_EQ(static_cast<size_t>(scheduleParameterTable()[i].parameter), i);
  EXPECT_EQ(findSchedule("sawtooth"), nullptr);
}

TEST(Schedule, FlagsSayAllOfASchedule) {
  Schedule schedule{ScheduleKind::MultiStep, 0.5, 3, 100};
  ASSERT_TRUE(schedule.set(parameterOf("--lr-milestones"), "5, 10").ok());
  std::map<std::string, std::string> flags = schedule.flags();
  EXPECT_EQ(flags,
            (std::map<std::string, std::string>{{"--lr", "0.5"},
                                                {"--lr-schedule", "multistep"},
                                                {"--warmup-steps", "3"},
                                                {"--lr-milestones", "5,10"},
                                                {"--lr-gamma", "0.1"}}));
}

TEST(Schedule, FlagsMakeTheScheduleThatTheySay) {
  std::ifstream file(MPC_TEST_INPUTS "/training/schedules.json");
  auto recorded = nlohmann::json::parse(file);
  for (const nlohmann::json &one : recorded["cases"]) {
    Schedule schedule = scheduleOf(one, recorded["lr"]), read;
    for (const auto &[flag, value] : schedule.flags()) {
      Status status = read.setFlag(flag, value);
      EXPECT_TRUE(status.ok()) << status.message();
    }
    EXPECT_EQ(read.flags(), schedule.flags());
    read.totalSteps = schedule.totalSteps;
    for (int64_t step : {0, 7, 20, 41})
      EXPECT_EQ(read.at(step), schedule.at(step)) << one["schedule"];
  }
}

TEST(Schedule, WrongFlagsAreNamed) {
  auto fault = [](const char *flag, const char *value) {
    return Schedule().setFlag(flag, value).message();
  };
  EXPECT_EQ(fault("--lr-schedule", "saw"),
            "--lr-schedule: expected the name of a schedule, found 'saw'");
  for (const char *value : {"-1", "nan", "", "x"})
    EXPECT_EQ(fault("--lr", value),
              std::string("--lr: expected a number of at least 0, found '") +
                  value + "'");
  for (const char *value : {"-1", "1.5", "1e300"})
    EXPECT_EQ(fault("--warmup-steps", value),
              std::string("--warmup-steps: expected a whole number of at least "
                          "0, found '") +
                  value + "'");
  EXPECT_EQ(fault("--lr-power", "x"),
            "--lr-power: expected a number of at least 0, found 'x'");
  EXPECT_EQ(fault("--momentum", "1"),
            "'--momentum' is not a flag of a learning rate");
}

TEST(Schedule, WrongParametersAreNamed) {
  auto fault = [](const char *flag, const char *text) {
    Schedule schedule;
    return schedule.set(parameterOf(flag), text).message();
  };
  EXPECT_EQ(fault("--lr-gamma", "-1"),
            "expected a number of at least 0, found '-1'");
  for (const char *text : {"", "x", "nan", "inf", "1 2", "1e999", "0x1p3"})
    EXPECT_NE(fault("--lr-gamma", text), "") << text;
  for (const char *text : {"0", "1.5", "-3", "1e17"})
    EXPECT_EQ(fault("--lr-step-size", text),
              std::string("expected a whole number of at least 1, found '") +
                  text + "'");
  EXPECT_EQ(fault("--lr-div-factor", "0"),
            "expected a number above 0, found '0'");
  EXPECT_EQ(fault("--lr-pct-start", "1.5"),
            "expected a number from 0 to 1, found '1.5'");
  EXPECT_EQ(fault("--lr-anneal", "2"),
            "expected one of its two words, found '2'");
  EXPECT_EQ(fault("--lr-milestones", "5,5"),
            "expected rising whole numbers of at least 1, found '5,5'");
  for (const char *text : {"", "1", "1 2 1 3", "1 -2", "0.5 1", "1 2 # 3\n4"})
    EXPECT_EQ(fault("--lr-points", text)
                  .find("expected pairs of a step, which "
                        "rise, and a factor of at least "
                        "0, found "),
              0u)
        << text;
}

TEST(Schedule, WhatDoesNotGoTogetherIsRefused) {
  Schedule schedule{ScheduleKind::Exponential, 0.5, 0, 100};
  EXPECT_EQ(schedule.check().message(),
            "--lr-schedule=exponential needs --lr-gamma");
  ASSERT_TRUE(schedule.set(parameterOf("--lr-gamma"), "0.5").ok());
  EXPECT_TRUE(schedule.check().ok());
  schedule.kind = ScheduleKind::Cosine;
  EXPECT_EQ(schedule.check().message(),
            "--lr-gamma does not apply to --lr-schedule=cosine");
  EXPECT_EQ(schedule.check().code(), StatusCode::Usage);
}

TEST(Schedule, AllWarmUp) {
  Schedule schedule{ScheduleKind::Cosine, 1.0, 10, 10};
  EXPECT_EQ(schedule.at(9), 1.0);
  EXPECT_EQ(schedule.at(11), 0.0);
}

} // namespace
} // namespace mpc::rt
