// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled steps against what PyTorch, Keras and optax did.
#include "OptimizerCase.h"
#include "CompiledStep.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

using namespace mpc;
using namespace mpc::test;
using Json = nlohmann::json;
using Tensors = CompiledProgram::Tensors;

/// Distance of two f32 in units in the last place; 0 for two NaNs.
static int64_t ulps(float a, float b) {
  if (std::isnan(a) && std::isnan(b))
    return 0;
  auto ordered = [](float x) -> int64_t {
    auto bits = std::bit_cast<int32_t>(x);
    return bits < 0 ? -static_cast<int64_t>(bits & 0x7fffffff) : bits;
  };
  return std::abs(ordered(a) - ordered(b));
}

static void expectClose(const std::vector<float> &got, const Json &want,
                        int64_t bound, const std::string &what) {
  std::vector<float> expected = OptimizerCase::values(want);
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t i = 0; i != got.size(); ++i)
    EXPECT_LE(ulps(got[i], expected[i]), bound)
        << what << "[" << i << "]: " << got[i] << ", expected " << expected[i];
}

static std::vector<std::byte> gradientBytes(const Json &tensor) {
  std::vector<uint16_t> bits;
  for (uint32_t pattern : OptimizerCase::bits(tensor))
    bits.push_back(static_cast<uint16_t>(pattern));
  return toBytes(bits);
}

namespace {

class OptimizerCaseTest : public testing::TestWithParam<std::string> {
protected:
  OptimizerCaseTest()
      : data(std::string(MPC_TEST_INPUTS "/loss_scale/optimizer/") +
             GetParam() + ".json"),
        context(makeContext()) {}

  CompiledProgram compile(const KernelOptions &kernels) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(data.moduleText(),
                                                          context.get());
    CompiledProgram program(
        *module,
        [&](mlir::PassManager &manager) {
          manager.addPass(amp::createBuildStepPass(data.options));
          buildAutodiffPipeline(manager);
          manager.addPass(amp::createFuseOptimizerPass());
        },
        kernels);
    for (const Json &parameter : data.json["init_params"])
      if (program)
        program.set(parameter["name"], OptimizerCase::values(parameter));
    return program;
  }

  Tensors gradients(const Json &step, size_t batch) {
    Tensors inputs;
    for (const auto &[name, gradient] : step["scaled_grads"].items())
      if (!gradient.is_null())
        inputs["grad." + name] =
            gradientBytes(gradient.is_array() ? gradient[batch] : gradient);
    return inputs;
  }

  Tensors runStep(CompiledProgram &program, const Json &step) {
    std::vector<std::byte> lr = toBytes<float>({data.lr});
    int64_t batches = data.options.accumulate;
    if (batches == 1) {
      Tensors inputs = gradients(step, 0);
      inputs["lr"] = lr;
      return program.run("step", inputs);
    }
    for (int64_t batch = 0; batch != batches; ++batch)
      program.run("accumulate", gradients(step, batch));
    return program.run("apply", {{"lr", lr}});
  }

  void checkMetrics(const Tensors &outputs, const Json &expected) {
    EXPECT_EQ(outputs.at("found_inf").front() != std::byte{0},
              expected["found_inf"].get<bool>());
    if (expected.contains("counter_after") && data.options.policy != "none")
      EXPECT_EQ(fromBytes<double>(outputs.at("good_steps"))[0],
                expected["counter_after"].get<double>());
    if (expected.contains("total_norm") && expected["total_norm"].is_number()) {
      // The norm is f64 here and f32 there.
      double norm = fromBytes<double>(outputs.at("grad_norm"))[0];
      EXPECT_NEAR(norm, expected["total_norm"].get<double>(), norm * 1e-6);
    }
  }

  void checkState(const CompiledProgram &program, const Json &expected) {
    Tensors state = program.state();
    int64_t bound = data.json["tolerance"]["ulp"];
    for (const auto &[name, tensor] : expected["params"].items())
      expectClose(fromBytes<float>(state.at(name)), tensor, bound, name);
    EXPECT_EQ(fromBytes<double>(state.at("amp.loss_scale"))[0],
              expected["scale_after"].get<double>());
    if (!expected.contains("optimizer_state"))
      return;
    for (const auto &[name, slots] : expected["optimizer_state"].items())
      for (const auto &[slot, tensor] : slots.items()) {
        std::string key = name + "/" + slot;
        if (slot == "step")
          EXPECT_EQ(fromBytes<double>(state.at("amp.optimizer.step"))[0],
                    tensor.get<double>());
        else if (!tensor.is_null())
          expectClose(fromBytes<float>(state.at(key)), tensor, bound, key);
      }
  }

  OptimizerCase data;
  std::unique_ptr<mlir::MLIRContext> context;
};

} // namespace

// Flags, scales and counts are exact; weights and slots within the ulp that
// the file allows.
TEST_P(OptimizerCaseTest, FollowsTheReference) {
  CompiledProgram program = compile({});
  ASSERT_TRUE(program);
  for (const Json &step : data.json["steps"]) {
    SCOPED_TRACE(fmt::format("step {}", step["t"].get<int>()));
    Tensors before = program.state();
    Tensors outputs = runStep(program, step);
    checkMetrics(outputs, step["expected"]);
    checkState(program, step["expected"]);
    if (step["expected"]["applied"].get<bool>())
      continue;
    // A skipped step changes no bit but the scaler's.
    Tensors after = program.state();
    before.erase("amp.loss_scale");
    after.erase("amp.loss_scale");
    EXPECT_EQ(before, after);
  }
}

// Fusion changes no bit of the state or of an output.
TEST_P(OptimizerCaseTest, IsTheSameUnfused) {
  KernelOptions separate;
  separate.fuse = false;
  CompiledProgram fused = compile({}), unfused = compile(separate);
  ASSERT_TRUE(fused && unfused);
  for (const Json &step : data.json["steps"]) {
    EXPECT_EQ(runStep(fused, step), runStep(unfused, step));
    EXPECT_EQ(fused.state(), unfused.state());
  }
}

static std::vector<std::string> caseNames() {
  std::vector<std::string> names;
  for (const auto &file : std::filesystem::directory_iterator(
           MPC_TEST_INPUTS "/loss_scale/optimizer"))
    names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Recorded, OptimizerCaseTest,
                         testing::ValuesIn(caseNames()),
                         [](const testing::TestParamInfo<std::string> &info) {
                           return info.param;
                         });
