// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What proofs of kernels give and how they compare; numbers by hand.
#include "benchmarks/gpu/KernelValues.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace mpc::gpu;
using mpc::rt::DType;

namespace {

std::optional<Difference> find(const std::vector<float> &expected,
                               const std::vector<float> &got,
                               Agreement wanted) {
  return findDifference(DType::F32, std::as_bytes(std::span(expected)),
                        std::as_bytes(std::span(got)), wanted);
}

// Of 40 MB, which several threads look at: two that differ, far apart.
TEST(KernelValues, TheFirstOfAllDifferencesIsToldAndTheirNumber) {
  std::vector<float> expected(10'000'003, 1.0F), got = expected;
  got[9'999'999] = 2.0F;
  got[5'000'001] = 3.0F;
  auto found = find(expected, got, Agreement::Bits);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->element, 5'000'001U);
  EXPECT_EQ(found->count, 2U);
  EXPECT_EQ(found->expected, "1 (0x3f800000)");
  EXPECT_EQ(found->got, "3 (0x40400000)");
  got = expected;
  EXPECT_FALSE(find(expected, got, Agreement::Bits));
  got.back() = -1.0F;
  EXPECT_EQ(find(expected, got, Agreement::Bits)->element, 10'000'002U);
}

TEST(KernelValues, OneNaNIsAsGoodAsAnotherAndAZeroHasASign) {
  float other = std::bit_cast<float>(0xffc00001U);
  EXPECT_FALSE(find({NAN, 1}, {other, 1}, Agreement::Bits));
  EXPECT_TRUE(find({NAN}, {1}, Agreement::Close));
  EXPECT_TRUE(find({0.0F}, {-0.0F}, Agreement::Bits));
  EXPECT_FALSE(find({0.0F}, {-0.0F}, Agreement::Value));
  EXPECT_TRUE(find({1.0F}, {1.0000001F}, Agreement::Value));
}

// 2^-12 of the larger value, or of what is usual in the tensor.
TEST(KernelValues, SumsInAnotherOrderAreClose) {
  EXPECT_FALSE(find({1.0F}, {1.0002F}, Agreement::Close));
  EXPECT_TRUE(find({1.0F}, {1.0003F}, Agreement::Close));
  EXPECT_FALSE(find({4.0F, 1e-5F}, {4.0F, -1e-5F}, Agreement::Close));
  EXPECT_TRUE(find({4.0F, 1e-2F}, {4.0F, 0.0F}, Agreement::Close));
  EXPECT_TRUE(find({HUGE_VALF}, {1.0F}, Agreement::Close));
}

TEST(KernelValues, FillingsAreSmallWholeNumbers) {
  auto numbers = [](int round, uint64_t elements) {
    std::vector<std::byte> bytes =
        smallIntegers({DType::F32, elements, 3, round, 2});
    std::vector<float> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  for (int round : {0, 1})
    for (float value : numbers(round, 1000)) {
      EXPECT_EQ(value, std::round(value));
      EXPECT_LE(std::abs(value), 4);
      EXPECT_TRUE(round == 1 || value >= 0);
    }
  EXPECT_GT(numbers(0, 1).front(), 0); // A scale.
  EXPECT_EQ(numbers(0, 2 * kPeriod).size(), kPeriod);
  std::vector<std::byte> tokens = smallIntegers({DType::I64, 1000, 1, 0, 7});
  for (size_t i = 0; i < 1000; ++i) {
    int64_t token = 0;
    std::memcpy(&token, &tokens[8 * i], 8);
    EXPECT_TRUE(token >= 0 && token < 7);
  }
  for (int round : {0, 1})
    EXPECT_EQ(smallIntegers({DType::Bool, 1, 1, round, 2}).front(),
              std::byte(round));
}

} // namespace
