// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a program written by hand, class by class.
#include "runtime/Program/MemoryClasses.h"

#include "runtime/Program/Commands.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

BufferRef arena(uint64_t offset, uint64_t bytes) {
  return {Space::Arena, 0, offset, bytes};
}

Launch launch(std::vector<BufferRef> reads, std::vector<BufferRef> writes,
              uint64_t scratch = 0) {
  Launch result;
  result.numRead = static_cast<uint32_t>(reads.size());
  result.buffers = std::move(reads);
  result.buffers.insert(result.buffers.end(), writes.begin(), writes.end());
  result.command =
      std::make_shared<HostKernel>(HostKernel::Place{0, 1, scratch});
  return result;
}

Program programOf(std::vector<std::pair<StateRole, uint64_t>> slabs) {
  Program program;
  for (auto [role, bytes] : slabs) {
    StateTensor tensor;
    tensor.role = role;
    tensor.slab = static_cast<uint32_t>(program.slabs.size());
    program.state.push_back(tensor);
    program.slabs.push_back({.name = "slab", .bytes = bytes});
  }
  return program;
}

TEST(MemoryClasses, StateIsSummedUpByRole) {
  Program program = programOf({{StateRole::Parameter, 400},
                               {StateRole::Parameter, 40},
                               {StateRole::LowPrecision, 200},
                               {StateRole::Slot, 300},
                               {StateRole::Slot, 500},
                               {StateRole::Gradient, 7},
                               {StateRole::Buffer, 11},
                               {StateRole::LossScale, 13}});
  Entry entry;
  MemoryClasses classes = classifyMemory(program, entry, mapArena(entry));
  EXPECT_EQ(classes.weights, 440u);
  EXPECT_EQ(classes.weightCopies, 200u);
  EXPECT_EQ(classes.moments, 800u);
  EXPECT_EQ(classes.otherState, 31u);
  EXPECT_EQ(classes.activations + classes.operands + classes.gaps, 0u);
}

TEST(MemoryClasses, TheArenaAtItsFullestLaunch) {
  // Launch 2 reads 64 bytes for the last time and writes 256, while 128 wait
  // for launch 3. 192 bytes of the arena are never needed then.
  Entry entry;
  entry.launches = {launch({}, {arena(0, 64)}, 5),
                    launch({arena(0, 64)}, {arena(64, 128)}, 9),
                    launch({arena(0, 64)}, {arena(192, 256)}),
                    launch({arena(64, 128), arena(192, 256)}, {})};
  entry.arenaBytes = 640;
  ArenaMap map = mapArena(entry);
  EXPECT_EQ(map.fullest, 2u);
  MemoryClasses classes = classifyMemory(Program(), entry, map);
  EXPECT_EQ(classes.activations, 128u);
  EXPECT_EQ(classes.operands, 64u + 256u);
  EXPECT_EQ(classes.gaps, 192u);
  EXPECT_EQ(classes.scratch, 9u);
}

TEST(MemoryClasses, NothingWaitsAtTheFirstLaunch) {
  Entry entry;
  entry.launches = {launch({}, {arena(0, 64)}), launch({arena(0, 64)}, {})};
  entry.arenaBytes = 64;
  MemoryClasses classes = classifyMemory(Program(), entry, mapArena(entry));
  EXPECT_EQ(classes.activations, 0u);
  EXPECT_EQ(classes.operands, 64u);
  EXPECT_EQ(classes.gaps, 0u);
}

} // namespace
} // namespace mpc::rt
