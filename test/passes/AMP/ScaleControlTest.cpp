// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled step whose scale and settings are changed while it runs, against
// the policy in C++, which is held to recorded traces: random strings of steps
// and changes, to the bit.
#include "CompiledProgram.h"

#include "dialects/AMP/Recipe.h"
#include "dialects/NN/NNDialect.h"
#include "lib/Driver/Request.h"
#include "runtime/LossScale/LossScaler.h"
#include "runtime/Support/Random.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>

using namespace mpc;
using namespace mpc::test;

namespace {

constexpr int kChanges = 400;

class ScaleControl : public testing::TestWithParam<rt::PolicyInfo> {
protected:
  /// One parameter, whose scaled gradient is an input.
  void compile() {
    auto context = makeContext();
    mlir::OpBuilder b(context.get());
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(b.getUnknownLoc());
    b.setInsertionPointToStart(module->getBody());
    nn::ParameterOp::create(
        b, b.getUnknownLoc(), "w",
        mlir::RankedTensorType::get({1}, b.getF32Type()),
        nn::InitAttr::get(context.get(), "zeros", llvm::APFloat(0.0)),
        /*frozen=*/false);
    b.setInsertionPointToEnd(module->getBody());
    auto recipe = amp::RecipeOp::create(b, b.getUnknownLoc());
    recipe.setWord("loss_scale", "name", llvm::StringRef(GetParam().name));
    recipe.setWord("optimizer", "name", "sgd");
    recipe.setGradients(b.getF32Type());
    auto set = [&](llvm::StringRef name, double value) {
      recipe.setField("loss_scale", name, value);
    };
    if (GetParam().reads(rt::Setting::GrowthInterval))
      set("growth_interval", 3);
    if (GetParam().kind == rt::PolicyKind::Fixed ||
        GetParam().kind == rt::PolicyKind::KerasFixed)
      set("init_scale", 1024);
    CompileRequest request;
    request.kind = ProgramKind::Optimizer;
    request.module = *module;
    request.usesCache = false;
    CompileReport report;
    auto program = compileProgram(request, report);
    ASSERT_TRUE(program.ok()) << program.status().message();
    auto made = rt::Runner::create(*program, {.threads = 1});
    ASSERT_TRUE(made.ok());
    runner_ = std::move(*made);
    rt::Settings settings = rt::settingsOf(GetParam().kind);
    for (size_t i = 0; i < rt::kNumSettings; ++i) {
      auto setting = static_cast<rt::Setting>(i);
      if (GetParam().reads(setting))
        settings[setting] =
            *runner_->readNumber(std::string(rt::settingKey(setting)));
    }
    scaler_ = std::make_unique<rt::LossScaler>(GetParam().kind, settings);
  }

  void run(bool bad) {
    alignas(64) float gradient = bad ? INFINITY : 1.0f;
    alignas(64) double lr = 0.0;
    const rt::Entry &entry = *runner_->program().findEntry("step");
    std::vector<const void *> inputs;
    for (const rt::TensorDesc &input : entry.inputs)
      inputs.push_back(input.name == "lr" ? static_cast<const void *>(&lr)
                                          : &gradient);
    alignas(64) double memory[16][8];
    ASSERT_LE(entry.outputs.size(), 16u);
    std::vector<void *> outputs;
    for (size_t i = 0; i < entry.outputs.size(); ++i)
      outputs.push_back(memory[i]);
    ASSERT_TRUE(runner_->run("step", inputs, outputs).ok());
  }

  /// Does one thing to both.
  void change(rt::Random &random) {
    double scale =
        std::ldexp(1.1 + (random.next() >> 62), 4 + random.next() % 8);
    bool bad = random.next() % 4 == 0;
    switch (random.next() % 8) {
    case 0:
      run(bad);
      scaler_->stepWithNewScale(bad, scale);
      ASSERT_TRUE(runner_->updateScale(scale).ok());
      return;
    case 1:
      scaler_->update(scale);
      ASSERT_TRUE(runner_->writeNumber("scale", scale).ok());
      return;
    case 2:
      scaler_->update(scale);
      // Two in a row: the second has no step to take back.
      ASSERT_TRUE(runner_->writeNumber("scale", scale).ok());
      run(bad);
      scaler_->stepWithNewScale(bad, 2 * scale);
      ASSERT_TRUE(runner_->updateScale(2 * scale).ok());
      ASSERT_TRUE(runner_->updateScale(2 * scale).ok());
      return;
    case 3:
      if (GetParam().reads(rt::Setting::GrowthInterval)) {
        double interval = 1 + random.next() % 5;
        scaler_->set(rt::Setting::GrowthInterval, interval);
        ASSERT_TRUE(runner_->writeNumber("growth_interval", interval).ok());
      }
      return;
    default:
      run(bad);
      scaler_->step(bad);
    }
  }

  std::unique_ptr<rt::Runner> runner_;
  std::unique_ptr<rt::LossScaler> scaler_;
};

// Features: F10, F11.
TEST_P(ScaleControl, FollowsThePolicy) {
  compile();
  if (HasFatalFailure())
    return;
  rt::Random random(17, 0);
  for (int i = 0; i < kChanges; ++i) {
    change(random);
    ASSERT_FALSE(HasFatalFailure()) << "change " << i;
    for (size_t slot = 0; slot < rt::kNumStateSlots; ++slot) {
      auto key = rt::slotKey(static_cast<rt::StateSlot>(slot));
      auto ours = runner_->readNumber(std::string(key));
      ASSERT_TRUE(ours.ok()) << key;
      ASSERT_EQ(std::bit_cast<uint64_t>(*ours),
                std::bit_cast<uint64_t>(scaler_->state()[slot]))
          << "change " << i << ": " << key << " is " << *ours << ", expected "
          << scaler_->state()[slot];
    }
  }
}

/// Those that see a step by found_inf alone; the others' statistics are of
/// gradients, which PolicyTest covers.
std::vector<rt::PolicyInfo> trainable() {
  std::vector<rt::PolicyInfo> policies;
  for (const rt::PolicyInfo &info : rt::allPolicies())
    if (!info.replayOnly && !info.needsGradMaxAbs &&
        info.kind != rt::PolicyKind::None)
      policies.push_back(info);
  return policies;
}

INSTANTIATE_TEST_SUITE_P(Policies, ScaleControl, testing::ValuesIn(trainable()),
                         [](const auto &test) {
                           std::string name(test.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
