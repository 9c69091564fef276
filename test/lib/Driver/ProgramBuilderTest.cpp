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

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::Builder b_{&context_};
};

TEST_F(DescribeTensor, KnowsWhatTheRuntimeHas) {
  std::pair<mlir::Type, rt::DType> known[] = {
      {b_.getF64Type(), rt::DType::F64},
      {b_.getF32Type(), rt::DType::F32},
      {b_.getF16Type(), rt::DType::F16},
      {b_.getBF16Type(), rt::DType::BF16},
      {b_.getI64Type(), rt::DType::I64},
      {b_.getI32Type(), rt::DType::I32},
      {b_.getIntegerType(16), rt::DType::I16},
      {b_.getI8Type(), rt::DType::I8},
      {b_.getIntegerType(64, false), rt::DType::U64},
      {b_.getIntegerType(32, false), rt::DType::U32},
      {b_.getIntegerType(16, false), rt::DType::U16},
      {b_.getIntegerType(8, false), rt::DType::U8},
      {b_.getI1Type(), rt::DType::Bool}};
  for (auto [type, dtype] : known) {
    auto desc = describe(type);
    ASSERT_TRUE(desc.ok()) << desc.status().message();
    EXPECT_EQ(desc->dtype, dtype);
    EXPECT_EQ(desc->shape, (std::vector<int64_t>{2, 3}));
  }
}

TEST_F(DescribeTensor, RefusesOtherTypesByName) {
  EXPECT_EQ(describe(mlir::Float8E4M3FNType::get(&context_)).status().message(),
            "tensor 'x' is tensor<2x3xf8E4M3FN>, whose elements the runtime "
            "does not have");
  EXPECT_FALSE(describe(mlir::Float8E5M2Type::get(&context_)).ok());
  EXPECT_FALSE(describe(b_.getIntegerType(4)).ok());
  EXPECT_FALSE(describe(b_.getIntegerType(4, false)).ok());
}

} // namespace
