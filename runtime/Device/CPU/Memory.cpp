// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory from the C allocator.
#include "runtime/Device/CPU/Memory.h"

#include "runtime/Support/Text.h"

#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

constexpr size_t kHugePage = size_t(2) << 20;

} // namespace

Result<HostBuffer> HostBuffer::allocate(uint64_t bytes, std::string_view what) {
  auto failure = [&] {
    return environmentError(
        fmt::format("cannot allocate {} for {}", formatBytes(bytes), what));
  };
  bool large = bytes >= 2 * kHugePage;
  size_t alignment = large ? kHugePage : kAlignment;
  if (bytes > std::numeric_limits<size_t>::max() / 2)
    return failure();
  size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void *data = std::aligned_alloc(alignment, rounded ? rounded : alignment);
  if (!data)
    return failure();
  // The kernel zeroes pages that were given back, when a thread first touches
  // them: in parallel, and not those that nobody uses.
  if (!large || ::madvise(data, rounded, MADV_DONTNEED) != 0)
    std::memset(data, 0, bytes);
  // Huge pages have fewer TLB misses. The kernel may refuse them.
  if (large)
    (void)::madvise(data, rounded, MADV_HUGEPAGE);
  return HostBuffer(static_cast<std::byte *>(data), bytes);
}

void HostBuffer::giveBack(uint64_t begin, uint64_t end) {
  auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  auto base = reinterpret_cast<uintptr_t>(data_);
  uint64_t first = (base + begin + page - 1) / page * page;
  uint64_t last = (base + end) / page * page;
  if (first >= last) {
    std::memset(data_ + begin, 0, end - begin);
    return;
  }
  std::memset(data_ + begin, 0, first - base - begin);
  std::memset(data_ + (last - base), 0, base + end - last);
  if (::madvise(data_ + (first - base), last - first, MADV_DONTNEED) != 0)
    std::memset(data_ + (first - base), 0, last - first);
}

HostBuffer::~HostBuffer() { std::free(data_); }

} // namespace mpc::rt
