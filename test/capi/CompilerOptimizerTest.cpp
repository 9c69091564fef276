// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizers of a user: a function that is called back, and one of MLIR.
#include "test/capi/CompilerTest.h"

#include <cmath>
#include <limits>
#include <map>

namespace mpc::test {
namespace {

constexpr double kRate = 0.1, kMomentum = 0.9;

/// SGD with momentum, as PyTorch has it.
class Momentum {
public:
  Status operator()(const MpcUpdate &update) {
    for (size_t i = 0; i < update.numParameters; ++i) {
      std::vector<float> &buffer = buffers_[update.names[i]];
      const DLTensor &tensor = update.parameters[i];
      auto *w = static_cast<float *>(tensor.data);
      auto *gradient = static_cast<const float *>(update.gradients[i].data);
      buffer.resize(4);
      for (int j = 0; j < 4; ++j) {
        buffer[j] = float(kMomentum) * buffer[j] + gradient[j];
        w[j] -= float(update.lr) * buffer[j];
      }
    }
    return {};
  }

private:
  std::map<std::string, std::vector<float>> buffers_;
};

/// Its weight after each of `steps`, the third of which overflows, in float64.
std::vector<std::vector<double>> reference(int steps) {
  LinearCase now;
  std::vector<double> w(now.w.begin(), now.w.end()), buffer(4);
  std::vector<std::vector<double>> weights;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 4; ++i)
      now.w[i] = float(w[i]);
    for (int i = 0; i < 4 && step != 2; ++i) {
      double gradient = (now.w[i] - now.stepped(i / 2, i % 2, 1));
      buffer[i] = kMomentum * buffer[i] + gradient;
      w[i] -= kRate * buffer[i];
    }
    weights.push_back(w);
  }
  return weights;
}

struct Trace {
  std::vector<std::vector<float>> weights;
  std::vector<double> scales;
};

/// Trains for `steps` of as many batches each as the program takes; the third
/// step overflows.
Trace train(Runner &runner, const std::string &weight, int steps,
            int batches = 1) {
  LinearCase given;
  std::vector<float> x = given.x;
  succeed(runner.bindInput("x", {x.data(), {2, 2}}));
  succeed(runner.bindInput("target", {given.target.data(), {2, 2}}));
  succeed(runner.writeNumber("lr", kRate));
  Trace trace;
  for (int step = 0; step < steps; ++step) {
    x[0] = step == 2 ? std::numeric_limits<float>::infinity() : given.x[0];
    for (int i = 0; i < batches && batches > 1; ++i)
      (void)get(runner.accumulate());
    MpcStepResult result = get(batches > 1 ? runner.apply() : runner.step());
    EXPECT_EQ(result.skipped, step == 2);
    trace.scales.push_back(get(runner.readNumber("scale")));
    trace.weights.emplace_back(4);
    succeed(runner.readState(weight, {trace.weights.back().data(), {2, 2}}));
  }
  return trace;
}

void expectNear(const Trace &trace, double tolerance) {
  auto expected = reference(int(trace.weights.size()));
  for (size_t step = 0; step < expected.size(); ++step)
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(trace.weights[step][i], expected[step][i], tolerance)
          << step << ", " << i;
}

std::vector<std::string> flagsOf(const std::string &optimizer) {
  return {"--loss=mse", "--loss-scale=torch", "--init-scale=1024",
          "--optimizer=" + optimizer};
}

TEST(CompilerOptimizer, ACallbackIsTheOptimizerThatItWrites) {
  for (int batches : {1, 2}) {
    std::vector<std::string> flags = flagsOf("callback");
    flags.push_back("--accumulate=" + std::to_string(batches));
    Model model = buildLinear(LinearCase());
    Runner runner = get(Runner::create(get(model.compile(flags))));
    succeed(runner.setOptimizer(Momentum()));
    Trace trace = train(runner, "w", 10, batches);
    expectNear(trace, 1e-6);

    flags[3] = "--optimizer=sgd";
    flags.push_back("--momentum=0.9");
    Runner known = get(Runner::create(get(model.compile(flags))));
    EXPECT_EQ(train(known, "w", 10, batches).scales, trace.scales);
    EXPECT_EQ(trace.scales[2], 512);
  }
}

TEST(CompilerOptimizer, ACallbackIsGivenWhatFlagsMakeOfGradients) {
  std::vector<std::string> flags = flagsOf("callback");
  flags.push_back("--clip-global-norm=0.01");
  Runner runner =
      get(Runner::create(get(buildLinear(LinearCase()).compile(flags))));
  double sum = 0, whole = 0;
  succeed(runner.setOptimizer([&](const MpcUpdate &update) {
    auto *gradient = static_cast<const float *>(update.gradients[0].data);
    for (int i = 0; i < 4; ++i)
      sum += double(gradient[i]) * gradient[i];
    whole = update.gradNorm;
    return Status();
  }));
  (void)train(runner, "w", 1);
  // PyTorch's clipping adds 1e-6 to the norm that it divides by.
  EXPECT_NEAR(std::sqrt(sum), 0.01, 1e-6);
  EXPECT_GT(whole, 0.1);
}

TEST(CompilerOptimizer, ACallbackUpdatesMastersOf16BitWeights) {
  std::vector<std::string> flags = flagsOf("callback");
  flags.push_back("--precision=fp16");
  Runner runner =
      get(Runner::create(get(buildLinear(LinearCase()).compile(flags))));
  succeed(runner.setOptimizer(Momentum()));
  // Rounding of x, w and of gradients to 11 bits, ten times.
  expectNear(train(runner, "w", 10), 5e-3);
}

TEST(CompilerOptimizer, WhatIsLeftToTheCallerIsNoFlag) {
  Model model = buildLinear(LinearCase());
  auto failure = [&](const char *flag) {
    std::vector<std::string> flags = flagsOf("callback");
    flags.emplace_back(flag);
    return failureOf(model.compile(flags).status());
  };
  EXPECT_EQ(failure("--ema=0.9"),
            "2: --optimizer=callback: 'ema' is a part of the update, which the "
            "caller makes");
  EXPECT_EQ(failure("--slot-dtype=bf16"),
            "2: --optimizer=callback: 'slots' is a part of the update, which "
            "the caller makes");
  EXPECT_EQ(failure("--momentum=0.9"), "2: --momentum: callback has none");
}

/// A step whose optimizer is a function of the module: SGD with momentum.
const char *const kRule = R"(
nn.parameter @w : tensor<2x2xf32> = #nn.init<external>
amp.scaler @scaler policy("torch") settings {init_scale = 1024.0}
amp.custom_optimizer @optimizer rule(@momentum) slots {buffer = 0.0}
    hyper {momentum = 0.9} trains [@w]
func.func private @momentum(
    %w: tensor<f32> {nn.name = "parameter"},
    %g: tensor<f32> {nn.name = "gradient"},
    %buffer: tensor<f32> {nn.name = "buffer"},
    %lr: tensor<f32> {nn.name = "lr"},
    %momentum: tensor<f32> {nn.name = "momentum"})
    -> (tensor<f32> {nn.name = "parameter"}, tensor<f32> {nn.name = "buffer"}) {
  %kept = nn.mul %momentum, %buffer : tensor<f32>
  %next = nn.add %kept, %g : tensor<f32>
  %move = nn.mul %lr, %next : tensor<f32>
  %moved = nn.sub %w, %move : tensor<f32>
  return %moved, %next : tensor<f32>, tensor<f32>
}
func.func private @loss(%x: tensor<2x2xf32>, %target: tensor<2x2xf32>)
    -> tensor<f32> {
  %w = nn.get @w : tensor<2x2xf32>
  %y = nn.linear %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %difference = nn.sub %y, %target : tensor<2x2xf32>
  %square = nn.mul %difference, %difference : tensor<2x2xf32>
  %quarter = nn.constant dense<0.25> : tensor<2x2xf32>
  %part = nn.mul %square, %quarter : tensor<2x2xf32>
  %loss = nn.reduce_sum %part axes [0, 1]
      : tensor<2x2xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
func.func @step(
    %x: tensor<2x2xf32> {nn.name = "x"},
    %target: tensor<2x2xf32> {nn.name = "target"},
    %lr: tensor<f32> {nn.name = "lr"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<i1> {nn.name = "found_inf"}) {
  %scale = amp.get_scale @scaler : tensor<f32>
  %loss, %g = nn.vjp @loss(%x, %target) seed(%scale) wrt [@w]
      : (tensor<2x2xf32>, tensor<2x2xf32>), (tensor<f32>)
      -> tensor<f32>, tensor<2x2xf32>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %all = amp.gather %g : tensor<2x2xf32> -> !amp.gradients<@optimizer>
  %unscaled = amp.unscale %all by %inverse : !amp.gradients<@optimizer>
  %found, %norm = amp.check %unscaled : !amp.gradients<@optimizer>
  amp.apply %unscaled lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  %good, %error = amp.update_scale @scaler found(%found)
  return %loss, %found : tensor<f32>, tensor<i1>
}
)";

TEST(CompilerOptimizer, AFunctionOfMLIRIsTheOptimizerThatItWrites) {
  Model model = get(Model::parse(kRule, "rule.mlir"));
  succeed(model.setValue("w", {LinearCase().w.data(), {2, 2}}));
  Runner runner = get(Runner::create(get(model.compile({}))));
  Trace trace = train(runner, "w", 10);
  expectNear(trace, 1e-6);
  EXPECT_EQ(trace.scales[2], 512);
  // Its slots are state by the names that it gives them, and no callback's.
  std::vector<float> buffer(4);
  succeed(runner.readState("w/buffer", {buffer.data(), {2, 2}}));
  EXPECT_NE(buffer[0], 0);
  EXPECT_EQ(failureOf(runner.setOptimizer(Momentum())),
            "2: the program updates its parameters itself: compile it with "
            "--optimizer=callback");
}

} // namespace
} // namespace mpc::test
