// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of workers whose chunks take known times.
#include "runtime/Runner/TimedMachine.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

/// Gives chunks 0 and 1 to worker 0, 2 to worker 2 and 3 to worker 0 again.
class FixedMachine final : public HostMachine {
public:
  void share(Chunks chunks, Body body, void *context) override {
    EXPECT_EQ(chunks.count, 4);
    EXPECT_EQ(chunks.tile, 2);
    body(context, 0, 0, 2);
    body(context, 2, 2, 3);
    body(context, 0, 3, 4);
  }
  [[nodiscard]] KernelFunction code(uint64_t offset) const override {
    EXPECT_EQ(offset, 7u);
    return nullptr;
  }
  [[nodiscard]] std::byte *scratch(int worker) const override {
    return memory + worker;
  }
  [[nodiscard]] Ranks *ranks() const override { return nullptr; }

  static inline std::byte memory[3];
};

constexpr Nanoseconds kChunk = 20'000;

/// Takes that long for each chunk, and notes its worker.
void work(void *context, int worker, int64_t begin, int64_t end) {
  auto *workers = static_cast<int *>(context);
  for (int64_t i = begin; i < end; ++i) {
    workers[i] = worker;
    for (Nanoseconds start = steadyNow(); steadyNow() < start + kChunk;) {
    }
  }
}

TEST(TimedMachine, TimesTheChunksOfEachWorker) {
  FixedMachine machine;
  TimedMachine timed(machine, 3);
  int workers[4] = {};
  Nanoseconds begin = steadyNow();
  timed.share({4, 2}, work, workers);
  Nanoseconds end = steadyNow();
  EXPECT_EQ(std::vector<int>(workers, workers + 4),
            (std::vector<int>{0, 0, 2, 0}));
  std::span<const WorkerTime> times = timed.times();
  ASSERT_EQ(times.size(), 3u);
  EXPECT_LE(begin, times[0].begin);
  EXPECT_LE(times[0].end, end);
  EXPECT_GE(times[0].busy, 3 * kChunk);
  // The other worker's chunk lies between those of this one.
  EXPECT_GE(times[0].end - times[0].begin, times[0].busy + kChunk);
  EXPECT_EQ(times[1].busy, 0);
  EXPECT_GE(times[2].busy, kChunk);
  EXPECT_EQ(times[2].busy, times[2].end - times[2].begin);
}

TEST(TimedMachine, ForgetsWhatWasBefore) {
  FixedMachine machine;
  TimedMachine timed(machine, 3);
  int workers[4] = {};
  timed.share({4, 2}, work, workers);
  Nanoseconds first = timed.times()[0].begin;
  timed.reset();
  EXPECT_EQ(timed.times()[0].busy, 0);
  timed.share({4, 2}, work, workers);
  EXPECT_GT(timed.times()[0].begin, first);
}

TEST(TimedMachine, PassesAllElseOn) {
  FixedMachine machine;
  TimedMachine timed(machine, 3);
  EXPECT_EQ(timed.code(7), nullptr);
  EXPECT_EQ(timed.scratch(2), FixedMachine::memory + 2);
}

} // namespace
} // namespace mpc::rt
