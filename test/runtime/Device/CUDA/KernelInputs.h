// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The test kernels as functions on vectors, so that the same call runs on the
/// emulator and on a GPU.
#ifndef MPC_TEST_RUNTIME_DEVICE_CUDA_KERNELINPUTS_H
#define MPC_TEST_RUNTIME_DEVICE_CUDA_KERNELINPUTS_H

#include "runtime/Support/Rounding.h"
#include "test/runtime/Device/CUDA/KernelRunner.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

namespace mpc::rt::cuda::test {

constexpr uint32_t kBlock = 256;

inline uint32_t blocksOf(int count, int perBlock) {
  return static_cast<uint32_t>((count + perBlock - 1) / perBlock);
}

#define MPC_EXPECT_OK(expr)                                                    \
  do {                                                                         \
    ::mpc::rt::Status mpcStatus = (expr);                                      \
    EXPECT_TRUE(mpcStatus.ok()) << mpcStatus.message();                        \
  } while (false)

/// f16 codes of values drawn from a normal distribution.
inline std::vector<uint16_t> normalF16(size_t count, double deviation,
                                       uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<uint16_t> codes(count);
  for (uint16_t &each : codes)
    each = roundToF16(normal(random));
  return codes;
}

inline std::vector<uint16_t> runMap(KernelRunner &runner,
                                    std::vector<uint16_t> x,
                                    std::vector<uint16_t> bias) {
  std::vector<uint16_t> y(x.size(), 0x5555);
  int count = static_cast<int>(x.size());
  MPC_EXPECT_OK(
      runner.run(inputKernels("map"), "map_bias_gelu",
                 {{blocksOf(count, kBlock * 8), 1, 1}, {kBlock, 1, 1}},
                 {inOut(x), inOut(bias), inOut(y)},
                 {count, static_cast<int>(bias.size())}));
  return y;
}

inline std::vector<uint16_t> runSoftmax(KernelRunner &runner,
                                        std::vector<uint16_t> x, int width) {
  std::vector<uint16_t> y(x.size(), 0x5555);
  auto rows = static_cast<uint32_t>(x.size() / static_cast<size_t>(width));
  MPC_EXPECT_OK(runner.run(inputKernels("softmax"), "row_softmax",
                           {{rows, 1, 1}, {kBlock, 1, 1}}, {inOut(x), inOut(y)},
                           {width}));
  return y;
}

inline float runSum(KernelRunner &runner, std::vector<float> x) {
  int count = static_cast<int>(x.size());
  uint32_t blocks = blocksOf(count, 4096);
  std::vector<float> partial(blocks, NAN), result(1, NAN);
  MPC_EXPECT_OK(runner.run(inputKernels("sum"), "sum_blocks",
                           {{blocks, 1, 1}, {kBlock, 1, 1}},
                           {inOut(x), inOut(partial)}, {count}));
  MPC_EXPECT_OK(runner.run(
      inputKernels("sum"), "sum_partials", {{1, 1, 1}, {kBlock, 1, 1}},
      {inOut(partial), inOut(result)}, {static_cast<int>(blocks)}));
  return result[0];
}

struct MatmulShape {
  int m, n, k;
};

/// Dynamic shared memory of the matrix products: three stages of two tiles.
constexpr uint32_t kMatmulShared = 3 * 2 * 128 * 32 * 2;

inline std::vector<float> runMatmul(KernelRunner &runner, bool isBf16,
                                    MatmulShape shape, std::vector<uint16_t> a,
                                    std::vector<uint16_t> b) {
  std::vector<float> c(
      static_cast<size_t>(shape.m) * static_cast<size_t>(shape.n), NAN);
  LaunchShape launch{{blocksOf(shape.n, 128), blocksOf(shape.m, 128), 1},
                     {kBlock, 1, 1},
                     kMatmulShared};
  MPC_EXPECT_OK(runner.run(
      inputKernels("matmul"), isBf16 ? "matmul_bf16" : "matmul_f16", launch,
      {inOut(a), inOut(b), inOut(c)}, {shape.m, shape.n, shape.k}));
  return c;
}

} // namespace mpc::rt::cuda::test

#endif // MPC_TEST_RUNTIME_DEVICE_CUDA_KERNELINPUTS_H
