// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Emits the text of kernels as CUDA C++ and runs it in the emulator, beside
/// the same kernels on the CPU.
#ifndef MPC_TEST_LIB_CODEGEN_CUDA_EMULATED_H
#define MPC_TEST_LIB_CODEGEN_CUDA_EMULATED_H

#include "test/lib/Codegen/CPU/Harness.h"
#include "test/runtime/Device/CUDA/FakeCuda.h"

#include <cmath>
#include <gtest/gtest.h>

namespace mpc::test {

/// One kernel as a GPU gets it, and the schedule that it was given.
struct Emitted {
  std::string name, text, schedule;
  rt::cuda::LaunchShape shape;
};

/// How kernels are emitted, beside the GPU that they are for.
struct Emission {
  bool wide = false;     ///< Places have 64 bits.
  size_t alignment = 64; ///< Of the arguments that state none.
  bool exact = true;     ///< Functions have the CPU's bits.
  bool naive = false;    ///< By plain loops.
};

/// The kernels that run for those of `text` on sm_`arch`, in order.
std::vector<Emitted> emitAll(const std::string &text, int arch,
                             Emission emission = {});

/// A run in the emulator.
struct Run {
  int arch = 80;
  uint32_t seed = 1; ///< Of the order of warps.
  size_t offset = 0; ///< Bytes from an allocation's begin to each buffer.
  /// The last buffer is the memory of this one.
  std::optional<size_t> over = std::nullopt;
};

/// Runs the kernel on `buffers`; what the emulator found is part of the
/// message.
rt::Status launch(const Emitted &kernel, Buffers &buffers, const Run &run);
/// What the buffers hold afterwards; expects that nothing was found.
Buffers runOnGpu(const Emitted &kernel, Buffers buffers, const Run &run);
/// The same by scalar loops on the CPU.
Buffers runOnCpu(const std::string &text, Buffers buffers);

/// Expects that `got` is `want`: to the bit, or within `tolerance` of it.
template <typename T>
void expectNear(const std::vector<T> &got, const std::vector<T> &want,
                double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::abs(double(got[i]) - double(want[i])),
              tolerance * (1 + std::abs(double(want[i]))))
        << i << ": " << double(got[i]) << " and " << double(want[i]);
}

/// Expects that the kernel gets a schedule that begins with `schedule`, and
/// that buffer `result`, of T, is what the CPU computes: to the bit, or within
/// `tolerance` of it; with places of 64 bits too. `scheduled` is the same
/// kernel with a schedule, or empty.
template <typename T>
void expectAsOnCpu(const std::string &text, const Buffers &buffers,
                   const std::string &schedule, size_t result,
                   double tolerance = 0, int arch = 80,
                   const std::string &scheduled = "") {
  std::vector<T> want = values<T>(runOnCpu(text, buffers)[result]);
  for (bool wide : {false, true}) {
    std::vector<Emitted> all =
        emitAll(scheduled.empty() ? text : scheduled, arch, {wide});
    ASSERT_EQ(all.size(), 1u);
    const Emitted &kernel = all.front();
    EXPECT_EQ(kernel.schedule.substr(0, schedule.size()), schedule);
    Buffers after = runOnGpu(kernel, buffers, {arch, wide ? 5u : 1u});
    expectNear(values<T>(after[result]), want, tolerance);
  }
}

template <typename T>
std::vector<uint8_t> room(size_t count) {
  return std::vector<uint8_t>(count * sizeof(T), 0xff);
}

/// `count` whole numbers up to 4 as "f16", "bf16" or "f32": sums of their
/// products are exact.
std::vector<uint8_t> wholeNumbers(size_t count, unsigned seed,
                                  const std::string &type);

/// The bytes of an element of "f16", "bf16" or "f32".
size_t sizeOf(const std::string &type);
/// Numbers as elements of such a type, and back.
std::vector<uint8_t> encode(const std::vector<double> &numbers,
                            const std::string &type);
std::vector<double> decode(const std::vector<uint8_t> &memory,
                           const std::string &type);

/// `count` multiples of 1/4 up to 2, which all types have.
std::vector<double> quarters(size_t count, unsigned seed);

void replaceAll(std::string &text, const std::string &name,
                const std::string &value);

} // namespace mpc::test

#endif // MPC_TEST_LIB_CODEGEN_CUDA_EMULATED_H
