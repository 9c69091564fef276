// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 16-bit floats against their definition in double, and which conversions are
// offered.
#include "runtime/Support/Convert.h"
#include "runtime/Support/Rounding.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

/// The value of a finite format's bits, from its definition.
double valueOf(uint32_t bits, int mantissaBits, int bias) {
  uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  int exponent = static_cast<int>(bits >> mantissaBits);
  if (exponent == 0)
    return std::ldexp(mantissa, 1 - bias - mantissaBits);
  return std::ldexp(mantissa + (1u << mantissaBits),
                    exponent - bias - mantissaBits);
}

TEST(Float16, WideningIsTheDefinition) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    double expected = valueOf(bits, 10, 15);
    ASSERT_EQ(valueOfF16(bits), expected);
    ASSERT_EQ(valueOfF16(bits | 0x8000), -expected);
  }
  EXPECT_EQ(valueOfF16(0x7c00), INFINITY);
  EXPECT_TRUE(std::isnan(valueOfF16(0x7e01)));
  for (uint32_t bits = 0; bits < 0x7f80; ++bits)
    ASSERT_EQ(valueOfBF16(bits), valueOf(bits, 7, 127));
}

/// Rounds at, just below and just above the midpoint of each pair of
/// neighbours.
template <typename Narrow>
void checkRounding(uint32_t limit, int mantissaBits, int bias, Narrow narrow) {
  for (uint32_t bits = 0; bits < limit; ++bits) {
    double low = valueOf(bits, mantissaBits, bias);
    double middle = (low + valueOf(bits + 1, mantissaBits, bias)) / 2;
    uint32_t even = bits % 2 ? bits + 1 : bits;
    ASSERT_EQ(narrow(low), bits);
    ASSERT_EQ(narrow(middle), even) << bits;
    ASSERT_EQ(narrow(std::nextafter(middle, 0)), bits) << bits;
    ASSERT_EQ(narrow(std::nextafter(middle, INFINITY)), bits + 1) << bits;
    ASSERT_EQ(narrow(-middle), even | 0x8000u);
  }
}

TEST(Float16, NarrowingFromF64RoundsOnce) {
  checkRounding(0x7c00, 10, 15,
                [](double x) { return uint32_t(roundToF16(x)); });
  checkRounding(0x7f80, 7, 127,
                [](double x) { return uint32_t(roundToBF16(x)); });
}

TEST(Float16, NarrowingFromF32RoundsToNearestEven) {
  // Where both neighbours are normal, f32 holds midpoints and what is next.
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    auto middle = static_cast<float>(
        (valueOf(bits, 10, 15) + valueOf(bits + 1, 10, 15)) / 2);
    uint32_t even = bits % 2 ? bits + 1 : bits;
    ASSERT_EQ(roundToF16(middle), even);
    ASSERT_EQ(roundToF16(std::nextafterf(middle, 0)), bits);
    ASSERT_EQ(roundToF16(std::nextafterf(middle, INFINITY)), bits + 1);
  }
  EXPECT_TRUE(std::isnan(valueOfF16(roundToF16(NAN))));
  EXPECT_TRUE(
      std::isnan(valueOfBF16(roundToBF16(std::bit_cast<float>(0x7f800001)))));
  EXPECT_EQ(roundToF16(1e30f), 0x7c00);
}

TEST(Convert, OffersWhatIsSafe) {
  EXPECT_EQ(conversion(DType::U8, DType::F32), Conversion::Exact);
  EXPECT_EQ(conversion(DType::BF16, DType::F32), Conversion::Exact);
  EXPECT_EQ(conversion(DType::I32, DType::I64), Conversion::Exact);
  EXPECT_EQ(conversion(DType::Bool, DType::U8), Conversion::Exact);
  EXPECT_EQ(conversion(DType::I64, DType::I32), Conversion::Checked);
  EXPECT_EQ(conversion(DType::I8, DType::U8), Conversion::Checked);
  EXPECT_EQ(conversion(DType::U8, DType::I8), Conversion::Checked);
  EXPECT_EQ(conversion(DType::U16, DType::I32), Conversion::Exact);
  EXPECT_EQ(conversion(DType::U32, DType::I32), Conversion::Checked);
  EXPECT_EQ(conversion(DType::I8, DType::U64), Conversion::Checked);
  EXPECT_EQ(conversion(DType::U64, DType::F64), Conversion::Checked);
  EXPECT_EQ(conversion(DType::U8, DType::U64), Conversion::Exact);
  EXPECT_EQ(conversion(DType::I32, DType::F32), Conversion::Checked);
  EXPECT_EQ(conversion(DType::BF16, DType::F16), Conversion::Rounding);
  EXPECT_EQ(conversion(DType::F64, DType::F32), Conversion::Rounding);
  EXPECT_EQ(conversion(DType::F32, DType::I64), Conversion::None);
}

TEST(Convert, NamesTheFirstValueThatDoesNotFit) {
  int64_t source[] = {1, -5, int64_t(1) << 40};
  int32_t target[3] = {};
  EXPECT_EQ(convert(source, DType::I64, target, DType::I32, 3), 2);
  EXPECT_EQ(target[1], -5);
  int32_t odd[] = {1 << 24, (1 << 24) + 1};
  float floats[2];
  EXPECT_EQ(convert(odd, DType::I32, floats, DType::F32, 2), 1);
  EXPECT_EQ(floats[0], 16777216.0f);
}

TEST(Convert, IntegersOf64BitsWithoutASign) {
  uint64_t source[] = {7, uint64_t(1) << 63, UINT64_MAX};
  int64_t signedTarget[3] = {};
  EXPECT_EQ(convert(source, DType::U64, signedTarget, DType::I64, 3), 1);
  EXPECT_EQ(signedTarget[0], 7);
  double reals[3] = {};
  EXPECT_EQ(convert(source, DType::U64, reals, DType::F64, 3), 2);
  EXPECT_EQ(reals[1], 0x1p63);
  int64_t negative[] = {-1};
  EXPECT_EQ(convert(negative, DType::I64, source, DType::U64, 1), 0);
}

TEST(Convert, ReadsUnalignedElements) {
  alignas(8) char bytes[17] = {};
  double value = 0.1;
  std::memcpy(bytes + 1, &value, 8);
  float out = 0;
  EXPECT_EQ(convert(bytes + 1, DType::F64, &out, DType::F32, 1), std::nullopt);
  EXPECT_EQ(out, 0.1f);
}

} // namespace
} // namespace mpc::rt
