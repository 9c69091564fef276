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
ProgramVariants variantsOf(const std::vector<Target> &targets) {
  ProgramVariants variants;
  for (const Target &target : targets) {
    auto program = std::make_shared<Program>();
    program->target = target;
    variants.push_back(program);
  }
  return variants;
}

Target cpu(const std::string &level, const std::string &machine = "") {
  return CpuTarget{level, machine};
}

/// Of "90" or "90a".
Target gpu(const std::string &arch) {
  return CudaTarget{*CudaArch::parse(arch)};
}

/// The level that is chosen, whatever their order; else the error.
std::string chosen(std::vector<Target> targets, const std::string &level = "") {
  auto forwards = chooseProgram(variantsOf(targets), level);
  std::reverse(targets.begin(), targets.end());
  auto backwards = chooseProgram(variantsOf(targets), level);
  EXPECT_EQ(forwards.ok(), backwards.ok());
  if (!forwards.ok())
    return forwards.status().message();
  EXPECT_EQ(nameOf((*forwards)->target), nameOf((*backwards)->target));
  return nameOf((*forwards)->target);
}

/// The architecture that is chosen for a GPU of number `device`; else empty.
std::string chosenArch(const std::vector<std::string> &archs, int device) {
  std::vector<Target> targets;
  for (const std::string &one : archs)
    targets.push_back(gpu(one));
  auto forwards = chooseCudaProgram(variantsOf(targets), device);
  std::reverse(targets.begin(), targets.end());
  auto backwards = chooseCudaProgram(variantsOf(targets), device);
  EXPECT_EQ(forwards.ok(), backwards.ok());
  if (!forwards.ok() || !backwards.ok())
    return "";
  EXPECT_EQ((*forwards)->cuda()->arch, (*backwards)->cuda()->arch);
  return (*forwards)->cuda()->arch.text();
}

TEST(ProgramChoice, TheBestThatThisProcessorRuns) {
  Target host = cpu("host", cpuIdentity()), v3 = cpu("x86-64-v3"),
         other = cpu("host", "of another"), none = cpu("z80");
  EXPECT_EQ(chosen({none, host, other}), "host");
  if (rankLevel("x86-64-v3", "") == 0)
    GTEST_SKIP() << "this processor is below x86-64-v3";
  EXPECT_EQ(chosen({none, v3, other}), "x86-64-v3");
  EXPECT_EQ(chosen({none, v3, host, other}), "host");
  EXPECT_EQ(chosen({none, v3, host}, "x86-64-v3"), "x86-64-v3");
}

TEST(ProgramChoice, WarnsOfAUnitThatTheCodeLacks) {
  Program program;
  program.target = cpu("x86-64-v3");
  EXPECT_EQ(warnOfUnusedUnit(program), "");
  program.state.emplace_back();
  EXPECT_EQ(warnOfUnusedUnit(program), "");
  program.state.back().desc.dtype = DType::BF16;
  std::string warning = warnOfUnusedUnit(program);
  if (!__builtin_cpu_supports("avx512bf16") || !__builtin_cpu_is("amd")) {
    EXPECT_EQ(warning, "");
    GTEST_SKIP() << "this processor has no unit for bf16, or a slow one";
  }
  EXPECT_EQ(warning,
            "the code is for x86-64-v3, and this processor multiplies "
            "bf16 by AVX512-BF16, too, at twice the rate: compile with "
            "--cpu=x86-64-v3,znver4");
  program.target = cpu("znver4");
  EXPECT_EQ(warnOfUnusedUnit(program), "");
  program.target = cpu("host", cpuIdentity());
  EXPECT_EQ(warnOfUnusedUnit(program), "");
}

TEST(ProgramChoice, WhatThereIsWhereNothingRuns) {
  EXPECT_EQ(chosen({cpu("z80")}),
            "holds no code that this processor runs: it is for z80");
  EXPECT_EQ(chosen({cpu("host", cpuIdentity())}, "x86-64-v3"),
            "holds no code that is for 'x86-64-v3' and runs here: it is for "
            "host");
  EXPECT_EQ(chosen({cpu("z80")}, "z80"),
            "holds no code that is for 'z80' and runs here: it is for z80");
  auto cuda = chooseCudaProgram(variantsOf({cpu("host"), gpu("90")}), 80);
  EXPECT_EQ(cuda.status().message(),
            "holds no code that a GPU of sm_80 runs: it is for host, "
            "cuda:sm_90");
}

// Machine code runs on later devices of its major number; the text of an
// earlier one is compiled anew.
TEST(ProgramChoice, TheNearestArchitectureThatIsNotLater) {
  EXPECT_EQ(chosenArch({"75", "80", "86", "90"}, 86), "86");
  EXPECT_EQ(chosenArch({"75", "80", "86", "90"}, 89), "86");
  EXPECT_EQ(chosenArch({"75", "80", "86", "90"}, 80), "80");
  EXPECT_EQ(chosenArch({"75", "80", "86", "90"}, 75), "75");
  EXPECT_EQ(chosenArch({"75", "90"}, 89), "75");
  EXPECT_EQ(chosenArch({"75", "80"}, 90), "80");
  EXPECT_EQ(chosenArch({"86", "90"}, 80), "");
  EXPECT_EQ(chosenArch({}, 80), "");
}

TEST(ProgramChoice, WhatIsForThisGpuAlone) {
  EXPECT_EQ(chosenArch({"90", "90a"}, 90), "90a");
  EXPECT_EQ(chosenArch({"100", "100a"}, 103), "100");
  EXPECT_EQ(chosenArch({"90", "90a"}, 100), "90");
  EXPECT_EQ(chosenArch({"90a"}, 100), "");
  EXPECT_EQ(chosenArch({"100f", "90"}, 103), "100f");
}

} // namespace
} // namespace mpc::rt
