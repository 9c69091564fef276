// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ContentHash over xxHash's header.
#include "runtime/Support/Hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mpc::rt {

struct ContentHash::State {
  XXH3_state_t xxh;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}
ContentHash::~ContentHash() = default;

void ContentHash::update(const void *data, size_t bytes) {
  if (bytes)
    XXH3_128bits_update(&state_->xxh, data, bytes);
}

std::string ContentHash::digest() const {
  XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string ContentHash::of(const void *data, size_t bytes) {
  ContentHash hash;
  hash.update(data, bytes);
  return hash.digest();
}

} // namespace mpc::rt
