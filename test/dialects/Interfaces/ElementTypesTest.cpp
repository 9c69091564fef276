// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of element formats against LLVM's own formats of the same types.
#include "dialects/Interfaces/ElementTypes.h"

#include "dialects/Interfaces/Precision.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mpc;

namespace {

TEST(ElementTypes, EachFormatIsOneTypeAndBack) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const rt::ElementFormat &format : rt::kElementFormats) {
    mlir::Type type = typeOf(&context, format);
    EXPECT_EQ(elementFormatOf(type), &format) << format.name;
    EXPECT_EQ(dtypeOf(type), format.dtype) << format.name;
    EXPECT_EQ(type.isUnsignedInteger(), format.kind == rt::NumberKind::Unsigned)
        << format.name;
  }
}

TEST(ElementTypes, FloatsAreThoseOfLLVM) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const rt::ElementFormat &format : rt::kElementFormats) {
    auto type = llvm::dyn_cast<mlir::FloatType>(typeOf(&context, format));
    if (!type)
      continue;
    const llvm::fltSemantics &known = type.getFloatSemantics();
    EXPECT_EQ(llvm::APFloat::semanticsPrecision(known),
              static_cast<unsigned>(format.precisionBits()))
        << format.name;
    EXPECT_EQ(llvm::APFloat::semanticsSizeInBits(known),
              static_cast<unsigned>(format.bits))
        << format.name;
    EXPECT_EQ(llvm::APFloat::getLargest(known).convertToDouble(),
              format.format->largest())
        << format.name;
    EXPECT_EQ(llvm::APFloat::getSmallestNormalized(known).convertToDouble(),
              format.format->smallestNormal())
        << format.name;
  }
}

// Autocast chooses among f32 and what is below it, where a program may have it.
TEST(ElementTypes, OfLowPrecisionAreTheTwoHalves) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string low;
  for (const rt::ElementFormat &format : rt::kElementFormats)
    if (isLowPrecision(typeOf(&context, format)))
      low += std::string(format.name) + " ";
  EXPECT_EQ(low, "f16 bf16 ");
}

TEST(ElementTypes, WhatTheTableHasNotIsNone) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EXPECT_EQ(elementFormatOf(mlir::IntegerType::get(&context, 4)), nullptr);
  EXPECT_EQ(elementFormatOf(mlir::IndexType::get(&context)), nullptr);
  EXPECT_EQ(elementFormatOf(mlir::IntegerType::get(&context, 32,
                                                   mlir::IntegerType::Signed)),
            nullptr);
  EXPECT_EQ(dtypeOf(mlir::Float8E5M2Type::get(&context)), std::nullopt);
}

} // namespace
