// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads and barriers: who runs, who waits, and whether all arrive.
#include "test/support/simt/Block.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace simt {
namespace {

constexpr uint32_t kWarp = 32;

Dim positionOf(uint32_t linear, const Dim &extent) {
  return {linear % extent.x, linear / extent.x % extent.y,
          linear / extent.x / extent.y};
}

} // namespace

Block::Block(const Launch &launch)
    : launch_(launch), dynamic_(launch.dynamicShared + 16),
      threads_(launch.block.count()),
      warpTimes_((threads_.size() + kWarp - 1) / kWarp), random_(launch.seed) {
  const Module &module = launch.module;
  shared_.push_back(
      {reinterpret_cast<uintptr_t>(dynamic_.data()), launch.dynamicShared});
  shared_.push_back(
      {reinterpret_cast<uintptr_t>(module.sharedBegin),
       static_cast<size_t>(module.sharedEnd - module.sharedBegin)});
}

std::optional<Fault> Block::run(Dim index) {
  startThreads(index);
  for (;;) {
    findReadyWarps();
    if (!ready_.empty())
      runWarp(ready_[random_() % ready_.size()]);
    else if (std::any_of(threads_.begin(), threads_.end(), [](auto &thread) {
               return thread.state != State::Done;
             }))
      releaseBarrier();
    else
      break;
    if (fault_)
      return fault_;
  }
  ++blockNumber_;
  return std::nullopt;
}

// Fresh shared memory holds NaNs, whatever it is read as.
void Block::startThreads(Dim index) {
  index_ = index;
  blockTime_ = 0;
  std::fill(warpTimes_.begin(), warpTimes_.end(), 0);
  sharedShadow_.clear();
  for (const Range &range : shared_)
    if (range.bytes != 0)
      std::memset(reinterpret_cast<void *>(range.begin), 0xff, range.bytes);
  auto body = [](void *context) {
    auto &block = *static_cast<Block *>(context);
    block.launch_.kernel->run(block.launch_.arguments);
    block.threads_[block.current_].state = State::Done;
    block.threads_[block.current_].fiber.finish();
  };
  for (Thread &thread : threads_) {
    thread.state = State::Ready;
    thread.uncommitted.clear();
    thread.groups.clear();
    thread.fiber.start(body, this);
  }
}

void Block::findReadyWarps() {
  ready_.clear();
  auto isReady = [](const Thread &thread) {
    return thread.state == State::Ready;
  };
  for (uint32_t warp = 0; warp < warpTimes_.size(); ++warp) {
    auto lanes = lanesOf(warp);
    if (std::any_of(lanes.begin(), lanes.end(), isReady))
      ready_.push_back(warp);
  }
}

std::span<Block::Thread> Block::lanesOf(uint32_t warp) {
  size_t first = size_t{warp} * kWarp;
  return std::span(threads_).subspan(
      first, std::min<size_t>(kWarp, threads_.size() - first));
}

// Every ready lane runs until it waits; a collective that completes makes
// lanes ready again, which is for the next choice.
void Block::runWarp(uint32_t warp) {
  auto end = std::min<uint32_t>((warp + 1) * kWarp,
                                static_cast<uint32_t>(threads_.size()));
  for (uint32_t i = warp * kWarp; i < end && !fault_; ++i) {
    if (threads_[i].state != State::Ready)
      continue;
    current_ = i;
    *launch_.module.position = {positionOf(i, launch_.block), index_,
                                launch_.block, launch_.grid};
    onFiber_ = true;
    threads_[i].fiber.resume();
    onFiber_ = false;
  }
}

void Block::leave() { threads_[current_].fiber.suspend(); }

void Block::fail(Fault::Kind kind, std::string text) {
  if (!fault_) {
    Dim thread = positionOf(current_, launch_.block);
    std::string who = onFiber_ ? fmt::format(", thread ({},{},{})", thread.x,
                                             thread.y, thread.z)
                               : "";
    fault_ = Fault{kind, fmt::format("kernel '{}', block ({},{},{}){}: {}",
                                     launch_.kernel->name, index_.x, index_.y,
                                     index_.z, who, text)};
  }
  // What fails is never resumed, so it must own nothing.
  std::string().swap(text);
  if (onFiber_)
    threads_[current_].fiber.finish();
}

Moment Block::now() const {
  return {blockNumber_, static_cast<uint16_t>(current_), blockTime_,
          warpTimes_[current_ / kWarp]};
}

//===----------------------------------------------------------------------===//
// Barriers and collectives
//===----------------------------------------------------------------------===//

void Block::syncBlock(int line) {
  Thread &thread = threads_[current_];
  thread.state = State::AtBarrier;
  thread.what = "block barrier";
  thread.line = line;
  leave();
}

/// "32 threads at block barrier (line 7), 1 has returned".
std::string Block::waiters() const {
  std::map<std::string, int> counts;
  for (const Thread &thread : threads_)
    ++counts[thread.state == State::Done
                 ? "returned"
                 : fmt::format("at {} (line {})", thread.what, thread.line)];
  std::string text;
  for (const auto &[where, count] : counts)
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", count,
                        count == 1 ? "thread" : "threads", where);
  return text;
}

// Nobody is ready: all are at one barrier, or some will wait for ever.
void Block::releaseBarrier() {
  const Thread &first = threads_.front();
  bool together =
      std::all_of(threads_.begin(), threads_.end(), [&](const Thread &thread) {
        return thread.state == State::AtBarrier && thread.line == first.line;
      });
  if (!together)
    return fail(Fault::Kind::Divergence,
                "not all threads reach the same barrier: " + waiters());
  ++blockTime_;
  for (Thread &thread : threads_)
    thread.state = State::Ready;
}

void Block::collective(const char *what, uint32_t mask, int line, void *request,
                       const Compute &compute) {
  Thread &thread = threads_[current_];
  uint32_t first = current_ / kWarp * kWarp;
  if ((mask >> (current_ - first) & 1) == 0) {
    std::string text =
        fmt::format("{} (line {}) by a lane that its mask {:#x} leaves out",
                    what, line, mask);
    fail(Fault::Kind::Misuse, std::move(text));
  }
  thread.state = State::AtCollective;
  thread.what = what;
  thread.line = line;
  thread.mask = mask;
  thread.request = request;
  if (!completeCollective(first, mask, compute))
    leave();
}

/// Computes if all of `mask` are there, and lets them go on.
bool Block::completeCollective(uint32_t first, uint32_t mask,
                               const Compute &compute) {
  const Thread &last = threads_[current_];
  std::array<void *, kWarp> requests{};
  // From the last, which comes last: most often it decides.
  for (uint32_t lane = kWarp; lane-- > 0;) {
    if ((mask >> lane & 1) == 0)
      continue;
    if (first + lane >= threads_.size())
      return false;
    Thread &thread = threads_[first + lane];
    if (thread.state != State::AtCollective || thread.mask != mask ||
        thread.line != last.line || thread.what != last.what)
      return false;
    requests[lane] = thread.request;
  }
  compute(requests);
  for (uint32_t lane = 0; lane < kWarp; ++lane)
    if ((mask >> lane & 1) != 0)
      threads_[first + lane].state = State::Ready;
  return true;
}

} // namespace simt
