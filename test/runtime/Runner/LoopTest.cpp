// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that an entry repeats, with buffers that move from turn to turn.
#include "runtime/Profile/LaunchRecorder.h"
#include "runtime/Program/Commands.h"
#include "runtime/Program/Inspection.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Runner/Runner.h"
#include "test/runtime/Device/CUDA/FakeCuda.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

constexpr size_t kNumbers = 6;

/// The number at `place` of a space, which moves by `step` numbers.
BufferRef number(Space space, uint64_t place, int64_t step = 0,
                 uint32_t period = 0) {
  return {space, 0, place * 4, 4, step * 4, period};
}

Launch copy(const BufferRef &from, const BufferRef &to) {
  return {"moved", "", {from, to}, 1, std::make_shared<Copy>()};
}

/// "eval" reverses six numbers: each turn brings one to one of two places of
/// the arena, and from there to the output. The last launch repeats the first
/// number of the output behind it.
std::shared_ptr<Program> makeReversing() {
  auto program = std::make_shared<Program>();
  program->target = CpuTarget{"x86-64-v3"};
  Entry entry;
  entry.name = "eval";
  entry.arenaBytes = 64;
  entry.inputs = {{"x", DType::I32, {kNumbers}}};
  entry.outputs = {{"y", DType::I32, {kNumbers + 1}}};
  entry.launches = {
      copy(number(Space::Input, kNumbers - 1, -1),
           number(Space::Arena, 1, -1, 2)),
      copy(number(Space::Arena, 1, -1, 2), number(Space::Output, 0, 1)),
      copy(number(Space::Output, 0), number(Space::Output, kNumbers))};
  entry.loops = {{0, 2, kNumbers}};
  program->entries = {entry};
  return program;
}

const std::vector<int32_t> kGiven = {1, 2, 3, 4, 5, 6};
const std::vector<int32_t> kWanted = {6, 5, 4, 3, 2, 1, 6};

void expectReversed(const std::shared_ptr<const Program> &program,
                    RunnerOptions options = {}) {
  auto runner = Runner::create(program, options);
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  std::vector<int32_t> out(kNumbers + 1, -1);
  const void *inputs[] = {kGiven.data()};
  void *outputs[] = {out.data()};
  for (int run = 0; run < 2; ++run) {
    std::fill(out.begin(), out.end(), -1);
    ASSERT_TRUE((*runner)->run("eval", inputs, outputs).ok());
    EXPECT_EQ(out, kWanted);
  }
}

TEST(Loops, RunTheirLaunchesInTurns) { expectReversed(makeReversing()); }

TEST(Loops, ComeBackFromAFile) {
  std::shared_ptr<const Program> programs[] = {makeReversing()};
  auto read = parseManifest(*encodeManifest(programs));
  ASSERT_TRUE(read.ok()) << read.status().message();
  expectReversed(read->front());
}

TEST(Loops, TellTheTimeOfEachTurn) {
  LaunchRecorder recorder(0);
  RunnerOptions options;
  options.observer = &recorder;
  expectReversed(makeReversing(), options);
  const RecordedEntry &entry = recorder.entries().front();
  EXPECT_EQ(entry.runs, 2);
  ASSERT_EQ(entry.launches.size(), 3u);
  EXPECT_EQ(entry.launches[0].runs, int64_t(2 * kNumbers));
  EXPECT_EQ(entry.launches[0].newest.size(), 2 * kNumbers);
  EXPECT_EQ(entry.launches[2].runs, 2);
}

TEST(Loops, AreInspected) {
  auto program = makeReversing();
  std::string text = describeProgram(*program);
  for (const char *line :
       {"input0+20:4-4 -> arena+4:4-4%2", "arena+4:4-4%2 -> output0+0:4+4",
        "launches 0-1 run 6 times"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
  auto json = nlohmann::json::parse(describeProgramAsJson(*program));
  const auto &entry = json["entries"][0];
  EXPECT_EQ(entry["loops"],
            nlohmann::json::parse(R"([{"first": 0, "count": 2, "turns": 6}])"));
  const auto &place = entry["launches"][0]["buffers"][1];
  EXPECT_EQ(place["stride"], -4);
  EXPECT_EQ(place["period"], 2);
}

/// What is said of a program with that loop.
std::string faultOf(const std::vector<LaunchLoop> &loops) {
  auto program = makeReversing();
  program->entries[0].loops = loops;
  return Runner::create(program).status().message();
}

TEST(Loops, ThatAreNoneAreRefused) {
  const std::string fault = "program: entry 'eval': a loop has no launches or "
                            "turns, or those of another";
  for (const std::vector<LaunchLoop> &loops :
       std::vector<std::vector<LaunchLoop>>{{{0, 0, 6}},
                                            {{0, 2, 0}},
                                            {{0, 2, uint64_t(1) << 32}},
                                            {{2, 2, 1}},
                                            {{4, 1, 1}},
                                            {{1, ~uint64_t(0), 1}},
                                            {{0, 2, 6}, {1, 1, 1}},
                                            {{2, 1, 1}, {0, 2, 6}}})
    EXPECT_EQ(faultOf(loops), fault);
  EXPECT_EQ(faultOf({{0, 2, 6}, {2, 1, 3}}), "");
}

/// What is said of a program whose first launch reads the input at `ref`.
std::string faultAt(const BufferRef &ref) {
  auto program = makeReversing();
  program->entries[0].launches[0].buffers[0] = ref;
  return Runner::create(program).status().message();
}

TEST(Loops, ThatLeaveTheirMemoryAreRefused) {
  const std::string fault = "program: entry 'eval', launch 0 ('moved'): buffer "
                            "0 lies outside its memory";
  EXPECT_EQ(faultAt(number(Space::Input, kNumbers - 2, -1)), fault);
  EXPECT_EQ(faultAt(number(Space::Input, 1, 1)), fault);
  EXPECT_EQ(faultAt({Space::Input, 0, 0, 4, INT64_MAX, 0}), fault);
  EXPECT_EQ(faultAt({Space::Input, 0, 0, 4, INT64_MIN, 0}), fault);
  // It comes back before it leaves.
  EXPECT_EQ(faultAt(number(Space::Input, 3, 1, 3)), "");
  EXPECT_EQ(faultAt(number(Space::Input, 3, 1, 4)), fault);
  // What never moves has no turns.
  EXPECT_EQ(faultAt(number(Space::Input, 5, 1, 1)), "");
}

class LoopsOfDevices : public cuda::test::FakeCudaOfProcess {};

TEST_F(LoopsOfDevices, AreRecordedTurnByTurn) {
  auto program = makeReversing();
  program->target = CudaTarget{{80}};
  expectReversed(program);
  LaunchRecorder recorder(0);
  RunnerOptions options;
  options.observer = &recorder;
  expectReversed(program, options);
  EXPECT_EQ(recorder.entries().front().launches[1].runs, int64_t(2 * kNumbers));
}

} // namespace
} // namespace mpc::rt
