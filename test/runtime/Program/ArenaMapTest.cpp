// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifetimes in an arena, of launches written by hand.
#include "runtime/Program/ArenaMap.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

BufferRef arena(uint64_t offset, uint64_t bytes) {
  return {Space::Arena, 0, offset, bytes};
}

Launch launch(std::vector<BufferRef> reads, std::vector<BufferRef> writes) {
  Launch result;
  result.numRead = static_cast<uint32_t>(reads.size());
  result.buffers = std::move(reads);
  result.buffers.insert(result.buffers.end(), writes.begin(), writes.end());
  return result;
}

/// "offset:bytes first-last" of each value.
std::vector<std::string> textOf(const ArenaMap &map) {
  std::vector<std::string> lines;
  for (const ArenaValue &value : map.values)
    lines.push_back(
        std::to_string(value.offset) + ":" + std::to_string(value.bytes) + " " +
        std::to_string(value.first) + "-" + std::to_string(value.last));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ArenaMap, AValueLivesFromItsWriteToItsLastRead) {
  Entry entry;
  entry.launches = {launch({}, {arena(0, 64)}), launch({}, {arena(64, 128)}),
                    launch({arena(0, 64)}, {arena(192, 64)}),
                    launch({arena(192, 64), arena(64, 128)}, {})};
  ArenaMap map = mapArena(entry);
  EXPECT_EQ(textOf(map), (Lines{"0:64 0-2", "64:128 1-3", "192:64 2-3"}));
  // At launch 2 all three live.
  EXPECT_EQ(map.lowerBound, 256u);
}

TEST(ArenaMap, MemoryThatIsUsedAgainHoldsAnotherValue) {
  Entry entry;
  entry.launches = {
      launch({}, {arena(0, 64)}), launch({arena(0, 64)}, {arena(64, 64)}),
      launch({arena(64, 64)}, {arena(0, 64)}), launch({arena(0, 64)}, {})};
  ArenaMap map = mapArena(entry);
  EXPECT_EQ(textOf(map), (Lines{"0:64 0-1", "64:64 1-2", "0:64 2-3"}));
  EXPECT_EQ(map.lowerBound, 128u);
}

TEST(ArenaMap, AResultInPlaceOfAnOperandCountsOnce) {
  Entry entry;
  entry.launches = {launch({}, {arena(0, 64)}),
                    launch({arena(0, 64)}, {arena(0, 64)}),
                    launch({arena(0, 64)}, {})};
  ArenaMap map = mapArena(entry);
  EXPECT_EQ(textOf(map), (Lines{"0:64 0-1", "0:64 1-2"}));
  EXPECT_EQ(map.lowerBound, 64u);
}

TEST(ArenaMap, PartsThatAreReadAsOneLiveUntilThen) {
  Entry entry;
  entry.launches = {launch({}, {arena(0, 64)}), launch({}, {arena(64, 64)}),
                    launch({arena(0, 128)}, {})};
  EXPECT_EQ(textOf(mapArena(entry)), (Lines{"0:64 0-2", "64:64 1-2"}));
}

// Launch 1 does the first turn of what launches 2 and 3 do three times: they
// read the number of launch 0, and write each next part of a tensor out of the
// one before.
TEST(ArenaMap, ALoopReadsInAllOfItsTurns) {
  auto moving = [](uint64_t offset, int64_t stride) {
    BufferRef ref = arena(offset, 64);
    ref.stride = stride;
    return ref;
  };
  Entry entry;
  entry.launches = {launch({}, {arena(0, 64)}), launch({}, {arena(128, 64)}),
                    launch({arena(0, 64), moving(128, 64)}, {arena(64, 64)}),
                    launch({arena(64, 64)}, {moving(192, 64)}),
                    launch({arena(128, 256)}, {})};
  entry.loops = {{2, 2, 3}};
  Lines wanted = {"0:64 0-3", "128:64 1-4", "64:64 2-3", "192:192 3-4"};
  EXPECT_EQ(textOf(mapArena(entry)), wanted);
  EXPECT_EQ(mapArena(entry).lowerBound, 384u);
  // The same from the end, in a memory of two parts that take turns.
  entry.launches[2].buffers[1] = moving(320, -64);
  entry.launches[3].buffers[1] = moving(320, -64);
  entry.launches[3].buffers[1].period = 2;
  EXPECT_EQ(textOf(mapArena(entry)),
            (Lines{"0:64 0-3", "128:64 1-4", "64:64 2-3", "192:192 2-4",
                   "256:128 3-4"}));
}

TEST(ArenaMap, OtherMemoryIsNotOfTheArena) {
  Entry entry;
  entry.launches = {
      launch({{Space::State, 1, 0, 64}}, {{Space::Output, 0, 0, 64}})};
  EXPECT_TRUE(mapArena(entry).values.empty());
  EXPECT_EQ(mapArena(entry).lowerBound, 0u);
}

} // namespace
} // namespace mpc::rt
