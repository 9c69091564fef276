// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives over ranks that are threads.
#include "runtime/Ranks/Ranks.h"

#include "test/runtime/Ranks/ThreadRanks.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

using test::onRanks;
using test::ThreadRanks;

/// Byte `place` of the tensor that `rank` has.
std::byte byteOf(uint32_t rank, uint64_t place) {
  return static_cast<std::byte>(rank * 50 + place);
}

/// Tensors of 0 to 25 bytes in parts of 8, on 3 ranks: whole parts, a shorter
/// one, and empty ones.
class Sizes : public testing::TestWithParam<uint64_t> {};

TEST_P(Sizes, AllToAllGivesEachRankItsPartOfAll) {
  Parts parts{3, GetParam(), 9};
  onRanks(3, [&](ThreadRanks &ranks) {
    std::vector<std::byte> whole;
    for (uint64_t i = 0; i < parts.wholeBytes; ++i)
      whole.push_back(byteOf(ranks.rank(), i));
    std::vector<std::byte> received(3 * parts.partBytes, std::byte(255));
    MovedTensor tensor{whole.data(), received.data(), parts};
    ASSERT_TRUE(ranks.allToAll({&tensor, 1}).ok());
    for (uint32_t from = 0; from < 3; ++from)
      for (uint64_t i = 0; i < parts.partBytes; ++i) {
        uint64_t place = ranks.rank() * 9 + i;
        // What lies behind the end is left alone.
        std::byte expected =
            place < parts.wholeBytes ? byteOf(from, place) : std::byte(255);
        EXPECT_EQ(received[from * 9 + i], expected);
      }
  });
}

TEST_P(Sizes, AllGatherJoinsTheParts) {
  Parts parts{3, GetParam(), 9};
  onRanks(3, [&](ThreadRanks &ranks) {
    std::vector<std::byte> part(9);
    for (uint64_t i = 0; i < 9; ++i)
      part[i] = byteOf(0, ranks.rank() * 9 + i);
    std::vector<std::byte> whole(parts.wholeBytes + 1, std::byte(255));
    MovedTensor tensor{part.data(), whole.data(), parts};
    ASSERT_TRUE(ranks.allGather({&tensor, 1}).ok());
    for (uint64_t i = 0; i < parts.wholeBytes; ++i)
      EXPECT_EQ(whole[i], byteOf(0, i));
    EXPECT_EQ(whole.back(), std::byte(255));
  });
}

TEST_P(Sizes, CollectJoinsThePartsOnTheFirst) {
  Parts parts{3, GetParam(), 9};
  onRanks(3, [&](ThreadRanks &ranks) {
    std::vector<std::byte> whole;
    for (uint64_t i = 0; i < parts.wholeBytes; ++i)
      whole.push_back(byteOf(ranks.rank(), i));
    ASSERT_TRUE(ranks.collect(whole.data(), parts).ok());
    for (uint64_t i = 0; i < parts.wholeBytes; ++i) {
      auto owner = static_cast<uint32_t>(i / 9);
      EXPECT_EQ(whole[i], byteOf(ranks.isFirst() ? owner : ranks.rank(), i));
    }
  });
}

TEST_P(Sizes, DealGivesEachRankItsPart) {
  Parts parts{3, GetParam(), 9};
  onRanks(3, [&](ThreadRanks &ranks) {
    std::vector<std::byte> whole;
    for (uint64_t i = 0; i < parts.wholeBytes; ++i)
      whole.push_back(byteOf(ranks.rank(), i));
    ASSERT_TRUE(ranks.deal(whole.data(), parts).ok());
    for (uint64_t i = 0; i < parts.wholeBytes; ++i) {
      bool isOwn = i / 9 == ranks.rank();
      EXPECT_EQ(whole[i], byteOf(isOwn ? 0 : ranks.rank(), i));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Sizes,
                         testing::Values(0, 1, 9, 10, 18, 25, 27));

TEST(Ranks, SeveralTensorsMoveTogether) {
  // Of one size and of another, so that a mistaken order is seen either way.
  Parts large{3, 25, 9}, small{3, 4, 2};
  onRanks(3, [&](ThreadRanks &ranks) {
    std::vector<std::byte> parts[3], wholes[3];
    std::vector<MovedTensor> tensors;
    for (uint32_t i = 0; i < 3; ++i) {
      const Parts &shape = i == 2 ? small : large;
      wholes[i].resize(shape.wholeBytes);
      for (uint64_t k = 0; k < shape.partBytes; ++k)
        parts[i].push_back(byteOf(i, ranks.rank() * shape.partBytes + k));
      tensors.push_back({parts[i].data(), wholes[i].data(), shape});
    }
    ASSERT_TRUE(ranks.allGather(tensors).ok());
    for (uint32_t i = 0; i < 3; ++i)
      for (uint64_t k = 0; k < wholes[i].size(); ++k)
        EXPECT_EQ(wholes[i][k], byteOf(i, k)) << i;
  });
}

TEST(Ranks, GatherKeepsTheOrderOfRanks) {
  onRanks(4, [](ThreadRanks &ranks) {
    auto all = ranks.gatherValues(
        std::vector<double>{ranks.rank() + 0.5, -1.0 * ranks.rank()});
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(*all,
              (std::vector<double>{0.5, -0.0, 1.5, -1, 2.5, -2, 3.5, -3}));
  });
}

TEST(Ranks, BroadcastGivesTheTextOfTheFirst) {
  onRanks(3, [](ThreadRanks &ranks) {
    for (const std::string &sent : {std::string("of rank 0"), std::string()}) {
      std::string text = ranks.isFirst() ? sent : "own text of another length";
      ASSERT_TRUE(ranks.broadcast(text).ok());
      EXPECT_EQ(text, sent);
    }
  });
}

TEST(Ranks, ReportsWhereItIs) {
  onRanks(1, [](ThreadRanks &ranks) {
    ranks.enter(RankPlace::Reading, 812);
    RankReport report = ranks.report();
    EXPECT_EQ(report.step, 812);
    EXPECT_EQ(report.place, RankPlace::Reading);
    ranks.enter(RankPlace::Saving);
    EXPECT_EQ(ranks.report().step, 812);
    EXPECT_NE(ranks.report().describe().find("at step 812, saving, for 0."),
              std::string::npos);
  });
}

} // namespace
} // namespace mpc::rt
