// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The ranks of a training: processes that run the same program on batches of
/// their own, and give each other bytes. A new way to move bytes is a class
/// that implements one function.
#ifndef MPC_RUNTIME_RANKS_RANKS_H
#define MPC_RUNTIME_RANKS_RANKS_H

#include "runtime/Ranks/RollCall.h"
#include "runtime/Support/Status.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mpc::rt {

/// A tensor that is divided among ranks: each has `partBytes` of it, one after
/// the other. The last parts are shorter, or empty, where the tensor is.
struct Parts {
  uint32_t ranks = 1;
  uint64_t wholeBytes = 0;
  uint64_t partBytes = 0;

  [[nodiscard]] uint64_t begin(uint32_t rank) const {
    return std::min(rank * partBytes, wholeBytes);
  }
  [[nodiscard]] uint64_t size(uint32_t rank) const {
    return std::min(partBytes, wholeBytes - begin(rank));
  }
};

/// A tensor that a collective moves from one memory to another.
struct MovedTensor {
  const std::byte *from = nullptr;
  std::byte *to = nullptr;
  Parts parts;
};

/// Bytes for another rank, and the place for bytes of another rank.
struct Outgoing {
  uint32_t to = 0;
  std::span<const std::byte> bytes;
};
struct Incoming {
  uint32_t from = 0;
  std::span<std::byte> bytes;
};

/// Bytes that a rank gives itself.
struct OwnCopy {
  const std::byte *from = nullptr;
  std::byte *to = nullptr;
  uint64_t bytes = 0;
};

/// What a rank does in a collective. Nothing in it is empty, and no message
/// goes to the rank itself.
struct Exchange {
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  std::vector<OwnCopy> copies;
};

/// Not for concurrent use. Every rank must make the same calls in the same
/// order. After an error of the code Peer no further call works.
class Ranks {
public:
  virtual ~Ranks() = default;
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  /// Ends what moves the bytes, where that must end before the process does. No
  /// other call may follow.
  virtual void end() {}

  /// The number of this rank, from 0 on, and how many there are.
  [[nodiscard]] uint32_t rank() const { return rank_; }
  [[nodiscard]] uint32_t size() const { return size_; }
  /// Whether this rank writes what the training writes.
  [[nodiscard]] bool isFirst() const { return rank_ == 0; }

  /// The number of the GPU that a program of this rank runs on.
  [[nodiscard]] virtual int device() const { return 0; }

  /// Tells the other ranks, where they ask, what this one does from now on.
  void enter(RankPlace place, int64_t step);
  void enter(RankPlace place) { enter(place, step_); }
  /// What this rank does.
  [[nodiscard]] RankReport report() const;

  /// Gives each rank its part of each tensor. Where it goes to there are
  /// `partBytes` for each rank, with what that rank has of this rank's part.
  Status allToAll(std::span<const MovedTensor> tensors);
  /// Joins the parts of all ranks to each tensor, from this rank's part of it.
  Status allGather(std::span<const MovedTensor> tensors);
  /// What allToAll() and allGather() do. Reads no memory, so that the addresses
  /// may be those of a GPU.
  [[nodiscard]] Exchange
  planAllToAll(std::span<const MovedTensor> tensors) const;
  [[nodiscard]] Exchange
  planAllGather(std::span<const MovedTensor> tensors) const;

  /// Adds messages between memories of GPUs to a stream of CUDA, which may be
  /// recording. An error unless the ranks reach each other by NCCL.
  virtual Status exchangeOnDevice(std::span<const Outgoing> sends,
                                  std::span<const Incoming> receives,
                                  void *stream);
  /// Calls `wait`, which waits on the host for such messages, and ends them
  /// where a rank is missing.
  virtual Status awaitDevice(const std::function<Status()> &wait) {
    return wait();
  }

  /// Rank 0 gets the parts of all in `whole`, of which each rank has its own.
  Status collect(std::byte *whole, const Parts &shape);
  /// Each rank gets its part of the `whole` of rank 0, at its place.
  Status deal(std::byte *whole, const Parts &shape);
  /// Gives all ranks the bytes of all, in the order of the ranks. All have as
  /// many.
  Status gather(std::span<const std::byte> own, std::span<std::byte> all);
  /// Gives all ranks the bytes of rank 0. All have memory for as many.
  Status broadcast(std::span<std::byte> bytes);

  /// Gives all ranks the text of rank 0, whatever its length.
  Status broadcast(std::string &text);

  /// The values of all ranks, in their order. All have as many.
  template <typename T>
  Result<std::vector<T>> gatherValues(const std::vector<T> &own);

protected:
  using Clock = std::chrono::steady_clock;

  Ranks(uint32_t rank, uint32_t size) : rank_(rank), size_(size) {}

  /// Sends and receives, and returns when all is done. Messages from one rank
  /// to another arrive in their order; there is none to or from this one, and
  /// none without bytes. The other rank names the same number of bytes. An
  /// error says which ranks do not answer.
  virtual Status exchange(std::span<const Outgoing> sends,
                          std::span<const Incoming> receives) = 0;

private:
  Status carryOut(const Exchange &plan);
  Status exchangeSome(std::vector<Outgoing> sends,
                      std::vector<Incoming> receives);

  uint32_t rank_;
  uint32_t size_;
  // Another thread may report while this one goes on.
  std::atomic<int64_t> step_ = 0;
  std::atomic<RankPlace> place_ = RankPlace::Starting;
  std::atomic<Clock::time_point> since_ = Clock::now();
};

template <typename T>
Result<std::vector<T>> Ranks::gatherValues(const std::vector<T> &own) {
  std::vector<T> all(own.size() * size_);
  MPC_RETURN_IF_ERROR(gather(std::as_bytes(std::span(own)),
                             std::as_writable_bytes(std::span(all))));
  return all;
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_RANKS_RANKS_H
