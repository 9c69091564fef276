// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that keep one state: other shapes, an evaluation, errors of layout.
#include "test/capi/CAPITest.h"

#include <functional>
#include <memory>

namespace mpc::test {
namespace {

/// The program of CAPITest.h for batches of two, its arena larger.
std::shared_ptr<rt::Program> makeSmall() {
  auto program = makeProgram();
  auto small = rt::test::makeTestProgram<2>();
  // The entries of the small one, whose code lies in an image of its own.
  program->entries = small->entries;
  program->target = small->target;
  auto &target = std::get<rt::CpuTarget>(program->target);
  target.cpu = rt::kHostLevel;
  target.machine = rt::cpuIdentity();
  program->entries[1].arenaBytes = 1 << 20;
  return program;
}

/// Another runner on the state of a training.
class Beside {
public:
  Beside(MpcRunner *runner, const std::shared_ptr<rt::Program> &of)
      : program_(load(of)) {
    EXPECT_SUCCESS(
        mpcRunnerCreateShared(program_, runner, nullptr, &this->runner));
  }
  ~Beside() {
    mpcRunnerDestroy(runner);
    mpcProgramDestroy(program_);
  }
  Beside(const Beside &) = delete;

  double step() const {
    MpcStepResult result = {};
    result.structSize = sizeof result;
    EXPECT_SUCCESS(mpcRunnerStep(runner, &result));
    return result.loss;
  }

  MpcRunner *runner = nullptr;

private:
  MpcProgram *program_;
};

struct SmallBatch {
  explicit SmallBatch(const Trained &t)
      : x(t.x.data(), kF32Type, {2, kFeatures}),
        target(t.target.data(), kF32Type, {2}) {}
  void bind(MpcRunner *runner) const {
    EXPECT_SUCCESS(mpcRunnerBindInput(runner, "x", x));
    EXPECT_SUCCESS(mpcRunnerBindInput(runner, "target", target));
    EXPECT_SUCCESS(mpcRunnerWriteNumber(runner, "lr", 0.125));
  }
  View x, target;
};

TEST(CAPIShared, EachGoesOnWhereTheOtherStood) {
  Trained t;
  t.bind();
  Beside small(t.runner, makeSmall());
  SmallBatch(t).bind(small.runner);
  // The gradient of each weight is -2, and 2 * (0.75 - 1) then.
  EXPECT_EQ(t.step().loss, 1);
  EXPECT_EQ(small.step(), 0.0625);
  // 1/4 + (0.9 * 2 + 0.5) / 8: the momentum is one, too.
  float weight = 0.25f + 2.3f / 8;
  EXPECT_EQ(t.weights(), std::vector<float>(kFeatures, weight));
  EXPECT_EQ(t.number("counter"), 2);
  float error = 3 * weight - 1;
  EXPECT_NEAR(t.step().loss, error * error, 2e-3); // Copies have 11 bits.
}

TEST(CAPIShared, WhatIsWrittenToOneTheOtherReads) {
  Trained t;
  Beside small(t.runner, makeSmall());
  SmallBatch(t).bind(small.runner);
  const float weights[] = {1, 1, 0.5f};
  EXPECT_SUCCESS(
      mpcRunnerWriteState(t.runner, "w", View(weights, kF32Type, {kFeatures})));
  // The 16-bit copy, by which it computes, follows in either: (2.5 - 1)^2.
  EXPECT_EQ(small.step(), 2.25);
  EXPECT_SUCCESS(mpcRunnerWriteNumber(small.runner, "scale", 32));
  EXPECT_EQ(t.number("scale"), 32);
}

TEST(CAPIShared, AStateLivesAsLongAsOneOfThem) {
  auto t = std::make_unique<Trained>();
  t->bind();
  t->step();
  Beside small(t->runner, makeSmall());
  EXPECT_SUCCESS(mpcRunnerUnbindInput(t->runner, "x"));
  std::array<float, 2 * kFeatures> x;
  std::array<float, 2> target;
  x.fill(1);
  target.fill(1);
  t.reset();
  EXPECT_SUCCESS(mpcRunnerBindInput(small.runner, "x",
                                    View(x.data(), kF32Type, {2, kFeatures})));
  EXPECT_SUCCESS(mpcRunnerBindInput(small.runner, "target",
                                    View(target.data(), kF32Type, {2})));
  EXPECT_SUCCESS(mpcRunnerWriteNumber(small.runner, "lr", 0.125));
  EXPECT_EQ(small.step(), 0.0625);
}

/// Of the program of CAPITest.h its evaluation alone, on its weights alone.
std::shared_ptr<rt::Program> makeEvaluation() {
  auto program = makeProgram();
  program->entries.erase(program->entries.begin(),
                         program->entries.begin() + 2);
  return program;
}

TEST(CAPIShared, AnEvaluationReadsTheWeightsOfATraining) {
  Trained t;
  t.bind();
  Beside evaluation(t.runner, makeEvaluation());
  t.step(); // Weights are 1/4.
  EXPECT_SUCCESS(mpcRunnerBindInput(evaluation.runner, "x", t.xView));
  EXPECT_SUCCESS(mpcRunnerBindInput(evaluation.runner, "label", t.labelView));
  EXPECT_SUCCESS(mpcRunnerEvaluate(evaluation.runner));
  std::array<float, kBatch> picked;
  EXPECT_SUCCESS(mpcRunnerReadOutput(evaluation.runner, "picked",
                                     View(picked.data(), kF32Type, {kBatch})));
  EXPECT_EQ(picked[0], 0.25f);
}

TEST(CAPIShared, UpdateScaleTakesBackTheLastStepOfAll) {
  Trained t;
  t.bind();
  Beside small(t.runner, makeSmall());
  SmallBatch(t).bind(small.runner);
  t.step();
  small.step();
  EXPECT_EQ(t.number("counter"), 2);
  EXPECT_SUCCESS(mpcRunnerUpdateScale(t.runner, nullptr, 16));
  EXPECT_EQ(t.number("counter"), 1); // As before the step of the other.
}

TEST(CAPIShared, MemoryThatIsHandedOutIsReadByTheNextRun) {
  Trained t;
  t.bind();
  Beside small(t.runner, makeSmall());
  SmallBatch(t).bind(small.runner);
  DLManagedTensorVersioned *tensor = nullptr;
  EXPECT_SUCCESS(mpcRunnerEditState(small.runner, "w", &tensor));
  EXPECT_EQ(tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY, 0u);
  auto *w = static_cast<float *>(tensor->dl_tensor.data);
  w[0] = 2;
  EXPECT_EQ(t.step().loss, 1); // (2 - 1)^2
  w[0] = w[1] = w[2] = 1;
  EXPECT_EQ(small.step(), 4); // (3 - 1)^2
  EXPECT_FAILURE(mpcRunnerEditState(t.runner, "w/f16", &tensor),
                 MPC_ERROR_USAGE,
                 "'w/f16' is neither a parameter, a slot nor a buffer: only "
                 "those can be written in place");
  EXPECT_FAILURE(mpcRunnerEditState(t.runner, "v", &tensor),
                 MPC_ERROR_INVALID_INPUT, "no tensor 'v' in the state");
  tensor->deleter(tensor);
}

class CAPISharedRefuses : public testing::Test {
protected:
  Outcome share(const std::function<void(rt::Program &)> &change,
                const MpcRunnerOptions *options = nullptr) {
    std::shared_ptr<rt::Program> program = makeSmall();
    change(*program);
    MpcProgram *loaded = load(program);
    MpcRunner *other = nullptr;
    Outcome outcome = outcomeOf(
        mpcRunnerCreateShared(loaded, trained_.runner, options, &other));
    EXPECT_EQ(other, nullptr);
    mpcProgramDestroy(loaded);
    return outcome;
  }

  Trained trained_;
};

TEST_F(CAPISharedRefuses, AnotherLayoutByTheTensor) {
  const std::string who =
      "the programs lay out 'w' differently, and cannot share a state: ";
  EXPECT_EQ(share([](rt::Program &p) { p.state[0].offset = 16; }).message,
            who + "it is parameter f32[3] at 16, and parameter f32[3] "
                  "at 0");
  EXPECT_EQ(share([](rt::Program &p) { p.state[0].desc.shape = {2}; }).message,
            who + "it is parameter f32[2] at 0, and parameter f32[3] "
                  "at 0");
  EXPECT_EQ(share([](rt::Program &p) { p.slabs[0].bytes = 256; }).message,
            who + "its slab has 256 bytes, and 128");
  EXPECT_EQ(
      share([](rt::Program &p) { p.state[1].desc.name = "w/other"; }).message,
      "the programs lay out 'w/other' differently, and cannot share a "
      "state: only one has it");
  EXPECT_EQ(share([](rt::Program &p) {
              p.state[1].slab = 1;
              p.state[1].offset = 16;
            }).message,
            "the programs lay out 'w/momentum' differently, and cannot share a "
            "state: it lies in slab 'weights', and 'copies'");
}

TEST_F(CAPISharedRefuses, ThreadsOfItsOwn) {
  MpcRunnerOptions options = {};
  options.structSize = sizeof options;
  options.numThreads = 2;
  Outcome outcome = share([](rt::Program &) {}, &options);
  EXPECT_EQ(outcome.code, MPC_ERROR_USAGE);
  EXPECT_EQ(outcome.message, "numThreads is that of the runner whose state is "
                             "shared: expected 0");
}

TEST_F(CAPISharedRefuses, AStateWithoutValues) {
  auto program = makeProgram();
  program->initialValues = {
      {{"w", rt::DType::F32, {kFeatures}}, rt::InitialKind::External}};
  Trained t(program);
  MpcProgram *loaded = load(makeSmall());
  MpcRunner *other = nullptr;
  EXPECT_FAILURE(mpcRunnerCreateShared(loaded, t.runner, nullptr, &other),
                 MPC_ERROR_USAGE,
                 "the program has no values of 'w': write or load them first");
  mpcProgramDestroy(loaded);
}

} // namespace
} // namespace mpc::test
