// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Position-independent code, mapped for execution.
#ifndef MPC_RUNTIME_DEVICE_CPU_LOADEDCODE_H
#define MPC_RUNTIME_DEVICE_CPU_LOADEDCODE_H

#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace mpc::rt {

/// A copy of an image in pages of its own, which are executable and not
/// writable. Nothing of the image runs during loading.
class LoadedCode {
public:
  /// The copy is compared with `hash`, a ContentHash, before it can run. An
  /// empty hash is for an image that this process made.
  static Result<LoadedCode> load(std::span<const std::byte> image,
                                 std::string_view hash = {});

  LoadedCode() = default;
  LoadedCode(LoadedCode &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  LoadedCode &operator=(LoadedCode &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~LoadedCode();

  /// The function at byte `offset` of the image.
  template <typename Function>
  [[nodiscard]] Function at(uint64_t offset) const {
    return reinterpret_cast<Function>(static_cast<std::byte *>(data_) + offset);
  }

private:
  LoadedCode(void *data, size_t bytes) : data_(data), bytes_(bytes) {}

  void *data_ = nullptr; ///< The pages; null for an empty image.
  size_t bytes_ = 0;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_DEVICE_CPU_LOADEDCODE_H
