// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recipes on the test driver, step by step beside the same on the CPU, whose
// numbers are held against PyTorch's: what is skipped and how the scale moves
// is the same exactly.
#include "runtime/Runner/StepRun.h"
#include "test/lib/Driver/CudaStep.h"

#include <optional>

using namespace mpc;

namespace {

constexpr int64_t kSteps = 9;

struct Recipe {
  const char *name;
  void (*set)(RecipeFlags &);
  double tolerance; ///< Of losses and state, relative to 1 and more.
  int64_t skipped;  ///< Steps at least.
  const char *model = "small.mlir";
};

void PrintTo(const Recipe &recipe, std::ostream *out) { *out << recipe.name; }

class CudaRecipe : public CudaStep, public testing::WithParamInterface<Recipe> {
protected:
  struct Training {
    std::unique_ptr<rt::Runner> runner;
    std::optional<rt::StepRun> step;
  };

  Training begin(const std::string &target) {
    CompileRequest request;
    request.modelPath =
        std::string(MPC_TEST_STEP_INPUTS "/") + GetParam().model;
    GetParam().set(request.recipe);
    auto program = compileAnew(request, target);
    Training training{makeRunner(program), {}};
    auto step =
        rt::StepRun::create(*training.runner, program->protocol.accumulate);
    EXPECT_TRUE(step.ok()) << step.status().message();
    training.step = *std::move(step);
    for (rt::EntryCall &call : training.step->calls())
      for (size_t i = 0; i < call.entry().inputs.size(); ++i) {
        const std::string &name = call.entry().inputs[i].name;
        call.setInput(i, rt::step::isRate(name)
                             ? static_cast<const void *>(&lr_)
                         : name == "target" ? static_cast<const void *>(target_)
                                            : x_);
      }
    return training;
  }

  void run(Training &training) {
    for (int64_t i = 0; i < training.step->batches(); ++i) {
      rt::Status status = training.step->addBatch();
      ASSERT_TRUE(status.ok()) << status.message() << fake_.fault();
    }
    ASSERT_TRUE(training.step->finish().ok());
  }
};

TEST_P(CudaRecipe, TrainsAsOnTheCpu) {
  Training onCpu = begin("x86-64-v3"), onGpu = begin("cuda:sm_80");
  const double tolerance = GetParam().tolerance;
  int64_t skipped = 0;
  for (int step = 0; step < kSteps; ++step) {
    x_[3] = static_cast<float>(step);
    run(onCpu);
    run(onGpu);
    for (const char *name : {"scale", "found_inf", "good_steps"})
      EXPECT_EQ(onGpu.step->scalar(name), onCpu.step->scalar(name))
          << name << step;
    skipped += onGpu.step->skipped();
    EXPECT_NEAR(onGpu.step->meanLoss(), onCpu.step->meanLoss(), tolerance);
  }
  EXPECT_GE(skipped, GetParam().skipped);
  EXPECT_LT(skipped, kSteps);
  expectSameState(*onGpu.runner, *onCpu.runner, tolerance);
  EXPECT_EQ(fake_.fault(), "");
}

// 2^24 is beyond what gradients of this size bear in f16.
void tooHigh(RecipeFlags &flags) {
  flags.clauses["--precision"] = std::string("fp16");
  flags.clauses["--init-scale"] = 16777216.0;
  flags.clauses["--growth-interval"] = 2.0;
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, CudaRecipe,
    testing::Values(Recipe{"sgd_fp16_overflows",
                           [](RecipeFlags &flags) {
                             tooHigh(flags);
                             flags.clauses["--optimizer"] = std::string("sgd");
                             flags.clauses["--momentum"] = 0.9;
                             flags.clauses["--clip-value"] = 0.01;
                           },
                           2e-3, 1},
                    Recipe{"adamw_window_clipped",
                           [](RecipeFlags &flags) {
                             tooHigh(flags);
                             flags.clauses["--accumulate"] = int64_t{2};
                             flags.clauses["--clip-global-norm"] = 0.1;
                             flags.clauses["--weight-decay"] = 0.1;
                             flags.clauses["--ema"] = 0.9;
                           },
                           2e-2, 1},
                    Recipe{"lamb_fp32",
                           [](RecipeFlags &flags) {
                             flags.clauses["--optimizer"] = std::string("lamb");
                             flags.clauses["--l2"] = 1e-3;
                           },
                           2e-5, 0},
                    Recipe{"rmsprop_bf16_scaled",
                           [](RecipeFlags &flags) {
                             flags.clauses["--precision"] = std::string("bf16");
                             flags.clauses["--loss-scale"] =
                                 std::string("torch");
                             flags.clauses["--optimizer"] =
                                 std::string("rmsprop");
                             flags.clauses["--clip-norm"] = 0.05;
                           },
                           2e-2, 0},
                    Recipe{"convolutions_fp32", [](RecipeFlags &) {}, 2e-5, 0,
                           "small-conv.mlir"},
                    Recipe{"convolutions_fp16_overflow",
                           [](RecipeFlags &flags) {
                             tooHigh(flags);
                             flags.clauses["--optimizer"] = std::string("sgd");
                           },
                           5e-3, 1, "small-conv.mlir"}),
    [](const auto &info) { return info.param.name; });

} // namespace
