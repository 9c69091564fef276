// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile from its flags to its files.
#include "runtime/Profile/Profiler.h"

#include "test/runtime/Profile/RecordedRuns.h"
#include "test/runtime/TempFolder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

class ProfilerTest : public testing::Test {
protected:
  /// Records a run and finishes.
  void run(ProfilerOptions options) {
    auto profiler = Profiler::create(std::move(options));
    ASSERT_TRUE(profiler.ok()) << profiler.status().message();
    auto &recorder = dynamic_cast<LaunchRecorder &>((*profiler)->observer());
    test::record(recorder, test::makeRecordedProgram(), 0, 8000);
    Status status =
        (*profiler)->finish([&](std::string_view text) { told_ += text; });
    EXPECT_TRUE(status.ok()) << status.message();
  }

  TempFolder folder_;
  std::string told_;
};

TEST_F(ProfilerTest, TellsATableAndWritesAFile) {
  run({.profile = folder_.path("profile.json"), .threads = 2});
  EXPECT_EQ(told_.find("profile: 1 step of"), 0u) << told_;
  auto json = nlohmann::json::parse(readText(folder_.path("profile.json")));
  EXPECT_EQ(json["launches"].size(), 2u);
  EXPECT_GT(json["launches"][0]["of_ceiling"], 0);
}

TEST_F(ProfilerTest, WritesATimelineAlone) {
  run({.timeline = folder_.path("trace.json")});
  EXPECT_EQ(told_, "");
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"trace.json"}));
}

TEST_F(ProfilerTest, MeasuresNoPeaksForAGpu) {
  run({.profile = std::string(ProfilerOptions::kTableOnly), .onGpu = true});
  EXPECT_NE(told_.find("peaks: not measured on this device"),
            std::string::npos);
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(ProfilerTest, RefusesAFileThatCannotBeWrittenBeforeTheRun) {
  std::string path = folder_.path("no/file.json");
  auto profile = Profiler::create({.profile = path});
  EXPECT_EQ(profile.status().code(), StatusCode::Environment);
  EXPECT_EQ(profile.status().message().find("--profile: " + path), 0u)
      << profile.status().message();
  auto timeline = Profiler::create({.timeline = path});
  EXPECT_EQ(timeline.status().message().find("--timeline: " + path), 0u)
      << timeline.status().message();
}

TEST(Peaks, AreThoseOfAMachine) {
  auto pool = ThreadPool::create(2);
  ASSERT_TRUE(pool.ok());
  auto peaks = measurePeaks(**pool);
  ASSERT_TRUE(peaks.ok()) << peaks.status().message();
  ASSERT_TRUE(peaks->isKnown());
  EXPECT_EQ(peaks->units[0].unit, "fma f32");
  // From a scalar FMA in 10 cycles of a slow core to a core of 2030.
  EXPECT_GT(peaks->flops(), 1e8);
  EXPECT_LT(peaks->flops(), 1e14);
  for (size_t i = 1; i < peaks->memory.size(); ++i)
    EXPECT_LE(peaks->memory[i - 1].bytes, peaks->memory[i].bytes);
  for (const MemoryPeak &peak : peaks->memory) {
    EXPECT_GT(peak.bytesPerSecond, 1e8);
    EXPECT_LT(peak.bytesPerSecond, 1e14);
  }
}

TEST(Peaks, JudgeASizeByTheNextSmallerOne) {
  MachinePeaks peaks{{}, {{100, 5}, {200, 3}}};
  EXPECT_EQ(peaks.bandwidth(0), 5);
  EXPECT_EQ(peaks.bandwidth(199), 5);
  EXPECT_EQ(peaks.bandwidth(200), 3);
  EXPECT_EQ(peaks.bandwidth(1 << 30), 3);
  EXPECT_EQ(MachinePeaks().bandwidth(5), 0);
}

} // namespace
} // namespace mpc::rt
