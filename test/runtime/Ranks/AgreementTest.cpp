// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks agree on outside of their steps.
#include "runtime/Train/RankAgreement.h"

#include "test/runtime/Ranks/ThreadRanks.h"
#include "test/runtime/TestProgram.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

using test::onRanks;
using test::ThreadRanks;

TEST(Agreement, NoRankGoesOnAlone) {
  onRanks(3, [](ThreadRanks &ranks) {
    EXPECT_TRUE(agree(&ranks, Status()).ok());
    Status own = ranks.rank() == 1 ? environmentError("disk full") : Status();
    Status status = agree(&ranks, own);
    if (ranks.rank() == 1) {
      EXPECT_EQ(status.message(), "disk full");
    } else {
      EXPECT_EQ(status.code(), StatusCode::Peer);
      EXPECT_EQ(status.message(), "rank 1 cannot go on, and says why");
    }
  });
}

TEST(Agreement, ALostRankIsToldNothing) {
  onRanks(2, [](ThreadRanks &ranks) {
    if (!ranks.isFirst())
      return;
    Status status = agree(&ranks, Status(StatusCode::Peer, "rank 1 is gone"));
    EXPECT_EQ(status.message(), "rank 1 is gone");
    EXPECT_EQ(ranks.sentBytes, 0u);
  });
}

TEST(Agreement, TheFirstFactThatDiffersIsNamed) {
  onRanks(4, [](ThreadRanks &ranks) {
    std::string odd = ranks.rank() % 2 == 1 ? "odd" : "even";
    EXPECT_TRUE(compareFacts(&ranks, {{"the data", "same"}}).ok());
    Status status = compareFacts(
        &ranks, {{"the flags", "same"}, {"the data", odd}, {"the rest", odd}});
    EXPECT_EQ(status.code(), StatusCode::Usage);
    EXPECT_EQ(status.message(),
              "the data of ranks 1, 3 differ from those of rank 0");
  });
}

TEST(Agreement, AStateThatDiffersIsNamed) {
  onRanks(3, [](ThreadRanks &ranks) {
    auto runner = Runner::create(test::makeTestProgram());
    ASSERT_TRUE(runner.ok()) << runner.status().message();
    EXPECT_TRUE(compareStates(&ranks, **runner).ok());
    auto weight = (*runner)->editState("w");
    ASSERT_TRUE(weight.ok());
    if (ranks.rank() == 2)
      weight->back() ^= std::byte{1};
    Status status = compareStates(&ranks, **runner);
    EXPECT_EQ(status.code(), StatusCode::Peer);
    EXPECT_EQ(status.message(),
              "'w' of rank 2 differs from that of rank 0: memory or a "
              "processor is at fault; --resume goes on from the last "
              "checkpoint");
  });
  auto alone = Runner::create(test::makeTestProgram());
  ASSERT_TRUE(alone.ok());
  EXPECT_TRUE(compareStates(nullptr, **alone).ok());
}

TEST(Agreement, AllBeginWithTheStateOfTheFirst) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = Runner::create(test::makeTestProgram());
    ASSERT_TRUE(runner.ok()) << runner.status().message();
    std::optional<TrainPosition> position;
    auto weight = (*runner)->editState("w");
    ASSERT_TRUE(weight.ok());
    auto *values = reinterpret_cast<float *>(weight->data());
    for (int i = 0; i < 3; ++i)
      values[i] = ranks.isFirst() ? 0.5f + static_cast<float>(i) : 0;
    if (ranks.isFirst()) {
      position.emplace();
      position->step = 7;
      position->loader.epoch = 3;
      position->best = BestEvaluation{"loss", false, 0.25, 5, 1};
    }
    ASSERT_TRUE(shareStart(&ranks, **runner, position).ok());
    ASSERT_TRUE(position.has_value());
    EXPECT_EQ(position->step, 7);
    EXPECT_EQ(position->loader.epoch, 3);
    EXPECT_EQ(position->best->value, 0.25);
    EXPECT_EQ(values[0], 0.5f);
    EXPECT_EQ(values[2], 2.5f);
  });
}

TEST(Agreement, AStartFromTheBeginningIsOneForAll) {
  onRanks(2, [](ThreadRanks &ranks) {
    auto runner = Runner::create(test::makeTestProgram());
    ASSERT_TRUE(runner.ok());
    std::optional<TrainPosition> position;
    ASSERT_TRUE(shareStart(&ranks, **runner, position).ok());
    EXPECT_FALSE(position.has_value());
  });
}

} // namespace
} // namespace mpc::rt
