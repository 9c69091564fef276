// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiles of a runner: what they hold, and when they can be asked.
#include "test/capi/CAPITest.h"
#include "test/runtime/TempFolder.h"

#include <nlohmann/json.hpp>
#include <set>

namespace mpc::test {
namespace {

nlohmann::json profileOf(Trained &t) {
  const char *text = nullptr;
  EXPECT_SUCCESS(mpcRunnerGetProfile(t.runner, MPC_PROFILE_JSON, &text));
  return text ? nlohmann::json::parse(text) : nlohmann::json();
}

TEST(CAPIProfile, HoldsTheRunsBetweenStartAndStop) {
  Trained t;
  t.bind();
  t.step();
  EXPECT_SUCCESS(mpcRunnerStartProfile(t.runner));
  t.step();
  t.step();
  EXPECT_EQ(profileOf(t)["entries"][0]["runs"], 2);
  EXPECT_SUCCESS(mpcRunnerStopProfile(t.runner));
  t.step();
  nlohmann::json profile = profileOf(t);
  EXPECT_EQ(profile["entries"][0]["name"], "step");
  EXPECT_EQ(profile["entries"][0]["runs"], 2);
  std::set<std::string> symbols;
  for (const auto &launch : profile["launches"]) {
    symbols.insert(launch["symbol"]);
    EXPECT_GT(launch["median_ms"], 0);
  }
  EXPECT_EQ(symbols, (std::set<std::string>{"forward_backward", "update"}));
  EXPECT_GT(profile["peaks"]["units"][0]["gflop_s"], 0);
}

TEST(CAPIProfile, IsATableForPeopleToo) {
  Trained t;
  t.bind();
  EXPECT_SUCCESS(mpcRunnerStartProfile(t.runner));
  t.step();
  const char *text = nullptr;
  EXPECT_SUCCESS(mpcRunnerGetProfile(t.runner, MPC_PROFILE_TABLE, &text));
  EXPECT_EQ(std::string(text).find("profile: 1 step of "), 0u) << text;
  EXPECT_FAILURE(
      mpcRunnerGetProfile(t.runner, static_cast<MpcProfileForm>(2), &text),
      MPC_ERROR_USAGE,
      "form is 2, expected MPC_PROFILE_JSON or MPC_PROFILE_TABLE");
}

TEST(CAPIProfile, ANewOneDropsTheOldOne) {
  Trained t;
  t.bind();
  EXPECT_SUCCESS(mpcRunnerStartProfile(t.runner));
  t.step();
  EXPECT_SUCCESS(mpcRunnerStartProfile(t.runner));
  EXPECT_TRUE(profileOf(t)["entries"].empty());
}

TEST(CAPIProfile, WritesATimeline) {
  rt::TempFolder folder;
  Trained t;
  t.bind();
  EXPECT_SUCCESS(mpcRunnerStartProfile(t.runner));
  t.step();
  std::string path = folder.path("trace.json");
  EXPECT_SUCCESS(mpcRunnerWriteTimeline(t.runner, path.c_str()));
  auto trace = nlohmann::json::parse(rt::readText(path));
  int runs = 0;
  for (const auto &event : trace["traceEvents"])
    runs += event["ph"] == "X" && event["name"] == "step";
  EXPECT_EQ(runs, 1);
  EXPECT_FAILURE(
      mpcRunnerWriteTimeline(t.runner, folder.path("no/trace.json").c_str()),
      MPC_ERROR_ENVIRONMENT,
      folder.path("no/trace.json") +
          ": cannot create: No such file or directory");
}

TEST(CAPIProfile, IsAnErrorBeforeItIsStarted) {
  Trained t;
  const char *text = nullptr;
  EXPECT_FAILURE(mpcRunnerGetProfile(t.runner, MPC_PROFILE_JSON, &text),
                 MPC_ERROR_USAGE, "no profile was started");
  EXPECT_FAILURE(mpcRunnerStopProfile(t.runner), MPC_ERROR_USAGE,
                 "no profile was started");
  EXPECT_FAILURE(mpcRunnerWriteTimeline(t.runner, "/dev/null"), MPC_ERROR_USAGE,
                 "no profile was started");
}

} // namespace
} // namespace mpc::test
