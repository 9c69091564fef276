// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a hand-written program, and its state by name.
#include "runtime/Runner/Runner.h"

#include "test/runtime/TestProgram.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

std::unique_ptr<Runner> makeRunner(std::shared_ptr<const Program> program,
                                   int threads = 2) {
  auto runner = Runner::create(std::move(program), {threads});
  EXPECT_TRUE(runner.ok()) << runner.status().message();
  return std::move(*runner);
}

TensorView view(const char *name, DType dtype, std::vector<int64_t> shape,
                const void *data) {
  return {{name, dtype, std::move(shape)}, data};
}

std::vector<float> readFloats(Runner &runner, const char *name) {
  auto tensor = runner.readState(name);
  EXPECT_TRUE(tensor.ok());
  auto *data = static_cast<const float *>(tensor->data);
  return {data, data + tensor->desc.numElements()};
}

struct StepResult {
  float loss = -1, scale = -1;
  uint8_t foundInf = 2;
  double gradNorm = -1, goodSteps = -1;
};

StepResult runStep(Runner &runner, const std::vector<float> &x,
                   const std::vector<float> &target, float lr) {
  StepResult result;
  const void *inputs[] = {x.data(), target.data(), &lr};
  void *outputs[] = {&result.loss, &result.scale, &result.foundInf,
                     &result.gradNorm, &result.goodSteps};
  Status status = runner.run("step", inputs, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  return result;
}

TEST(Runner, RunsAStepAndSkipsANonFiniteOne) {
  auto runner = makeRunner(test::makeTestProgram());
  float weights[] = {1, 2, 3};
  double scale[] = {1024, 0};
  ASSERT_TRUE(runner->writeState(view("w", DType::F32, {3}, weights)).ok());
  ASSERT_TRUE(
      runner->writeState(view("loss_scale", DType::F64, {2}, scale)).ok());
  ASSERT_TRUE(runner->derive().ok());
  std::vector<float> x = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  std::vector<float> target = {0, 2, 3, 0};
  StepResult result = runStep(*runner, x, target, 0.5f);
  EXPECT_EQ(result.loss, 0.25f); // one error of 1, mean of four squares
  EXPECT_EQ(result.gradNorm, 0.5);
  EXPECT_EQ(result.scale, 1024);
  EXPECT_EQ(result.foundInf, 0);
  EXPECT_EQ(result.goodSteps, 1);
  EXPECT_EQ(readFloats(*runner, "w"), (std::vector<float>{0.75f, 2, 3}));

  x[0] = INFINITY;
  result = runStep(*runner, x, target, 0.5f);
  EXPECT_EQ(result.foundInf, 1);
  EXPECT_EQ(result.goodSteps, 0);
  EXPECT_EQ(readFloats(*runner, "w"), (std::vector<float>{0.75f, 2, 3}));
  EXPECT_EQ(runStep(*runner, x, target, 0.5f).scale, 512);
}

TEST(Runner, StateIsZeroAtFirst) {
  auto runner = makeRunner(test::makeTestProgram());
  EXPECT_EQ(readFloats(*runner, "w"), (std::vector<float>{0, 0, 0}));
}

/// buffers: source, target; target[i] = source[i] + 1, by chunks.
void addOne(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  auto *sum = static_cast<int32_t *>(scratch);
  for (int64_t i = begin; i < end; ++i) {
    *sum = static_cast<const int32_t *>(buffers[0])[i] + 1;
    static_cast<int32_t *>(buffers[1])[i] = *sum;
  }
}

/// input -> arena -> (kernel) -> output, with offsets, a copy, a fill and a
/// constant.
std::shared_ptr<Program> makeCopyProgram(int64_t count) {
  auto program = std::make_shared<Program>();
  program->target = CpuTarget{"host"};
  uint64_t bytes = static_cast<uint64_t>(count) * 4;
  program->constants = {{"five", SharedBytes::of<uint8_t>({5, 0, 0, 0})}};
  Entry entry;
  entry.name = "eval";
  entry.inputs = {{"in", DType::I32, {count}}};
  entry.outputs = {{"out", DType::I32, {count + 2}}};
  entry.arenaBytes = 64 + bytes;
  BufferRef in{Space::Input, 0, 0, bytes}, middle{Space::Arena, 0, 64, bytes};
  auto launch = [](const char *symbol, std::vector<BufferRef> buffers,
                   std::shared_ptr<const Command> command) {
    return Launch{symbol, "", std::move(buffers), 0, std::move(command)};
  };
  BufferRef front{Space::Output, 0, 0, 4}, inner{Space::Output, 0, 4, bytes};
  entry.launches = {launch("copy", {in, middle}, std::make_shared<Copy>()),
                    launch("add", {middle, inner},
                           test::makeKernel(*program, addOne, count, 4)),
                    launch("fill", {{Space::Output, 0, 4 + bytes, 4}},
                           std::make_shared<Fill>()),
                    launch("five", {{Space::Constant, 0, 0, 4}, front},
                           std::make_shared<Copy>())};
  program->entries = {entry};
  return program;
}

TEST(Runner, CopiesFillsAndSplitsChunks) {
  const int64_t count = 700'000; // copies in three pieces
  std::vector<int32_t> in(count), out(count + 2, -1);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int32_t>(i);
  for (int threads : {1, 2, 3}) {
    auto runner = makeRunner(makeCopyProgram(count), threads);
    const void *inputs[] = {in.data()};
    void *outputs[] = {out.data()};
    ASSERT_TRUE(runner->run("eval", inputs, outputs).ok());
    EXPECT_EQ(out.front(), 5);
    EXPECT_EQ(out.back(), 0);
    for (size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i + 1], in[i] + 1);
    std::fill(out.begin(), out.end(), -1);
  }
}

TEST(Runner, RefusesPlacesOutsideTheirMemory) {
  auto faultOf = [](auto change) {
    auto program = makeCopyProgram(4);
    change(*program, program->entries[0].launches);
    auto runner = Runner::create(program, {1});
    return runner.ok() ? "" : runner.status().message();
  };
  EXPECT_EQ(faultOf([](Program &, auto &) {}), "");
  const std::string outside =
      "program: entry 'eval', launch 0 ('copy'): buffer 1 lies outside its "
      "memory";
  EXPECT_EQ(faultOf([](Program &, auto &l) { l[0].buffers[1].offset = 65; }),
            outside);
  EXPECT_EQ(faultOf([](Program &, auto &l) { l[0].buffers[1].offset = -1; }),
            outside);
  EXPECT_EQ(faultOf([](Program &, auto &l) {
              l[0].buffers[1] = {Space::State, 0, 0, 16};
            }),
            outside);
  EXPECT_EQ(faultOf([](Program &, auto &l) { l[0].buffers.pop_back(); }),
            "program: entry 'eval', launch 0 ('copy'): expected 2 buffers, "
            "found 1");
  EXPECT_EQ(faultOf([](Program &, auto &l) { l[0].buffers[0].bytes = 12; }),
            "program: entry 'eval', launch 0 ('copy'): copies 12 bytes to 16");
  EXPECT_EQ(faultOf([](Program &, auto &l) { l[2].buffers.clear(); }),
            "program: entry 'eval', launch 2 ('fill'): expected 1 buffers, "
            "found 0");
  EXPECT_EQ(faultOf([](Program &, auto &l) { l[1].numRead = 3; }),
            "program: entry 'eval', launch 1 ('add'): reads 3 of 2 buffers");
  EXPECT_EQ(faultOf([](Program &, auto &l) { l[1].command = nullptr; }),
            "program: entry 'eval', launch 1 ('add'): it has no command");
  auto place = [](uint64_t offset, int64_t chunks, int64_t tile = 1) {
    return std::make_shared<HostKernel>(
        HostKernel::Place{offset, chunks, 4, tile});
  };
  EXPECT_EQ(
      faultOf([&](Program &, auto &l) { l[1].command = place(16, 4); }),
      "program: entry 'eval', launch 1 ('add'): its code lies outside the "
      "image");
  EXPECT_EQ(
      faultOf([&](Program &, auto &l) { l[1].command = place(0, -1); }),
      "program: entry 'eval', launch 1 ('add'): number of chunks is negative");
  for (int64_t tile : {int64_t(0), int64_t(5), INT64_MAX})
    EXPECT_EQ(
        faultOf([&](Program &, auto &l) { l[1].command = place(0, 4, tile); }),
        "program: entry 'eval', launch 1 ('add'): a tile is no part of the "
        "chunks");
  EXPECT_EQ(faultOf([](Program &, auto &l) {
              l[1].command = std::make_shared<DeviceKernel>(
                  0, Grid(), pointerParameters(2));
            }),
            "program: entry 'eval', launch 1 ('add'): a kernel of a GPU in a "
            "program for host");
  EXPECT_EQ(faultOf([](Program &p, auto &) {
              p.slabs = {{"s", 4}};
              p.state = {{{"t", DType::F32, {2}}, StateRole::Buffer, 0, 0}};
            }),
            "state tensor 't' does not lie in its slab");
  EXPECT_EQ(faultOf([](Program &p, auto &) {
              p.slabs = {{"s", 8}};
              p.state = {{{"w/momentum", DType::F32, {2}},
                          StateRole::Slot,
                          0,
                          0,
                          false,
                          "w",
                          "momentum"}};
            }),
            "state tensor 'w/momentum' belongs to 'w', which the program does "
            "not have");
  EXPECT_EQ(
      faultOf([](Program &p, auto &) { p.slabs = {{"s", uint64_t(1) << 62}}; }),
      "cannot allocate 4.0 EiB for state slab 's'");
}

TEST(Runner, ALaunchOfNoChunksDoesNothing) {
  auto program = makeCopyProgram(4);
  program->entries[0].launches[1].command =
      test::makeKernel(*program, addOne, 0, 4);
  auto runner = makeRunner(program);
  std::vector<int32_t> in = {1, 2, 3, 4}, out(6, -1);
  const void *inputs[] = {in.data()};
  void *outputs[] = {out.data()};
  ASSERT_TRUE(runner->run("eval", inputs, outputs).ok());
  EXPECT_EQ(out, (std::vector<int32_t>{5, -1, -1, -1, -1, 0}));
}

TEST(Runner, RefusesAWrongNumberOfArguments) {
  auto runner = makeRunner(makeCopyProgram(4));
  EXPECT_EQ(runner->run("eval").message(),
            "entry 'eval': expected 1 inputs and 1 outputs, found 0 and 0");
  EXPECT_EQ(runner->run("none").message(), "program has no entry 'none'");
}

TEST(State, WritesConvertWhereThatIsSafe) {
  auto program = test::makeTestProgram();
  program->state[0].desc.dtype = DType::F16; // a 16-bit parameter
  auto runner = makeRunner(program);
  float weights[] = {0.1f, 2, 3};
  ASSERT_TRUE(runner->writeState(view("w", DType::F32, {3}, weights)).ok());
  auto half = runner->readState("w");
  EXPECT_EQ(*static_cast<const uint16_t *>(half->data), roundToF16(0.1f));
  uint16_t halves[] = {0x3c00, 0, 0};
  ASSERT_TRUE(
      runner->writeState(view("w/momentum", DType::F16, {3}, halves)).ok());
  EXPECT_EQ(readFloats(*runner, "w/momentum"), (std::vector<float>{1, 0, 0}));

  double doubles[] = {1, 2, 3};
  EXPECT_EQ(runner->writeState(view("w/momentum", DType::F64, {3}, doubles))
                .message(),
            "tensor 'w/momentum': expected f32[3], found f64[3]");
  EXPECT_EQ(runner->writeState(view("w", DType::F32, {2}, weights)).message(),
            "tensor 'w': expected f16[3], found f32[2]");
  EXPECT_EQ(runner->writeState(view("v", DType::F32, {3}, weights)).message(),
            "no state tensor 'v'");
}

// Features: J6, J11.
TEST(State, ExportsWhatACheckpointHolds) {
  auto runner = makeRunner(test::makeTestProgram());
  std::vector<std::string> names;
  std::vector<TensorView> tensors = *runner->exportState();
  for (const TensorView &tensor : tensors)
    names.push_back(tensor.desc.name);
  EXPECT_EQ(names, (std::vector<std::string>{"w", "w/momentum", "loss_scale",
                                             "optimizer"}));
}

TEST(State, ImportDerivesLowPrecisionCopies) {
  auto runner = makeRunner(test::makeTestProgram());
  float weights[] = {1, 2, 3}, velocity[] = {4, 5, 6};
  double scale[] = {8, 1}, steps[] = {7};
  std::vector<TensorView> tensors = {
      view("w", DType::F32, {3}, weights),
      view("w/momentum", DType::F32, {3}, velocity),
      view("loss_scale", DType::F64, {2}, scale),
      view("optimizer", DType::F64, {1}, steps)};
  ASSERT_TRUE(runner->importState(tensors).ok());
  EXPECT_EQ(readFloats(*runner, "w/momentum"), (std::vector<float>{4, 5, 6}));
  auto copy = runner->readState("w/f16");
  EXPECT_EQ(static_cast<const uint16_t *>(copy->data)[2], roundToF16(3.0f));

  velocity[0] = 99;
  tensors[0].desc.shape = {3, 1};
  tensors[2].desc.name = "scale";
  EXPECT_EQ(runner->importState(tensors).message(),
            "does not fit this model and recipe; 1 missing: 'loss_scale'; 1 "
            "extra: 'scale'; 1 different: 'w' (expected f32[3], found "
            "f32[3x1])");
  EXPECT_EQ(readFloats(*runner, "w/momentum"), (std::vector<float>{4, 5, 6}));
}

} // namespace
} // namespace mpc::rt
