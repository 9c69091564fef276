// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights that their 16-bit copies cannot hold are told of, once.
#include "runtime/Train/WeightCopies.h"

#include "test/runtime/TestProgram.h"

#include <gtest/gtest.h>
#include <limits>

namespace mpc::rt {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

class WeightCopies : public testing::Test {
protected:
  void set(const char *name, DType dtype, const void *data) {
    ASSERT_TRUE(runner_->writeState({{name, dtype, {3}}, data}).ok());
  }

  /// The warnings, one behind the other.
  std::string look(const std::vector<float> &weights,
                   const std::vector<uint16_t> &copies) {
    set("w", DType::F32, weights.data());
    set("w/f16", DType::F16, copies.data());
    told_.clear();
    watch_.look(*runner_);
    return told_;
  }

  std::unique_ptr<Runner> runner_ =
      *Runner::create(test::makeTestProgram(), {1});
  std::string told_;
  SaturationWatch watch_{[this](std::string_view text) { told_ += text; }};
};

TEST_F(WeightCopies, WhatSaturatesIsToldOnce) {
  const std::vector<uint16_t> largest = {0x7bff, 0xfbff, 0x3c00};
  EXPECT_EQ(look({65504, -65504, 1}, largest), "");
  EXPECT_EQ(look({65505, -1e30f, 1}, largest),
            "weight 'w': 2 of 3 elements are beyond 65504, the largest f16, "
            "and are computed as that number; --weight-cast=round makes them "
            "infinite");
  EXPECT_EQ(look({65505, -1e30f, 1e30f}, largest), "");
}

// The step tells of what is infinite itself.
TEST_F(WeightCopies, WhatIsInfiniteIsNoSaturation) {
  EXPECT_EQ(look({kInf, 70000, 1}, {0x7bff, 0x7c00, 0x3c00}), "");
  EXPECT_EQ(look({std::numeric_limits<float>::quiet_NaN(), 1, 1},
                 {0x7e00, 0x3c00, 0x3c00}),
            "");
}

} // namespace
} // namespace mpc::rt
