// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs for batches of several shapes: the one that is bound is the one that
// runs.
#include "runtime/Program/Link.h"
#include "test/capi/CAPITest.h"

namespace mpc::test {
namespace {

/// Steps for batches of four and of two.
std::shared_ptr<rt::Program> makeShapes() {
  auto small = rt::test::makeTestProgram<2>();
  auto whole = rt::test::makeTestProgram<kBatch>();
  for (const auto &program : {small, whole}) {
    auto &target = std::get<rt::CpuTarget>(program->target);
    target.cpu = rt::kHostLevel;
    target.machine = rt::cpuIdentity();
  }
  auto linked = rt::linkPrograms(std::vector{whole, small});
  EXPECT_TRUE(linked.ok()) << linked.status().message();
  return *linked;
}

struct Small {
  explicit Small(Trained &trained)
      : x(trained.x.data(), kF32Type, {2, kFeatures}),
        target(trained.target.data(), kF32Type, {2}) {}
  View x, target;
};

TEST(CAPIShapes, ABatchOfEachShapeIsAStep) {
  Trained t(makeShapes());
  Small small(t);
  t.bind();
  // The loss is the mean over the rows of a batch: here (0 - 1)^2.
  EXPECT_EQ(t.step().loss, 1);
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, 0.25f));
  // The rows behind a smaller batch take no part.
  t.target[2] = t.target[3] = 100;
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "x", small.x));
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "target", small.target));
  MpcStepResult result = t.step();
  EXPECT_EQ(result.loss, 0.0625); // (0.75 - 1)^2
  EXPECT_EQ(result.step, 1);
  // 0.9 * -2 + -0.5
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, 0.25f + 2.3f / 8));
  t.target.fill(1);
  t.bind();
  float error = 3 * (0.25f + 2.3f / 8) - 1;
  EXPECT_NEAR(t.step().loss, error * error, 2e-3); // Copies have 11 bits.
}

TEST(CAPIShapes, WhatNoneHasIsRefusedByTheSizesThatThereAre) {
  Trained t(makeShapes());
  Small small(t);
  EXPECT_FAILURE(mpcRunnerBindInput(t.runner, "x",
                                    View(t.x.data(), kF32Type, {3, kFeatures})),
                 MPC_ERROR_INVALID_INPUT,
                 "input 'x': expected f32[4x3] or f32[2x3], found f32[3x3]");
  t.bind();
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "x", small.x));
  EXPECT_FAILURE(
      mpcRunnerStep(t.runner, nullptr), MPC_ERROR_USAGE,
      "the bound tensors are not a batch of the program: found target 4, "
      "x 2x3, expected x f32[4x3], target f32[4] or x f32[2x3], "
      "target f32[2]");
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, 0));
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "target", small.target));
  t.step();
  // Both shapes of a name are unbound.
  EXPECT_SUCCESS(mpcRunnerUnbindInput(t.runner, "x"));
  EXPECT_FAILURE(mpcRunnerStep(t.runner, nullptr), MPC_ERROR_USAGE,
                 "entry 'step.2': input 'x' is not bound");
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "target", t.targetView));
  EXPECT_FAILURE(mpcRunnerStep(t.runner, nullptr), MPC_ERROR_USAGE,
                 "entry 'step': input 'x' is not bound");
}

TEST(CAPIShapes, AProgramShowsTheEntriesOfEach) {
  Trained t(makeShapes());
  size_t entry = 0;
  EXPECT_SUCCESS(mpcProgramFindEntry(t.program, "step.2", &entry));
  MpcEntryInfo info = {};
  info.structSize = sizeof info;
  EXPECT_SUCCESS(mpcProgramGetEntry(t.program, entry, &info));
  EXPECT_EQ(info.role, MPC_ENTRY_STEP);
  MpcTensorInfo tensor = {};
  tensor.structSize = sizeof tensor;
  EXPECT_SUCCESS(mpcProgramGetInput(t.program, entry, 0, &tensor));
  EXPECT_EQ(tensor.shape[0], 2);
}

/// Runs the second by the optimizer of the caller, which gets its gradient.
TEST(CAPIShapes, AWindowHasBatchesOfBothShapes) {
  auto window = makeWindowProgram(2);
  auto &target = std::get<rt::CpuTarget>(window->target);
  // The same program for two rows: its kernel adds to the gradient.
  auto small = std::make_shared<rt::Program>(*window);
  auto &inputs = small->entries[1].inputs;
  inputs[0].shape[0] = inputs[1].shape[0] = 2;
  auto addSmall = [](void *const *buffers, int64_t begin, int64_t end,
                     void *scratch) {
    float gradient[kFeatures];
    void *own[] = {buffers[0], buffers[1], buffers[2],
                   gradient,   buffers[4], buffers[5]};
    rt::test::forwardBackwardOf<2>(own, begin, end, scratch);
    for (int64_t f = 0; f < kFeatures; ++f)
      static_cast<float *>(buffers[3])[f] += gradient[f];
  };
  rt::Launch &launch = small->entries[1].launches[0];
  launch.command =
      rt::test::makeKernel(*small, addSmall, 1, launch.command->scratchBytes());
  EXPECT_GT(std::get<rt::CpuTarget>(small->target).image.size(),
            target.image.size());
  auto linked = rt::linkPrograms(std::vector{window, small});
  ASSERT_TRUE(linked.ok()) << linked.status().message();
  EXPECT_EQ((*linked)->findEntries(rt::EntryRole::Apply).size(), 1u);

  Trained t(*linked);
  Small rows(t);
  t.bind();
  double loss = 0;
  EXPECT_SUCCESS(mpcRunnerAccumulate(t.runner, &loss));
  EXPECT_EQ(loss, 1);
  t.target.fill(2);
  t.target[2] = t.target[3] = 100;
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "x", rows.x));
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "target", rows.target));
  EXPECT_SUCCESS(mpcRunnerAccumulate(t.runner, &loss));
  EXPECT_EQ(loss, 4);
  MpcStepResult result = {};
  result.structSize = sizeof result;
  EXPECT_SUCCESS(mpcRunnerApply(t.runner, &result));
  EXPECT_EQ(result.loss, 2.5);
  // Gradients of -2 and -4, at a rate of 1/8.
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, 0.75f));
}

} // namespace
} // namespace mpc::test
