// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State and numbers by name, weights and checkpoints from files.
#include "test/capi/CAPITest.h"
#include "test/runtime/TempFolder.h"

#include <cmath>

namespace mpc::test {
namespace {

TEST(CAPIState, CopiesFollowWhatIsWritten) {
  Trained t;
  const float weights[] = {1, 2, 0.5f};
  EXPECT_SUCCESS(
      mpcRunnerWriteState(t.runner, "w", View(weights, kF32Type, {kFeatures})));
  // As f16, which every f32 holds.
  EXPECT_EQ(t.state("w/f16"), (std::vector<float>{1, 2, 0.5f}));
  t.bind();
  EXPECT_EQ(t.step().loss, 6.25); // (3.5 - 1)^2
}

TEST(CAPIState, IsConvertedWhereThatLosesNothing) {
  Trained t;
  const double wide[] = {1, 2, 3};
  EXPECT_FAILURE(
      mpcRunnerWriteState(t.runner, "w", View(wide, kF64Type, {kFeatures})),
      MPC_ERROR_INVALID_INPUT, "tensor 'w': expected f32[3], found f64[3]");
  const uint16_t half[] = {0x3c00, 0x4000, 0x4200};
  EXPECT_SUCCESS(
      mpcRunnerWriteState(t.runner, "w", View(half, kF16Type, {kFeatures})));
  EXPECT_EQ(t.weights(), (std::vector<float>{1, 2, 3}));
  uint16_t narrow[kFeatures];
  EXPECT_FAILURE(
      mpcRunnerReadState(t.runner, "w", View(narrow, kF16Type, {kFeatures})),
      MPC_ERROR_INVALID_INPUT,
      "tensor 'w' is f32[3], which cannot be copied to f16[3]");
}

TEST(CAPIState, RefusesWhatNoStepProduces) {
  Trained t;
  double state[] = {-1, 0};
  EXPECT_FAILURE(mpcRunnerWriteState(t.runner, "amp.loss_scale",
                                     View(state, kF64Type, {2})),
                 MPC_ERROR_INVALID_INPUT,
                 "field 'scale' of 'amp.loss_scale' is -1, expected 0 to inf");
  const uint16_t half[kFeatures] = {};
  EXPECT_FAILURE(
      mpcRunnerWriteState(t.runner, "w/f16", View(half, kF16Type, {kFeatures})),
      MPC_ERROR_USAGE,
      "'w/f16' is a copy that follows its parameter: write the parameter");
  EXPECT_FAILURE(
      mpcRunnerWriteState(t.runner, "v", View(half, kF16Type, {kFeatures})),
      MPC_ERROR_INVALID_INPUT, "no state tensor 'v'");
  DLManagedTensorVersioned *shared = nullptr;
  EXPECT_FAILURE(mpcRunnerShareState(t.runner, "v", &shared),
                 MPC_ERROR_INVALID_INPUT, "no state tensor 'v'");
}

// Features: F11, J4.
TEST(CAPIState, NumbersAreInputsHyperParametersAndScalers) {
  Trained t;
  double value = -1;
  EXPECT_FAILURE(mpcRunnerReadNumber(t.runner, "lr", &value), MPC_ERROR_USAGE,
                 "input 'lr' is not set");
  EXPECT_SUCCESS(mpcRunnerWriteNumber(t.runner, "lr", 0.1));
  EXPECT_EQ(t.number("lr"), double(0.1f)); // The input is an f32.
  EXPECT_SUCCESS(mpcRunnerWriteNumber(t.runner, "beta1", 0.9));
  EXPECT_EQ(t.number("beta1"), 0.9);
  EXPECT_SUCCESS(mpcRunnerWriteNumber(t.runner, "scale", 1024));
  EXPECT_EQ(t.number("scale"), 1024);
  EXPECT_SUCCESS(mpcRunnerWriteNumber(t.runner, "counter", 7));
  EXPECT_EQ(t.number("counter"), 7);
  EXPECT_FAILURE(mpcRunnerWriteNumber(t.runner, "counter", -1),
                 MPC_ERROR_INVALID_INPUT,
                 "field 'counter' of 'amp.loss_scale' is -1, expected 0 to "
                 "9007199254740992");
  for (const char *name : {"lr", "beta1"})
    EXPECT_FAILURE(
        mpcRunnerWriteNumber(t.runner, name, NAN), MPC_ERROR_INVALID_INPUT,
        "'" + std::string(name) + "': expected a finite number, found nan");
  EXPECT_FAILURE(mpcRunnerWriteNumber(t.runner, "beta3", 1),
                 MPC_ERROR_INVALID_INPUT, "the program has no number 'beta3'");
}

TEST(CAPIState, ANumberAndATensorTakeEachOthersPlace) {
  Trained t;
  t.bind();
  float rate = 0;
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "lr", View(&rate, kF32Type, {})));
  t.step();
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, 0));
  double value = 0;
  EXPECT_FAILURE(mpcRunnerReadNumber(t.runner, "lr", &value), MPC_ERROR_USAGE,
                 "input 'lr' is not set");
  EXPECT_SUCCESS(mpcRunnerWriteNumber(t.runner, "lr", 1));
  t.step();
  // The momentum of a gradient of -2 and then another.
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, 0.9f * 2 + 2));
  EXPECT_FAILURE(mpcRunnerUnbindInput(t.runner, "lr"), MPC_ERROR_USAGE,
                 "no memory is bound to input 'lr'");
}

// Features: F10.
TEST(CAPIState, UpdateTakesThePlaceOfTheStepsOwn) {
  Trained t;
  t.bind();
  t.step();
  t.step();
  EXPECT_EQ(t.number("counter"), 2);
  EXPECT_SUCCESS(mpcRunnerUpdateScale(t.runner, nullptr, 16));
  EXPECT_EQ(t.number("counter"), 1);
  EXPECT_EQ(t.number("scale"), 16);
  EXPECT_FAILURE(mpcRunnerUpdateScale(t.runner, "critic", 2),
                 MPC_ERROR_INVALID_INPUT,
                 "the program has no such loss scaler; of several, name one");
  EXPECT_FAILURE(mpcRunnerUpdateScale(t.runner, nullptr, -2),
                 MPC_ERROR_INVALID_INPUT,
                 "a loss scale must be positive and finite in f32, not -2");
}

std::shared_ptr<rt::Program> withoutValues() {
  std::shared_ptr<rt::Program> program = makeProgram();
  program->initialValues = {
      {{"w", rt::DType::F32, {kFeatures}}, rt::InitialKind::External}};
  return program;
}

TEST(CAPIState, WeightsThatAProgramLacksMustBeGiven) {
  Trained t(withoutValues());
  t.bind();
  EXPECT_FAILURE(mpcRunnerStep(t.runner, nullptr), MPC_ERROR_USAGE,
                 "the program has no values of 'w': write or load them first");
  const float weights[kFeatures] = {};
  EXPECT_SUCCESS(
      mpcRunnerWriteState(t.runner, "w", View(weights, kF32Type, {kFeatures})));
  t.step();
}

TEST(CAPIState, AProgramLetsGoOfTheValuesThatItsCallerHas) {
  const std::vector<float> ones(kFeatures, 1.0F);
  auto program = makeProgram();
  program->initialValues = {
      {{"w", rt::DType::F32, {kFeatures}}, rt::InitialKind::Values}};
  program->initialValues[0].values = rt::SharedBytes::of(ones);
  Trained t(program);
  const char *names[] = {"w"}, *unknown[] = {"v"};
  MpcProgram *rest = nullptr, *same = nullptr;
  EXPECT_SUCCESS(mpcProgramWithoutValues(t.program, 1, names, &rest));
  EXPECT_SUCCESS(mpcProgramWithoutValues(t.program, 0, nullptr, &same));
  EXPECT_FAILURE(mpcProgramWithoutValues(rest, 1, names, &rest),
                 MPC_ERROR_USAGE, "the program has no initial value of 'w'");
  EXPECT_FAILURE(mpcProgramWithoutValues(t.program, 1, unknown, &rest),
                 MPC_ERROR_USAGE, "the program has no initial value of 'v'");
  MpcRunner *without = nullptr, *with = nullptr;
  EXPECT_SUCCESS(mpcRunnerCreate(rest, nullptr, &without));
  EXPECT_SUCCESS(mpcRunnerCreate(same, nullptr, &with));
  mpcProgramDestroy(rest);
  mpcProgramDestroy(same);
  EXPECT_FAILURE(mpcRunnerStep(without, nullptr), MPC_ERROR_USAGE,
                 "the program has no values of 'w': write or load them first");
  std::vector<float> weights(kFeatures);
  EXPECT_SUCCESS(mpcRunnerReadState(
      with, "w", View(weights.data(), kF32Type, {kFeatures})));
  EXPECT_EQ(weights, ones);
  mpcRunnerDestroy(without);
  mpcRunnerDestroy(with);
}

class Folder : public testing::Test {
protected:
  std::string path() const { return folder_.path("run"); }

  MpcCheckpoints *open(MpcLogFunction log = nullptr, void *context = nullptr) {
    MpcCheckpointsOptions options = {sizeof options, log, context};
    MpcCheckpoints *checkpoints = nullptr;
    EXPECT_SUCCESS(mpcCheckpointsOpen(path().c_str(), &options, &checkpoints));
    return checkpoints;
  }

private:
  rt::TempFolder folder_;
};

using CAPICheckpoints = Folder;

TEST_F(CAPICheckpoints, ATrainingGoesOnWithTheSameBits) {
  Trained whole, first, second;
  for (Trained *t : {&whole, &first, &second})
    t->bind();
  for (int i = 0; i < 4; ++i)
    whole.step();
  MpcCheckpoints *checkpoints = open();
  first.step();
  first.step();
  MpcDataPosition saved = {sizeof saved, 5, 1, 8, 100, 4, 1, 1}, loaded = {};
  loaded.structSize = sizeof loaded;
  EXPECT_SUCCESS(mpcCheckpointsSave(checkpoints, first.runner, &saved));
  int found = 0;
  EXPECT_SUCCESS(
      mpcCheckpointsLoadNewest(checkpoints, second.runner, &loaded, &found));
  EXPECT_EQ(found, 1);
  EXPECT_EQ(loaded.seed, 5u);
  EXPECT_EQ(loaded.epoch, 1);
  EXPECT_EQ(loaded.position, 8);
  EXPECT_EQ(loaded.samples, 100);
  EXPECT_EQ(loaded.batchSize, 4);
  EXPECT_EQ(loaded.shuffled, 1);
  EXPECT_EQ(loaded.wraps, 1);
  second.step();
  EXPECT_EQ(second.step().step, 3);
  for (const char *name : {"w", "w/momentum", "w/f16"})
    EXPECT_EQ(second.state(name), whole.state(name)) << name;
  EXPECT_EQ(second.number("counter"), 4);
  mpcCheckpointsDestroy(checkpoints);
}

TEST_F(CAPICheckpoints, AnEmptyFolderHoldsNone) {
  Trained t;
  MpcCheckpoints *checkpoints = open();
  int found = 1;
  EXPECT_SUCCESS(
      mpcCheckpointsLoadNewest(checkpoints, t.runner, nullptr, &found));
  EXPECT_EQ(found, 0);
  // It is locked until it is given back.
  MpcCheckpoints *other = nullptr;
  Outcome outcome =
      outcomeOf(mpcCheckpointsOpen(path().c_str(), nullptr, &other));
  EXPECT_EQ(outcome.code, MPC_ERROR_ENVIRONMENT) << outcome.message;
  mpcCheckpointsDestroy(checkpoints);
  mpcCheckpointsDestroy(open());
}

TEST_F(CAPICheckpoints, DamageIsToldAndPassedOver) {
  Trained t;
  t.bind();
  std::string seen;
  auto log = [](void *context, MpcLogLevel, const char *message) {
    *static_cast<std::string *>(context) += message;
  };
  MpcCheckpoints *checkpoints = open(log, &seen);
  for (int i = 0; i < 2; ++i) {
    t.step();
    EXPECT_SUCCESS(mpcCheckpointsSave(checkpoints, t.runner, nullptr));
  }
  std::string newest = path() + "/ckpt-00000002.safetensors";
  std::string bytes = rt::readText(newest);
  bytes.back() ^= 1;
  rt::writeText(newest, bytes);
  int found = 0;
  EXPECT_SUCCESS(
      mpcCheckpointsLoadNewest(checkpoints, t.runner, nullptr, &found));
  EXPECT_EQ(t.number("counter"), 1);
  EXPECT_EQ(seen.find("passed over a checkpoint: " + newest), 0u) << seen;
  mpcCheckpointsDestroy(checkpoints);
}

TEST_F(CAPICheckpoints, AreOfWholeSteps) {
  Trained t(makeWindowProgram(2));
  t.bind();
  MpcCheckpoints *checkpoints = open();
  EXPECT_SUCCESS(mpcRunnerAccumulate(t.runner, nullptr));
  EXPECT_FAILURE(mpcCheckpointsSave(checkpoints, t.runner, nullptr),
                 MPC_ERROR_USAGE,
                 "the step has 1 of its 2 batches: apply it before the state "
                 "is saved");
  int found = 0;
  EXPECT_FAILURE(
      mpcCheckpointsLoadNewest(checkpoints, t.runner, nullptr, &found),
      MPC_ERROR_USAGE,
      "the step has 1 of its 2 batches: apply it before another state is "
      "loaded");
  EXPECT_SUCCESS(mpcRunnerAccumulate(t.runner, nullptr));
  EXPECT_SUCCESS(mpcRunnerApply(t.runner, nullptr));
  MpcDataPosition bad = {sizeof bad, 0, -1, 0, 0, 0, 0, 0};
  EXPECT_FAILURE(mpcCheckpointsSave(checkpoints, t.runner, &bad),
                 MPC_ERROR_USAGE,
                 "position: -1 is not a number of samples or epochs");
  mpcCheckpointsDestroy(checkpoints);
}

TEST_F(CAPICheckpoints, AreFilesOfWeightsToo) {
  Trained source;
  source.bind();
  source.step();
  MpcCheckpoints *checkpoints = open();
  EXPECT_SUCCESS(mpcCheckpointsSave(checkpoints, source.runner, nullptr));
  std::string file = path() + "/ckpt-00000001.safetensors";
  std::string seen;
  MpcRunnerOptions options = {};
  options.log = [](void *context, MpcLogLevel, const char *message) {
    *static_cast<std::string *>(context) += message;
  };
  options.logContext = &seen;
  Trained t(withoutValues(), options);
  EXPECT_SUCCESS(mpcRunnerLoadWeights(t.runner, file.c_str()));
  EXPECT_EQ(t.weights(), source.weights());
  EXPECT_EQ(t.number("counter"), 0);
  EXPECT_EQ(seen, file + ": no parameter of that name: 'amp.hyper.beta1', "
                         "'amp.loss_scale', 'amp.optimizer.step', "
                         "'w/momentum'");
  t.bind();
  t.step();
  EXPECT_EQ(outcomeOf(mpcRunnerLoadWeights(t.runner, "/none")).code,
            MPC_ERROR_INVALID_INPUT);
  MpcCheckpoints *none = nullptr;
  EXPECT_EQ(outcomeOf(mpcCheckpointsOpen("/none/none", nullptr, &none)).code,
            MPC_ERROR_ENVIRONMENT);
  mpcCheckpointsDestroy(checkpoints);
}

} // namespace
} // namespace mpc::test
