// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each chunk is done once, whatever the number of workers and chunks.
#include "runtime/Device/CPU/ThreadPool.h"
#include "runtime/Device/CPU/Memory.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <thread>
#include <vector>

namespace mpc::rt {
namespace {

struct Counts {
  std::vector<std::atomic<int>> chunks;
  std::atomic<int> badWorkers{0};
  int workers;
};

void count(void *context, int worker, int64_t begin, int64_t end) {
  auto &counts = *static_cast<Counts *>(context);
  if (worker < 0 || worker >= counts.workers || begin >= end)
    ++counts.badWorkers;
  for (int64_t i = begin; i < end; ++i)
    ++counts.chunks[static_cast<size_t>(i)];
}

TEST(ThreadPool, DoesEachChunkOnce) {
  for (int workers : {1, 2, 3, 8}) {
    auto pool = ThreadPool::create(workers);
    ASSERT_TRUE(pool.ok());
    ASSERT_EQ((*pool)->numWorkers(), workers);
    for (int64_t chunks : {0, 1, 2, 7, 64, 1000})
      for (int repeat = 0; repeat < 20; ++repeat) {
        Counts counts{std::vector<std::atomic<int>>(size_t(chunks)), 0,
                      workers};
        (*pool)->run(chunks, count, &counts);
        ASSERT_EQ(counts.badWorkers, 0);
        for (auto &n : counts.chunks)
          ASSERT_EQ(n, 1);
      }
  }
}

/// The ranges of a loop whose chunks lie in tiles.
struct Ranges {
  int64_t tile;
  std::vector<std::atomic<int>> chunks;
  std::atomic<int> cuts{0}; ///< Ranges that begin or end inside of a tile.
};

void noteRange(void *context, int, int64_t begin, int64_t end) {
  auto &ranges = *static_cast<Ranges *>(context);
  auto count = static_cast<int64_t>(ranges.chunks.size());
  if (begin % ranges.tile != 0 || (end % ranges.tile != 0 && end != count))
    ++ranges.cuts;
  for (int64_t i = begin; i < end; ++i)
    ++ranges.chunks[static_cast<size_t>(i)];
}

// Few workers have tiles whole; where there are too few tiles for them, workers
// share each.
TEST(ThreadPool, TilesAreTakenWholeWhereThereAreEnough) {
  for (int workers : {1, 2, 5}) {
    auto pool = ThreadPool::create(workers);
    ASSERT_TRUE(pool.ok());
    for (int64_t tile : {1, 3, 6})
      for (int64_t count : {7, 50, 102, 132, 1000}) {
        Ranges ranges{tile, std::vector<std::atomic<int>>(size_t(count))};
        (*pool)->run({count, tile}, noteRange, &ranges);
        for (auto &n : ranges.chunks)
          ASSERT_EQ(n, 1);
        int64_t tiles = (count + tile - 1) / tile;
        if (tiles >= 8 * workers || tiles % workers == 0 || tile == 1)
          EXPECT_EQ(ranges.cuts, 0) << workers << " " << tile << " " << count;
        else if (tile == 6 && count == 50)
          EXPECT_GT(ranges.cuts, 0);
      }
  }
}

TEST(ThreadPool, ManyShortLoopsInARow) {
  auto pool = ThreadPool::create(4);
  ASSERT_TRUE(pool.ok());
  std::atomic<int64_t> sum{0};
  auto add = [](void *context, int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      *static_cast<std::atomic<int64_t> *>(context) += i;
  };
  for (int loop = 0; loop < 5000; ++loop)
    (*pool)->run(3 + loop % 5, add, &sum);
  EXPECT_EQ(sum, 1000 * (3 + 6 + 10 + 15 + 21));
}

/// The first range of chunks of each of two workers, who wait for each other.
struct FirstRanges {
  std::atomic<int> started{0};
  std::atomic<int64_t> begin[2] = {-1, -1};
};

void noteFirst(void *context, int worker, int64_t begin, int64_t) {
  auto &ranges = *static_cast<FirstRanges *>(context);
  int64_t none = -1;
  if (!ranges.begin[worker].compare_exchange_strong(none, begin))
    return;
  ++ranges.started;
  while (ranges.started < 2)
    std::this_thread::yield();
}

TEST(ThreadPool, WorkersBeginWithTheirOwnShare) {
  auto pool = ThreadPool::create(2);
  ASSERT_TRUE(pool.ok());
  for (int64_t chunks : {2, 10, 160})
    for (int repeat = 0; repeat < 20; ++repeat) {
      FirstRanges ranges;
      (*pool)->run(chunks, noteFirst, &ranges);
      EXPECT_EQ(ranges.begin[0], 0);
      EXPECT_EQ(ranges.begin[1], chunks / 2);
    }
}

struct OneWaits {
  std::atomic<int64_t> others{0}, chunks{0};
};

/// The first worker waits until all chunks but its first are done.
void waitForOthers(void *context, int worker, int64_t begin, int64_t end) {
  auto &state = *static_cast<OneWaits *>(context);
  if (worker == 0)
    while (state.others < state.chunks - (end - begin))
      std::this_thread::yield();
  state.others += end - begin;
}

TEST(ThreadPool, OthersDoTheShareOfASlowWorker) {
  auto pool = ThreadPool::create(2);
  ASSERT_TRUE(pool.ok());
  OneWaits state;
  state.chunks = 64;
  (*pool)->run(64, waitForOthers, &state);
  EXPECT_EQ(state.others, 64);
}

TEST(ThreadPool, ZeroMeansAllCpus) {
  auto pool = ThreadPool::create(0);
  ASSERT_TRUE(pool.ok());
  EXPECT_GE((*pool)->numWorkers(), 1);
}

TEST(HostBuffer, IsAlignedAndZero) {
  for (uint64_t bytes : {0, 1, 100, 1 << 20, 5 << 20}) {
    Result<HostBuffer> buffer = HostBuffer::allocate(bytes, "test");
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
    for (uint64_t i = 0; i < bytes; i += 97)
      ASSERT_EQ(buffer->data()[i], std::byte(0));
  }
}

TEST(HostBuffer, IsZeroWhereMemoryIsUsedAgain) {
  // Else malloc gives memory of this size back to the kernel.
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  for (uint64_t bytes : {uint64_t(1) << 20, (uint64_t(5) << 20) + 3})
    for (int round = 0; round < 4; ++round) {
      Result<HostBuffer> buffer = HostBuffer::allocate(bytes, "test");
      ASSERT_TRUE(buffer.ok());
      for (uint64_t i = 0; i < bytes; i += 97)
        ASSERT_EQ(buffer->data()[i], std::byte(0)) << i << " of " << bytes;
      std::memset(buffer->data(), 1, bytes);
    }
}

TEST(HostBuffer, TooLargeIsAStatusWithSizeAndName) {
  for (uint64_t bytes : {uint64_t(1) << 62, ~uint64_t(0)}) {
    Result<HostBuffer> buffer = HostBuffer::allocate(bytes, "slab 'w'");
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.status().code(), StatusCode::Environment);
  }
  EXPECT_EQ(
      HostBuffer::allocate(uint64_t(1) << 62, "slab 'w'").status().message(),
      "cannot allocate 4.0 EiB for slab 'w'");
}

} // namespace
} // namespace mpc::rt
