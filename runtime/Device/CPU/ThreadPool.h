// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Worker threads that share the chunks of one loop at a time.
#ifndef MPC_RUNTIME_DEVICE_CPU_THREADPOOL_H
#define MPC_RUNTIME_DEVICE_CPU_THREADPOOL_H

#include "runtime/Support/Chunks.h"
#include "runtime/Support/Status.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace mpc::rt {

/// Runs loops on a fixed number of workers, the calling thread among them. Each
/// worker has an equal share of a loop's chunks, the same in each loop of as
/// many chunks, so that what one step leaves in a core's cache is there in the
/// next. It takes groups of chunks of its share, and then of the shares of
/// others, so that a busy core takes fewer. An idle worker spins for some
/// microseconds and then sleeps. One thread at a time may call run().
class ThreadPool {
public:
  /// Runs chunks [begin, end) as worker number `worker`.
  using Body = void (*)(void *context, int worker, int64_t begin, int64_t end);

  /// A pool of `workers` in all; 0: one for each CPU that this process may use.
  static Result<std::unique_ptr<ThreadPool>> create(int workers);
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;
  ~ThreadPool();

  [[nodiscard]] int numWorkers() const { return numWorkers_; }

  /// Calls `body` on ranges that cover `chunks` and returns when all are done.
  /// Allocates nothing.
  void run(Chunks chunks, Body body, void *context);

private:
  /// The next group of a worker's share. High half: the number of the loop. Low
  /// half: the group, or kClosed. A worker takes a group by a compare-exchange
  /// of both, so that a worker that slept through a loop cannot join the next
  /// one with old fields. Nor does one that is still looking through the shares
  /// of the last loop: it would begin the next one with a share of another.
  struct alignas(64) Share {
    std::atomic<uint64_t> ticket{kClosed};
  };

  ThreadPool() = default;
  void workerMain(int worker, bool spin);
  void work(int worker, uint32_t epoch);
  bool takeGroup(int worker, int share, uint32_t epoch);
  int64_t firstGroup(int share, int64_t groups) const {
    return share * groups / numWorkers_;
  }
  uint32_t waitForLoop(uint32_t seen, bool spin);

  std::unique_ptr<Share[]> shares_; ///< One a worker.
  int numWorkers_ = 1;
  /// The loop; it is written only while all tickets are closed.
  alignas(64) std::atomic<Body> body_{nullptr};
  std::atomic<void *> context_{nullptr};
  std::atomic<int64_t> chunks_{0};
  std::atomic<int64_t> tile_{1}; ///< Groups are whole tiles of so many chunks.
  std::atomic<uint32_t> groups_{0};
  alignas(64) std::atomic<uint32_t> done_{0};
  /// Changes with each loop. Idle workers wait for that.
  alignas(64) std::atomic<uint32_t> epoch_{0};
  std::atomic<bool> stop_{false};
  bool spin_ = false;
  std::vector<std::thread> threads_;

  static constexpr uint64_t kClosed = 0xffffffff;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_DEVICE_CPU_THREADPOOL_H
