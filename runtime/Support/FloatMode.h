// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The floating-point mode that every number of the runtime is computed in,
/// whatever the program around it has set.
#ifndef MPC_RUNTIME_SUPPORT_FLOATMODE_H
#define MPC_RUNTIME_SUPPORT_FLOATMODE_H

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace mpc::rt {

/// While it lives this thread rounds to nearest even, keeps subnormals, and
/// traps nothing. What was there comes back, flags included.
class DefaultFloatMode {
public:
  DefaultFloatMode(const DefaultFloatMode &) = delete;
  DefaultFloatMode &operator=(const DefaultFloatMode &) = delete;

#if defined(__x86_64__)
  DefaultFloatMode() : saved_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~DefaultFloatMode() { _mm_setcsr(saved_); }

private:
  /// All exceptions masked, no other bit.
  static constexpr unsigned kDefault = 0x1f80;
  unsigned saved_;
#else
  DefaultFloatMode() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatMode() { std::fesetenv(&saved_); }

private:
  std::fenv_t saved_;
#endif
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_FLOATMODE_H
