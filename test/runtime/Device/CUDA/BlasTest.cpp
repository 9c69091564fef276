// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of products against the real cuBLASLt, where one is installed:
// these calls need no GPU. What a description says is read back by functions of
// the library that mpc does not use itself.
#include "runtime/Device/CUDA/Product.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace mpc::rt::cuda {
namespace {

/// Of cublasLtMatmulDescAttributes_t and cublasLtMatrixLayoutAttribute_t those
/// that mpc gives as arguments.
constexpr int kComputeType = 0, kScaleType = 1, kType = 0, kRows = 2,
              kColumns = 3, kLeading = 4;

class BlasTest : public ::testing::Test {
protected:
  void SetUp() override {
    ::unsetenv("MPC_CUBLASLT");
    auto library = CublasLt::open();
    if (!library.ok())
      GTEST_SKIP() << library.status().message();
    library_ = *library;
    auto opened = Library::open({library_->name()});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    ASSERT_TRUE(
        opened->find("cublasLtMatmulDescGetAttribute", getOfProduct_).ok());
    ASSERT_TRUE(
        opened->find("cublasLtMatrixLayoutGetAttribute", getOfLayout_).ok());
  }

  template <typename T>
  T of(const ProductPlan &plan, int attribute) {
    T value{};
    size_t written = 0;
    EXPECT_EQ(getOfProduct_(plan.description(), attribute, &value,
                            sizeof(value), &written),
              0);
    EXPECT_EQ(written, sizeof(value));
    return value;
  }
  template <typename T>
  T of(BlasLayoutHandle layout, int attribute) {
    T value{};
    size_t written = 0;
    EXPECT_EQ(getOfLayout_(layout, attribute, &value, sizeof(value), &written),
              0);
    EXPECT_EQ(written, sizeof(value));
    return value;
  }
  void expectLayout(BlasLayoutHandle layout, int type, uint64_t rows,
                    uint64_t columns, const MatrixLayout &matrix,
                    int32_t batch) {
    EXPECT_EQ(of<int32_t>(layout, kType), type);
    EXPECT_EQ(of<uint64_t>(layout, kRows), rows);
    EXPECT_EQ(of<uint64_t>(layout, kColumns), columns);
    EXPECT_EQ(of<int64_t>(layout, kLeading), matrix.leading);
    EXPECT_EQ(of<int32_t>(layout, 5), batch);
    EXPECT_EQ(of<int64_t>(layout, 6), matrix.batchStride);
  }

  std::shared_ptr<const CublasLt> library_;
  BlasCode (*getOfProduct_)(BlasProductHandle, int, void *, size_t,
                            size_t *) = nullptr;
  BlasCode (*getOfLayout_)(BlasLayoutHandle, int, void *, size_t,
                           size_t *) = nullptr;
};

TEST_F(BlasTest, TheLibraryTakesADescriptionAsItIsMeant) {
  MatrixProduct p{768, 512, 96, 3, {}, {}, {}};
  p.a = {DType::F16, true, 104, 80000};
  p.b = {DType::F16, false, 96, 0};
  p.d = {DType::F32, false, 776, 500000};
  auto plan = ProductPlan::create(library_, p, {0x1000, 0x2000, 0x3000});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(of<int32_t>(*plan, kComputeType), 68);
  EXPECT_EQ(of<int32_t>(*plan, kScaleType), 0);
  EXPECT_EQ(of<int32_t>(*plan, 3), 1) << "a is transposed";
  EXPECT_EQ(of<int32_t>(*plan, 4), 0);
  EXPECT_EQ(of<int32_t>(*plan, 7), 1) << "no epilogue";
  expectLayout(plan->layoutOfA(), 2, 96, 768, p.a, 3);
  expectLayout(plan->layoutOfB(), 2, 96, 512, p.b, 3);
  expectLayout(plan->layoutOfD(), 0, 768, 512, p.d, 3);
}

TEST_F(BlasTest, TheLibraryTakesEpiloguesAsTheyAreMeant) {
  MatrixProduct p{64, 32, 16, 1, {}, {}, {}};
  p.a = {DType::BF16, false, 64, 0};
  p.b = {DType::BF16, true, 32, 0};
  p.d = {DType::BF16, false, 64, 0};
  p.hasBias = true;
  ProductAddresses addresses{0x1000, 0x2000, 0x3000, 0x4000, 0x5000};
  auto plan = ProductPlan::create(library_, p, addresses);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(of<int32_t>(*plan, 7), 4) << "CUBLASLT_EPILOGUE_BIAS";
  EXPECT_EQ(of<uint64_t>(*plan, 8), 0x4000);
  p.input = {DType::BF16, false, 72, 5000};
  plan = ProductPlan::create(library_, p, addresses);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(of<int32_t>(*plan, 7), 164) << "CUBLASLT_EPILOGUE_GELU_AUX_BIAS";
  EXPECT_EQ(of<uint64_t>(*plan, 11), 0x5000);
  EXPECT_EQ(of<int64_t>(*plan, 12), 72);
  EXPECT_EQ(of<int64_t>(*plan, 13), 5000);
  p.hasBias = false;
  plan = ProductPlan::create(library_, p, addresses);
  EXPECT_EQ(of<int32_t>(*plan, 7), 160) << "CUBLASLT_EPILOGUE_GELU_AUX";
  p.isGradient = true;
  plan = ProductPlan::create(library_, p, addresses);
  EXPECT_EQ(of<int32_t>(*plan, 7), 192) << "CUBLASLT_EPILOGUE_DGELU";
}

} // namespace
} // namespace mpc::rt::cuda
