// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizers that are functions of the caller's.
#include "test/capi/CAPITest.h"

#include <cmath>
#include <functional>
#include <limits>

namespace mpc::test {
namespace {

/// buffers: lr, gradient, scale state, outputs scale, found_inf, grad_norm,
/// good_steps, gradient. As rt::test::update but for the update itself.
void check(void *const *buffers, int64_t, int64_t, void *) {
  auto *gradient = static_cast<const float *>(buffers[1]);
  auto *scale = static_cast<double *>(buffers[2]); // scale, good steps
  double norm = 0;
  for (int64_t f = 0; f < kFeatures; ++f)
    norm += static_cast<double>(gradient[f]) * gradient[f];
  bool foundInf = !std::isfinite(norm);
  *static_cast<float *>(buffers[3]) = static_cast<float>(scale[0]);
  *static_cast<uint8_t *>(buffers[4]) = foundInf;
  *static_cast<double *>(buffers[5]) = std::sqrt(norm);
  scale[0] = foundInf ? scale[0] / 2 : scale[0];
  scale[1] = foundInf ? 0 : scale[1] + 1;
  *static_cast<double *>(buffers[6]) = scale[1];
  std::memcpy(buffers[7], gradient, kFeatures * sizeof(float));
}

/// A program that returns the gradient of its parameter and leaves it alone.
std::shared_ptr<rt::Program>
makeCallbackProgram(std::shared_ptr<rt::Program> program = makeProgram()) {
  using namespace rt;
  program->protocol.callerUpdates = {{"w", "grad.w"}};
  Entry &last = program->entries[program->protocol.accumulate > 1 ? 3 : 1];
  auto index = static_cast<uint32_t>(last.outputs.size());
  last.outputs.push_back({"grad.w", DType::F32, {kFeatures}});
  for (Launch &launch : last.launches) {
    if (launch.symbol != "update")
      continue;
    std::vector<BufferRef> old = launch.buffers;
    launch.command = rt::test::makeKernel(*program, check);
    launch.buffers = {old[0], old[3], old[4],  old[7],
                      old[8], old[9], old[10], {Space::Output, index, 0}};
  }
  return program;
}

/// w -= lr * gradient, and what it was told.
struct Descent {
  std::function<MpcError *(const MpcUpdate &)> then;
  MpcUpdate last = {};
  int calls = 0;

  static MpcError *run(void *context, const MpcUpdate *update) {
    auto *self = static_cast<Descent *>(context);
    self->last = *update;
    ++self->calls;
    auto *w = static_cast<float *>(update->parameters[0].data);
    auto *gradient = static_cast<const float *>(update->gradients[0].data);
    for (int64_t f = 0; f < kFeatures && !update->skipped; ++f)
      w[f] -= static_cast<float>(update->lr) * gradient[f];
    return self->then ? self->then(*update) : nullptr;
  }
};

class CAPIOptimizer : public testing::Test {
protected:
  MpcError *set(MpcRunner *runner, bool onSkipped = false) {
    MpcOptimizer optimizer = {sizeof optimizer, Descent::run, &descent_,
                              onSkipped};
    return mpcRunnerSetOptimizer(runner, &optimizer);
  }
  void overflow() { trained_.x[0] = std::numeric_limits<float>::infinity(); }

  Trained trained_{makeCallbackProgram()};
  Descent descent_;
};

TEST_F(CAPIOptimizer, UpdatesWhatTheNextStepReads) {
  EXPECT_SUCCESS(set(trained_.runner));
  trained_.bind();
  MpcStepResult first = trained_.step();
  // A gradient of -2 for each weight, at a rate of 1/8.
  EXPECT_EQ(trained_.weights(), std::vector<float>(kFeatures, 0.25f));
  EXPECT_EQ(descent_.last.numParameters, 1u);
  EXPECT_STREQ(descent_.last.names[0], "w");
  EXPECT_EQ(descent_.last.parameters[0].ndim, 1);
  EXPECT_EQ(descent_.last.parameters[0].shape[0], kFeatures);
  EXPECT_EQ(descent_.last.lr, 0.125);
  EXPECT_EQ(descent_.last.scale, 8);
  EXPECT_EQ(descent_.last.gradNorm, first.gradNorm);
  // The 16-bit copy, of which the next loss is, follows: (3/4 - 1)^2.
  EXPECT_EQ(first.loss, 1);
  EXPECT_EQ(trained_.step().loss, 0.0625);
  EXPECT_EQ(descent_.last.step, 1);
  EXPECT_EQ(descent_.last.applied, 1);
  MpcProgramInfo info = {};
  info.structSize = sizeof info;
  EXPECT_SUCCESS(mpcProgramGetInfo(trained_.program, &info));
  EXPECT_EQ(info.needsOptimizer, 1);
}

TEST_F(CAPIOptimizer, IsNotCalledInASkippedStepUnlessItAsks) {
  EXPECT_SUCCESS(set(trained_.runner));
  trained_.bind();
  overflow();
  EXPECT_EQ(trained_.step().skipped, 1);
  EXPECT_EQ(descent_.calls, 0);
  EXPECT_EQ(trained_.number("scale"), 4);
  EXPECT_SUCCESS(set(trained_.runner, /*onSkipped=*/true));
  EXPECT_EQ(trained_.step().skipped, 1);
  EXPECT_EQ(descent_.calls, 1);
  EXPECT_EQ(descent_.last.foundInf, 1);
  EXPECT_EQ(descent_.last.skipped, 1);
  EXPECT_EQ(descent_.last.applied, 0);
  EXPECT_EQ(trained_.weights(), std::vector<float>(kFeatures, 0.0f));
  EXPECT_EQ(trained_.number("scale"), 2);
}

TEST_F(CAPIOptimizer, ItsErrorIsThatOfTheStep) {
  descent_.then = [](const MpcUpdate &) {
    return mpcErrorCreate(MPC_ERROR_DIVERGED, "it grows");
  };
  EXPECT_SUCCESS(set(trained_.runner));
  trained_.bind();
  MpcStepResult result = {};
  result.structSize = sizeof result;
  result.step = 77;
  EXPECT_FAILURE(mpcRunnerStep(trained_.runner, &result), MPC_ERROR_DIVERGED,
                 "it grows");
  EXPECT_EQ(result.step, 77);
  EXPECT_EQ(trained_.weights(), std::vector<float>(kFeatures, 0.25f));
  descent_.then = nullptr;
  EXPECT_EQ(trained_.step().step, 1);
  EXPECT_EQ(descent_.last.applied, 1);
}

TEST_F(CAPIOptimizer, IsThereBeforeTheFirstStep) {
  trained_.bind();
  const char *message = "the program's optimizer is a callback: register one "
                        "first (mpcRunnerSetOptimizer)";
  EXPECT_FAILURE(mpcRunnerStep(trained_.runner, nullptr), MPC_ERROR_USAGE,
                 message);
  EXPECT_SUCCESS(set(trained_.runner));
  trained_.step();
  EXPECT_SUCCESS(mpcRunnerSetOptimizer(trained_.runner, nullptr));
  EXPECT_FAILURE(mpcRunnerStep(trained_.runner, nullptr), MPC_ERROR_USAGE,
                 message);
  EXPECT_EQ(descent_.calls, 1);
}

TEST_F(CAPIOptimizer, MayNotUseItsRunnerButDestroyIt) {
  MpcRunner *runner = trained_.runner;
  descent_.then = [runner](const MpcUpdate &) {
    EXPECT_FAILURE(mpcRunnerStep(runner, nullptr), MPC_ERROR_USAGE,
                   "the runner is in use, by another thread or by the call "
                   "from which this one is made");
    mpcRunnerDestroy(runner);
    return static_cast<MpcError *>(nullptr);
  };
  EXPECT_SUCCESS(set(runner));
  trained_.bind();
  EXPECT_EQ(trained_.step().skipped, 0);
  EXPECT_FAILURE(mpcRunnerStep(runner, nullptr), MPC_ERROR_USAGE,
                 "the handle of a runner is invalid, or was destroyed");
}

TEST_F(CAPIOptimizer, ReadsGradientsWhereTheyAreBound) {
  EXPECT_SUCCESS(set(trained_.runner));
  trained_.bind();
  alignas(64) std::array<float, kFeatures> gradient = {};
  EXPECT_SUCCESS(mpcRunnerBindOutput(
      trained_.runner, "grad.w", View(gradient.data(), kF32Type, {kFeatures})));
  trained_.step();
  EXPECT_EQ(descent_.last.gradients[0].data, gradient.data());
  EXPECT_EQ(gradient[2], -2);
}

TEST(CAPIOptimizerMisuse, IsOfAProgramThatNeedsOne) {
  Trained trained;
  MpcOptimizer optimizer = {sizeof optimizer, Descent::run, nullptr, 0};
  EXPECT_FAILURE(mpcRunnerSetOptimizer(trained.runner, &optimizer),
                 MPC_ERROR_USAGE,
                 "the program updates its parameters itself: compile it with "
                 "--optimizer=callback");
  optimizer.update = nullptr;
  EXPECT_FAILURE(mpcRunnerSetOptimizer(trained.runner, &optimizer),
                 MPC_ERROR_USAGE, "optimizer.update is NULL");
}

/// A file may say what it likes.
TEST(CAPIOptimizerMisuse, GradientsThatTheProgramLacks) {
  auto failure = [](const char *parameter, const char *gradient) {
    auto program = makeCallbackProgram();
    program->protocol.callerUpdates = {{parameter, gradient}};
    MpcProgram *loaded = load(program);
    MpcRunner *runner = nullptr;
    Outcome outcome = outcomeOf(mpcRunnerCreate(loaded, nullptr, &runner));
    EXPECT_EQ(outcome.code, MPC_ERROR_INVALID_INPUT);
    EXPECT_EQ(runner, nullptr);
    mpcProgramDestroy(loaded);
    return outcome.message;
  };
  EXPECT_EQ(failure("v", "grad.w"),
            "the program has no parameter 'v', which the caller is to update");
  EXPECT_EQ(failure("w/momentum", "grad.w"),
            "the program has no parameter 'w/momentum', which the caller is to "
            "update");
  const char *message = "the program's entry 'step' has no f32 output 'loss' "
                        "of the shape of parameter 'w'";
  EXPECT_EQ(failure("w", "loss"), message);
}

TEST(CAPIOptimizerWindow, IsCalledOnceAWindow) {
  Trained trained(makeCallbackProgram(makeWindowProgram(2)));
  Descent descent;
  MpcOptimizer optimizer = {sizeof optimizer, Descent::run, &descent, 0};
  trained.bind();
  EXPECT_EQ(outcomeOf(mpcRunnerAccumulate(trained.runner, nullptr)).code,
            MPC_ERROR_USAGE);
  EXPECT_SUCCESS(mpcRunnerSetOptimizer(trained.runner, &optimizer));
  EXPECT_SUCCESS(mpcRunnerAccumulate(trained.runner, nullptr));
  EXPECT_SUCCESS(mpcRunnerAccumulate(trained.runner, nullptr));
  EXPECT_EQ(descent.calls, 0);
  EXPECT_SUCCESS(mpcRunnerApply(trained.runner, nullptr));
  EXPECT_EQ(descent.calls, 1);
  // The sum of two gradients of -2.
  EXPECT_EQ(trained.weights(), std::vector<float>(kFeatures, 0.5f));
}

} // namespace
} // namespace mpc::test
