// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, least values and events of runs of known durations, and what a runner
// tells of its own.
#include "runtime/Profile/LaunchRecorder.h"

#include "runtime/Runner/Runner.h"
#include "test/runtime/Profile/RecordedRuns.h"
#include "test/runtime/TestProgram.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

TEST(LaunchRecorder, AddsUpTheRunsOfAnEntry) {
  auto program = test::makeRecordedProgram();
  LaunchRecorder recorder(0);
  test::record(recorder, program, 1'000'000, 8000);
  test::record(recorder, program, 2'000'000, 4000);
  test::record(recorder, program, 3'000'000, 6000);
  ASSERT_EQ(recorder.entries().size(), 1u);
  const RecordedEntry &entry = recorder.entries()[0];
  EXPECT_EQ(entry.runs, 3);
  EXPECT_EQ(entry.workers, 2);
  EXPECT_EQ(entry.total, 18'000 + 3 * 3500);
  EXPECT_EQ(entry.launches[0].total, 18'000);
  EXPECT_EQ(entry.launches[0].least, 4000);
  EXPECT_EQ(entry.launches[0].busy, 27'000);
  EXPECT_EQ(entry.launches[1].total, 6000);
  EXPECT_EQ(entry.launches[1].busy, 6000);
  EXPECT_EQ(recorder.wall(), 2'000'000 + 9500);
  EXPECT_TRUE(recorder.events().empty());
}

// The same entry of another program, as after a recompilation.
TEST(LaunchRecorder, KeepsProgramsApart) {
  LaunchRecorder recorder(0);
  auto first = test::makeRecordedProgram(),
       second = test::makeRecordedProgram();
  test::record(recorder, first, 0, 8000);
  test::record(recorder, second, 20'000, 8000);
  test::record(recorder, first, 40'000, 8000);
  ASSERT_EQ(recorder.entries().size(), 2u);
  EXPECT_EQ(recorder.entries()[0].runs, 2);
  EXPECT_EQ(recorder.entries()[1].runs, 1);
}

TEST(LaunchRecorder, KeepsTheNewestTimesForTheMedian) {
  auto program = test::makeRecordedProgram();
  LaunchRecorder recorder(0);
  auto runs = static_cast<int64_t>(LaunchRecorder::kNewest) + 2;
  for (int64_t i = 0; i < runs; ++i)
    test::record(recorder, program, i * 100'000, 2 * i);
  const std::vector<Nanoseconds> &newest =
      recorder.entries()[0].launches[0].newest;
  EXPECT_EQ(newest.size(), LaunchRecorder::kNewest);
  EXPECT_EQ(*std::min_element(newest.begin(), newest.end()), 4);
  EXPECT_EQ(*std::max_element(newest.begin(), newest.end()), 2 * (runs - 1));
}

// A loop tells of its launch in each turn.
TEST(LaunchRecorder, CountsTheTurnsOfARun) {
  auto program = test::makeRecordedProgram();
  LaunchRecorder recorder(0);
  recorder.beginRun(program, 0, 0);
  recorder.addLaunch(0, {0, 2000, {}});
  recorder.addLaunch(0, {2000, 5000, {}});
  for (size_t turn = 2; turn < LaunchRecorder::kNewest; ++turn)
    recorder.addLaunch(0, {5000, 9000, {}});
  recorder.addLaunch(0, {9000, 14'000, {}});
  recorder.endRun(14'000);
  EXPECT_EQ(recorder.entries()[0].runs, 1);
  const RecordedLaunch &launch = recorder.entries()[0].launches[0];
  EXPECT_EQ(launch.runs, int64_t(LaunchRecorder::kNewest) + 1);
  EXPECT_EQ(launch.least, 2000);
  // The last turn has the place of the first.
  ASSERT_EQ(launch.newest.size(), LaunchRecorder::kNewest);
  EXPECT_EQ(launch.newest[0], 5000);
  EXPECT_EQ(launch.newest[1], 3000);
}

// A run has two launches on three workers' tracks, and itself: six events.
TEST(LaunchRecorder, HasEventsOfWholeRunsAlone) {
  auto program = test::makeRecordedProgram();
  LaunchRecorder recorder(15);
  for (int64_t i = 0; i < 4; ++i)
    test::record(recorder, program, i * 100'000, 8000);
  ASSERT_EQ(recorder.events().size(), 12u);
  EXPECT_EQ(recorder.numRunsWithoutEvents(), 2);
  EXPECT_EQ(recorder.entries()[0].runs, 4);
  const TimelineEvent &last = recorder.events().back();
  EXPECT_EQ(last.launch, TimelineEvent::kRun);
  EXPECT_EQ(last.run, 1u);
  EXPECT_EQ(last.begin, 100'000);
  EXPECT_EQ(last.end, 111'500);
}

TEST(LaunchRecorder, HasNoEventsOfARunThatFailed) {
  auto program = test::makeRecordedProgram();
  LaunchRecorder recorder(100);
  recorder.beginRun(program, 0, 0);
  recorder.addLaunch(0, {0, 1000});
  test::record(recorder, program, 10'000, 8000);
  ASSERT_EQ(recorder.events().size(), 6u);
  EXPECT_EQ(recorder.events()[0].begin, 10'000);
}

/// A step of the test program on some batch; its loss.
float runStep(Runner &runner) {
  std::vector<float> x(12, 1), target(4, 6);
  float lr = 0.5f, loss = 0, scale = 0;
  uint8_t foundInf = 0;
  double norm = 0, goodSteps = 0;
  const void *inputs[] = {x.data(), target.data(), &lr};
  void *outputs[] = {&loss, &scale, &foundInf, &norm, &goodSteps};
  Status status = runner.run("step", inputs, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  return loss;
}

/// An observer that keeps all it is told.
struct Told : LaunchObserver {
  struct One {
    size_t launch;
    Nanoseconds begin, end;
    std::vector<WorkerTime> workers;
  };
  std::vector<std::pair<size_t, Nanoseconds>> runs;
  std::vector<One> launches;
  std::vector<Nanoseconds> ends;

  void beginRun(const std::shared_ptr<const Program> &, size_t entry,
                Nanoseconds now) override {
    runs.emplace_back(entry, now);
  }
  void addLaunch(size_t launch, const LaunchTime &time) override {
    launches.push_back({launch,
                        time.begin,
                        time.end,
                        {time.workers.begin(), time.workers.end()}});
  }
  void endRun(Nanoseconds now) override { ends.push_back(now); }
};

TEST(LaunchObserver, IsToldOfEachLaunchOnceInTheOrderOfTime) {
  Told told;
  auto runner = Runner::create(test::makeTestProgram(),
                               {.threads = 2, .observer = &told});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  (void)runStep(**runner);
  ASSERT_EQ(told.runs.size(), 1u);
  EXPECT_EQ(told.runs[0].first, *(*runner)->findEntry("step"));
  ASSERT_EQ(told.launches.size(), 2u);
  Nanoseconds now = told.runs[0].second;
  for (size_t i = 0; i < 2; ++i) {
    const Told::One &one = told.launches[i];
    EXPECT_EQ(one.launch, i);
    EXPECT_LE(now, one.begin);
    EXPECT_LE(one.begin, one.end);
    now = one.end;
    // A launch of one chunk is the caller's alone.
    ASSERT_EQ(one.workers.size(), 2u);
    EXPECT_LE(one.begin, one.workers[0].begin);
    EXPECT_LE(one.workers[0].end, one.end);
    EXPECT_GT(one.workers[0].busy, 0);
    EXPECT_EQ(one.workers[1].busy, 0);
  }
  EXPECT_LE(now, told.ends.at(0));
}

TEST(LaunchObserver, ChangesNoResultAndCanBeTakenAway) {
  LaunchRecorder recorder(100);
  auto observed = Runner::create(test::makeTestProgram(), {.threads = 2});
  auto other = Runner::create(test::makeTestProgram(), {.threads = 2});
  ASSERT_TRUE(observed.ok() && other.ok());
  (*observed)->observe(&recorder);
  for (int step = 0; step < 3; ++step)
    EXPECT_EQ(runStep(**observed), runStep(**other));
  (*observed)->observe(nullptr);
  EXPECT_EQ(runStep(**observed), runStep(**other));
  EXPECT_EQ(recorder.entries()[0].runs, 3);
}

} // namespace
} // namespace mpc::rt
