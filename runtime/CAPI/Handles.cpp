// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of handles that live. It is all that the library keeps for the
// process, and decides nothing but whether a handle is one.
#include "runtime/CAPI/Handles.h"

#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <pthread.h>

namespace mpc::rt {
namespace {

static_assert(sizeof(void *) == sizeof(uint64_t), "handles have 64 bits");

/// A handle, from its low end: kind, index of its slot, and how many handles
/// the slot had before.
constexpr unsigned kKindBits = 4, kIndexBits = 28;

struct Slot {
  std::atomic<uint64_t> handle{0}; ///< 0 while the slot is free.
  std::shared_ptr<void> object;
  uint32_t uses = 0;
  uint32_t nextFree = 0;
};

class HandleTable {
public:
  void *insert(HandleKind kind, std::shared_ptr<void> object) {
    std::lock_guard<std::mutex> lock(mutex_);
    uint32_t index = 0;
    Slot *slot = takeSlot(index);
    if (!slot)
      return nullptr;
    slot->object = std::move(object);
    uint64_t handle = uint64_t(++slot->uses) << (kKindBits + kIndexBits) |
                      uint64_t(index) << kKindBits | uint64_t(kind);
    slot->handle.store(handle, std::memory_order_release);
    return reinterpret_cast<void *>(handle);
  }

  /// Takes no lock: what it reads is the handle's own while that lives.
  Slot *find(HandleKind kind, const void *pointer) {
    auto handle = reinterpret_cast<uint64_t>(pointer);
    if ((handle & ((1u << kKindBits) - 1)) != uint64_t(kind))
      return nullptr;
    Slot *slot = slotAt(indexOf(handle));
    bool lives = slot && slot->handle.load(std::memory_order_acquire) == handle;
    return lives ? slot : nullptr;
  }

  std::shared_ptr<void> remove(HandleKind kind, const void *pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    Slot *slot = find(kind, pointer);
    if (!slot)
      return nullptr;
    uint32_t index = indexOf(reinterpret_cast<uint64_t>(pointer));
    slot->handle.store(0, std::memory_order_release);
    slot->nextFree = firstFree_;
    firstFree_ = index;
    return std::move(slot->object);
  }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

private:
  static uint32_t indexOf(uint64_t handle) {
    return uint32_t(handle >> kKindBits) & ((1u << kIndexBits) - 1);
  }

  /// Segment s has kFirstSegment << s slots, which never move.
  static constexpr uint32_t kFirstSegment = 64;
  static constexpr size_t kNumSegments = 20;
  static constexpr uint32_t kNoSlot = ~0u;

  static size_t segmentOf(uint32_t index) {
    return std::bit_width(index + kFirstSegment) -
           std::bit_width(kFirstSegment);
  }

  Slot *slotAt(uint32_t index) {
    size_t segment = segmentOf(index);
    Slot *slots = segment < kNumSegments
                      ? segments_[segment].load(std::memory_order_acquire)
                      : nullptr;
    return slots ? slots + (index + kFirstSegment - (kFirstSegment << segment))
                 : nullptr;
  }

  /// A free slot; null where memory is out.
  Slot *takeSlot(uint32_t &index) {
    if (firstFree_ != kNoSlot) {
      index = firstFree_;
      Slot *slot = slotAt(index);
      firstFree_ = slot->nextFree;
      return slot;
    }
    size_t segment = segmentOf(size_);
    if (segment >= kNumSegments)
      return nullptr;
    if (!segments_[segment].load(std::memory_order_relaxed)) {
      auto *slots = new (std::nothrow) Slot[kFirstSegment << segment];
      if (!slots)
        return nullptr;
      segments_[segment].store(slots, std::memory_order_release);
    }
    index = size_++;
    return slotAt(index);
  }

  std::mutex mutex_;
  std::array<std::atomic<Slot *>, kNumSegments> segments_{};
  uint32_t size_ = 0;
  uint32_t firstFree_ = kNoSlot;
};

constinit HandleTable table;

/// A thread that holds the lock while the process forks is not in the child.
[[maybe_unused]] const int kAtFork = pthread_atfork(
    [] { table.lock(); }, [] { table.unlock(); }, [] { table.unlock(); });

} // namespace

void *insertHandle(HandleKind kind, std::shared_ptr<void> object) {
  return table.insert(kind, std::move(object));
}

void *findHandle(HandleKind kind, const void *handle) {
  Slot *slot = table.find(kind, handle);
  return slot ? slot->object.get() : nullptr;
}

std::shared_ptr<void> removeHandle(HandleKind kind, const void *handle) {
  return table.remove(kind, handle);
}

} // namespace mpc::rt
