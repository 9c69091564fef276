// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a multiprocessor has for the blocks that run on it.
#ifndef MPC_LIB_CODEGEN_CUDA_LIMITS_H
#define MPC_LIB_CODEGEN_CUDA_LIMITS_H

#include <cstdint>

namespace mpc::cuda {

struct Limits {
  int64_t threads;
  int64_t shared; ///< The bytes that one block can have if it asks for them.
  int64_t reserved = 0; ///< The part of these bytes that the system uses.
};

/// The limits of sm_`arch`. An unknown architecture has the least of its
/// neighbours' limits.
inline Limits limitsOf(int64_t arch) {
  constexpr int64_t kKiB = 1024;
  switch (arch) {
  case 75:
    return {1024, 64 * kKiB};
  case 80:
    return {2048, 164 * kKiB, kKiB};
  case 87:
    return {1536, 164 * kKiB, kKiB};
  case 90:
  case 100:
  case 103:
    return {2048, 228 * kKiB, kKiB};
  default:
    return {1536, 100 * kKiB, kKiB};
  }
}

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_LIMITS_H
