// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the clock around each group of chunks.
#include "runtime/Runner/TimedMachine.h"

#include <algorithm>
#include <chrono>

namespace mpc::rt {

Nanoseconds steadyNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void TimedMachine::reset() {
  for (Slot &slot : slots_)
    slot.time = {};
}

std::span<const WorkerTime> TimedMachine::times() {
  for (size_t i = 0; i < slots_.size(); ++i)
    times_[i] = slots_[i].time;
  return times_;
}

void TimedMachine::share(Chunks chunks, Body body, void *context) {
  struct Call {
    Body body;
    void *context;
    std::vector<Slot> &slots;
  } call{body, context, slots_};
  machine_.share(
      chunks,
      [](void *timed, int worker, int64_t begin, int64_t end) {
        auto &inner = *static_cast<Call *>(timed);
        Nanoseconds start = steadyNow();
        inner.body(inner.context, worker, begin, end);
        WorkerTime &time = inner.slots[static_cast<size_t>(worker)].time;
        time.begin = time.busy == 0 ? start : time.begin;
        time.end = steadyNow();
        // A worker that took chunks was busy, however coarse the clock is.
        time.busy += std::max<Nanoseconds>(time.end - start, 1);
      },
      &call);
}

} // namespace mpc::rt
