// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole training step on the test driver: against the same step on the CPU,
// what it costs the host, and what happens where something fails.
#include "test/lib/Driver/CudaStep.h"
#include "runtime/Profile/LaunchRecorder.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Runner/ProgramChoice.h"

#include <cstring>
#include <gmock/gmock.h>
#include <limits>

using namespace mpc;
using testing::HasSubstr;
using testing::Not;

namespace {

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
      ASSERT_TRUE(status.ok()) << status.message() << fake_.fault();
      // One rounding of bf16 more or less is 2^-8 of an activation.
      double tolerance = precision == Precision::FP32 ? kTolerance : 1e-2;
      EXPECT_NEAR(*onGpu.scalar("loss"), *onCpu.scalar("loss"), tolerance);
    }
    if (precision == Precision::FP32)
      expectSameState(*gpu, *cpu, 1e-4);
  }
  EXPECT_EQ(fake_.fault(), "");
}

// Of two rates a step takes that for what became of the step before, which its
// own state tells: the caller need not know.
TEST_F(CudaStep, TakesTheRateForWhatBecameOfTheStepBefore) {
  const float whereApplied = 0, whereSkipped = 0.125F;
  const float good = x_[5];
  for (const char *target : {"x86-64-v3", "cuda:sm_80"}) {
    auto runner = makeRunner(compile(Precision::FP16, target));
    rt::EntryCall call = makeCall(*runner);
    const std::vector<rt::TensorDesc> &inputs = call.entry().inputs;
    ASSERT_TRUE(call.entry().choosesRate());
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].name == rt::step::kLearningRate)
        call.setInput(i, &whereApplied);
      else if (inputs[i].name == rt::step::kRateAfterSkip)
        call.setInput(i, &whereSkipped);
    auto parameters = [&] {
      std::vector<float> values;
      for (const rt::StateTensor &tensor : runner->program().state)
        if (tensor.role == rt::StateRole::Parameter) {
          auto view = *runner->readState(tensor.desc.name);
          auto *data = static_cast<const float *>(view.data);
          values.insert(values.end(), data, data + view.desc.numElements());
        }
      return values;
    };
    bool wasSkipped = false;
    int moved = 0;
    for (int step = 0; step < 8; ++step) {
      x_[5] = step == 2 || step == 4 || step == 5 ? INFINITY : good;
      std::vector<float> before = parameters();
      ASSERT_TRUE(call.run().ok()) << fake_.fault();
      bool isSkipped = *call.scalar("found_inf") != 0;
      EXPECT_EQ(parameters() != before, wasSkipped && !isSkipped) << step;
      moved += wasSkipped && !isSkipped;
      wasSkipped = isSkipped;
    }
    EXPECT_GE(moved, 2) << target;
  }
}

// As kernels of very large tensors have them.
TEST_F(CudaStep, TrainsWithPlacesOf64Bits) {
  CompileRequest request;
  request.modelPath = MPC_TEST_INPUTS "/models/mlp.onnx";
  request.recipe.clauses["--precision"] = std::string("bf16");
  auto wide = compileAnew(request, "cuda:sm_80", /*wide=*/true);
  auto narrow = compileAnew(request, "cuda:sm_80");
  auto textOf = [](const rt::Program &program) {
    std::string text;
    for (const rt::DeviceModule &module : program.cuda()->modules)
      text.append(reinterpret_cast<const char *>(module.source.data()),
                  module.source.size());
    return text.substr(text.find("// End of the prelude."));
  };
  EXPECT_THAT(textOf(*wide), HasSubstr("const mpc_i64 tile = "));
  EXPECT_THAT(textOf(*narrow), Not(HasSubstr("const mpc_i64 tile = ")));
  auto one = makeRunner(wide), other = makeRunner(narrow);
  rt::EntryCall first = makeCall(*one), second = makeCall(*other);
  for (int step = 0; step < 3; ++step) {
    rt::Status status = first.run();
    ASSERT_TRUE(status.ok()) << status.message() << fake_.fault();
    ASSERT_TRUE(second.run().ok());
    EXPECT_EQ(first.scalar("loss"), second.scalar("loss"));
  }
  expectSameState(*one, *other, 0);
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
    ASSERT_TRUE(status.ok()) << status.message() << fake_.fault();
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
      result.push_back(fake_.count(name));
    return result;
  };
  // Of uploads: those that would wait for the step before.
  auto late = [&] {
    return fake_.countBeside("cuMemcpyHtoDAsync_v2", "cuGraphLaunch");
  };
  std::vector<int> before = counts();
  int lateBefore = late();
  for (int step = 0; step < 2; ++step)
    ASSERT_TRUE(runner->enqueue(entry, inputs, outputs).ok());
  std::vector<int> after = counts();
  for (size_t i = 0; i < after.size(); ++i)
    after[i] -= before[i];
  EXPECT_EQ(after, (std::vector<int>{2, 0, 0, 0, 0, 0}));
  EXPECT_EQ(late(), lateBefore);
  ASSERT_TRUE(runner->wait().ok());
  EXPECT_EQ(fake_.count("cuStreamSynchronize"), before[2] + 1);
  // Of three good steps the second has made the scale grow.
  EXPECT_EQ(*runner->readNumber("counter"), 1);
}

// To the test driver a launch, and the event behind it, take a microsecond.
TEST_F(CudaStep, EachLaunchOfARunIsTimed) {
  auto program = compile(Precision::FP16, "cuda:sm_80");
  auto timed = makeRunner(program), run = makeRunner(program);
  rt::EntryCall call = makeCall(*run);
  ASSERT_TRUE(call.run().ok());
  std::vector<const void *> inputs;
  for (size_t i = 0; i < call.entry().inputs.size(); ++i)
    inputs.push_back(call.input(i));
  int graphs = fake_.count("cuGraphLaunch");
  rt::LaunchRecorder recorder(rt::LaunchRecorder::kMostEvents);
  timed->observe(&recorder);
  rt::EntryCall observed = makeCall(*timed);
  for (size_t i = 0; i < inputs.size(); ++i)
    observed.setInput(i, inputs[i]);
  ASSERT_TRUE(observed.run().ok());
  EXPECT_EQ(fake_.count("cuGraphLaunch"), graphs);
  ASSERT_EQ(recorder.entries().size(), 1u);
  const rt::RecordedEntry &entry = recorder.entries()[0];
  ASSERT_EQ(entry.launches.size(), call.entry().launches.size());
  for (const rt::RecordedLaunch &launch : entry.launches)
    EXPECT_NEAR(static_cast<double>(launch.total), 2000, 1);
  // They follow one another, within the run.
  rt::Nanoseconds now = recorder.start();
  for (const rt::TimelineEvent &event : recorder.events())
    if (event.launch != rt::TimelineEvent::kRun) {
      EXPECT_EQ(event.begin, now);
      now = event.end;
    }
  EXPECT_LE(now, recorder.events().back().end);
  // It is a run as every other.
  for (size_t i = 0; i < call.outputs().size(); ++i)
    EXPECT_EQ(
        std::memcmp(observed.outputs()[i].data, call.outputs()[i].data,
                    static_cast<size_t>(call.outputs()[i].desc.numBytes())),
        0);
  expectSameState(*timed, *run, 0);
  EXPECT_EQ(*timed->readNumber("counter"), 1);
  timed->observe(nullptr);
  ASSERT_TRUE(observed.run().ok());
  EXPECT_EQ(fake_.count("cuGraphLaunch"), graphs + 1);
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
  EXPECT_EQ(nameOf((*rt::chooseProgram(*programs))->target), "x86-64-v3");
  EXPECT_EQ((*rt::chooseCudaProgram(*programs, 90))->cuda()->arch.number, 90);
  EXPECT_EQ((*rt::chooseCudaProgram(*programs, 86))->cuda()->arch.number, 80);
  EXPECT_EQ((*rt::chooseCudaProgram(*programs, 120))->cuda()->arch.number, 90);
  auto none = rt::chooseCudaProgram(*programs, 75);
  EXPECT_EQ(none.status().message(),
            "holds no code that a GPU of sm_75 runs: it is for x86-64-v3, "
            "cuda:sm_80, cuda:sm_90");
  auto again = rt::chooseCudaProgram(*programs, 80);
  ASSERT_EQ((*again)->cuda()->modules.size(), sm80->cuda()->modules.size());
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
  fake_.reset(small);
  rt::Status status = rt::Runner::create(program, {1}).status();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(), HasSubstr("for the arena (64.0 KiB of"));
}

TEST_F(CudaStep, AKernelThatTheDeviceHasNoRoomForIsNamed) {
  auto program = compile(Precision::FP16, "cuda:sm_80");
  rt::cuda::test::FakeMachine narrow;
  narrow.maxSharedOptIn = 8 << 10;
  fake_.reset(narrow);
  rt::Status status = rt::Runner::create(program, {1}).status();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(), HasSubstr("node_linear"));
  EXPECT_THAT(status.message(), HasSubstr("does not fit: its block has"));
  EXPECT_THAT(status.message(), HasSubstr("at most 8192 are possible"));
}

TEST_F(CudaStep, ADeviceBeforeWhatNvrtcKnowsIsRefused) {
  auto program = compile(Precision::FP32, "cuda:sm_80");
  rt::cuda::test::FakeMachine volta;
  volta.major = 7;
  fake_.reset(volta);
  rt::Status status = rt::Runner::create(program, {1}).status();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(), HasSubstr("the device is an sm_70"));
}

// NVRTC of before the device makes PTX, which the driver compiles.
TEST_F(CudaStep, ADeviceAfterWhatNvrtcKnowsRunsPtx) {
  auto program = compile(Precision::FP32, "cuda:sm_80");
  rt::cuda::test::FakeMachine later;
  later.major = 13;
  fake_.reset(later);
  auto runner = makeRunner(program);
  EXPECT_TRUE(makeCall(*runner).run().ok());
}

// Machine code that the driver cannot use, as of an NVRTC that is newer than
// it, is compiled anew from its text, on loading or, where a driver loads
// lazily, when a kernel is asked for.
TEST_F(CudaStep, MachineCodeThatTheDriverRefusesIsCompiledFromItsText) {
  auto program = compile(Precision::FP32, "cuda:sm_80");
  ASSERT_GT(program->cuda()->modules.size(), 1u);
  auto cpu = makeRunner(compile(Precision::FP32, "x86-64-v3"));
  rt::EntryCall onCpu = makeCall(*cpu);
  ASSERT_TRUE(onCpu.run().ok());
  for (int code : {200, 209, 218, 222})
    for (auto [symbol, use] : {std::pair("cuModuleLoadDataEx", 1),
                               {"cuModuleLoadDataEx", 2},
                               {"cuModuleGetFunction", 3}}) {
      fake_.reset({1, 8, 0});
      fake_.failAt(symbol, use, code);
      auto gpu = makeRunner(program);
      ASSERT_EQ(gpu->warnings().size(), 1u) << symbol << code;
      EXPECT_THAT(
          gpu->warnings().front(),
          testing::AllOf(
              HasSubstr("refuses the program's machine code: CUDA_ERROR"),
              HasSubstr("(" + std::to_string(code) + ")"),
              HasSubstr("is compiled again, now and at each start")));
      rt::EntryCall onGpu = makeCall(*gpu);
      ASSERT_TRUE(onGpu.run().ok()) << fake_.fault();
      EXPECT_NEAR(*onGpu.scalar("loss"), *onCpu.scalar("loss"), kTolerance);
    }
  fake_.reset({1, 8, 0});
  EXPECT_TRUE(makeRunner(program)->warnings().empty());
}

// What is wrong with the device or the memory is no matter of the image.
TEST_F(CudaStep, OtherFailuresOfLoadingAreErrors) {
  auto program = compile(Precision::FP32, "cuda:sm_80");
  fake_.reset({1, 8, 0});
  fake_.failAt("cuModuleLoadDataEx", 1, 2);
  rt::Status status = rt::Runner::create(program, {1}).status();
  EXPECT_THAT(status.message(), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY (2)"));
  EXPECT_EQ(fake_.count("cuModuleLoadDataEx"), 1);
  // Text that the driver refuses too is at its end.
  fake_.reset({1, 8, 0});
  ::setenv("MPC_NVRTC", "/nowhere/libnvrtc.so", 1);
  fake_.failAt("cuModuleLoadDataEx", 1, 222);
  status = rt::Runner::create(program, {1}).status();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(),
              testing::AllOf(HasSubstr("(222)"), HasSubstr("refuses"),
                             HasSubstr("/nowhere/libnvrtc.so")));
}

// A device for which there is no machine code takes NVRTC.
TEST_F(CudaStep, WithoutNvrtcOnlyItsOwnDeviceRunsIt) {
  auto program = compile(Precision::FP32, "cuda:sm_80");
  ASSERT_FALSE(program->cuda()->modules.front().cubin.empty());
  ::setenv("MPC_NVRTC", "/nowhere/libnvrtc.so", 1);
  rt::Status status = rt::Runner::create(program, {1}).status();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(),
              HasSubstr("is sm_90, for which the program has no machine code"));
  rt::cuda::test::FakeMachine ampere;
  ampere.major = 8;
  fake_.reset(ampere);
  EXPECT_TRUE(rt::Runner::create(program, {1}).ok());
}

// Not that of an earlier minor number.
TEST_F(CudaStep, MachineCodeOfALaterDeviceIsNotLoaded) {
  auto program = compile(Precision::FP32, "cuda:sm_86");
  ::setenv("MPC_NVRTC", "/nowhere/libnvrtc.so", 1);
  for (auto [minor, runs] : {std::pair(0, false), {9, true}}) {
    rt::cuda::test::FakeMachine machine;
    machine.major = 8;
    machine.minor = minor;
    fake_.reset(machine);
    rt::Status status = rt::Runner::create(program, {1}).status();
    EXPECT_EQ(status.ok(), runs) << status.message();
    if (!runs)
      EXPECT_THAT(status.message(),
                  HasSubstr("is sm_80, for which the program has no machine "
                            "code"));
  }
}

TEST_F(CudaStep, CompilesWithoutNvrtcAndSaysSo) {
  ::setenv("MPC_NVRTC", "/nowhere/libnvrtc.so", 1);
  auto program = compile(Precision::FP32, "cuda:sm_80");
  EXPECT_TRUE(program->cuda()->modules.front().cubin.empty());
  ASSERT_FALSE(program->warnings.empty());
  EXPECT_THAT(program->warnings.back(),
              HasSubstr("no machine code for cuda:sm_80"));
}

TEST_F(CudaStep, AnErrorInAStepEndsItAndLeavesNothingToSave) {
  auto runner = makeRunner(compile(Precision::FP32, "cuda:sm_80"));
  rt::EntryCall call = makeCall(*runner);
  ASSERT_TRUE(call.run().ok());
  // CUDA_ERROR_ILLEGAL_ADDRESS, as of a kernel that ran astray.
  fake_.failAt("cuStreamSynchronize", 1, 700);
  rt::Status status = call.run();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(), HasSubstr("running the program"));
  fake_.failAt("cuStreamSynchronize", 1, 700);
  EXPECT_FALSE(runner->exportState().ok());
}

TEST_F(CudaStep, ALaunchThatFailsNamesTheEntry) {
  auto runner = makeRunner(compile(Precision::FP32, "cuda:sm_80"));
  rt::EntryCall call = makeCall(*runner);
  // CUDA_ERROR_OUT_OF_MEMORY: nothing has run, and the next may.
  fake_.failAt("cuGraphLaunch", 1, 2);
  rt::Status status = call.run();
  EXPECT_EQ(status.code(), rt::StatusCode::Environment);
  EXPECT_THAT(status.message(), HasSubstr("entry 'step': "));
  EXPECT_THAT(status.message(), HasSubstr("cuGraphLaunch failed: "));
  EXPECT_TRUE(call.run().ok());
}

// CUDA_ERROR_ILLEGAL_ADDRESS; all later calls say the same.
TEST_F(CudaStep, ALostDeviceIsToldByEveryRun) {
  auto runner = makeRunner(compile(Precision::FP32, "cuda:sm_80"));
  rt::EntryCall call = makeCall(*runner);
  fake_.failAt("cuGraphLaunch", 1, 700);
  for (int i = 0; i < 2; ++i) {
    rt::Status status = call.run();
    EXPECT_EQ(status.code(), rt::StatusCode::Environment);
    EXPECT_THAT(status.message(),
                HasSubstr("this process cannot use the device any more"));
  }
  EXPECT_FALSE(runner->exportState().ok());
}

} // namespace
