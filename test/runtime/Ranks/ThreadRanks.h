// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ranks that are threads of one process, for tests.
#ifndef MPC_TEST_RUNTIME_RANKS_THREADRANKS_H
#define MPC_TEST_RUNTIME_RANKS_THREADRANKS_H

#include "runtime/Ranks/Ranks.h"

#include <barrier>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace mpc::rt::test {

/// Where messages between the threads lie.
class Exchange {
public:
  explicit Exchange(uint32_t size) : size(size), barrier(size) {}

  const uint32_t size;
  std::barrier<> barrier;
  std::mutex mutex;
  /// The bytes from a rank to a rank.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::byte>> messages;
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
    {
      std::lock_guard lock(exchange_.mutex);
      for (const Outgoing &one : sends) {
        exchange_.messages[{rank(), one.to}].assign(one.bytes.begin(),
                                                    one.bytes.end());
        sentBytes += one.bytes.size();
      }
    }
    exchange_.barrier.arrive_and_wait();
    Status status;
    {
      std::lock_guard lock(exchange_.mutex);
      for (const Incoming &one : receives) {
        auto message = exchange_.messages.extract({one.from, rank()});
        if (message.empty() || message.mapped().size() != one.bytes.size())
          status = internalError("a message is missing or has another size");
        else
          std::memcpy(one.bytes.data(), message.mapped().data(),
                      one.bytes.size());
      }
    }
    exchange_.barrier.arrive_and_wait();
    return status;
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
