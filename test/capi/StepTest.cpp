// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps, parts of steps and evaluations, in their order.
#include "test/capi/CAPITest.h"
#include "test/capi/MeasuredProgram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mpc::test {
namespace {

TEST(CAPIStep, TellsWhatItCameTo) {
  Trained t;
  t.bind();
  MpcStepResult result = t.step();
  EXPECT_EQ(result.step, 0);
  EXPECT_EQ(result.scale, 8);
  EXPECT_EQ(result.gradNorm, std::sqrt(12.0)); // three gradients of -2
  EXPECT_EQ(result.goodSteps, 1);
  EXPECT_EQ(result.skipped + result.foundInf + result.scaleError, 0);
  t.x[0] = std::numeric_limits<float>::infinity();
  std::vector<float> before = t.weights();
  result = t.step();
  EXPECT_EQ(result.step, 1);
  EXPECT_EQ(result.skipped, 1);
  EXPECT_EQ(result.foundInf, 1);
  EXPECT_EQ(t.weights(), before);
  EXPECT_EQ(t.number("scale"), 4);
  MpcProgress progress = {};
  progress.structSize = sizeof progress;
  EXPECT_SUCCESS(mpcRunnerGetProgress(t.runner, &progress));
  EXPECT_EQ(progress.steps, 2);
  EXPECT_EQ(progress.applied, 1);
  EXPECT_EQ(progress.skippedInRow, 1);
  // What it came to is the caller's choice to hear.
  EXPECT_SUCCESS(mpcRunnerStep(t.runner, nullptr));
}

TEST(CAPIStep, NeedsAllOfItsInputs) {
  Trained t;
  MpcStepResult result = {};
  result.structSize = sizeof result;
  EXPECT_FAILURE(mpcRunnerStep(t.runner, &result), MPC_ERROR_USAGE,
                 "entry 'step': input 'x' is not bound");
  t.bind();
  EXPECT_SUCCESS(mpcRunnerUnbindInput(t.runner, "target"));
  EXPECT_FAILURE(mpcRunnerStep(t.runner, &result), MPC_ERROR_USAGE,
                 "entry 'step': input 'target' is not bound");
  result.structSize = 8;
  EXPECT_EQ(outcomeOf(mpcRunnerStep(t.runner, &result)).code, MPC_ERROR_USAGE);
  EXPECT_EQ(t.number("counter"), 0);
}

TEST(CAPIStep, PartsOfAStepComeInTheirOrder) {
  Trained t(makeWindowProgram(2));
  t.bind();
  MpcProgramInfo info = {};
  info.structSize = sizeof info;
  EXPECT_SUCCESS(mpcProgramGetInfo(t.program, &info));
  EXPECT_EQ(info.batchesPerStep, 2);
  EXPECT_FAILURE(mpcRunnerStep(t.runner, nullptr), MPC_ERROR_USAGE,
                 "a step has 2 batches: accumulate each, then apply");
  EXPECT_FAILURE(mpcRunnerApply(t.runner, nullptr), MPC_ERROR_USAGE,
                 "the step has 0 of its 2 batches");
  double loss = 0;
  EXPECT_SUCCESS(mpcRunnerAccumulate(t.runner, &loss));
  EXPECT_EQ(loss, 1);
  EXPECT_FAILURE(mpcRunnerApply(t.runner, nullptr), MPC_ERROR_USAGE,
                 "the step has 1 of its 2 batches");
  t.target.fill(2);
  EXPECT_SUCCESS(mpcRunnerAccumulate(t.runner, &loss));
  EXPECT_EQ(loss, 4);
  EXPECT_FAILURE(mpcRunnerAccumulate(t.runner, &loss), MPC_ERROR_USAGE,
                 "the step has all of its 2 batches: apply it first");
  MpcStepResult result = {};
  result.structSize = sizeof result;
  EXPECT_SUCCESS(mpcRunnerApply(t.runner, &result));
  EXPECT_EQ(result.loss, 2.5);
  // Gradients of -2 and -4, at a rate of 1/8.
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, 0.75f));
  EXPECT_FAILURE(mpcRunnerApply(t.runner, nullptr), MPC_ERROR_USAGE,
                 "the step has 0 of its 2 batches");
}

TEST(CAPIStep, AStepOfOneBatchHasNoParts) {
  Trained t;
  t.bind();
  EXPECT_FAILURE(mpcRunnerAccumulate(t.runner, nullptr), MPC_ERROR_USAGE,
                 "the program has no entries 'accumulate' and 'apply': its "
                 "step is one batch");
  EXPECT_FAILURE(mpcRunnerApply(t.runner, nullptr), MPC_ERROR_USAGE,
                 "the step has 0 of its 1 batches");
  std::shared_ptr<rt::Program> program = makeProgram();
  program->entries.erase(program->entries.begin() + 1);
  Trained evaluated(program);
  for (auto run : {mpcRunnerStep, mpcRunnerApply})
    EXPECT_FAILURE(run(evaluated.runner, nullptr), MPC_ERROR_USAGE,
                   "the program has no training step");
  EXPECT_FAILURE(mpcRunnerAccumulate(evaluated.runner, nullptr),
                 MPC_ERROR_USAGE, "the program has no training step");
  program->entries.clear();
  Trained empty(program);
  EXPECT_FAILURE(mpcRunnerEvaluate(empty.runner), MPC_ERROR_USAGE,
                 "the program has no entry 'eval'");
}

TEST(CAPIStep, AnEvaluationLeavesTheState) {
  Trained t;
  t.bind();
  t.step();
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "label", t.labelView));
  t.label = {0, 1, 2, 0};
  t.x[4] = 6;
  EXPECT_SUCCESS(mpcRunnerEvaluate(t.runner));
  double picked[kBatch];
  EXPECT_SUCCESS(mpcRunnerReadOutput(t.runner, "picked",
                                     View(picked, kF64Type, {kBatch})));
  EXPECT_EQ(picked[0], 0.25);
  EXPECT_EQ(picked[1], 1.5);
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, 0.25f));
  EXPECT_EQ(t.number("counter"), 1);
}

double metric(MpcRunner *runner, size_t index, const char *wanted) {
  const char *name = nullptr;
  double value = 0;
  EXPECT_SUCCESS(mpcRunnerGetMetric(runner, index, &name, &value));
  EXPECT_STREQ(name, wanted);
  return value;
}

TEST(CAPIStep, MetricsCountEachRowOnce) {
  Trained t(makeMeasuredProgram());
  t.bind();
  size_t count = 0;
  EXPECT_SUCCESS(mpcRunnerGetNumMetrics(t.runner, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_TRUE(std::isnan(metric(t.runner, 0, "loss")));
  t.target = {-1, -2, -3, -4};
  EXPECT_SUCCESS(mpcRunnerMeasure(t.runner, 0));
  t.target = {-6, -7, -100, -100};
  EXPECT_SUCCESS(mpcRunnerMeasure(t.runner, 2));
  EXPECT_EQ(metric(t.runner, 0, "loss"), 23.0 / 6);
  EXPECT_EQ(metric(t.runner, 1, "largest"), 4); // Of whole batches.
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, 0));
  EXPECT_SUCCESS(mpcRunnerResetMetrics(t.runner));
  EXPECT_SUCCESS(mpcRunnerMeasure(t.runner, 1));
  EXPECT_EQ(metric(t.runner, 0, "loss"), 6);
  EXPECT_TRUE(std::isnan(metric(t.runner, 1, "largest")));
  EXPECT_FAILURE(mpcRunnerMeasure(t.runner, 5), MPC_ERROR_USAGE,
                 "5 rows: expected 0 to 4, the rows of a batch");
  EXPECT_FAILURE(mpcRunnerMeasure(t.runner, -1), MPC_ERROR_USAGE,
                 "-1 rows: expected 0 to 4, the rows of a batch");
  EXPECT_FAILURE(mpcRunnerGetMetric(t.runner, 2, nullptr, nullptr),
                 MPC_ERROR_USAGE, "metric 2 of 2");
  Trained without;
  EXPECT_FAILURE(mpcRunnerMeasure(without.runner, 0), MPC_ERROR_USAGE,
                 "the program has no entry 'measure': compile it with "
                 "--with-eval");
}

TEST(CAPIStep, OutputsAreThoseOfTheLastRun) {
  Trained t;
  double value = -1;
  EXPECT_FAILURE(mpcRunnerReadScalar(t.runner, "loss", &value), MPC_ERROR_USAGE,
                 "the last run has no output 'loss'");
  t.bind();
  t.step();
  EXPECT_SUCCESS(mpcRunnerReadScalar(t.runner, "loss", &value));
  EXPECT_EQ(value, 1);
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "label", t.labelView));
  EXPECT_SUCCESS(mpcRunnerEvaluate(t.runner));
  EXPECT_FAILURE(mpcRunnerReadScalar(t.runner, "loss", &value), MPC_ERROR_USAGE,
                 "the last run has no output 'loss'");
  EXPECT_FAILURE(mpcRunnerReadScalar(t.runner, "picked", &value),
                 MPC_ERROR_INVALID_INPUT,
                 "output 'picked' is f32[4], not a single number");
  float small[2];
  EXPECT_FAILURE(
      mpcRunnerReadOutput(t.runner, "picked", View(small, kF32Type, {2})),
      MPC_ERROR_INVALID_INPUT,
      "tensor 'picked' is f32[4], which cannot be copied to f32[2]");
  int64_t integers[kBatch];
  EXPECT_FAILURE(mpcRunnerReadOutput(t.runner, "picked",
                                     View(integers, kI64Type, {kBatch})),
                 MPC_ERROR_INVALID_INPUT,
                 "tensor 'picked' is f32[4], which cannot be copied to i64[4]");
}

TEST(CAPIStep, OutputsAfterAnEvaluationAreThoseOfTheNextBatch) {
  Trained t(makeWindowProgram(2));
  t.bind();
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "label", t.labelView));
  EXPECT_SUCCESS(mpcRunnerEvaluate(t.runner));
  EXPECT_SUCCESS(mpcRunnerAccumulate(t.runner, nullptr));
  double value = -1;
  EXPECT_SUCCESS(mpcRunnerReadScalar(t.runner, "loss", &value));
  EXPECT_EQ(value, 1);
  EXPECT_FAILURE(mpcRunnerReadScalar(t.runner, "picked", &value),
                 MPC_ERROR_USAGE, "the last run has no output 'picked'");
  EXPECT_SUCCESS(mpcRunnerAccumulate(t.runner, nullptr));
  EXPECT_SUCCESS(mpcRunnerEvaluate(t.runner));
  EXPECT_SUCCESS(mpcRunnerApply(t.runner, nullptr));
  EXPECT_SUCCESS(mpcRunnerReadScalar(t.runner, "scale", &value));
  EXPECT_EQ(value, 8);
}

} // namespace
} // namespace mpc::test
