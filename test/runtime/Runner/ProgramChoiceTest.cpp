// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variant of a program a machine runs.
#include "runtime/Runner/ProgramChoice.h"

#include "runtime/Device/CPU/CpuLevel.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

/// Programs of no more than a target, for a CPU by its level and for a GPU by
/// its architecture.
ProgramVariants variantsOf(const std::vector<CodeTarget> &targets) {
  ProgramVariants variants;
  for (const CodeTarget &target : targets) {
    auto program = std::make_shared<Program>();
    program->target = target;
    variants.push_back(program);
  }
  return variants;
}

CodeTarget cpu(const std::string &level, const std::string &machine = "") {
  return {level, machine, 0};
}

CodeTarget gpu(int arch) {
  return {"cuda:sm_" + std::to_string(arch), "", arch};
}

/// The level that is chosen, whatever their order; else the error.
std::string chosen(std::vector<CodeTarget> targets,
                   const std::string &level = "") {
  auto forwards = chooseProgram(variantsOf(targets), level);
  std::reverse(targets.begin(), targets.end());
  auto backwards = chooseProgram(variantsOf(targets), level);
  EXPECT_EQ(forwards.ok(), backwards.ok());
  if (!forwards.ok())
    return forwards.status().message();
  EXPECT_EQ((*forwards)->target.cpu, (*backwards)->target.cpu);
  return (*forwards)->target.cpu;
}

int chosenArch(std::vector<int> archs, int arch) {
  std::vector<CodeTarget> targets;
  for (int one : archs)
    targets.push_back(gpu(one));
  auto forwards = chooseCudaProgram(variantsOf(targets), arch);
  std::reverse(targets.begin(), targets.end());
  auto backwards = chooseCudaProgram(variantsOf(targets), arch);
  EXPECT_EQ(forwards.ok(), backwards.ok());
  if (!forwards.ok() || !backwards.ok())
    return 0;
  EXPECT_EQ((*forwards)->target.cudaArch, (*backwards)->target.cudaArch);
  return (*forwards)->target.cudaArch;
}

TEST(ProgramChoice, TheBestThatThisProcessorRuns) {
  CodeTarget host = cpu("host", cpuIdentity()), v3 = cpu("x86-64-v3"),
             other = cpu("host", "of another"), none = cpu("z80");
  EXPECT_EQ(chosen({none, host, other}), "host");
  if (rankLevel("x86-64-v3", "") == 0)
    GTEST_SKIP() << "this processor is below x86-64-v3";
  EXPECT_EQ(chosen({none, v3, other}), "x86-64-v3");
  EXPECT_EQ(chosen({none, v3, host, other}), "host");
  EXPECT_EQ(chosen({none, v3, host}, "x86-64-v3"), "x86-64-v3");
}

TEST(ProgramChoice, WhatThereIsWhereNothingRuns) {
  EXPECT_EQ(chosen({cpu("z80")}),
            "holds no code that this processor runs: it is for z80");
  EXPECT_EQ(chosen({cpu("host", cpuIdentity())}, "x86-64-v3"),
            "holds no code that is for 'x86-64-v3' and runs here: it is for "
            "host");
  EXPECT_EQ(chosen({cpu("z80")}, "z80"),
            "holds no code that is for 'z80' and runs here: it is for z80");
  auto cuda = chooseCudaProgram(variantsOf({cpu("host"), gpu(90)}), 80);
  EXPECT_EQ(cuda.status().message(),
            "holds no code that a GPU of sm_80 runs: it is for host, "
            "cuda:sm_90");
}

// Machine code runs on later devices of its major number; the text of an
// earlier one is compiled anew.
TEST(ProgramChoice, TheNearestArchitectureThatIsNotLater) {
  EXPECT_EQ(chosenArch({75, 80, 86, 90}, 86), 86);
  EXPECT_EQ(chosenArch({75, 80, 86, 90}, 89), 86);
  EXPECT_EQ(chosenArch({75, 80, 86, 90}, 80), 80);
  EXPECT_EQ(chosenArch({75, 80, 86, 90}, 75), 75);
  EXPECT_EQ(chosenArch({75, 90}, 89), 75);
  EXPECT_EQ(chosenArch({75, 80}, 90), 80);
  EXPECT_EQ(chosenArch({86, 90}, 80), 0);
  EXPECT_EQ(chosenArch({}, 80), 0);
}

} // namespace
} // namespace mpc::rt
