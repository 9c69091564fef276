// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs kernels that were compiled as C++ as a GPU would, one random warp at a
/// time, and finds what a GPU would not tell: accesses outside of allocations,
/// races, barriers that not all threads reach, copies that nobody waited for.
#ifndef MPC_TEST_SUPPORT_SIMT_EMULATOR_H
#define MPC_TEST_SUPPORT_SIMT_EMULATOR_H

#include "test/support/simt/Module.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simt {

struct Range {
  uintptr_t begin = 0;
  size_t bytes = 0;
  [[nodiscard]] bool holds(uintptr_t at, size_t count) const {
    return at >= begin && at - begin <= bytes && count <= bytes - (at - begin);
  }
};

/// One launch of a kernel.
struct Launch {
  Module module;
  const Kernel *kernel = nullptr;
  void *const *arguments = nullptr;
  Dim grid, block;
  size_t dynamicShared = 0;
  /// Device memory, ascending, disjoint.
  std::vector<Range> memory;
  /// The module's code and constants.
  std::vector<Range> image;
  int arch = 90;
  /// Decides in which order warps run.
  uint32_t seed = 1;
};

/// What a kernel did wrong.
struct Fault {
  enum class Kind {
    OutOfBounds,
    Misaligned,
    Race,
    InFlight,   ///< An asynchronous copy was not waited for.
    Unwritten,  ///< Shared memory was read that nobody wrote.
    Divergence, ///< Not all threads of a collective reach it.
    Misuse,     ///< An instruction with operands that it does not take.
  };
  Kind kind;
  std::string text; ///< Kernel, block, thread, what and where.
};

/// Runs the launch to its end or to its first fault.
[[nodiscard]] std::optional<Fault> run(const Launch &launch);

} // namespace simt

#endif // MPC_TEST_SUPPORT_SIMT_EMULATOR_H
