// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A generator whose numbers are the same on every machine.
#ifndef MPC_RUNTIME_SUPPORT_RANDOM_H
#define MPC_RUNTIME_SUPPORT_RANDOM_H

#include <bit>
#include <cstdint>

namespace mpc::rt {

/// xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64. Streams
/// of one seed are independent for the purposes of the runtime.
class Random {
public:
  explicit Random(uint64_t seed, uint64_t stream = 0) {
    uint64_t mixed = seed;
    mixed = splitMix(mixed) ^ stream;
    for (uint64_t &word : state_)
      word = splitMix(mixed);
  }

  uint64_t next() {
    uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), without bias; bound > 0.
  uint64_t below(uint64_t bound) {
    // Numbers under 2^64 mod bound are rejected, since they would make some
    // remainders likelier.
    uint64_t reject = -bound % bound;
    for (;;)
      if (uint64_t value = next(); value >= reject)
        return value % bound;
  }

private:
  /// Advances `state` and returns its mixed value (Steele, Lea and Flood,
  /// 2014).
  static uint64_t splitMix(uint64_t &state) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_[4];
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_RANDOM_H
