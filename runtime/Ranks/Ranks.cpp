// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives, made of messages between two ranks each.
#include "runtime/Ranks/Ranks.h"

#include <cstring>

namespace mpc::rt {
namespace {

/// Drops what moves nothing, or nowhere: memory of no bytes may have no
/// address.
Exchange withoutNothing(Exchange plan, uint32_t rank) {
  std::erase_if(plan.sends, [&](const Outgoing &one) {
    return one.to == rank || one.bytes.empty();
  });
  std::erase_if(plan.receives, [&](const Incoming &one) {
    return one.from == rank || one.bytes.empty();
  });
  std::erase_if(plan.copies, [](const OwnCopy &one) { return one.bytes == 0; });
  return plan;
}

} // namespace

Status Ranks::exchangeSome(std::vector<Outgoing> sends,
                           std::vector<Incoming> receives) {
  Exchange plan =
      withoutNothing({std::move(sends), std::move(receives), {}}, rank_);
  if (plan.sends.empty() && plan.receives.empty())
    return {};
  RankPlace before = place_;
  enter(RankPlace::Exchanging);
  Status status = exchange(plan.sends, plan.receives);
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

Exchange Ranks::planAllToAll(std::span<const MovedTensor> tensors) const {
  Exchange plan;
  for (const auto &[whole, parts, shape] : tensors) {
    uint64_t own = shape.size(rank_);
    for (uint32_t rank = 0; rank < size_; ++rank) {
      plan.sends.push_back(
          {rank, {whole + shape.begin(rank), shape.size(rank)}});
      plan.receives.push_back({rank, {parts + rank * shape.partBytes, own}});
    }
    plan.copies.push_back(
        {whole + shape.begin(rank_), parts + rank_ * shape.partBytes, own});
  }
  return withoutNothing(std::move(plan), rank_);
}

Exchange Ranks::planAllGather(std::span<const MovedTensor> tensors) const {
  Exchange plan;
  for (const auto &[part, whole, shape] : tensors) {
    uint64_t own = shape.size(rank_);
    for (uint32_t rank = 0; rank < size_; ++rank) {
      plan.sends.push_back({rank, {part, own}});
      plan.receives.push_back(
          {rank, {whole + shape.begin(rank), shape.size(rank)}});
    }
    plan.copies.push_back({part, whole + shape.begin(rank_), own});
  }
  return withoutNothing(std::move(plan), rank_);
}

Status Ranks::exchangeOnDevice(std::span<const Outgoing> /*sends*/,
                               std::span<const Incoming> /*receives*/,
                               void * /*stream*/) {
  return usageError("these ranks exchange what lies in memory of the host: a "
                    "step for a GPU needs --ranks=nccl");
}

Status Ranks::carryOut(const Exchange &plan) {
  for (const OwnCopy &copy : plan.copies)
    std::memcpy(copy.to, copy.from, copy.bytes);
  return exchangeSome(plan.sends, plan.receives);
}

Status Ranks::allToAll(std::span<const MovedTensor> tensors) {
  return carryOut(planAllToAll(tensors));
}

Status Ranks::allGather(std::span<const MovedTensor> tensors) {
  return carryOut(planAllGather(tensors));
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
