// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Switches the CPU to flushing subnormals to zero for the time of a scope.
#ifndef MPC_TEST_RUNTIME_FLUSHMODE_H
#define MPC_TEST_RUNTIME_FLUSHMODE_H

#if defined(__x86_64__)
#include <xmmintrin.h>

namespace mpc::rt {

/// Sets FTZ and DAZ in MXCSR, and puts back what was there.
class FlushMode {
public:
  FlushMode() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040); }
  ~FlushMode() { _mm_setcsr(saved_); }
  FlushMode(const FlushMode &) = delete;
  FlushMode &operator=(const FlushMode &) = delete;

  static constexpr bool kSupported = true;

private:
  unsigned saved_;
};

} // namespace mpc::rt

#else

namespace mpc::rt {

class FlushMode {
public:
  static constexpr bool kSupported = false;
};

} // namespace mpc::rt

#endif
#endif // MPC_TEST_RUNTIME_FLUSHMODE_H
