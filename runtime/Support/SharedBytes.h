// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Bytes that are read in place, together with the owner that keeps them valid.
#ifndef MPC_RUNTIME_SUPPORT_SHAREDBYTES_H
#define MPC_RUNTIME_SUPPORT_SHAREDBYTES_H

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mpc::rt {

/// A range of a mapped file, of a model, or of memory of its own. Copies share
/// it, and it is never written.
class SharedBytes {
public:
  SharedBytes() = default;
  /// `owner` keeps `bytes` valid.
  SharedBytes(std::shared_ptr<const void> owner,
              std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}

  /// The elements' bytes.
  template <typename Element>
  static SharedBytes of(std::vector<Element> elements) {
    auto owner =
        std::make_shared<const std::vector<Element>>(std::move(elements));
    return {owner, std::as_bytes(std::span(*owner))};
  }

  /// `size` bytes from `offset` on, which must lie inside.
  [[nodiscard]] SharedBytes slice(size_t offset, size_t size) const {
    return {owner_, bytes_.subspan(offset, size)};
  }

  [[nodiscard]] std::span<const std::byte> view() const { return bytes_; }
  [[nodiscard]] const std::byte *data() const { return bytes_.data(); }
  [[nodiscard]] size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_SHAREDBYTES_H
