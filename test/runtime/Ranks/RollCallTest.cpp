// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a rank gives others up, and what it says then.
#include "runtime/Ranks/RollCall.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

using Seconds = std::chrono::duration<double>;

const RollCall kRollCall({Seconds(10), Seconds(100)});
const RollCall::Answer kSilent = {2, false, {}};
const RollCall::Answer kReading = {
    3, true, {812, 58.125, RankPlace::Reading, 0}};

TEST(RollCall, IsHeldAtHalfOfTheTime) {
  EXPECT_FALSE(kRollCall.isDue(Seconds(4.9)));
  EXPECT_TRUE(kRollCall.isDue(Seconds(5)));
}

TEST(RollCall, SilenceEndsTheWait) {
  EXPECT_FALSE(kRollCall.isOver(Seconds(9.9), {kReading, kSilent}));
  EXPECT_TRUE(kRollCall.isOver(Seconds(10), {kReading, kSilent}));
}

TEST(RollCall, WhoAnswersIsWaitedForLonger) {
  EXPECT_FALSE(kRollCall.isOver(Seconds(99), {kReading}));
  EXPECT_TRUE(kRollCall.isOver(Seconds(100), {kReading}));
}

TEST(RollCall, NamesEachRankAndWhatItDoes) {
  EXPECT_EQ(describeWait(Seconds(60), {kSilent, kReading}),
            "waited 60.0 s; rank 2 does not answer; rank 3 is at step 812, "
            "reading data, for 58.1 s");
}

} // namespace
} // namespace mpc::rt
