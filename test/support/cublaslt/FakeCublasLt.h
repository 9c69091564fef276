// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a test may ask the test double of cuBLASLt.
#ifndef MPC_TEST_SUPPORT_CUBLASLT_FAKECUBLASLT_H
#define MPC_TEST_SUPPORT_CUBLASLT_FAKECUBLASLT_H

#include <array>
#include <string>

namespace mpc::rt::cuda::test {

/// The algorithms that the library has for every product. By the test driver's
/// clock number 0, which its estimate has first, takes twice as long as the
/// others.
inline constexpr int kFakeAlgorithms = 3;

struct FakeBlas {
  /// As MPC_FAKE_CUBLASLT has them at first, words apart by spaces:
  /// `fail=SYMBOL:USE:CODE`, that use of a call fails; `version=NUMBER`;
  /// `algorithms=N`, it has so many; `slow`, each takes three times as long as
  /// a kernel; `tell`, what ran is told on standard error at the end.
  virtual void set(std::string settings) = 0;
  /// Back to no settings and nothing counted.
  virtual void reset() = 0;

  /// How often each algorithm has computed a product.
  std::array<int, kFakeAlgorithms> runs{};
  /// How often the library was asked for algorithms.
  int questions = 0;
  /// What the last refused call did wrong.
  std::string fault;

protected:
  ~FakeBlas() = default;
};

/// The symbol through which a test reaches it: FakeBlas *().
inline constexpr const char *kFakeBlasSymbol = "mpcFakeCublasLt";

} // namespace mpc::rt::cuda::test

#endif // MPC_TEST_SUPPORT_CUBLASLT_FAKECUBLASLT_H
