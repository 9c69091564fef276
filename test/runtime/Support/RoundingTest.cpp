// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding against recorded vectors, exhaustively, and against the CPU.
#include "runtime/Support/Rounding.h"

#include "test/runtime/FlushMode.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mpc::rt {
namespace {

using nlohmann::json;

json readVectors(const std::string &name) {
  std::ifstream file(std::string(MPC_TEST_INPUTS "/loss_scale/rounding/") +
                     name + ".json");
  EXPECT_TRUE(file.good()) << name;
  return json::parse(file);
}

uint32_t hex(const json &text) {
  return static_cast<uint32_t>(
      std::stoul(text.get<std::string>(), nullptr, 16));
}

struct Format {
  std::string name; ///< Of the recorded vectors.
  FloatFormat format;
};

/// Each row of the table that is narrower than f32: one without recorded
/// vectors fails.
std::vector<Format> narrowFormats() {
  std::vector<Format> narrow;
  for (const FloatFormat &format : kFloatFormats)
    if (format.width() < 32)
      narrow.push_back(
          {format.name == "f16" ? "fp16" : std::string(format.name), format});
  return narrow;
}

bool isNaN(const FloatFormat &format, uint32_t code) {
  const uint64_t magnitude = code & (format.signBit() - 1);
  return format.hasInfinity ? magnitude > format.overflowCode()
                            : magnitude == format.overflowCode();
}

class RoundingVectors : public testing::TestWithParam<Format> {
protected:
  static void checkAllRows() {
    const auto [name, format] = GetParam();
    const json vectors = readVectors(name);
    ASSERT_GT(vectors["cases"].size(), 200u);
    for (const json &row : vectors["cases"]) {
      const uint32_t code = roundF32Bits(format, hex(row["in"]));
      if (row.value("nan", false))
        EXPECT_TRUE(isNaN(format, code)) << row;
      else
        EXPECT_EQ(code, hex(row["out"])) << row;
    }
  }
};

// Features: A3.
TEST_P(RoundingVectors, MatchEveryRow) { checkAllRows(); }

TEST_P(RoundingVectors, MatchEveryRowWhereSubnormalsAreFlushed) {
  if (!FlushMode::kSupported)
    GTEST_SKIP() << "this CPU's flush mode is not known to the test";
  [[maybe_unused]] FlushMode flush;
  checkAllRows();
}

TEST_P(RoundingVectors, EveryCodeSurvivesWideningAndRounding) {
  const FloatFormat format = GetParam().format;
  for (uint32_t code = 0; code != uint32_t{1} << format.width(); ++code) {
    const uint32_t back = roundF32Bits(format, widenToF32Bits(format, code));
    if (isNaN(format, code))
      EXPECT_TRUE(isNaN(format, back)) << code;
    else
      EXPECT_EQ(back, code);
  }
}

// Between two neighbours the boundary is the midpoint, which goes to the even
// one: checked for every finite code, in all formats, on integers of f64.
TEST_P(RoundingVectors, EveryMidpointGoesToEven) {
  const FloatFormat format = GetParam().format;
  for (uint32_t code = 0; code + 1 < format.overflowCode(); ++code) {
    const double low = std::bit_cast<float>(widenToF32Bits(format, code));
    const double high = std::bit_cast<float>(widenToF32Bits(format, code + 1));
    const auto middle = static_cast<float>((low + high) / 2);
    const uint32_t bits = std::bit_cast<uint32_t>(middle);
    EXPECT_EQ(roundF32Bits(format, bits), code + (code & 1)) << code;
    EXPECT_EQ(roundF32Bits(format, bits - 1), code) << code;
    EXPECT_EQ(roundF32Bits(format, bits + 1), code + 1) << code;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundingVectors,
                         testing::ValuesIn(narrowFormats()),
                         [](const auto &info) { return info.param.name; });

// From IEEE 754-2008, table 3.5, bfloat16's description, and table 1 of the OCP
// 8-bit floating point specification, revision 1.0.
TEST(FloatFormats, HaveTheLimitsOfTheirStandards) {
  struct Limits {
    std::string_view name;
    double largest, smallestNormal;
  };
  const Limits standards[] = {
      {"f64", 0x1.fffffffffffffp+1023, 0x1p-1022},
      {"f32", 0x1.fffffep+127, 0x1p-126},
      {"f16", 65504.0, 0x1p-14},
      {"bf16", 0x1.fep+127, 0x1p-126},
      {"e4m3fn", 448.0, 0x1p-6},
      {"e5m2", 57344.0, 0x1p-14},
  };
  ASSERT_EQ(std::size(standards), kFloatFormats.size());
  for (size_t i = 0; i < kFloatFormats.size(); ++i) {
    EXPECT_EQ(kFloatFormats[i].name, standards[i].name);
    EXPECT_EQ(kFloatFormats[i].largest(), standards[i].largest);
    EXPECT_EQ(kFloatFormats[i].smallestNormal(), standards[i].smallestNormal);
  }
}

// One format holds another where each number of that comes back from it.
TEST(FloatFormats, HoldWhatComesBack) {
  for (const auto &[name, wide] : narrowFormats())
    for (const auto &[other, format] : narrowFormats()) {
      bool comesBack = true;
      for (uint32_t code = 0; code < format.overflowCode(); ++code) {
        const uint32_t value = widenToF32Bits(format, code);
        comesBack &= widenToF32Bits(wide, roundF32Bits(wide, value)) == value;
      }
      EXPECT_EQ(wide.holds(format), comesBack) << name << " of " << other;
    }
  EXPECT_TRUE(kFormatF32.holds(kFormatBF16) && kFormatF64.holds(kFormatF32));
  EXPECT_FALSE(kFormatF32.holds(kFormatF64) || kFormatF16.holds(kFormatF32));
}

TEST(Rounding, Fp8CodesDecodeAsRecorded) {
  const json vectors = readVectors("fp8_decode");
  size_t checked = 0;
  for (const json &table : vectors["tables"])
    for (const auto &[name, format] : narrowFormats()) {
      if (table["format"] != name)
        continue;
      ++checked;
      for (uint32_t code = 0; code != 256; ++code) {
        const float value = std::bit_cast<float>(widenToF32Bits(format, code));
        const json &wanted = table["values"][code];
        if (wanted == "nan")
          EXPECT_TRUE(std::isnan(value)) << code;
        else if (wanted.is_string())
          EXPECT_EQ(value, wanted == "inf" ? INFINITY : -INFINITY) << code;
        else
          EXPECT_EQ(std::bit_cast<uint32_t>(value),
                    std::bit_cast<uint32_t>(wanted.get<float>()))
              << code;
      }
    }
  EXPECT_EQ(checked, 2u);
}

TEST(Rounding, StochasticRoundingMatchesEveryRow) {
  const json vectors = readVectors("bf16_stochastic");
  ASSERT_GT(vectors["cases"].size(), 50u);
  for (const json &row : vectors["cases"])
    EXPECT_EQ(roundToBF16Stochastic(std::bit_cast<float>(hex(row["in"])),
                                    row["random16"].get<uint16_t>()),
              hex(row["out"]))
        << row;
}

TEST(Rounding, StochasticRoundingKeepsInfAndNaN) {
  EXPECT_EQ(roundToBF16Stochastic(INFINITY, 0xffff), 0x7f80);
  EXPECT_EQ(roundToBF16Stochastic(-INFINITY, 0xffff), 0xff80);
  EXPECT_TRUE(std::isnan(
      valueOfBF16(roundToBF16Stochastic(std::bit_cast<float>(0x7f800001), 0))));
}

// 0x1.008p0 is halfway between two bf16 values: it goes up for half of all
// random numbers.
// Features: D10.
TEST(Rounding, StochasticRoundingIsUnbiasedAtAMidpoint) {
  uint32_t up = 0;
  for (uint32_t random = 0; random != 65536; ++random)
    up += roundToBF16Stochastic(0x1.01p0F, static_cast<uint16_t>(random)) ==
          0x3f81;
  EXPECT_EQ(up, 32768u);
}

TEST(Rounding, IsUsableInConstantExpressions) {
  static_assert(roundToF16(65519.0F) == 0x7bff);
  static_assert(roundToF16(65520.0F) == 0x7c00);
  static_assert(roundToBF16(1.0F) == 0x3f80);
  static_assert(roundToE4M3FN(464.0F) == 0x7e);
  static_assert(roundToE4M3FN(465.0F) == 0x7f);
  static_assert(roundToE5M2(61440.0F) == 0x7c);
  static_assert(valueOfF16(1) == 0x1p-24F);
  static_assert(valueOfBF16(0x3f80) == 1.0F);
  static_assert(valueOfE4M3FN(0x7e) == 448.0F);
  static_assert(valueOfE5M2(0x7b) == 57344.0F);
  static_assert(roundToF32(0.1) == static_cast<double>(0.1F));
}

/// A step through all patterns that meets every exponent, with both ends of
/// every significand bit (a prime, so that low bits vary).
constexpr uint32_t kStride = 1021;

TEST(Rounding, F64ToF32MatchesTheCompiler) {
  for (uint64_t base = 0; base < uint64_t{1} << 32; base += kStride) {
    const auto f32 = std::bit_cast<float>(static_cast<uint32_t>(base));
    if (std::isnan(f32))
      continue;
    const uint64_t wide = std::bit_cast<uint64_t>(static_cast<double>(f32));
    for (uint64_t tail : {0x0ULL, 0x1ULL, 0xfffffffULL, 0x10000000ULL,
                          0x10000001ULL, 0x1fffffffULL}) {
      const auto value = std::bit_cast<double>(wide | tail);
      if (std::isnan(value))
        continue;
      const double expected = static_cast<float>(value);
      ASSERT_EQ(std::bit_cast<uint64_t>(roundToF32(value)),
                std::bit_cast<uint64_t>(expected))
          << value;
    }
  }
  EXPECT_EQ(roundToF32(std::numeric_limits<double>::denorm_min()), 0.0);
  EXPECT_TRUE(std::isnan(roundToF32(NAN)));
  // f64 values among f32's subnormals
  for (double value = 0x1.23456789abcdep-120; value > 0x1p-155; value *= 0.71)
    EXPECT_EQ(roundToF32(value), static_cast<double>(static_cast<float>(value)))
        << value;
}

#if defined(__x86_64__)
__attribute__((target("f16c"))) uint16_t cpuRound(float value) {
  return static_cast<uint16_t>(
      _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

TEST(Rounding, F16MatchesTheCpu) {
  if (!__builtin_cpu_supports("f16c"))
    GTEST_SKIP() << "the CPU has no F16C";
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += kStride) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(roundToF16(value), cpuRound(value)) << std::hexfloat << value;
    }
  }
  for (uint32_t code = 0; code != 65536; ++code) // around every tie
    for (uint32_t low : {0x0fffU, 0x1000U, 0x1001U}) {
      const uint32_t bits =
          widenToF32Bits(kFormatF16, code) + (code % 2 != 0 ? low : low - 1);
      const auto value = std::bit_cast<float>(bits);
      if (!std::isnan(value)) {
        ASSERT_EQ(roundToF16(value), cpuRound(value)) << std::hexfloat << value;
      }
    }
}
#endif

} // namespace
} // namespace mpc::rt
