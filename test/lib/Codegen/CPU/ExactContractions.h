// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checks of compiled contractions, bit for bit against chains of std::fma.
#ifndef MPC_TEST_LIB_CODEGEN_CPU_EXACTCONTRACTIONS_H
#define MPC_TEST_LIB_CODEGEN_CPU_EXACTCONTRACTIONS_H

#include "Contractions.h"
#include "Harness.h"

namespace mpc::test {

/// A tensor's elements as kernels see them, and what they stand for.
struct Tensor {
  Tensor(size_t count, Format format, unsigned seed);
  void *data() { return bytes.data(); }
  /// Sets the elements at both ends of each axis to zero, if there are as many
  /// as `border` says.
  void clearBorder(const std::vector<int64_t> &shape,
                   const std::vector<int64_t> &border);
  /// The bytes of the other elements.
  std::vector<char> getInside(const std::vector<int64_t> &shape,
                              const std::vector<int64_t> &border) const;

  std::vector<char> bytes;
  std::vector<float> values;
};

/// Elements of a tensor of `shape`.
size_t countElements(const std::vector<int64_t> &shape);
std::vector<uint32_t> getBits(const std::vector<float> &values);

/// Runs `loops` for both vector widths that the machine has and for several
/// splits of the chunks, down to one each, and compares all bits. Expects a
/// schedule that begins with `schedule`.
void expectExact(const Loops &loops, const std::string &schedule = "#cpu.gemm");
/// The same of the result in f16.
void expectTruncated(const Loops &loops,
                     const std::string &schedule = "#cpu.gemm");
/// The same with all that may follow a contraction.
void expectEverything(const Loops &loops,
                      const std::string &schedule = "#cpu.gemm");

} // namespace mpc::test

#endif // MPC_TEST_LIB_CODEGEN_CPU_EXACTCONTRACTIONS_H
