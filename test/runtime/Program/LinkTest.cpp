// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs for batches of several shapes as one: what is shared, that each
// entry does what it did alone, and what is no one program.
#include "runtime/Program/Link.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Runner/EntryCall.h"
#include "test/runtime/TestProgram.h"

#include <array>
#include <gtest/gtest.h>

namespace mpc::rt::test {
namespace {

using Programs = std::vector<std::shared_ptr<Program>>;

std::shared_ptr<Program> link(const Programs &programs) {
  auto linked = linkPrograms(programs);
  EXPECT_TRUE(linked.ok()) << linked.status().message();
  return *linked;
}

std::string fault(const Programs &programs) {
  auto linked = linkPrograms(programs);
  return linked.ok() ? "" : linked.status().message();
}

TEST(Link, HasTheEntriesOfAllAndOneState) {
  auto four = makeTestProgram(), two = makeTestProgram<2>();
  auto linked = link({four, two, makeTestProgram<1>()});
  std::vector<std::string> names;
  for (const Entry &entry : linked->entries)
    names.push_back(entry.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"init", "step", "step.2", "step.3"}));
  EXPECT_EQ(linked->slabs.size(), four->slabs.size());
  EXPECT_EQ(linked->state.size(), four->state.size());
  // Found by role and shape.
  auto find = [&](const TensorShapes &shapes) {
    const Entry *entry = linked->findEntry(EntryRole::Step, shapes);
    return entry ? entry->name : "";
  };
  EXPECT_EQ(find({}), "step");
  EXPECT_EQ(find({{"x", {2, kFeatures}}}), "step.2");
  EXPECT_EQ(find({{"target", {1}}, {"x", {1, kFeatures}}}), "step.3");
  EXPECT_EQ(find({{"target", {1}}, {"x", {2, kFeatures}}}), "");
  EXPECT_EQ(find({{"other", {9}}}), "step");
  EXPECT_EQ(linked->findEntries(EntryRole::Step).size(), 3u);
  EXPECT_EQ(linked->stepEntries(1, {{"target", {2}}}).front()->name, "step.2");
  EXPECT_TRUE(linked->stepEntries(1, {{"target", {7}}}).empty());
  EXPECT_EQ(describeData(linked->findEntries(EntryRole::Step)),
            "x f32[4x3], target f32[4] or x f32[2x3], target f32[2] or x "
            "f32[1x3], target f32[1]");
}

/// The weights after steps by entries of these names, on rows of one batch.
std::array<float, kFeatures> train(const std::shared_ptr<const Program> &of,
                                   const std::vector<std::string> &steps) {
  auto runner = *Runner::create(of, {1});
  std::array<float, kBatch * kFeatures> x;
  std::array<float, kBatch> target;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 5) - 1.5f;
  for (size_t i = 0; i < target.size(); ++i)
    target[i] = static_cast<float>(i) - 1;
  float lr = 0.0625f;
  EXPECT_TRUE(runner->derive().ok());
  for (const std::string &name : steps) {
    auto call = EntryCall::bind(
        *runner, *of->findEntry(name), [&](const TensorDesc &input) {
          return input.name == "x"        ? static_cast<const void *>(x.data())
                 : input.name == "target" ? target.data()
                                          : static_cast<const void *>(&lr);
        });
    EXPECT_TRUE(call.ok() && call->run().ok()) << name;
  }
  std::array<float, kFeatures> weights;
  std::memcpy(weights.data(), runner->readState("w")->data, sizeof weights);
  return weights;
}

TEST(Link, EachEntryDoesWhatItDidAlone) {
  auto four = makeTestProgram(), two = makeTestProgram<2>();
  auto linked = link({four, two});
  EXPECT_EQ(train(linked, {"step", "step"}), train(four, {"step", "step"}));
  EXPECT_EQ(train(linked, {"step.2", "step.2"}), train(two, {"step", "step"}));
  EXPECT_NE(train(four, {"step"}), train(two, {"step"}));
  // By a file, too.
  std::shared_ptr<const Program> written = linked;
  std::string file = *encodeProgramFile({&written, 1});
  auto read = parseProgramFile(
      SharedBytes::of(std::vector<char>(file.begin(), file.end())));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(train(read->front(), {"step.2", "step"}),
            train(linked, {"step.2", "step"}));
}

TEST(Link, EqualConstantsAreThereOnce) {
  auto four = makeTestProgram(), two = makeTestProgram<2>();
  auto constant = [](float value) {
    return Constant{"c", SharedBytes::of(std::vector<float>(3, value))};
  };
  auto use = [](Program &program, std::vector<Constant> constants) {
    program.constants = std::move(constants);
    Launch launch;
    launch.command = std::make_shared<Copy>();
    launch.numRead = 1;
    for (uint32_t i = 0; i < program.constants.size(); ++i) {
      launch.buffers = {{Space::Constant, i, 0, 12}, {Space::State, 3, 0, 12}};
      program.entries[1].launches.push_back(launch);
    }
  };
  use(*four, {constant(1), constant(2)});
  use(*two, {constant(3), constant(2), constant(1)});
  auto linked = link({four, two});
  ASSERT_EQ(linked->constants.size(), 3u);
  std::vector<uint32_t> used;
  for (const Launch &launch : linked->findEntry("step.2")->launches)
    for (const BufferRef &ref : launch.buffers)
      if (ref.space == Space::Constant)
        used.push_back(ref.index);
  EXPECT_EQ(used, (std::vector<uint32_t>{2, 1, 0}));
}

TEST(Link, KernelsOfAGpuAreInTheModulesBehindTheOthers) {
  auto make = [](int64_t batch, size_t modules) {
    auto program = std::make_shared<Program>();
    CudaTarget target{*CudaArch::parse("80")};
    target.modules.resize(modules);
    program->target = target;
    Entry step;
    step.name = "step";
    step.role = EntryRole::Step;
    step.inputs = {{"x", DType::F32, {batch}}};
    for (uint32_t i = 0; i < modules; ++i) {
      Launch launch;
      launch.symbol = "k";
      launch.command = std::make_shared<DeviceKernel>(
          i, Grid{batch, 32, 0}, std::vector<KernelParameter>{},
          KernelWork{"map", 5});
      step.launches.push_back(launch);
    }
    program->entries = {step};
    return program;
  };
  auto linked = link({make(8, 2), make(3, 1)});
  EXPECT_EQ(linked->cuda()->modules.size(), 3u);
  const Launch &launch = linked->findEntry("step.2")->launches.front();
  const auto *kernel = launch.as<DeviceKernel>();
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->module(), 2u);
  EXPECT_EQ(kernel->grid().blocks, 3);
  EXPECT_EQ(kernel->work().flops, 5u);
}

TEST(Link, BoundsAndWarningsAreThoseOfAll) {
  auto four = makeTestProgram(), two = makeTestProgram<2>();
  four->bounds = {{"target", 0, 10}};
  four->warnings = {"a", "b"};
  two->bounds = {{"target", 0, 10}, {"ids", 0, 7}};
  two->warnings = {"b", "c"};
  auto linked = link({four, two});
  EXPECT_EQ(linked->bounds.size(), 2u);
  EXPECT_EQ(linked->warnings, (std::vector<std::string>{"a", "b", "c"}));
  two->bounds.front().upper = 9;
  EXPECT_EQ(fault({four, two}), "input 'target' holds 0 to 9, and with another "
                                "shape 0 to 8: one program cannot check both");
}

TEST(Link, ProgramsOfOtherStatesAreNotOne) {
  constexpr const char *kSteps =
      "the steps for x f32[4x3], target f32[4] and for x f32[2x3], target "
      "f32[2] cannot be one program: ";
  auto faultOf = [](auto change) {
    auto two = makeTestProgram<2>();
    change(*two);
    return fault({makeTestProgram(), two});
  };
  std::string states = std::string(kSteps) + "their states are not the same: ";
  EXPECT_EQ(faultOf([](Program &p) { p.state[1].desc.name = "w/other"; }),
            states + "only one has 'w/momentum'");
  EXPECT_EQ(faultOf([](Program &p) { p.state[0].desc.dtype = DType::F16; }),
            states + "'w' is f32[3] in slab 0 at 0, and f16[3] in slab 0 at 0");
  EXPECT_EQ(faultOf([](Program &p) { p.state[1].offset = 32; }),
            states + "'w/momentum' is f32[3] in slab 0 at 64, and f32[3] in "
                     "slab 0 at 32");
  EXPECT_EQ(faultOf([](Program &p) { p.state[1].role = StateRole::Buffer; }),
            states + "'w/momentum' has another role");
  EXPECT_EQ(faultOf([](Program &p) { p.slabs.push_back({"more", 64}); }),
            states + "it has 4 slabs, and 5");
  EXPECT_EQ(faultOf([](Program &p) { p.slabs[2].bytes += 64; }),
            states + "slab 'scalars' begins as another");
  EXPECT_EQ(faultOf([](Program &p) { p.slabs[2].parts = 2; }),
            states + "slab 'scalars' begins as another");
  EXPECT_EQ(faultOf([](Program &p) {
              p.slabs[2].initial = SharedBytes::of(std::vector<double>(16, 1));
            }),
            states + "slab 'scalars' begins as another");
  EXPECT_EQ(
      faultOf([](Program &p) { p.entries[0].mode = ModelMode::Training; }),
      std::string(kSteps) + "they normalize by different statistics");
  EXPECT_EQ(faultOf([](Program &p) {
              std::get<CpuTarget>(p.target).cpu = "x86-64-v4";
            }),
            "linking programs for  and x86-64-v4");
  EXPECT_EQ(faultOf([](Program &p) {
              std::get<CpuTarget>(p.target).imageHash = "0123";
            }),
            "the machine code is damaged: its hash does not match");
  EXPECT_EQ(fault({makeTestProgram(), makeTestProgram()}),
            "two of the programs are for x f32[4x3], target f32[4]");
}

} // namespace
} // namespace mpc::rt::test
