// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a test steers the driver that it has put in the place of CUDA's. That
/// driver is a shared object with the symbols of Api.h; it runs modules of the
/// test NVRTC in the emulator.
#ifndef MPC_TEST_SUPPORT_CUDA_FAKEDRIVER_H
#define MPC_TEST_SUPPORT_CUDA_FAKEDRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mpc::rt::cuda::test {

/// The machine that the driver claims to have.
struct FakeMachine {
  int devices = 1;
  int major = 9, minor = 0;
  size_t memoryBytes = size_t{256} << 20;
  int maxSharedOptIn = 227 * 1024;
  /// Of each block, charged to its kernel, and no part of the above.
  int reservedShared = 0;
};

class FakeDriver {
public:
  /// Forgets all objects, counts and faults.
  virtual void reset(const FakeMachine &machine) = 0;
  /// Makes the `use`-th call of `symbol` from now on, counted from 1, fail.
  virtual void failAt(std::string_view symbol, int use, int code) = 0;
  /// How often `symbol` was called since the reset.
  [[nodiscard]] virtual int count(std::string_view symbol) const = 0;
  /// How often with a stream that `other` was called with too.
  [[nodiscard]] virtual int countBeside(std::string_view symbol,
                                        std::string_view other) const = 0;
  /// Kernels run, those of graphs among them.
  [[nodiscard]] virtual int kernelsRun() const = 0;
  /// Objects and allocations that were made and not destroyed.
  [[nodiscard]] virtual int alive() const = 0;
  /// Decides in which order warps run.
  virtual void setSeed(uint32_t seed) = 0;
  /// What the emulator found wrong in a kernel; empty if nothing.
  [[nodiscard]] virtual std::string fault() const = 0;

protected:
  ~FakeDriver() = default;
};

/// The symbol through which a test reaches it: FakeDriver *().
inline constexpr const char *kFakeDriverSymbol = "mpcFakeDriver";

} // namespace mpc::rt::cuda::test

#endif // MPC_TEST_SUPPORT_CUDA_FAKEDRIVER_H
