// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries run on inputs by name.
#include "runtime/Runner/EntryCall.h"

#include "test/runtime/TestProgram.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

class EntryCallTest : public testing::Test {
protected:
  EntryCallTest() : runner_(*Runner::create(test::makeTestProgram(), {1})) {
    EXPECT_TRUE(runner_->derive().ok());
  }

  const void *find(const TensorDesc &input) const {
    if (input.name == "x")
      return x_.data();
    return input.name == "target" ? target_.data() : &lr_;
  }

  std::unique_ptr<Runner> runner_;
  alignas(64) std::array<float, 12> x_{};
  alignas(64) std::array<float, 4> target_{2, 2, 2, 2};
  alignas(64) float lr_ = 0;
};

TEST_F(EntryCallTest, ReadsBoundInputsAnewEachRun) {
  const Entry &step = *runner_->program().findEntry(EntryRole::Step);
  auto call = EntryCall::bind(
      *runner_, step, [&](const TensorDesc &input) { return find(input); });
  ASSERT_TRUE(call.ok()) << call.status().message();
  // Weights are zeros: the loss is the mean square of the target.
  ASSERT_TRUE(call->run().ok());
  EXPECT_EQ(call->scalar("loss"), 4);
  target_.fill(3);
  ASSERT_TRUE(call->run().ok());
  EXPECT_EQ(call->scalar("loss"), 9);
  EXPECT_EQ(call->scalar("good_steps"), 2);
  EXPECT_EQ(call->scalar("none"), std::nullopt);
  ASSERT_EQ(call->outputs().size(), 5u);
  EXPECT_EQ(*static_cast<const float *>(call->outputs()[0].data), 9);
}

TEST_F(EntryCallTest, FillsMemoryOfItsOwn) {
  auto fill = [&](const TensorDesc &input, std::byte *data) {
    std::memcpy(data, find(input), input.numBytes());
    return Status();
  };
  auto call = EntryCall::fill(*runner_, "step", fill);
  ASSERT_TRUE(call.ok()) << call.status().message();
  target_.fill(0);
  EntryCall moved = *std::move(call);
  ASSERT_TRUE(moved.run().ok());
  EXPECT_EQ(moved.scalar("loss"), 4);
}

TEST_F(EntryCallTest, WhatIsMissingIsNamed) {
  const Entry &step = *runner_->program().findEntry(EntryRole::Step);
  auto call = EntryCall::bind(*runner_, step, [&](const TensorDesc &input) {
    return input.name == "lr" ? nullptr : find(input);
  });
  EXPECT_EQ(call.status().message(), "entry 'step': input 'lr' is unknown");
  auto refuse = [](const TensorDesc &input, std::byte *) {
    return invalidInput("no " + input.name);
  };
  EXPECT_EQ(EntryCall::fill(*runner_, "step", refuse).status().message(),
            "no x");
  EXPECT_EQ(EntryCall::fill(*runner_, "none", refuse).status().message(),
            "the program has no entry 'none'");
}

} // namespace
} // namespace mpc::rt
