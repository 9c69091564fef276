// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of known sizes on threads that take their chunks in turns.
#include "runtime/Program/Sharing.h"

#include "runtime/Program/Commands.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

Launch kernel(int64_t chunks, uint64_t bytes, KernelWork work) {
  Launch result;
  result.buffers = {{Space::Arena, 0, 0, bytes}};
  result.command =
      std::make_shared<HostKernel>(HostKernel::Place{0, chunks}, work);
  return result;
}

Entry entryOf(std::vector<Launch> launches) {
  Entry entry;
  entry.launches = std::move(launches);
  return entry;
}

// 100 chunks on 64 threads are two rounds: the time of 128 chunks.
TEST(Sharing, RoundsAreWhatOneThreadTakes) {
  Entry entry = entryOf({kernel(100, 0, {"contraction", 200'000'000'000})});
  SharedLaunch one = shareLaunches(entry, 64).front();
  EXPECT_EQ(one.rounds, 2);
  EXPECT_TRUE(one.waits);
  EXPECT_DOUBLE_EQ(one.alone, 2.0);
  EXPECT_DOUBLE_EQ(one.shared, 2.0 * 2 / 100);
  EXPECT_DOUBLE_EQ(one.busy(64), 100.0 / 128);
  one = shareLaunches(entry, 1).front();
  EXPECT_EQ(one.rounds, 100);
  EXPECT_FALSE(one.waits);
  EXPECT_DOUBLE_EQ(one.shared, one.alone);
}

// A single chunk is nobody's to wait for.
TEST(Sharing, LaunchesWithOneChunkRunAlone) {
  SharedLaunch one =
      shareLaunches(entryOf({kernel(1, 1200, {"map", 1})}), 64).front();
  EXPECT_FALSE(one.waits);
  EXPECT_DOUBLE_EQ(one.alone, 1e-7);
  EXPECT_DOUBLE_EQ(one.shared, one.alone);
  EXPECT_DOUBLE_EQ(one.busy(64), 1.0 / 64);
}

// By products or by bytes, whichever is more; a unit is twice as fast; the
// order is that of the threads' time and not of one thread's.
TEST(Sharing, LaunchesAreWeighed) {
  KernelWork plain{"contraction", 1'000'000'000};
  KernelWork unit{"contraction", 1'000'000'000, "vdpbf16ps"};
  KernelWork map{"map", 1'000'000'000};
  Entry entry =
      entryOf({kernel(64, 0, plain), kernel(64, 0, unit), kernel(64, 0, map),
               kernel(64, 1'200'000'000, plain), kernel(2, 0, plain)});
  std::vector<SharedLaunch> launches = shareLaunches(entry, 64);
  std::vector<size_t> order;
  for (const SharedLaunch &one : launches)
    order.push_back(one.number);
  EXPECT_EQ(order, (std::vector<size_t>{4, 3, 2, 0, 1}));
  EXPECT_DOUBLE_EQ(launches[3].alone, 0.01);
  EXPECT_DOUBLE_EQ(launches[4].alone, 0.005);
  EXPECT_DOUBLE_EQ(launches[2].alone, 0.05);
  EXPECT_DOUBLE_EQ(launches[1].alone, 0.1);
}

// Those in a loop run as often as it turns.
TEST(Sharing, LoopsAreTurns) {
  KernelWork work{"contraction", 1'000'000'000};
  Entry entry = entryOf({kernel(8, 0, work), kernel(8, 0, work)});
  entry.loops = {{1, 1, 100}};
  SharedLaunch one = shareLaunches(entry, 4).front();
  EXPECT_EQ(one.number, 1u);
  EXPECT_EQ(one.turns, 100u);
  EXPECT_DOUBLE_EQ(one.alone, 1.0);
}

} // namespace
} // namespace mpc::rt
