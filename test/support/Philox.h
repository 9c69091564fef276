// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011) on scalars, as a
/// reference for kernels that draw.
#ifndef MPC_TEST_SUPPORT_PHILOX_H
#define MPC_TEST_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace mpc::test {

/// The block whose counter is `c`, under `key`.
inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c,
                                      std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t{0xD2511F53} * c[0];
    uint64_t second = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(second >> 32) ^ c[1] ^ key[0],
         static_cast<uint32_t>(second),
         static_cast<uint32_t>(first >> 32) ^ c[3] ^ key[1],
         static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return c;
}

} // namespace mpc::test

#endif // MPC_TEST_SUPPORT_PHILOX_H
