// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pool's protocol: publish a loop, take groups by tickets, count them done.
#include "runtime/Device/CPU/ThreadPool.h"

#include <algorithm>
#include <fmt/format.h>
#include <sched.h>
#include <system_error>

namespace mpc::rt {
namespace {

/// The number of spins, some microseconds: longer than the gap between two
/// launches, and far shorter than a time slice that another process could use.
constexpr int kSpins = 1000;
/// The number of groups per worker: enough that workers of different speed end
/// together.
constexpr int64_t kGroupsPerWorker = 8;
/// The number of tiles per worker from which on workers take tiles whole, if
/// they cannot all have as many.
constexpr int64_t kTilesPerWorker = 8;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

int availableCpus() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int workers) {
  int cpus = availableCpus();
  if (workers <= 0)
    workers = cpus;
  std::unique_ptr<ThreadPool> pool(new ThreadPool());
  // With more workers than CPUs, a spinning worker would keep another from
  // working.
  pool->spin_ = workers <= cpus;
  pool->numWorkers_ = workers;
  pool->shares_ = std::make_unique<Share[]>(workers);
  try {
    for (int worker = 1; worker < workers; ++worker)
      pool->threads_.emplace_back(&ThreadPool::workerMain, pool.get(), worker,
                                  pool->spin_);
  } catch (const std::system_error &error) {
    return environmentError(fmt::format("cannot start thread {} of {}: {}",
                                        pool->threads_.size() + 2, workers,
                                        error.code().message()));
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

/// Takes and runs one group of a share; false where the share has none left in
/// loop `epoch`.
bool ThreadPool::takeGroup(int worker, int share, uint32_t epoch) {
  std::atomic<uint64_t> &next = shares_[share].ticket;
  uint64_t ticket = next.load(std::memory_order_acquire);
  for (;;) {
    auto group = static_cast<uint32_t>(ticket);
    if (group == kClosed || ticket >> 32 != epoch)
      return false;
    // If the loop ends meanwhile, these values may be inconsistent. The
    // exchange below fails then, because the ticket was closed before they
    // changed.
    Body body = body_.load(std::memory_order_relaxed);
    void *context = context_.load(std::memory_order_relaxed);
    int64_t chunks = chunks_.load(std::memory_order_relaxed);
    int64_t tile = tile_.load(std::memory_order_relaxed);
    int64_t groups = groups_.load(std::memory_order_relaxed);
    if (group >= firstGroup(share + 1, groups))
      return false;
    if (!next.compare_exchange_weak(ticket, ticket + 1,
                                    std::memory_order_acq_rel,
                                    std::memory_order_acquire))
      continue;
    int64_t tiles = (chunks + tile - 1) / tile;
    int64_t base = tiles / groups, extra = tiles % groups;
    int64_t begin = group * base + std::min<int64_t>(group, extra);
    int64_t end = begin + base + (group < extra ? 1 : 0);
    body(context, worker, begin * tile, std::min(end * tile, chunks));
    if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == groups)
      done_.notify_one();
    return true;
  }
}

/// Runs the worker's own share, and then what is left of the others.
void ThreadPool::work(int worker, uint32_t epoch) {
  for (int other = 0; other < numWorkers_; ++other)
    while (takeGroup(worker, (worker + other) % numWorkers_, epoch)) {
    }
}

/// Waits until the epoch is not `seen`; returns the new one.
uint32_t ThreadPool::waitForLoop(uint32_t seen, bool spin) {
  for (int i = 0; spin && i < kSpins; ++i) {
    uint32_t epoch = epoch_.load(std::memory_order_acquire);
    if (epoch != seen)
      return epoch;
    pause();
  }
  epoch_.wait(seen, std::memory_order_acquire);
  return epoch_.load(std::memory_order_acquire);
}

void ThreadPool::workerMain(int worker, bool spin) {
  uint32_t seen = 0;
  for (;;) {
    seen = waitForLoop(seen, spin);
    if (stop_.load(std::memory_order_relaxed))
      return;
    work(worker, seen);
  }
}

void ThreadPool::run(Chunks chunks, Body body, void *context) {
  if (chunks.count <= 0)
    return;
  if (threads_.empty() || chunks.count == 1) {
    body(context, 0, 0, chunks.count);
    return;
  }
  int64_t tile = std::max<int64_t>(chunks.tile, 1);
  int64_t tiles = (chunks.count + tile - 1) / tile;
  if (tiles < numWorkers() * kTilesPerWorker && tiles % numWorkers() != 0) {
    tile = 1;
    tiles = chunks.count;
  }
  auto groups = static_cast<uint32_t>(
      std::min<int64_t>(tiles, numWorkers() * kGroupsPerWorker));
  body_.store(body, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  chunks_.store(chunks.count, std::memory_order_relaxed);
  tile_.store(tile, std::memory_order_relaxed);
  groups_.store(groups, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  uint32_t epoch = epoch_.load(std::memory_order_relaxed) + 1;
  uint64_t loop = static_cast<uint64_t>(epoch) << 32;
  for (int share = 0; share < numWorkers_; ++share)
    shares_[share].ticket.store(loop | firstGroup(share, groups),
                                std::memory_order_release);
  epoch_.store(epoch, std::memory_order_release);
  epoch_.notify_all();
  work(0, epoch);
  for (int i = 0; spin_ && i < kSpins; ++i) {
    if (done_.load(std::memory_order_acquire) == groups)
      break;
    pause();
  }
  for (uint32_t done; (done = done_.load(std::memory_order_acquire)) != groups;)
    done_.wait(done, std::memory_order_acquire);
  for (int share = 0; share < numWorkers_; ++share)
    shares_[share].ticket.store(loop | kClosed, std::memory_order_release);
}

} // namespace mpc::rt
