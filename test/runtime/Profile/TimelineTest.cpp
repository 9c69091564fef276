// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace of runs of known durations, read back.
#include "runtime/Profile/Timeline.h"

#include "test/runtime/Profile/RecordedRuns.h"
#include "test/runtime/TempFolder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

class TimelineTest : public testing::Test {
protected:
  TimelineTest() {
    test::record(recorder_, program_, 5'000'000, 8000);
    test::record(recorder_, program_, 5'100'000, 4000);
    std::string path = folder_.path("trace.json");
    Status status = writeTimeline(recorder_, path);
    EXPECT_TRUE(status.ok()) << status.message();
    events_ = nlohmann::json::parse(readText(path))["traceEvents"];
  }

  /// The complete events of a track: name, time and duration.
  std::vector<std::tuple<std::string, double, double>> eventsOf(int track) {
    std::vector<std::tuple<std::string, double, double>> found;
    for (const auto &event : events_)
      if (event["ph"] == "X" && event["tid"] == track)
        found.emplace_back(event["name"], event["ts"], event["dur"]);
    return found;
  }

  using Events = std::vector<std::tuple<std::string, double, double>>;
  TempFolder folder_;
  std::shared_ptr<const Program> program_ = test::makeRecordedProgram();
  LaunchRecorder recorder_{100};
  nlohmann::json events_;
};

// Microseconds since the first run began.
TEST_F(TimelineTest, HasLaunchesByThread) {
  EXPECT_EQ(eventsOf(TimelineTrack::kRuns),
            (Events{{"step", 0, 11.5}, {"step", 100, 7.5}}));
  EXPECT_EQ(
      eventsOf(TimelineTrack::kLaunches),
      (Events{{"fc", 0, 8}, {"copy", 9, 2}, {"fc", 100, 4}, {"copy", 105, 2}}));
  EXPECT_EQ(eventsOf(TimelineTrack::kWorkers + 1),
            (Events{{"fc", 4, 4}, {"fc", 102, 2}}));
}

TEST_F(TimelineTest, NamesTracksAndNodes) {
  std::vector<std::string> names;
  for (const auto &event : events_)
    if (event["ph"] == "M" && event["name"] == "thread_name")
      names.push_back(event["args"]["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"runs", "launches", "worker 0",
                                             "worker 1"}));
  for (const auto &event : events_)
    if (event["ph"] == "X" && event["tid"] == 1 && event["name"] == "fc") {
      EXPECT_EQ(event["args"]["nodes"], "fc1, \"relu\"");
      EXPECT_EQ(event["args"]["launch"], 0);
      EXPECT_EQ(event["args"]["entry"], "step");
    }
}

TEST_F(TimelineTest, ReportsAFileThatCannotBeWritten) {
  Status status = writeTimeline(recorder_, folder_.path("no/trace.json"));
  EXPECT_EQ(status.code(), StatusCode::Environment);
  EXPECT_NE(status.message().find(folder_.path("no/trace.json")),
            std::string::npos)
      << status.message();
}

} // namespace
} // namespace mpc::rt
