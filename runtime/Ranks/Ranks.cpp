// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives, made of messages between two ranks each.
#include "runtime/Ranks/Ranks.h"

#include <cstring>

namespace mpc::rt {
namespace {

/// Memory of no bytes may have no address.
void copyBytes(std::byte *to, const std::byte *from, uint64_t bytes) {
  if (bytes != 0)
    std::memcpy(to, from, bytes);
}

} // namespace

Status Ranks::exchangeSome(std::vector<Outgoing> sends,
                           std::vector<Incoming> receives) {
  std::erase_if(sends, [&](const Outgoing &one) {
    return one.to == rank_ || one.bytes.empty();
  });
  std::erase_if(receives, [&](const Incoming &one) {
    return one.from == rank_ || one.bytes.empty();
  });
  if (sends.empty() && receives.empty())
    return {};
  RankPlace before = place_;
  enter(RankPlace::Exchanging);
  Status status = exchange(sends, receives);
  enter(before);
  return status;
}

void Ranks::enter(RankPlace place, int64_t step) {
  step_ = step;
  place_ = place;
  since_ = Clock::now();
}

RankReport Ranks::report() const {
  std::chrono::duration<double> time = Clock::now() - since_.load();
  return {step_, time.count(), place_};
}

Status Ranks::allToAll(std::span<const MovedTensor> tensors) {
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  for (const auto &[whole, parts, shape] : tensors) {
    uint64_t own = shape.size(rank_);
    for (uint32_t rank = 0; rank < size_; ++rank) {
      sends.push_back({rank, {whole + shape.begin(rank), shape.size(rank)}});
      receives.push_back({rank, {parts + rank * shape.partBytes, own}});
    }
    copyBytes(parts + rank_ * shape.partBytes, whole + shape.begin(rank_), own);
  }
  return exchangeSome(std::move(sends), std::move(receives));
}

Status Ranks::allGather(std::span<const MovedTensor> tensors) {
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  for (const auto &[part, whole, shape] : tensors) {
    uint64_t own = shape.size(rank_);
    for (uint32_t rank = 0; rank < size_; ++rank) {
      sends.push_back({rank, {part, own}});
      receives.push_back({rank, {whole + shape.begin(rank), shape.size(rank)}});
    }
    copyBytes(whole + shape.begin(rank_), part, own);
  }
  return exchangeSome(std::move(sends), std::move(receives));
}

Status Ranks::collect(std::byte *whole, const Parts &shape) {
  auto partOf = [&](uint32_t rank) {
    return std::span(whole + shape.begin(rank), shape.size(rank));
  };
  if (rank_ != 0)
    return exchangeSome({{0, partOf(rank_)}}, {});
  std::vector<Incoming> receives;
  for (uint32_t rank = 1; rank < size_; ++rank)
    receives.push_back({rank, partOf(rank)});
  return exchangeSome({}, std::move(receives));
}

Status Ranks::deal(std::byte *whole, const Parts &shape) {
  auto partOf = [&](uint32_t rank) {
    return std::span(whole + shape.begin(rank), shape.size(rank));
  };
  if (rank_ != 0)
    return exchangeSome({}, {{0, partOf(rank_)}});
  std::vector<Outgoing> sends;
  for (uint32_t rank = 1; rank < size_; ++rank)
    sends.push_back({rank, partOf(rank)});
  return exchangeSome(std::move(sends), {});
}

Status Ranks::gather(std::span<const std::byte> own, std::span<std::byte> all) {
  MovedTensor moved{own.data(), all.data(), {size_, all.size(), own.size()}};
  return allGather({&moved, 1});
}

Status Ranks::broadcast(std::span<std::byte> bytes) {
  if (rank_ != 0)
    return exchangeSome({}, {{0, bytes}});
  std::vector<Outgoing> sends;
  for (uint32_t rank = 1; rank < size_; ++rank)
    sends.push_back({rank, bytes});
  return exchangeSome(std::move(sends), {});
}

Status Ranks::broadcast(std::string &text) {
  uint64_t length = text.size();
  MPC_RETURN_IF_ERROR(broadcast(std::as_writable_bytes(std::span(&length, 1))));
  text.resize(length);
  return broadcast(std::as_writable_bytes(std::span(text)));
}

} // namespace mpc::rt
