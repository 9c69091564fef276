// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training counts its steps, and tells its observers of them in their order.
#include "runtime/Train/Training.h"

#include "test/runtime/TestProgram.h"

#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mpc::rt {
namespace {

/// Writes down what it is told.
class Listener : public TrainObserver {
public:
  Listener(std::string name, std::string &heard)
      : name_(std::move(name)), heard_(heard) {}

  Status beforeStep(Training & /*training*/) override { return hear("before"); }
  Status afterTry(Training & /*training*/, const StepOutcome &) override {
    return hear("try");
  }
  Status afterStep(Training &training, StepReport &report) override {
    report.row.others.emplace_back(1.0);
    return hear("after " + std::to_string(training.position().step) + " with " +
                std::to_string(report.row.others.size()));
  }
  Status beforeSave() override { return hear("unsaved"); }
  Status afterSave() override { return hear("saved"); }

  bool fails = false;

private:
  Status hear(const std::string &what) {
    heard_ += name_ + " " + what + "; ";
    return fails ? invalidInput(name_ + " fails") : Status();
  }

  std::string name_;
  std::string &heard_;
};

class Counting : public testing::Test {
protected:
  Counting() {
    training_.add(one_);
    training_.add(two_);
  }

  Status end(bool skipped) {
    StepReport report;
    report.outcome.skipped = skipped;
    return training_.end(report);
  }

  std::unique_ptr<Runner> runner_ =
      *Runner::create(test::makeTestProgram(), {1});
  std::string heard_;
  Listener one_{"one", heard_}, two_{"two", heard_};
  Training training_{*runner_};
};

TEST_F(Counting, StepsAreCountedByWhatCameOfThem) {
  for (bool skipped : {false, true, true})
    ASSERT_TRUE(end(skipped).ok());
  EXPECT_EQ(training_.position().step, 3);
  EXPECT_EQ(training_.position().applied, 1);
  EXPECT_EQ(training_.position().skippedInRow, 2);
  ASSERT_TRUE(end(false).ok());
  EXPECT_EQ(training_.position().skippedInRow, 0);
}

TEST_F(Counting, ObserversHearOfACountedStepInTheirOrder) {
  ASSERT_TRUE(training_.begin().ok());
  ASSERT_TRUE(training_.endTry({}).ok());
  ASSERT_TRUE(end(false).ok());
  EXPECT_EQ(heard_, "one before; two before; one try; two try; "
                    "one after 1 with 1; two after 1 with 2; ");
}

TEST_F(Counting, ASaveIsBetweenWhatMustOutliveItAndWhatFollowsIt) {
  ASSERT_TRUE(training_
                  .save([&]() -> Status {
                    heard_ += "save; ";
                    return {};
                  })
                  .ok());
  EXPECT_EQ(heard_, "one unsaved; two unsaved; save; one saved; two saved; ");
}

TEST_F(Counting, WhatFailsEndsTheStepForTheOthers) {
  one_.fails = true;
  EXPECT_EQ(end(true).message(), "one fails");
  EXPECT_EQ(heard_, "one after 1 with 1; ");
  EXPECT_EQ(training_.position().step, 1);
}

/// A caller who gives the two batches of a window one by one.
class ByBatch : public testing::Test {
protected:
  void SetUp() override {
    auto program = test::makeTestProgram();
    test::WindowEntries window(program->entries[1]);
    program->entries.push_back(window.accumulate);
    program->entries.push_back(window.apply);
    runner_ = *Runner::create(program, {1});
    training_.emplace(*runner_);
    training_->add(listener_);
    step_ = *StepRun::create(*runner_, 2);
    step_->calls()[0].setInput(0, x_.data());
    step_->calls()[0].setInput(1, target_.data());
    step_->calls()[1].setInput(0, &lr_);
  }

  Result<StepOutcome> end() {
    MPC_RETURN_IF_ERROR(step_->finish());
    return training_->end(*step_);
  }
  Result<StepOutcome> runWindow() {
    for (int batch = 0; batch < 2; ++batch)
      MPC_RETURN_IF_ERROR(training_->addBatch(*step_));
    return end();
  }

  std::vector<float> x_ = std::vector<float>(test::kBatch * test::kFeatures, 1);
  std::vector<float> target_ = std::vector<float>(test::kBatch, 2);
  float lr_ = 0.125;
  std::unique_ptr<Runner> runner_;
  std::string heard_;
  Listener listener_{"one", heard_};
  std::optional<Training> training_;
  std::optional<StepRun> step_;
};

TEST_F(ByBatch, TheFirstBatchOfAWindowBeginsTheStep) {
  ASSERT_TRUE(training_->addBatch(*step_).ok());
  EXPECT_EQ(heard_, "one before; ");
  ASSERT_TRUE(training_->addBatch(*step_).ok());
  EXPECT_EQ(heard_, "one before; ");
  EXPECT_EQ(training_->position().step, 0);
  ASSERT_TRUE(end().ok());
  EXPECT_EQ(heard_, "one before; one try; one after 1 with 1; ");
  ASSERT_TRUE(training_->addBatch(*step_).ok());
  EXPECT_EQ(heard_, "one before; one try; one after 1 with 1; one before; ");
}

TEST_F(ByBatch, AnOutcomeIsThatOfTheStepBeforeItIsCounted) {
  Result<StepOutcome> first = runWindow();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->step, 0);
  EXPECT_EQ(first->loss, 4); // The weights are 0.
  x_[0] = std::numeric_limits<float>::infinity();
  Result<StepOutcome> second = runWindow();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->step, 1);
  EXPECT_EQ(second->applied, 1);
  EXPECT_TRUE(second->skipped);
  EXPECT_EQ(training_->position().step, 2);
  EXPECT_EQ(training_->position().applied, 1);
  EXPECT_EQ(training_->position().skippedInRow, 1);
}

TEST_F(ByBatch, AFullWindowTakesNoMoreBatches) {
  for (int batch = 0; batch < 2; ++batch)
    ASSERT_TRUE(training_->addBatch(*step_).ok());
  EXPECT_EQ(training_->addBatch(*step_).message(),
            "the step has all of its 2 batches: apply it first");
  EXPECT_EQ(heard_, "one before; ");
  EXPECT_TRUE(end().ok());
}

TEST(Interval, EndsAtEveryMultiple) {
  EXPECT_TRUE(endsInterval(6, 3));
  EXPECT_FALSE(endsInterval(7, 3));
  EXPECT_FALSE(endsInterval(6, 0));
}

} // namespace
} // namespace mpc::rt
