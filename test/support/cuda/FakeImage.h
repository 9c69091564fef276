// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the test NVRTC gives out as cubin or PTX, and the test driver loads: a
/// header, then a shared object.
#ifndef MPC_TEST_SUPPORT_CUDA_FAKEIMAGE_H
#define MPC_TEST_SUPPORT_CUDA_FAKEIMAGE_H

#include <array>
#include <cstdint>

namespace mpc::rt::cuda::test {

inline constexpr std::array<char, 8> kFakeImageMagic = {'M', 'P', 'C', 'S',
                                                        'I', 'M', 'T', '1'};

struct FakeImageHeader {
  std::array<char, 8> magic = kFakeImageMagic;
  int32_t arch = 0;
  int32_t isPtx = 0;
  uint64_t bytes = 0; ///< Of the shared object that follows.
};

} // namespace mpc::rt::cuda::test

#endif // MPC_TEST_SUPPORT_CUDA_FAKEIMAGE_H
