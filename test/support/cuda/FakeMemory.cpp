// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory as a range of addresses that the host cannot touch.
#include "test/support/cuda/FakeState.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace mpc::rt::cuda::test {
namespace {

/// Addresses, not memory: pages come when they are first touched.
constexpr size_t kAddresses = size_t{16} << 30;
constexpr size_t kAlignment = 256;
/// Between allocations, so that an overrun never lands in the next one.
constexpr size_t kGap = 4096;

} // namespace

FakeMemory::FakeMemory() {
  void *base = ::mmap(nullptr, kAddresses, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    std::abort();
  base_ = static_cast<char *>(base);
}

FakeMemory::~FakeMemory() { (void)::munmap(base_, kAddresses); }

void FakeMemory::setVisible(bool visible) const {
  if (next_ != 0)
    (void)::mprotect(base_, (next_ + 4095) / 4096 * 4096,
                     visible || isOpen_ ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void FakeMemory::reset(size_t limit) {
  (void)::madvise(base_, next_, MADV_DONTNEED);
  next_ = used_ = 0;
  limit_ = limit;
  live_.clear();
}

DriverCode FakeMemory::allocate(DevicePointer &pointer, size_t bytes) {
  if (bytes == 0)
    return code::kInvalidValue;
  size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > limit_ || used_ + bytes > limit_ ||
      next_ + rounded + kGap > kAddresses)
    return code::kOutOfMemory;
  char *start = base_ + next_;
  next_ += rounded + kGap;
  used_ += bytes;
  setVisible(true);
  std::memset(start, 0xff, bytes); // NaN in every format
  setVisible(false);
  pointer = reinterpret_cast<uintptr_t>(start);
  live_.emplace(pointer, bytes);
  return code::kSuccess;
}

DriverCode FakeMemory::free(DevicePointer pointer) {
  auto found = live_.find(pointer);
  if (found == live_.end())
    return code::kInvalidValue;
  used_ -= found->second;
  live_.erase(found);
  return code::kSuccess;
}

bool FakeMemory::holds(DevicePointer pointer, size_t bytes) const {
  auto above = live_.upper_bound(pointer);
  if (above == live_.begin())
    return false;
  auto [begin, size] = *std::prev(above);
  return pointer - begin <= size && bytes <= size - (pointer - begin);
}

std::vector<simt::Range> FakeMemory::ranges() const {
  std::vector<simt::Range> ranges;
  ranges.reserve(live_.size());
  for (auto [begin, bytes] : live_)
    ranges.push_back({begin, bytes});
  return ranges;
}

} // namespace mpc::rt::cuda::test
