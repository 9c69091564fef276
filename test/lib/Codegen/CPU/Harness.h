// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiles the text of a kernel and runs it on arrays.
#ifndef MPC_TEST_LIB_CODEGEN_CPU_HARNESS_H
#define MPC_TEST_LIB_CODEGEN_CPU_HARNESS_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Jit.h"
#include "mlir/IR/MLIRContext.h"
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mpc::test {

/// Memory that ends where a page begins that nobody may touch, but for what
/// aligns it: a kernel that reads or writes beyond its end is killed.
class GuardedMemory {
public:
  explicit GuardedMemory(uint64_t bytes, uint64_t alignment = 64);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  [[nodiscard]] char *data() const { return data_; }

private:
  char *base_, *data_;
  uint64_t bytes_;
};

/// How kernels are scheduled and run.
struct Config {
  bool naive = false; ///< #cpu.loops everywhere.
  int64_t lanes = 8;
  int64_t pieces = 1; ///< Calls that the chunks of a launch are split into.
  cpu::Unit bf16 = cpu::Unit::FMA; ///< What multiplies bf16.
};

/// Kernels of one module, compiled for this machine.
class Kernels {
public:
  /// Fails the test on any error.
  explicit Kernels(const std::string &text, Config config = {});

  /// Runs the only kernel, or the one called `name`.
  void run(std::vector<void *> buffers, const std::string &name = "k") const;
  int64_t chunks(const std::string &name = "k") const;
  [[nodiscard]] const cpu::CompiledKernels &code() const { return compiled_; }
  /// The schedule that the kernel was given, as text.
  const std::string &schedule() const { return scheduleText_; }

private:
  Config config_;
  cpu::CompiledKernels compiled_;
  std::string scheduleText_;
};

/// The memory of each argument of kernel @k, inputs and destinations.
using Buffers = std::vector<std::vector<uint8_t>>;
template <typename T>
std::vector<uint8_t> bytes(const std::vector<T> &values) {
  auto data = reinterpret_cast<const uint8_t *>(values.data());
  return {data, data + values.size() * sizeof(T)};
}
template <typename T>
std::vector<T> values(const std::vector<uint8_t> &bytes) {
  auto data = reinterpret_cast<const T *>(bytes.data());
  return {data, data + bytes.size() / sizeof(T)};
}

/// Runs `text` by scalar loops and returns the buffers after. Expects that the
/// kernel gets a schedule that begins with `schedule`, and that vectors of 8
/// and, where the CPU has them, 16 lanes, in any split of the chunks, give the
/// same bits.
Buffers runAllWays(const std::string &text, const Buffers &buffers,
                   const std::string &schedule);

/// The error of compiling `text`; empty if there is none.
std::string compileError(const std::string &text);

/// `count` numbers in [low, high), always the same ones.
template <typename T = float>
std::vector<T> randoms(size_t count, double low = -2, double high = 2,
                       unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> numbers(low, high);
  std::vector<T> result(count);
  for (T &value : result)
    value = static_cast<T>(numbers(engine));
  return result;
}

/// Bit patterns of f16 and bf16, converted by the definition.
float fromHalf(uint16_t bits);
float fromBFloat(uint16_t bits);
uint16_t toHalf(double value);
uint16_t toBFloat(double value);

/// Distance of `value` from `exact` in units of the last place of T.
template <typename T>
double ulps(T value, double exact);

} // namespace mpc::test

#endif // MPC_TEST_LIB_CODEGEN_CPU_HARNESS_H
