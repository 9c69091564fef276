// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training counts its steps, and tells its observers of them in their order.
#include "runtime/Train/Training.h"

#include "test/runtime/TestProgram.h"

#include <gtest/gtest.h>
#include <string>

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

} // namespace
} // namespace mpc::rt
