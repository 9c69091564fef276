// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds of commands: those of programs on both machines, and one that this test
// adds, which nothing of the runtime knows.
#include "runtime/Program/Commands.h"

#include "runtime/Program/FieldReader.h"
#include "runtime/Program/Inspection.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Runner/Runner.h"
#include "test/runtime/Device/CUDA/FakeCuda.h"

#include <bit>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>

namespace mpc::rt {
namespace {

/// Writes the numbers first, first + 1, ... as i32 to its only buffer: a kind
/// with a number of its own, which both machines run.
class Count final : public Command {
public:
  explicit Count(int32_t first) : first_(first) {}
  static const CommandRow kRow;

  [[nodiscard]] std::string_view kind() const override { return kRow.kind; }
  [[nodiscard]] std::string describe() const override {
    return " from " + std::to_string(first_);
  }
  void write(nlohmann::json &fields) const override {
    fields["first"] = first_;
  }
  [[nodiscard]] std::string fault(const Program & /*program*/,
                                  const Launch &launch) const override {
    return launch.buffers.size() == 1 ? "" : "counts into one buffer";
  }
  Status run(const Launch &launch, void *const *buffers,
             HostMachine &machine) const override {
    struct Call {
      int32_t *out;
      int32_t first;
    } call{static_cast<int32_t *>(buffers[0]), first_};
    machine.share(
        static_cast<int64_t>(launch.buffers[0].bytes / 4),
        [](void *context, int, int64_t begin, int64_t end) {
          auto &count = *static_cast<Call *>(context);
          for (int64_t i = begin; i < end; ++i)
            count.out[i] = count.first + static_cast<int32_t>(i);
        },
        &call);
    return {};
  }
  // On a GPU it writes zeros, which is enough to see that it was recorded.
  Status record(const Launch &launch, std::span<const DeviceAddress> buffers,
                DeviceMachine &machine) const override {
    return machine.clear(buffers[0], launch.buffers[0].bytes);
  }

private:
  int32_t first_;
};

const CommandRow Count::kRow = {
    "count",
    [](const nlohmann::json &launch,
       FieldReader &fields) -> std::shared_ptr<const Command> {
      return std::make_shared<Count>(
          static_cast<int32_t>(fields.integer(launch, "first")));
    }};

/// A program whose entry "eval" counts into its output, and copies that.
std::shared_ptr<Program> makeCounting(int32_t first, int64_t count) {
  auto program = std::make_shared<Program>();
  program->target = CpuTarget{"x86-64-v3"};
  auto bytes = static_cast<uint64_t>(count) * 4;
  Entry entry;
  entry.name = "eval";
  entry.outputs = {{"numbers", DType::I32, {count}},
                   {"again", DType::I32, {count}}};
  entry.launches = {
      {"numbers",
       "",
       {{Space::Output, 0, 0, bytes}},
       0,
       std::make_shared<Count>(first)},
      {"again",
       "",
       {{Space::Output, 0, 0, bytes}, {Space::Output, 1, 0, bytes}},
       1,
       std::make_shared<Copy>()}};
  program->entries = {entry};
  return program;
}

std::vector<int32_t> expected(int32_t first, size_t count) {
  std::vector<int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

TEST(Commands, AKindOfOnesOwnRunsOnTheCpu) {
  auto runner = Runner::create(makeCounting(5, 1000), {3});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  std::vector<int32_t> numbers(1000), again(1000);
  void *outputs[] = {numbers.data(), again.data()};
  ASSERT_TRUE((*runner)->run("eval", {}, outputs).ok());
  EXPECT_EQ(numbers, expected(5, 1000));
  EXPECT_EQ(again, numbers);
}

TEST(Commands, AKindOfOnesOwnHasItsRowInAManifest) {
  std::shared_ptr<const Program> programs[] = {makeCounting(-3, 10)};
  std::vector<Section> sections = *encodeManifest(programs);
  std::vector<CommandRow> rows(commandRows().begin(), commandRows().end());
  auto unknown = parseManifest(sections, rows);
  EXPECT_EQ(unknown.status().message(),
            "manifest: 'kind' is not the name of a known kind of launch");
  rows.push_back(Count::kRow);
  auto read = parseManifest(sections, rows);
  ASSERT_TRUE(read.ok()) << read.status().message();
  auto runner = Runner::create(read->front(), {1});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  std::vector<int32_t> numbers(10), again(10);
  void *outputs[] = {numbers.data(), again.data()};
  ASSERT_TRUE((*runner)->run("eval", {}, outputs).ok());
  EXPECT_EQ(again, expected(-3, 10));
}

TEST(Commands, AKindOfOnesOwnIsInspected) {
  auto program = makeCounting(7, 10);
  EXPECT_NE(describeProgram(*program).find("count         numbers from 7:"),
            std::string::npos)
      << describeProgram(*program);
  auto json = nlohmann::json::parse(describeProgramAsJson(*program));
  const auto &launch = json["entries"][0]["launches"][0];
  EXPECT_EQ(launch["kind"], "count");
  EXPECT_EQ(launch["first"], 7);
}

/// A kind that no machine runs.
struct Nothing final : Command {
  [[nodiscard]] std::string_view kind() const override { return "nothing"; }
  [[nodiscard]] std::string fault(const Program & /*program*/,
                                  const Launch & /*launch*/) const override {
    return "";
  }
};

TEST(Commands, AKindThatTheCpuLacksIsNotPassedOver) {
  auto program = makeCounting(0, 4);
  program->entries[0].launches[0].command = std::make_shared<Nothing>();
  auto runner = Runner::create(program, {1});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  std::vector<int32_t> numbers(4), again(4);
  void *outputs[] = {numbers.data(), again.data()};
  EXPECT_EQ((*runner)->run("eval", {}, outputs).message(),
            "a CPU cannot run a nothing");
}

TEST(Commands, AFaultOfAKindOfOnesOwnIsFoundBeforeItRuns) {
  auto program = makeCounting(0, 4);
  program->entries[0].launches[0].buffers.clear();
  EXPECT_EQ(Runner::create(program, {1}).status().message(),
            "program: entry 'eval', launch 0 ('numbers'): counts into one "
            "buffer");
}

//===----------------------------------------------------------------------===//
// A GPU
//===----------------------------------------------------------------------===//

class DeviceCommands : public cuda::test::FakeCudaOfProcess {
protected:
  /// y = scale * x + shift, whose scale and shift are parameters by value.
  static std::shared_ptr<Program>
  makeScaling(std::vector<KernelParameter> parameters) {
    auto program = std::make_shared<Program>();
    std::string text = cuda::test::withPrelude("", R"(
extern "C" __global__ void scaled(const float *x, float scale, mpc_u8 shift,
                                  float *y) {
  y[threadIdx.x] = scale * x[threadIdx.x] + shift;
}
)")
                           .text;
    CudaTarget target{{80}};
    target.modules.push_back(
        {SharedBytes::of(std::vector<char>(text.begin(), text.end())), {}});
    program->target = std::move(target);
    Entry entry;
    entry.name = "eval";
    entry.inputs = {{"x", DType::F32, {8}}};
    entry.outputs = {{"y", DType::F32, {8}}};
    entry.launches = {{"scaled",
                       "",
                       {{Space::Input, 0, 0, 32}, {Space::Output, 0, 0, 32}},
                       1,
                       std::make_shared<DeviceKernel>(0, Grid{1, 8, 0},
                                                      std::move(parameters))}};
    program->entries = {entry};
    return program;
  }
};

TEST_F(DeviceCommands, AKernelTakesPointersAndNumbers) {
  auto program = makeScaling({PointerParameter{0},
                              ScalarParameter{std::bit_cast<uint32_t>(2.5f), 4},
                              ScalarParameter{200, 1}, PointerParameter{1}});
  // As it comes out of a file.
  std::shared_ptr<const Program> programs[] = {program};
  auto read = parseManifest(*encodeManifest(programs));
  ASSERT_TRUE(read.ok()) << read.status().message();
  auto runner = Runner::create(read->front());
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  std::vector<float> x = {0, 1, 2, 3, -4, 5, 6, 7}, y(8);
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  Status status = (*runner)->run("eval", inputs, outputs);
  ASSERT_TRUE(status.ok()) << status.message() << fake().fault();
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(y[i], 2.5f * x[i] + 200);
}

TEST_F(DeviceCommands, ParametersThatAreNoneAreRefused) {
  EXPECT_EQ(
      Runner::create(makeScaling({PointerParameter{2}})).status().message(),
      "program: entry 'eval', launch 0 ('scaled'): a parameter is not one of "
      "its buffers");
  EXPECT_EQ(
      Runner::create(makeScaling({ScalarParameter{0, 3}})).status().message(),
      "program: entry 'eval', launch 0 ('scaled'): a parameter has 3 bytes");
}

TEST_F(DeviceCommands, GridsAndModulesThatAreNoneAreRefused) {
  auto faultOf = [](uint32_t module, Grid grid) {
    auto program = makeScaling({});
    program->entries[0].launches[0].command = std::make_shared<DeviceKernel>(
        module, grid, std::vector<KernelParameter>());
    return Runner::create(program).status().message();
  };
  const std::string where = "program: entry 'eval', launch 0 ('scaled'): ";
  EXPECT_EQ(faultOf(1, {1, 8, 0}), where + "its module is not in the program");
  EXPECT_EQ(faultOf(0, {0, 8, 0}),
            where + "0 blocks of 8 threads are not a grid");
  EXPECT_EQ(faultOf(0, {1, 0, 0}),
            where + "1 blocks of 0 threads are not a grid");
  EXPECT_EQ(faultOf(0, {1, 1025, 0}),
            where + "1 blocks of 1025 threads are not a grid");
  EXPECT_EQ(faultOf(0, {int64_t(1) << 31, 32, 0}),
            where + "2147483648 blocks of 32 threads are not a grid");
}

TEST_F(DeviceCommands, AKindOfOnesOwnIsRecorded) {
  auto program = makeCounting(5, 16);
  program->target = CudaTarget{{80}};
  auto runner = Runner::create(program);
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  std::vector<int32_t> numbers(16, -1), again(16, -1);
  void *outputs[] = {numbers.data(), again.data()};
  ASSERT_TRUE((*runner)->run("eval", {}, outputs).ok());
  EXPECT_EQ(again, std::vector<int32_t>(16, 0));
}

// A run that leaves the scaler alone must not bring back what was kept of it
// before the import.
TEST_F(DeviceCommands, AnUpdateAfterAnImportGoesBackToNoOlderState) {
  auto program = makeCounting(0, 4);
  program->target = CudaTarget{{80}};
  program->slabs = {{"scaler", 64}};
  program->state = {
      {{"amp.loss_scale", DType::F64, {2}}, StateRole::LossScale, 0, 0}};
  Entry uses = program->entries[0];
  uses.name = "uses";
  uses.outputs = {{"scaler", DType::F64, {2}}};
  uses.launches = {{"read",
                    "",
                    {{Space::State, 0, 0, 16}, {Space::Output, 0, 0, 16}},
                    1,
                    std::make_shared<Copy>()}};
  program->entries.push_back(uses);
  auto runner = Runner::create(program);
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  auto import = [&](double scale, double counter) {
    double values[] = {scale, counter};
    TensorView view{program->state[0].desc, values};
    return (*runner)->importState({&view, 1});
  };
  double read[2] = {};
  std::vector<int32_t> numbers(4), again(4);
  void *ofUse[] = {read}, *ofOther[] = {numbers.data(), again.data()};
  ASSERT_TRUE(import(8, 5).ok());
  ASSERT_TRUE((*runner)->run("uses", {}, ofUse).ok());
  EXPECT_EQ(read[1], 5);
  ASSERT_TRUE(import(16, 1).ok());
  ASSERT_TRUE((*runner)->run("eval", {}, ofOther).ok());
  ASSERT_TRUE((*runner)->updateScale(32).ok());
  EXPECT_EQ(*(*runner)->readNumber("scale"), 32);
  EXPECT_EQ(*(*runner)->readNumber("counter"), 1);
}

TEST_F(DeviceCommands, AKernelOfACpuIsRefused) {
  auto program = makeCounting(5, 16);
  program->target = CudaTarget{{80, 'a'}};
  program->entries[0].launches[0].command =
      std::make_shared<HostKernel>(HostKernel::Place{});
  EXPECT_EQ(Runner::create(program).status().message(),
            "program: entry 'eval', launch 0 ('numbers'): a kernel of a CPU in "
            "a program for cuda:sm_80a");
}

} // namespace
} // namespace mpc::rt
