// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a module of kernels compiled for the emulator and the emulator know of
/// each other. A module is a shared object: the kernels' text with Device.h in
/// front of it, and Hooks.cpp.
#ifndef MPC_TEST_SUPPORT_SIMT_MODULE_H
#define MPC_TEST_SUPPORT_SIMT_MODULE_H

#include <cstddef>
#include <cstdint>

namespace simt {

struct Dim {
  uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] uint64_t count() const { return uint64_t{x} * y * z; }
};

/// Which matrix product a warp does, named as its instruction.
enum class Product { M16N8K16F16, M16N8K16BF16, M16N8K8F16 };

enum class Access { Read, Write, Atomic };

/// What a kernel may do beyond plain C++. The running thread is known to the
/// machine. `line` is that of the kernel's text.
class Machine {
public:
  virtual void access(const void *at, size_t bytes, Access kind,
                      const void *code) = 0;
  virtual void requireAlignment(const void *at, size_t bytes, int line) = 0;
  virtual void syncBlock(int line) = 0;
  virtual void syncWarp(uint32_t mask, int line) = 0;
  virtual uint32_t ballot(uint32_t mask, bool yes, int line) = 0;
  virtual uint32_t shuffle(uint32_t mask, uint32_t value, int lane,
                           int line) = 0;
  virtual void loadMatrices(uint32_t *matrices, const void *row,
                            bool transposed, int line) = 0;
  virtual void multiply(Product product, float *d, const uint32_t *a,
                        const uint32_t *b, int line) = 0;
  virtual void copyAsync(void *to, const void *from, int bytes, int line) = 0;
  virtual void commitCopies() = 0;
  virtual void waitForCopies(int pending) = 0;
  virtual void *dynamicShared() = 0;

protected:
  ~Machine() = default;
};

/// A kernel of a module.
struct Kernel {
  const char *name;
  uint32_t maxThreads;
  const size_t *parameterBytes;
  size_t parameters;
  void (*run)(void *const *arguments);
};

/// Where the running thread is; the machine writes it, kernels read it.
struct Position {
  Dim threadIdx, blockIdx, blockDim, gridDim;
};

/// What a module exports under the name kModuleSymbol.
struct Module {
  const Kernel *kernels;
  size_t count;
  Machine **machine;
  Position *position;
  /// The range of all `__shared__` variables; null where there is none.
  char *sharedBegin, *sharedEnd;
  bool checked; ///< Each access of the text calls a hook.
};

inline constexpr const char *kModuleSymbol = "mpcSimtModule";

} // namespace simt

#endif // MPC_TEST_SUPPORT_SIMT_MODULE_H
