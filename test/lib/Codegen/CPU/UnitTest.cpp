// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multiply units: what an instruction computes, what scalar loops say that it
// does, and a reference of the test's own, over all kinds of numbers.
#include "ExactContractions.h"
#include "lib/Codegen/CPU/Processor.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <immintrin.h>
#include <random>

using namespace mpc;
using namespace mpc::test;

namespace {

/// Draws bf16 numbers of one kind.
class Draws {
public:
  explicit Draws(unsigned seed) : engine_(seed) {}

  /// Any bits: subnormal numbers, inf and NaN too.
  uint16_t any() { return engine_() & 0xffff; }
  /// Numbers whose products are next to 1.
  uint16_t nearOne() { return pick(126, 2); }
  /// Numbers whose products are next to the least normal number, or next to
  /// what it is rounded by.
  uint16_t nearLeast() { return pick(engine_() % 2 ? 63 : 51, 2); }
  uint16_t special() {
    static constexpr uint16_t kSpecials[] = {
        0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080,
        0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81};
    return kSpecials[engine_() % std::size(kSpecials)];
  }

private:
  /// A sign, one of `count` exponents from `exponent` on, and any mantissa;
  /// often a power of two.
  uint16_t pick(unsigned exponent, unsigned count) {
    unsigned mantissa = engine_() % 3 ? engine_() % 128 : 0;
    return (engine_() % 2) << 15 | (exponent + engine_() % count) << 7 |
           mantissa;
  }

  std::mt19937 engine_;
};

using Draw = uint16_t (Draws::*)();
constexpr Draw kKinds[] = {&Draws::any, &Draws::nearOne, &Draws::nearLeast,
                           &Draws::special};

/// Bits, all NaN alike.
uint32_t bitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return std::isnan(x) ? 0x7fc00000 : bits;
}

std::vector<uint16_t> draw(Draws &draws, Draw kind, size_t count) {
  std::vector<uint16_t> numbers(count);
  for (uint16_t &number : numbers)
    number = (draws.*kind)();
  return numbers;
}

std::vector<float> widen(const std::vector<uint16_t> &numbers) {
  std::vector<float> wide;
  for (uint16_t number : numbers)
    wide.push_back(fromBFloat(number));
  return wide;
}

/// 16 sums of one instruction.
__attribute__((target("avx512f,avx512bf16"))) void
runInstruction(float *sums, const uint16_t *a, const uint16_t *b) {
  __m512bh x = (__m512bh)_mm512_loadu_si512(a);
  __m512bh y = (__m512bh)_mm512_loadu_si512(b);
  _mm512_storeu_ps(sums, _mm512_dpbf16_ps(_mm512_loadu_ps(sums), x, y));
}

} // namespace

TEST(Unit, TheInstructionComputesWhatTheReferenceDoes) {
  if (!__builtin_cpu_supports("avx512bf16"))
    GTEST_SKIP() << "this processor has no AVX512-BF16";
  Draws draws(1);
  for (Draw kind : kKinds)
    for (int round = 0; round < 20'000; ++round) {
      std::vector<uint16_t> a = draw(draws, kind, 32);
      std::vector<uint16_t> b = draw(draws, kind, 32);
      std::vector<float> x = widen(a), y = widen(b), sums(16);
      for (int step = 0; step < 2; ++step) {
        std::vector<float> want = sums;
        for (int lane = 0; lane < 16; ++lane)
          want[lane] = addPair(sums[lane], {x[2 * lane], x[2 * lane + 1]},
                               {y[2 * lane], y[2 * lane + 1]});
        runInstruction(sums.data(), a.data(), b.data());
        for (int lane = 0; lane < 16; ++lane)
          ASSERT_EQ(bitsOf(sums[lane]), bitsOf(want[lane]));
        // The second step adds to what the first has made.
        std::swap(x, y);
        std::swap(a, b);
        std::rotate(a.begin(), a.begin() + 1, a.end());
        x = widen(a);
      }
    }
}

/// Sums next to the least normal number: rounded up to it where exponents have
/// an end, below it where they have none.
TEST(Unit, ASumThatRoundingMakesNormalIsZero) {
  float least = 0x1p-63f, small = 0x1p-75f;
  EXPECT_EQ(addPair(0, {0, least}, {0, least}), 0x1p-126f);
  EXPECT_EQ(addPair(0, {small, least}, {-0x1.8p-76f, least}), 0.0f);
  EXPECT_EQ(std::fma(small, -0x1.8p-76f, 0x1p-126f), 0x1p-126f);
  EXPECT_EQ(addPair(0, {small, least}, {-0x1p-77f, least}), 0x1p-126f);
}

/// A contraction of numbers of each kind, by all schedules that run here.
TEST(Unit, SchedulesComputeWhatTheReferenceDoes) {
  constexpr int64_t kSize = 40, kSteps = 6;
  Loops loops = matmul(kSize, kSize, kSteps);
  loops.aFormat = loops.bFormat = Format::BF16;
  loops.pairs = true;
  for (int64_t lanes : {kScalarLoops, int64_t(0)}) {
    if (lanes == 0 && !__builtin_cpu_supports("avx512bf16"))
      continue;
    auto kernels = GemmKernels::compile(getText(loops, After::Nothing), lanes,
                                        cpu::Unit::AVX512BF16);
    ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
    Draws draws(2);
    for (Draw kind : kKinds)
      for (int round = 0; round < 20; ++round) {
        std::vector<uint16_t> a = draw(draws, kind, kSize * kSteps);
        std::vector<uint16_t> b = draw(draws, kind, kSize * kSteps);
        std::vector<float> want = evaluate(loops, widen(a), widen(b));
        std::vector<float> result(want.size());
        kernels->run({a.data(), b.data(), result.data()});
        for (size_t place = 0; place < want.size(); ++place)
          ASSERT_EQ(bitsOf(result[place]), bitsOf(want[place]))
              << kernels->schedule() << " at " << place;
      }
  }
}

TEST(Unit, LevelsHaveTheirUnits) {
  for (auto [name, unit] : {std::pair("x86-64-v3", cpu::Unit::FMA),
                            {"x86-64-v4", cpu::Unit::FMA},
                            {"znver4", cpu::Unit::AVX512BF16},
                            {"sapphirerapids", cpu::Unit::AVX512BF16}}) {
    auto processor = cpu::getProcessor(name);
    ASSERT_TRUE(bool(processor)) << llvm::toString(processor.takeError());
    EXPECT_EQ(processor->bf16, unit) << name;
  }
  auto host = cpu::getProcessor("host");
  ASSERT_TRUE(bool(host));
  // Where it is slower than what f32 has it is taken by name alone.
  EXPECT_EQ(host->bf16 == cpu::Unit::AVX512BF16,
            __builtin_cpu_supports("avx512bf16") && __builtin_cpu_is("amd"));
}
