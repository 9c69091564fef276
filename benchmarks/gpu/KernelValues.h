// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a proof gives to a kernel, and how it compares what comes back.
#ifndef MPC_BENCHMARKS_GPU_KERNELVALUES_H
#define MPC_BENCHMARKS_GPU_KERNELVALUES_H

#include "runtime/Program/Commands.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::gpu {

/// The text of the kernel alone, from its parameters on: kernels that differ
/// in nothing but their names have the same.
[[nodiscard]] rt::Result<std::string_view> textOf(const rt::Program &program,
                                                  const rt::Launch &launch);

/// Types of the kernel's parameters, in order, read off its text. A program
/// has one type of 16 bits: that of the conversions in its text.
[[nodiscard]] rt::Result<std::vector<rt::DType>>
parameterTypes(const rt::Program &program, const rt::Launch &launch);

/// What one argument is filled with.
struct Filling {
  rt::DType type = rt::DType::F32;
  uint64_t elements = 0;
  uint64_t seed = 0;
  /// 0: no negative numbers, and what is one truth value is false; 1: both
  /// signs, and it is true. So an optimizer's update runs once, with second
  /// moments that have a root, and is skipped once.
  int round = 0;
  int64_t bound = 2; ///< Integers are below: they index memory.
};

/// Whole numbers up to 4, of which sums of products are exact in any order.
/// Elements repeat after so many, which divides no extent that a model has.
inline constexpr uint64_t kPeriod = 1048573;
/// Those of the first period, or of all where they are fewer.
[[nodiscard]] std::vector<std::byte> smallIntegers(const Filling &filling);

/// How much two results have to agree.
enum class Agreement : uint8_t {
  Bits,  ///< All bits; but one NaN is as good as another.
  Value, ///< All values: zeros may differ in their sign.
  Close, ///< Sums of roundings in another order: kCloseF32, or two units of
         ///< the last place of 16 bits.
};

struct Difference {
  uint64_t element = 0; ///< The first one.
  uint64_t count = 0;   ///< Of all.
  std::string expected, got;
};

/// Empty where all elements agree. Both have the same size.
[[nodiscard]] std::optional<Difference>
findDifference(rt::DType type, std::span<const std::byte> expected,
               std::span<const std::byte> got, Agreement wanted);

} // namespace mpc::gpu

#endif // MPC_BENCHMARKS_GPU_KERNELVALUES_H
