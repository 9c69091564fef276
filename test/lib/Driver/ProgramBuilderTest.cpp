// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of tensors as the runtime has them.
#include "lib/Driver/ProgramBuilder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mpc;

namespace {

class DescribeTensor : public testing::Test {
protected:
  rt::Result<rt::TensorDesc> describe(mlir::Type element) {
    return describeTensor("x", mlir::RankedTensorType::get({2, 3}, element));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::Builder b{&context};
};

TEST_F(DescribeTensor, KnowsWhatTheRuntimeHas) {
  std::pair<mlir::Type, rt::DType> known[] = {
      {b.getF64Type(), rt::DType::F64},
      {b.getF32Type(), rt::DType::F32},
      {b.getF16Type(), rt::DType::F16},
      {b.getBF16Type(), rt::DType::BF16},
      {b.getI64Type(), rt::DType::I64},
      {b.getI32Type(), rt::DType::I32},
      {b.getIntegerType(16), rt::DType::I16},
      {b.getI8Type(), rt::DType::I8},
      {b.getIntegerType(64, false), rt::DType::U64},
      {b.getIntegerType(32, false), rt::DType::U32},
      {b.getIntegerType(16, false), rt::DType::U16},
      {b.getIntegerType(8, false), rt::DType::U8},
      {b.getI1Type(), rt::DType::Bool}};
  for (auto [type, dtype] : known) {
    auto desc = describe(type);
    ASSERT_TRUE(desc.ok()) << desc.status().message();
    EXPECT_EQ(desc->dtype, dtype);
    EXPECT_EQ(desc->shape, (std::vector<int64_t>{2, 3}));
  }
}

TEST_F(DescribeTensor, RefusesOtherTypesByName) {
  EXPECT_EQ(describe(mlir::Float8E4M3FNType::get(&context)).status().message(),
            "tensor 'x' is tensor<2x3xf8E4M3FN>, whose elements the runtime "
            "does not have");
  EXPECT_FALSE(describe(mlir::Float8E5M2Type::get(&context)).ok());
  EXPECT_FALSE(describe(b.getIntegerType(4)).ok());
  EXPECT_FALSE(describe(b.getIntegerType(4, false)).ok());
}

} // namespace
