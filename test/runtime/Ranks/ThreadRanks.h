// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ranks that are threads of one process, for tests.
#ifndef MPC_TEST_RUNTIME_RANKS_THREADRANKS_H
#define MPC_TEST_RUNTIME_RANKS_THREADRANKS_H

#include "runtime/Ranks/Ranks.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace mpc::rt::test {

/// Where messages between the threads lie.
struct Exchange {
  explicit Exchange(uint32_t size) : size(size) {}

  const uint32_t size;
  std::mutex mutex;
  std::condition_variable arrived;
  /// The messages from a rank to a rank, in their order.
  std::map<std::pair<uint32_t, uint32_t>, std::deque<std::vector<std::byte>>>
      messages;
};

class ThreadRanks final : public Ranks {
public:
  ThreadRanks(Exchange &exchange, uint32_t rank)
      : Ranks(rank, exchange.size), exchange_(exchange) {}

  /// The bytes that this rank has sent so far.
  size_t sentBytes = 0;

protected:
  Status exchange(std::span<const Outgoing> sends,
                  std::span<const Incoming> receives) override {
    std::unique_lock lock(exchange_.mutex);
    for (const Outgoing &one : sends) {
      exchange_.messages[{rank(), one.to}].emplace_back(one.bytes.begin(),
                                                        one.bytes.end());
      sentBytes += one.bytes.size();
    }
    exchange_.arrived.notify_all();
    for (const Incoming &one : receives) {
      auto &from = exchange_.messages[{one.from, rank()}];
      bool isThere = exchange_.arrived.wait_for(lock, std::chrono::seconds(10),
                                                [&] { return !from.empty(); });
      if (!isThere || from.front().size() != one.bytes.size())
        return internalError("a message is missing or has another size");
      std::memcpy(one.bytes.data(), from.front().data(), one.bytes.size());
      from.pop_front();
    }
    return {};
  }

private:
  Exchange &exchange_;
};

/// Runs `body` on each of `size` ranks at the same time.
inline void onRanks(uint32_t size,
                    const std::function<void(ThreadRanks &)> &body) {
  Exchange exchange(size);
  std::vector<std::jthread> threads;
  for (uint32_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(exchange, rank);
      body(ranks);
    });
}

} // namespace mpc::rt::test

#endif // MPC_TEST_RUNTIME_RANKS_THREADRANKS_H
