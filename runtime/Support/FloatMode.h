// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The floating-point mode for all of the runtime's arithmetic, whatever mode
/// the surrounding program has set.
#ifndef MPC_RUNTIME_SUPPORT_FLOATMODE_H
#define MPC_RUNTIME_SUPPORT_FLOATMODE_H

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace mpc::rt {

/// During its lifetime this thread rounds to nearest even, keeps subnormals,
/// and traps nothing. The destructor restores the previous mode, flags
/// included.
class DefaultFloatMode {
public:
  DefaultFloatMode(const DefaultFloatMode &) = delete;
  DefaultFloatMode &operator=(const DefaultFloatMode &) = delete;

#if defined(__x86_64__)
  DefaultFloatMode() : saved_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~DefaultFloatMode() { _mm_setcsr(saved_); }

private:
  /// All exceptions are masked, and all other bits are 0.
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
