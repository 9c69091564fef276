// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of the state by name, and PyTorch's update(new_scale).
#include "runtime/Runner/Runner.h"

#include "test/runtime/TestProgram.h"

#include <gtest/gtest.h>
#include <limits>

namespace mpc::rt {
namespace {

/// The hand-written program with a hyper-parameter.
std::shared_ptr<Program> makeProgram() {
  auto program = test::makeTestProgram();
  program->slabs.push_back({"numbers", 64});
  program->state.push_back(
      {{"amp.hyper.beta1", DType::F64, {}}, StateRole::Hyperparameters, 4, 8});
  return program;
}

class Numbers : public testing::Test {
protected:
  void SetUp() override {
    auto made = Runner::create(makeProgram(), {1});
    ASSERT_TRUE(made.ok()) << made.status().message();
    runner_ = std::move(*made);
    ASSERT_TRUE(runner_->writeNumber("scale", 1024).ok());
    ASSERT_TRUE(runner_->derive().ok());
  }

  double read(std::string_view name) {
    auto number = runner_->readNumber(name);
    EXPECT_TRUE(number.ok()) << number.status().message();
    return number.ok() ? *number : -1;
  }

  /// A step, whose batch may hold an infinity.
  void step(bool finite = true) {
    std::vector<float> x(test::kBatch * test::kFeatures, 0.5f);
    if (!finite)
      x[0] = std::numeric_limits<float>::infinity();
    std::vector<float> target(test::kBatch, 1.0f);
    float lr = 0.1f, loss = 0, scale = 0;
    uint8_t found = 2;
    double norm = 0, good = 0;
    const void *inputs[] = {x.data(), target.data(), &lr};
    void *outputs[] = {&loss, &scale, &found, &norm, &good};
    ASSERT_TRUE(runner_->run("step", inputs, outputs).ok());
    ASSERT_EQ(found, !finite);
  }

  std::unique_ptr<Runner> runner_;
};

// Features: F11, J4.
TEST_F(Numbers, AreReadAndSetByName) {
  EXPECT_EQ(read("beta1"), 0);
  ASSERT_TRUE(runner_->writeNumber("beta1", 0.95).ok());
  EXPECT_EQ(read("beta1"), 0.95);
  EXPECT_EQ(read("amp.hyper.beta1"), 0.95);
  EXPECT_EQ(read("scale"), 1024);
  EXPECT_EQ(read("counter"), 0);
}

TEST_F(Numbers, AreRefusedByName) {
  auto missing = runner_->readNumber("beta3");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().message(), "the program has no number 'beta3'");
  Status status = runner_->writeNumber("w", 1);
  EXPECT_EQ(status.message(), "the program has no number 'w'");
  // What a scaler counts is its own.
  EXPECT_FALSE(runner_->writeNumber("counter", 3).ok());
  status = runner_->writeNumber("beta1", NAN);
  EXPECT_EQ(status.message(), "'beta1': expected a finite number, found nan");
  for (double bad : {0.0, -1.0, double(INFINITY), double(NAN), 1e-60, 1e60}) {
    EXPECT_FALSE(runner_->writeNumber("scale", bad).ok()) << bad;
    EXPECT_FALSE(runner_->updateScale(bad).ok()) << bad;
  }
  EXPECT_EQ(read("scale"), 1024);
}

TEST_F(Numbers, SettingTheScaleLeavesTheCounter) {
  step();
  step();
  ASSERT_TRUE(runner_->writeNumber("scale", 8).ok());
  EXPECT_EQ(read("scale"), 8);
  EXPECT_EQ(read("counter"), 2);
}

// Features: F10.
TEST_F(Numbers, UpdateTakesThePlaceOfTheStepsOwn) {
  step();
  step();
  EXPECT_EQ(read("counter"), 2);
  // Neither this finite step nor this overflow is seen by the policy.
  ASSERT_TRUE(runner_->updateScale(16).ok());
  EXPECT_EQ(read("counter"), 1);
  EXPECT_EQ(read("scale"), 16);
  step(/*finite=*/false);
  EXPECT_EQ(read("scale"), 8);
  EXPECT_EQ(read("counter"), 0);
  ASSERT_TRUE(runner_->updateScale(32).ok());
  EXPECT_EQ(read("scale"), 32);
  EXPECT_EQ(read("counter"), 1);
  // Without a step it sets the scale.
  ASSERT_TRUE(runner_->updateScale(64).ok());
  EXPECT_EQ(read("counter"), 1);
  step();
  EXPECT_EQ(read("scale"), 64);
  EXPECT_EQ(read("counter"), 2);
}

TEST_F(Numbers, UpdateAfterAWriteGoesBackToNoOlderState) {
  step();
  step();
  double state[] = {256, 7};
  ASSERT_TRUE(
      runner_->writeState({{"loss_scale", DType::F64, {2}}, state}).ok());
  ASSERT_TRUE(runner_->updateScale(128).ok());
  EXPECT_EQ(read("counter"), 7);
}

// Features: F10.
TEST_F(Numbers, UpdateAfterAnImportGoesBackToNoOlderState) {
  step();
  step();
  double state[] = {256, 7};
  auto tensors = runner_->exportState();
  ASSERT_TRUE(tensors.ok()) << tensors.status().message();
  for (TensorView &tensor : *tensors)
    if (tensor.desc.name == "loss_scale")
      tensor.data = state;
  ASSERT_TRUE(runner_->importState(*tensors).ok());
  ASSERT_TRUE(runner_->updateScale(128).ok());
  EXPECT_EQ(read("scale"), 128);
  EXPECT_EQ(read("counter"), 7);
}

// Features: J6.
TEST_F(Numbers, TheScaleIsThatOfTheLoss) {
  ASSERT_TRUE(runner_->updateScale(0.1).ok());
  EXPECT_EQ(read("scale"), double(0.1f));
}

TEST(NumbersOfNoScaler, SayWhatIsMissing) {
  auto program = makeProgram();
  std::erase_if(program->state, [](const StateTensor &tensor) {
    return tensor.role == StateRole::LossScale;
  });
  auto runner = Runner::create(program, {1});
  ASSERT_TRUE(runner.ok());
  for (const char *name : {"scale", "counter", "actor.scale"}) {
    auto missing = (*runner)->readNumber(name);
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.status().message(),
              "the program has no number '" + std::string(name) + "'");
  }
  Status status = (*runner)->updateScale(8);
  EXPECT_EQ(status.message(),
            "the program has no such loss scaler; of several, name one");
}

TEST(NumbersOfSeveralScalers, HaveTheirNames) {
  auto program = makeProgram();
  for (StateTensor &tensor : program->state)
    if (tensor.role == StateRole::LossScale)
      tensor.desc.name = "amp.loss_scale.actor";
  program->slabs.push_back({"other", 64});
  program->state.push_back(
      {{"amp.loss_scale.critic", DType::F64, {2}}, StateRole::LossScale, 5, 0});
  auto made = Runner::create(program, {1});
  ASSERT_TRUE(made.ok());
  Runner &runner = **made;
  ASSERT_TRUE(runner.writeNumber("critic.scale", 8).ok());
  ASSERT_TRUE(runner.updateScale(16, "actor").ok());
  EXPECT_EQ(*runner.readNumber("critic.scale"), 8);
  EXPECT_EQ(*runner.readNumber("actor.scale"), 16);
  EXPECT_EQ(*runner.readNumber("actor.counter"), 0);
  EXPECT_FALSE(runner.readNumber("scale").ok());
  EXPECT_FALSE(runner.writeNumber("scale", 4).ok());
  EXPECT_FALSE(runner.updateScale(4).ok());
  EXPECT_FALSE(runner.updateScale(4, "judge").ok());
}

} // namespace
} // namespace mpc::rt
