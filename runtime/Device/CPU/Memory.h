// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Aligned, zeroed host memory whose exhaustion is a Status.
#ifndef MPC_RUNTIME_DEVICE_CPU_MEMORY_H
#define MPC_RUNTIME_DEVICE_CPU_MEMORY_H

#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace mpc::rt {

/// Owns a 64-byte aligned range of memory, zero at first.
class HostBuffer {
public:
  /// The smallest alignment; large buffers get that of a huge page.
  static constexpr size_t kAlignment = 64;

  /// `what` names the memory in the error: "slab 'weights'".
  static Result<HostBuffer> allocate(uint64_t bytes, std::string_view what);

  HostBuffer() = default;
  HostBuffer(HostBuffer &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  HostBuffer &operator=(HostBuffer &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HostBuffer();

  /// Never null after allocate(), not even for 0 bytes.
  [[nodiscard]] std::byte *data() const { return data_; }
  [[nodiscard]] uint64_t size() const { return bytes_; }

  /// Sets the bytes of [begin, end) to zero, and gives the memory of whole
  /// pages in it back.
  void giveBack(uint64_t begin, uint64_t end);

private:
  HostBuffer(std::byte *data, uint64_t bytes) : data_(data), bytes_(bytes) {}

  std::byte *data_ = nullptr;
  uint64_t bytes_ = 0;
};

/// Whether any of these bytes lies in `buffer`.
[[nodiscard]] inline bool meet(const HostBuffer &buffer, const void *data,
                               size_t bytes) {
  auto begin = reinterpret_cast<uintptr_t>(data);
  auto own = reinterpret_cast<uintptr_t>(buffer.data());
  return begin < own + buffer.size() && own < begin + bytes;
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_DEVICE_CPU_MEMORY_H
