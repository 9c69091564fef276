// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory of a device, and host memory for asynchronous copies to and from a
/// device.
#ifndef MPC_RUNTIME_DEVICE_CUDA_MEMORY_H
#define MPC_RUNTIME_DEVICE_CUDA_MEMORY_H

#include "runtime/Device/CUDA/Context.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mpc::rt::cuda {

/// Device memory with undefined content, aligned to at least 256 bytes.
class DeviceBuffer {
public:
  /// `what` names the memory in the error: "slab 'weights'". 0 bytes are no
  /// error and are not allocated.
  static Result<DeviceBuffer> allocate(const ContextRef &context,
                                       uint64_t bytes, std::string_view what);

  DeviceBuffer() = default;
  [[nodiscard]] DevicePointer pointer() const { return memory_.get(); }
  [[nodiscard]] uint64_t size() const { return bytes_; }

private:
  using Memory = Owned<DevicePointer, &DriverTable::cuMemFree_v2>;
  DeviceBuffer(Memory memory, uint64_t bytes)
      : memory_(std::move(memory)), bytes_(bytes) {}

  Memory memory_;
  uint64_t bytes_ = 0;
};

/// Whether `pointer` is an address in memory of the context's device. Also
/// false for memory that was freed, and for any address of the host.
bool isDeviceMemory(const Context &context, DevicePointer pointer);

/// Page-locked host memory, zero at first.
class PinnedBuffer {
public:
  static Result<PinnedBuffer> allocate(const ContextRef &context,
                                       uint64_t bytes, std::string_view what);

  PinnedBuffer() = default;
  [[nodiscard]] std::byte *data() const {
    return static_cast<std::byte *>(memory_.get());
  }
  [[nodiscard]] uint64_t size() const { return bytes_; }
  [[nodiscard]] std::span<std::byte> bytes() const { return {data(), bytes_}; }

private:
  using Memory = Owned<void *, &DriverTable::cuMemFreeHost>;
  PinnedBuffer(Memory memory, uint64_t bytes)
      : memory_(std::move(memory)), bytes_(bytes) {}

  Memory memory_;
  uint64_t bytes_ = 0;
};

} // namespace mpc::rt::cuda

#endif // MPC_RUNTIME_DEVICE_CUDA_MEMORY_H
