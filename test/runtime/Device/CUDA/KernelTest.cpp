// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude and the test kernels in the emulator, against float64.
#include "test/runtime/Device/CUDA/FakeCuda.h"
#include "test/runtime/Device/CUDA/KernelInputs.h"

namespace mpc::rt::cuda::test {
namespace {

class Kernels : public FakeCuda {
protected:
  KernelRunner &runner() {
    if (!runner_)
      runner_.emplace(context(), fakeNvrtc());
    return *runner_;
  }
  void TearDown() override {
    EXPECT_EQ(fake().fault(), "");
    runner_.reset();
    FakeCuda::TearDown();
  }

private:
  std::optional<KernelRunner> runner_;
};

TEST_F(Kernels, AMapIsRightUpToRounding) {
  std::vector<uint16_t> x = normalF16(24 * 264, 2, 1),
                        bias = normalF16(24, 1, 2);
  std::vector<uint16_t> y = runMap(runner(), x, bias);
  for (size_t i = 0; i < x.size(); ++i) {
    double v = valueOfF16(x[i]) + valueOfF16(bias[i % 24]);
    double expected = v * 0.5 * std::erfc(-v * M_SQRT1_2);
    // Half a unit of f16, and f32's error where 1 + erf cancels.
    EXPECT_NEAR(valueOfF16(y[i]), expected,
                std::abs(expected) * 0x1p-11 + std::abs(v) * 2e-7);
  }
}

TEST_F(Kernels, SoftmaxIsRightForAnyWidth) {
  for (int width : {1, 31, 33, 256, 1000}) {
    fake().setSeed(static_cast<uint32_t>(width));
    auto columns = static_cast<size_t>(width);
    std::vector<uint16_t> x = normalF16(3 * columns, 3, 5);
    std::vector<uint16_t> y = runSoftmax(runner(), x, width);
    for (size_t row = 0; row < 3; ++row) {
      double sum = 0;
      for (size_t i = 0; i < columns; ++i)
        sum += std::exp(static_cast<double>(valueOfF16(x[row * columns + i])));
      for (size_t i = 0; i < columns; ++i) {
        double expected =
            std::exp(static_cast<double>(valueOfF16(x[row * columns + i]))) /
            sum;
        // Half a unit, and half of the smallest subnormal.
        EXPECT_NEAR(valueOfF16(y[row * columns + i]), expected,
                    expected * 0x1.01p-11 + 0x1p-25);
      }
    }
  }
}

TEST_F(Kernels, ASumIsRightAndItsOrderFixed) {
  for (size_t count : {1UL, 3UL, 4096UL, 10001UL}) {
    std::vector<float> x(count);
    std::mt19937 random(9);
    std::uniform_real_distribution<float> uniform(0, 1);
    double expected = 0, size = 0;
    for (float &each : x) {
      each = uniform(random);
      expected += each;
      size += std::abs(each);
    }
    float first = runSum(runner(), x);
    EXPECT_NEAR(first, expected, size * 0x1p-22);
    fake().setSeed(77);
    EXPECT_EQ(std::bit_cast<uint32_t>(runSum(runner(), x)),
              std::bit_cast<uint32_t>(first));
  }
}

/// Small integers, so that every order of additions gives the same.
void expectExactMatmul(KernelRunner &runner, bool isBf16, MatmulShape shape) {
  auto m = static_cast<size_t>(shape.m), n = static_cast<size_t>(shape.n),
       k = static_cast<size_t>(shape.k);
  std::mt19937 random(3);
  std::uniform_int_distribution<int> integer(-4, 4);
  std::vector<int> as(m * k), bs(n * k);
  std::vector<uint16_t> a, b;
  auto code = [&](int value) {
    return isBf16 ? roundToBF16(static_cast<float>(value))
                  : roundToF16(static_cast<float>(value));
  };
  for (int &each : as)
    a.push_back(code(each = integer(random)));
  for (int &each : bs)
    b.push_back(code(each = integer(random)));
  std::vector<float> c = runMatmul(runner, isBf16, shape, a, b);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      int expected = 0;
      for (size_t l = 0; l < k; ++l)
        expected += as[i * k + l] * bs[j * k + l];
      ASSERT_EQ(c[i * n + j], static_cast<float>(expected))
          << "row " << i << ", column " << j;
    }
}

TEST_F(Kernels, MatrixProductsOfIntegersAreExact) {
  for (bool isBf16 : {false, true})
    for (uint32_t seed : {1U, 2U, 3U}) {
      fake().setSeed(seed);
      expectExactMatmul(runner(), isBf16, {128, 128, 96});
    }
}

TEST_F(Kernels, MatrixProductsKeepTheirEdges) {
  expectExactMatmul(runner(), false, {1, 1, 8});
  expectExactMatmul(runner(), false, {129, 67, 40});
  expectExactMatmul(runner(), true, {70, 131, 136});
}

TEST_F(Kernels, Sm75DoesTheSameInTwoSteps) {
  useMachine({1, 7, 5});
  KernelRunner old(context(), fakeNvrtc());
  expectExactMatmul(old, false, {128, 33, 72});
}

TEST_F(Kernels, NarrowingRoundsTiesToEvenAndKeepsSpecialValues) {
  std::vector<uint32_t> x = {0x00000000, 0x80000000, 0x7f800000, 0xff800000,
                             0x7fc00000, 0xffc12345, 0x7f800001, 0x477fefff,
                             0x477ff000, 0x33000000, 0x33000001, 0x387fc000,
                             0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000,
                             0x00000001, 0x007fffff, 0x7f7fffff, 0x00018000};
  size_t special = x.size();
  std::mt19937 random(11);
  for (int i = 0; i < 4000; ++i)
    x.push_back(static_cast<uint32_t>(random()));
  std::vector<uint16_t> f16(x.size()), bf16(x.size()), integer(x.size());
  int count = static_cast<int>(x.size());
  MPC_EXPECT_OK(runner().run(
      inputKernels("instructions"), "narrow",
      {{blocksOf(count, 128), 1, 1}, {128, 1, 1}},
      {inOut(x), inOut(f16), inOut(bf16), inOut(integer)}, {count}));
  for (size_t i = 0; i < x.size(); ++i) {
    float value = std::bit_cast<float>(x[i]);
    bool isNan = std::isnan(value);
    // _Float16 is the compiler's own conversion.
    auto expected = static_cast<_Float16>(value);
    EXPECT_EQ(f16[i], isNan ? 0x7fff : std::bit_cast<uint16_t>(expected))
        << std::hex << x[i];
    EXPECT_EQ(bf16[i], integer[i]) << std::hex << x[i];
  }
  EXPECT_EQ(bf16[4], 0x7fff);
  EXPECT_EQ(bf16[14], 0x3f80); // a tie, down to even
  EXPECT_EQ(bf16[15], 0x3f82); // a tie, up to even
  EXPECT_EQ(bf16[18], 0x7f80); // overflows by rounding
  EXPECT_EQ(bf16[19], 0x0002); // subnormal tie
  EXPECT_EQ(special, 20U);
}

/// Distance of f32 `got` from `expected` in units of its last place.
double ulpsFrom(double expected, float got) {
  if (std::isnan(expected) || std::isinf(expected) || expected == 0)
    return (std::isnan(expected) && std::isnan(got)) ||
                   static_cast<float>(expected) == got
               ? 0
               : HUGE_VAL;
  int exponent = std::max(std::ilogb(expected), -126);
  return std::abs(got - expected) / std::ldexp(1.0, exponent - 23);
}

TEST_F(Kernels, FunctionsAreWithinTwoUnits) {
  std::vector<float> x = {0.0F,  -0.0F,   HUGE_VALF, -HUGE_VALF, NAN,  1.0F,
                          88.7F, -103.9F, 0x1p-140F, 100.0F,     -1.0F};
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform(-9, 9);
  for (int i = 0; i < 3000; ++i)
    x.push_back(uniform(random));
  std::vector<float> y(x.size() * 6);
  int count = static_cast<int>(x.size());
  MPC_EXPECT_OK(runner().run(inputKernels("instructions"), "functions",
                             {{blocksOf(count, 128), 1, 1}, {128, 1, 1}},
                             {inOut(x), inOut(y)}, {count}));
  for (size_t i = 0; i < x.size(); ++i) {
    double v = x[i];
    // exp overflows where f32 does.
    double exponential = std::exp(v) > 0x1.ffffffp127 ? HUGE_VAL : std::exp(v);
    EXPECT_LE(ulpsFrom(exponential, y[i]), 2) << "exp " << v;
    EXPECT_LE(ulpsFrom(std::log(v), y[x.size() + i]), 2) << "log " << v;
    EXPECT_LE(ulpsFrom(std::tanh(v), y[2 * x.size() + i]), 2) << "tanh " << v;
    EXPECT_LE(ulpsFrom(std::erf(v), y[3 * x.size() + i]), 2) << "erf " << v;
    if (!std::isfinite(x[i]))
      continue;
    EXPECT_EQ(y[4 * x.size() + i], std::fma(x[i], x[i], 0.1F));
    volatile float square = x[i] * x[i];
    EXPECT_EQ(y[5 * x.size() + i], square + 0.1F) << "contracted";
  }
}

TEST_F(Kernels, ShufflesAndWarpSumsHaveTheirOrder) {
  std::vector<float> x(32), y(128);
  for (size_t i = 0; i < 32; ++i)
    x[i] = std::ldexp(1.0F + static_cast<float>(i) / 31, static_cast<int>(i));
  MPC_EXPECT_OK(runner().run(inputKernels("instructions"), "shuffles",
                             {{1, 1, 1}, {32, 1, 1}}, {inOut(x), inOut(y)}));
  std::vector<float> sum = x;
  for (size_t distance = 16; distance > 0; distance /= 2) {
    std::vector<float> before = sum;
    for (size_t i = 0; i < 32; ++i)
      sum[i] = before[i] + before[i ^ distance];
  }
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(y[i], x[i ^ 5]);
    EXPECT_EQ(y[32 + i], x[13]);
    EXPECT_EQ(y[64 + i], sum[i]);
    EXPECT_EQ(y[96 + i], x[31]);
  }
}

TEST_F(Kernels, LdmatrixGivesEachLaneItsPair) {
  std::vector<uint16_t> x(256);
  for (size_t i = 0; i < 256; ++i)
    x[i] = static_cast<uint16_t>(i);
  std::vector<uint32_t> y(256);
  MPC_EXPECT_OK(runner().run(inputKernels("instructions"), "matrices",
                             {{1, 1, 1}, {32, 1, 1}}, {inOut(x), inOut(y)}));
  for (uint32_t m = 0; m < 4; ++m)
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t row = lane / 4, column = lane % 4 * 2, base = m * 64;
      uint32_t first = base + row * 8 + column;
      EXPECT_EQ(y[m * 32 + lane], first | (first + 1) << 16);
      uint32_t down = base + column * 8 + row;
      EXPECT_EQ(y[(4 + m) * 32 + lane], down | (down + 8) << 16);
    }
}

} // namespace
} // namespace mpc::rt::cuda::test
