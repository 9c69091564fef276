// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The 128-bit content hash of checkpoints and caches (XXH3). It finds damage,
/// not forgery.
#ifndef MPC_RUNTIME_SUPPORT_HASH_H
#define MPC_RUNTIME_SUPPORT_HASH_H

#include <cstddef>
#include <memory>
#include <string>

namespace mpc::rt {

class ContentHash {
public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash &) = delete;
  ContentHash &operator=(const ContentHash &) = delete;

  void update(const void *data, size_t bytes);
  /// 32 lower-case hexadecimal digits.
  [[nodiscard]] std::string digest() const;

  static constexpr size_t kDigits = 32;

  /// The digest of one range.
  [[nodiscard]] static std::string of(const void *data, size_t bytes);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_HASH_H
