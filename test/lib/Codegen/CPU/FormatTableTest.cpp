// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's table of float formats says what LLVM's says: the compiler
// rounds constants, saturates and checks epsilons by that one.
#include "runtime/Support/FloatFormat.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringMap.h"
#include "gtest/gtest.h"

using llvm::APFloat;
using mpc::rt::FloatFormat;
using mpc::rt::kFloatFormats;

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

TEST(FormatTable, IsThatOfLLVM) {
  const llvm::StringMap<const llvm::fltSemantics *> semantics = {
      {"f64", &APFloat::IEEEdouble()},  {"f32", &APFloat::IEEEsingle()},
      {"f16", &APFloat::IEEEhalf()},    {"bf16", &APFloat::BFloat()},
      {"e5m2", &APFloat::Float8E5M2()}, {"e4m3fn", &APFloat::Float8E4M3FN()}};
  ASSERT_EQ(semantics.size(), kFloatFormats.size());
  for (const FloatFormat &format : kFloatFormats) {
    const llvm::fltSemantics &other = *semantics.lookup(format.name);
    EXPECT_EQ(APFloat::getSizeInBits(other), unsigned(format.width()));
    EXPECT_EQ(APFloat::semanticsPrecision(other),
              unsigned(format.mantissaBits + 1));
    EXPECT_EQ(APFloat::semanticsMinExponent(other), 1 - format.bias);
    EXPECT_EQ(APFloat::semanticsHasInf(other), format.hasInfinity);
    EXPECT_EQ(toDouble(APFloat::getLargest(other)), format.largest());
    EXPECT_EQ(toDouble(APFloat::getSmallestNormalized(other)),
              format.smallestNormal());
    EXPECT_EQ(APFloat::getNaN(other).bitcastToAPInt().getZExtValue() &
                  (format.signBit() - 1),
              format.nanCode());
  }
}
