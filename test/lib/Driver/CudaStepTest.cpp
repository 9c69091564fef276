// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole training step on the test driver: against the same step on the CPU,
// what it costs the host, and what happens where something fails.
#include "lib/Driver/TrainingProgram.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/Device/CUDA/Library.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Runner/ProgramChoice.h"
#include "runtime/Runner/StepRun.h"
#include "runtime/Train/InitialWeights.h"
#include "test/support/cuda/FakeDriver.h"

#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mpc;
using rt::cuda::test::FakeDriver;
using testing::HasSubstr;

namespace {

constexpr int64_t kBatch = 8, kFeatures = 64, kClasses = 10;

FakeDriver &fakeDriver() {
  static rt::cuda::Library library = *rt::cuda::Library::open({MPC_FAKE_CUDA});
  FakeDriver *(*get)() = nullptr;
  EXPECT_TRUE(library.find(rt::cuda::test::kFakeDriverSymbol, get).ok());
  return *get();
}

/// A classifier of 64 features, its step compiled for both devices.
class CudaStep : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("MPC_CUDA_DRIVER", MPC_FAKE_CUDA, 1);
    ::setenv("MPC_NVRTC", MPC_FAKE_NVRTC, 1);
    ::setenv("MPC_CACHE_DIR", "", 1);
    fake.reset({});
    std::mt19937 engine(3);
    std::normal_distribution<float> numbers;
    for (float &value : x_)
      value = numbers(engine);
    for (int64_t &label : target_)
      label = static_cast<int64_t>(engine() % kClasses);
  }

  /// One compilation serves all tests that ask for it with the same NVRTC.
  std::shared_ptr<rt::Program> compile(Precision precision,
                                       const std::string &target) {
    static std::map<std::tuple<Precision, std::string, std::string>,
                    std::shared_ptr<rt::Program>>
        programs;
    auto &program = programs[{precision, target, std::getenv("MPC_NVRTC")}];
    if (!program)
      program = compileAnew(precision, target);
    return program;
  }

  std::shared_ptr<rt::Program> compileAnew(Precision precision,
                                           const std::string &target) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    TrainingRequest request;
    request.modelPath = MPC_TEST_INPUTS "/models/mlp.onnx";
    request.recipe.precision.precision = precision;
    request.recipe.clipGlobalNorm = 1;
    if (precision == Precision::FP16)
      request.recipe.scaleSettings[rt::Setting::GrowthInterval] = 2;
    auto plan = planTraining(request, context);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    CompileReport report;
    auto program = compileTrainingProgram(*plan, target, false, report);
    EXPECT_TRUE(program.ok()) << program.status().message();
    return *program;
  }

  std::unique_ptr<rt::Runner>
  makeRunner(const std::shared_ptr<rt::Program> &program) {
    auto runner = rt::Runner::create(program, {1});
    EXPECT_TRUE(runner.ok()) << runner.status().message();
    EXPECT_TRUE(rt::initializeState(**runner, "", 7).ok());
    return *std::move(runner);
  }

  rt::EntryCall makeCall(rt::Runner &runner) {
    auto call = rt::EntryCall::bind(
        runner, *runner.program().findEntry(rt::EntryRole::Step),
        [&](const rt::TensorDesc &input) -> const void * {
          if (input.name == "lr")
            return &lr_;
          return input.name == "target" ? static_cast<const void *>(target_)
                                        : x_;
        });
    EXPECT_TRUE(call.ok()) << call.status().message();
    return *std::move(call);
  }

  /// Every parameter and slot, and what else a checkpoint holds.
  static void expectSameState(rt::Runner &one, rt::Runner &other,
                              double tolerance) {
    auto a = one.exportState(), b = other.exportState();
    ASSERT_TRUE(a.ok() && b.ok());
    ASSERT_EQ(a->size(), b->size());
    for (size_t i = 0; i < a->size(); ++i) {
      const rt::TensorDesc &desc = (*a)[i].desc;
      for (int64_t k = 0; k < desc.numElements(); ++k) {
        auto at = [&](const rt::TensorView &view) {
          return desc.dtype == rt::DType::F64
                     ? static_cast<const double *>(view.data)[k]
                     : static_cast<const float *>(view.data)[k];
        };
        if (desc.dtype == rt::DType::F64 || desc.dtype == rt::DType::F32) {
          ASSERT_NEAR(at((*a)[i]), at((*b)[i]),
                      tolerance * (1 + std::abs(at((*b)[i]))))
              << desc.name << " " << k;
        }
      }
    }
  }

  FakeDriver &fake = fakeDriver();
  float lr_ = 1e-2f;
  float x_[kBatch * kFeatures];
  int64_t target_[kBatch];
};

/// Sums of this model have at most 256 terms, and differ in their order alone.
constexpr double kTolerance = 2e-5;

TEST_F(CudaStep, TrainsAsOnTheCpu) {
  for (Precision precision : {Precision::FP32, Precision::BF16}) {
    auto cpu = makeRunner(compile(precision, "x86-64-v3"));
    auto gpu = makeRunner(compile(precision, "cuda:sm_80"));
    rt::EntryCall onCpu = makeCall(*cpu), onGpu = makeCall(*gpu);
    for (int step = 0; step < 3; ++step) {
      ASSERT_TRUE(onCpu.run().ok());
      rt::Status status = onGpu.run();
      ASSERT_TRUE(status.ok()) << status.message() << fake.fault();
      // One rounding of bf16 more or less is 2^-8 of an activation.
      double tolerance = precision == Precision::FP32 ? kTolerance : 1e-2;
      EXPECT_NEAR(*onGpu.scalar("loss"), *onCpu.scalar("loss"), tolerance);
    }
    if (precision == Precision::FP32)
      expectSameState(*gpu, *cpu, 1e-4);
  }
  EXPECT_EQ(fake.fault(), "");
}

// The scale's state machine runs on the device: its numbers are exact.
TEST_F(CudaStep, SkipsAndScalesAsTheCpuDoes) {
  auto cpu = makeRunner(compile(Precision::FP16, "x86-64-v3"));
  auto gpu = makeRunner(compile(Precision::FP16, "cuda:sm_80"));
  rt::EntryCall onCpu = makeCall(*cpu), onGpu = makeCall(*gpu);
  float good = x_[5];
  for (int step = 0; step < 6; ++step) {
    x_[5] = step == 3 ? std::numeric_limits<float>::infinity() : good;
    ASSERT_TRUE(onCpu.run().ok());
    rt::Status status = onGpu.run();
    ASSERT_TRUE(status.ok()) << status.message() << fake.fault();
    for (const char *name : {"scale", "found_inf", "good_steps"})
      EXPECT_EQ(onGpu.scalar(name), onCpu.scalar(name)) << name << step;
    EXPECT_EQ(onGpu.scalar("found_inf"), step == 3 ? 1.0 : 0.0);
    EXPECT_EQ(*gpu->readNumber("scale"), *cpu->readNumber("scale"));
  }
  EXPECT_EQ(*gpu->readNumber("skipped_total"), 1);
}

TEST_F(CudaStep, CostsTheHostOneLaunchAndNoWait) {
  auto runner = makeRunner(compile(Precision::FP16, "cuda:sm_80"));
  rt::EntryCall call = makeCall(*runner);
  ASSERT_TRUE(call.run().ok());
  std::vector<const void *> inputs;
  std::vector<std::vector<std::byte>> memory;
  std::vector<void *> outputs;
  for (size_t i = 0; i < call.entry().inputs.size(); ++i)
    inputs.push_back(call.input(i));
  for (const rt::TensorDesc &output : call.entry().outputs)
    outputs.push_back(
        memory.emplace_back(static_cast<size_t>(output.numBytes())).data());
  auto entry = *runner->findEntry(call.entry().name);
  auto counts = [&] {
    std::vector<int> result;
    for (const char *name :
         {"cuGraphLaunch", "cuLaunchKernel", "cuStreamSynchronize",
          "cuEventSynchronize", "cuMemAlloc_v2", "cuMemcpyDtoHAsync_v2"})
      result.push_back(fake.count(name));
    return result;
  };
  std::vector<int> before = counts();
  for (int step = 0; step < 2; ++step)
    ASSERT_TRUE(runner->enqueue(entry, inputs, outputs).ok());
  std::vector<int> after = counts();
  for (size_t i = 0; i < after.size(); ++i)
    after[i] -= before[i];
  EXPECT_EQ(after, (std::vector<int>{2, 0, 0, 0, 0, 0}));
  ASSERT_TRUE(runner->wait().ok());
  EXPECT_EQ(fake.count("cuStreamSynchronize"), before[2] + 1);
  // Of three good steps the second has made the scale grow.
  EXPECT_EQ(*runner->readNumber("counter"), 1);
}

// PyTorch's update(new_scale) takes the place of the last step's own.
TEST_F(CudaStep, AScaleIsSetInThePlaceOfAnUpdate) {
  auto runner = makeRunner(compile(Precision::FP16, "cuda:sm_80"));
  rt::EntryCall call = makeCall(*runner);
  ASSERT_TRUE(call.run().ok());
  ASSERT_TRUE(call.run().ok()); // Two good steps: the scale grows.
  double grown = *runner->readNumber("scale");
  ASSERT_TRUE(runner->updateScale(1024).ok());
  EXPECT_EQ(*runner->readNumber("counter"), 1);
  ASSERT_TRUE(call.run().ok());
  EXPECT_NE(grown, 1024);
  EXPECT_EQ(call.scalar("scale"), 1024);
}

TEST_F(CudaStep, GoesThroughAFile) {
  auto cpu = compile(Precision::FP32, "x86-64-v3");
  auto sm80 = compile(Precision::FP32, "cuda:sm_80");
  auto sm90 = compile(Precision::FP32, "cuda:sm_90");
  auto file = rt::encodeProgramFile(
      std::vector<std::shared_ptr<const rt::Program>>{cpu, sm80, sm90});
  ASSERT_TRUE(file.ok()) << file.status().message();
  auto bytes =
      rt::SharedBytes::of(std::vector<char>(file->begin(), file->end()));
  auto programs = rt::parseProgramFile(bytes);
  ASSERT_TRUE(programs.ok()) << programs.status().message();
  EXPECT_EQ((*rt::chooseProgram(*programs))->target.cpu, "x86-64-v3");
  EXPECT_EQ((*rt::chooseCudaProgram(*programs, 90))->target.cudaArch, 90);
  EXPECT_EQ((*rt::chooseCudaProgram(*programs, 86))->target.cudaArch, 80);
  EXPECT_EQ((*rt::chooseCudaProgram(*programs, 120))->target.cudaArch, 90);
  auto none = rt::chooseCudaProgram(*programs, 75);
  EXPECT_EQ(none.status().message(),
            "holds no code that a GPU of sm_75 runs: it is for x86-64-v3, "
            "cuda:sm_80, cuda:sm_90");
  auto again = rt::chooseCudaProgram(*programs, 80);
  ASSERT_EQ((*again)->modules.size(), sm80->modules.size());
  auto runner = rt::Runner::create(*again, {1});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  rt::EntryCall call = makeCall(**runner);
  EXPECT_TRUE(call.run().ok());
}

//===----------------------------------------------------------------------===//
// Bad conditions
//===----------------------------------------------------------------------===//

TEST_F(CudaStep, WithoutADriverTheErrorSaysSo) {
  auto program = compile(Precision::FP32, "cuda:sm_80");
  ::setenv("MPC_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  rt::Status status = rt::Runner::create(program, {1}).status();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(), HasSubstr("/nowhere/libcuda.so.1"));
  EXPECT_THAT(status.message(), HasSubstr("without a GPU use --target=cpu"));
}

TEST_F(CudaStep, MemoryThatIsNotThereIsNamed) {
  auto program = compile(Precision::FP32, "cuda:sm_80");
  rt::cuda::test::FakeMachine small;
  small.memoryBytes = 64 << 10;
  fake.reset(small);
  rt::Status status = rt::Runner::create(program, {1}).status();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(), HasSubstr("for the arena (64.0 KiB of"));
}

// A device for which there is no machine code takes NVRTC.
TEST_F(CudaStep, WithoutNvrtcOnlyItsOwnDeviceRunsIt) {
  auto program = compile(Precision::FP32, "cuda:sm_80");
  ASSERT_FALSE(program->modules.front().cubin.empty());
  ::setenv("MPC_NVRTC", "/nowhere/libnvrtc.so", 1);
  rt::Status status = rt::Runner::create(program, {1}).status();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(),
              HasSubstr("is sm_90, for which the program has no machine code"));
  rt::cuda::test::FakeMachine ampere;
  ampere.major = 8;
  fake.reset(ampere);
  EXPECT_TRUE(rt::Runner::create(program, {1}).ok());
}

TEST_F(CudaStep, CompilesWithoutNvrtcAndSaysSo) {
  ::setenv("MPC_NVRTC", "/nowhere/libnvrtc.so", 1);
  auto program = compile(Precision::FP32, "cuda:sm_80");
  EXPECT_TRUE(program->modules.front().cubin.empty());
  ASSERT_FALSE(program->warnings.empty());
  EXPECT_THAT(program->warnings.back(),
              HasSubstr("no machine code for cuda:sm_80"));
}

TEST_F(CudaStep, AnErrorInAStepEndsItAndLeavesNothingToSave) {
  auto runner = makeRunner(compile(Precision::FP32, "cuda:sm_80"));
  rt::EntryCall call = makeCall(*runner);
  ASSERT_TRUE(call.run().ok());
  // CUDA_ERROR_ILLEGAL_ADDRESS, as of a kernel that ran astray.
  fake.failAt("cuStreamSynchronize", 1, 700);
  rt::Status status = call.run();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(), HasSubstr("running the program"));
  fake.failAt("cuStreamSynchronize", 1, 700);
  EXPECT_FALSE(runner->exportState().ok());
}

} // namespace
