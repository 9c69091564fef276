// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State of which each rank has a part.
#include "runtime/Program/Commands.h"
#include "runtime/Program/Inspection.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Train/RankAgreement.h"
#include "test/runtime/Ranks/ThreadRanks.h"

#include <gtest/gtest.h>
#include <numeric>

namespace mpc::rt {
namespace {

using test::onRanks;
using test::ThreadRanks;

/// The elements of a part, which are some pages.
constexpr int64_t kPart = int64_t(1) << 20;
constexpr uint64_t kBytes = kPart * sizeof(float);

/// A program of 2 ranks with a slot of one and a half parts, beside a whole
/// weight. "init" copies the first element of a rank's part to the weight.
std::shared_ptr<Program> makeProgram() {
  auto program = std::make_shared<Program>();
  program->target = CpuTarget{"x86-64-v3"};
  std::vector<float> ones(kPart, 1.0f);
  program->slabs = {{"slots", kBytes, 2,
                     SharedBytes::of(std::vector<uint8_t>(
                         reinterpret_cast<uint8_t *>(ones.data()),
                         reinterpret_cast<uint8_t *>(ones.data()) + kBytes))},
                    {"weights", 64}};
  program->state = {{{"w", DType::F32, {1}}, StateRole::Parameter, 1, 0},
                    {{"w/slot", DType::F32, {kPart + kPart / 2}},
                     StateRole::Slot,
                     0,
                     0,
                     false,
                     "w",
                     "slot"}};
  Entry init;
  init.name = "init";
  init.role = EntryRole::Init;
  init.launches = {{"copy",
                    "",
                    {{Space::State, 0, 0, 4}, {Space::State, 1, 0, 4}},
                    1,
                    std::make_shared<Copy>()}};
  program->entries = {init};
  return program;
}

std::unique_ptr<Runner> makeRunner(Ranks *ranks) {
  RunnerOptions options{1};
  options.ranks = ranks;
  auto runner = Runner::create(makeProgram(), options);
  EXPECT_TRUE(runner.ok()) << runner.status().message();
  return runner.ok() ? std::move(*runner) : nullptr;
}

float *slotOf(Runner &runner) {
  return reinterpret_cast<float *>(runner.editState("w/slot")->data());
}

float weightOf(Runner &runner) {
  return *reinterpret_cast<float *>(runner.editState("w")->data());
}

TEST(DividedState, BeginsOnEachRankWithItsPartOfTheFirst) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    float *slot = slotOf(*runner);
    EXPECT_EQ(slot[0], 1);
    EXPECT_EQ(slot[kPart], 1);
    if (ranks.isFirst())
      std::iota(slot, slot + kPart + kPart / 2, 5.0f);
    std::optional<TrainPosition> position;
    ASSERT_TRUE(shareStart(&ranks, *runner, position).ok());
    int64_t own = ranks.rank() * kPart;
    EXPECT_EQ(slot[own], 5.0f + static_cast<float>(own));
    EXPECT_EQ(slot[own + kPart / 2 - 1],
              5.0f + static_cast<float>(own + kPart / 2 - 1));
    // Memory of the other's part is given back, and its pages are zero.
    EXPECT_EQ(slot[(1 - ranks.rank()) * kPart + kPart / 4], 0);
    // What is derived comes from the rank's own part.
    EXPECT_EQ(weightOf(*runner), 5.0f + static_cast<float>(own));
  });
}

TEST(DividedState, IsWholeOnTheFirstForAWhile) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    float *slot = slotOf(*runner);
    int64_t own = ranks.rank() * kPart;
    std::fill_n(slot + own, kPart, 10.0f + static_cast<float>(ranks.rank()));
    int calls = 0;
    Status status = withWholeState(*runner, [&]() -> Status {
      ++calls;
      EXPECT_EQ(slot[0], 10);
      EXPECT_EQ(slot[kPart], 11);
      EXPECT_EQ(slot[kPart + kPart / 2 - 1], 11);
      return usageError("said on the first");
    });
    EXPECT_EQ(calls, ranks.isFirst() ? 1 : 0);
    EXPECT_EQ(status.ok(), !ranks.isFirst());
    EXPECT_EQ(slot[own], 10.0f + static_cast<float>(ranks.rank()));
    EXPECT_EQ(slot[own + kPart / 2 - 1],
              10.0f + static_cast<float>(ranks.rank()));
    if (ranks.isFirst()) {
      EXPECT_EQ(slot[kPart + kPart / 4], 0);
    }
  });
}

TEST(DividedState, IsNotComparedBetweenRanks) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    slotOf(*runner)[ranks.rank() * kPart] = 3.0f + ranks.rank();
    EXPECT_TRUE(compareStates(&ranks, *runner).ok());
    if (!ranks.isFirst())
      (*runner->editState("w"))[0] ^= std::byte{1};
    EXPECT_EQ(compareStates(&ranks, *runner).code(), StatusCode::Peer);
  });
}

TEST(DividedState, IsDerivedByAllRanksTogether) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = makeRunner(&ranks);
    slotOf(*runner)[ranks.rank() * kPart] = 7;
    ASSERT_TRUE(runner->deriveAlone().ok());
    EXPECT_EQ(weightOf(*runner), 0);
    ASSERT_TRUE(runner->derive().ok());
    EXPECT_EQ(weightOf(*runner), 7);
  });
}

TEST(DividedState, NeedsAsManyRanksAsItHasParts) {
  Status alone = Runner::create(makeProgram()).status();
  EXPECT_EQ(alone.code(), StatusCode::Usage);
  EXPECT_EQ(alone.message(), "the program is for 2 ranks, and there is one");
  onRanks(3, [](ThreadRanks &ranks) {
    RunnerOptions options{1};
    options.ranks = &ranks;
    EXPECT_EQ(Runner::create(makeProgram(), options).status().message(),
              "the program is for 2 ranks, and there are 3");
  });
}

TEST(DividedState, IsInAFile) {
  std::shared_ptr<const Program> programs[] = {makeProgram()};
  auto sections = encodeManifest(programs);
  ASSERT_TRUE(sections.ok());
  auto read = parseManifest(*sections);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->front()->slabs[0].parts, 2u);
  EXPECT_EQ(read->front()->slabs[0].wholeBytes(), 2 * kBytes);
  EXPECT_EQ(read->front()->slabs[1].parts, 1u);
  std::string text = describeProgram(*programs[0]);
  EXPECT_NE(text.find("w/slot f32[1572864] slot in slab 0 at 0, divided "
                      "among 2 ranks\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("state: 4.0 MiB in 2 slabs"), std::string::npos) << text;
}

} // namespace
} // namespace mpc::rt
