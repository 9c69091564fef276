// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which code is for this processor.
#include "runtime/Device/CPU/CpuLevel.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

TEST(CpuLevel, CodeOfThisVeryProcessorIsTheBest) {
  int host = rankLevel("host", cpuIdentity());
  EXPECT_GT(host, rankLevel("x86-64-v4", ""));
  EXPECT_GT(host, rankLevel("x86-64-v3", ""));
}

TEST(CpuLevel, CodeOfAnotherProcessorDoesNotRun) {
  std::string other = cpuIdentity();
  other[0] = other[0] == '0' ? '1' : '0';
  EXPECT_EQ(rankLevel("host", other), 0);
  EXPECT_EQ(rankLevel("host", ""), 0);
  EXPECT_EQ(rankLevel("z80", ""), 0);
}

TEST(CpuLevel, AWiderLevelThatRunsIsBetter) {
  if (!__builtin_cpu_supports("x86-64-v4"))
    GTEST_SKIP() << "this processor is below x86-64-v4";
  EXPECT_GT(rankLevel("x86-64-v4", ""), rankLevel("x86-64-v3", ""));
  EXPECT_GT(rankLevel("x86-64-v3", ""), 0);
}

TEST(CpuLevel, CodeForAUnitAsksForTheUnit) {
  bool hasUnit = __builtin_cpu_supports("x86-64-v4") &&
                 __builtin_cpu_supports("avx512bf16");
  // Intel's is slower than multiply-adds of f32, and better than AVX2.
  bool isFast = hasUnit && __builtin_cpu_is("amd");
  for (const char *level : {"znver4", "cooperlake", "sapphirerapids"}) {
    EXPECT_EQ(rankLevel(level, "") > rankLevel("x86-64-v4", ""), isFast);
    EXPECT_EQ(rankLevel(level, "") > rankLevel("x86-64-v3", ""), hasUnit);
  }
  if (!hasUnit) {
    EXPECT_EQ(rankLevel("znver4", ""), 0);
  }
  EXPECT_GT(rankLevel("host", cpuIdentity()), rankLevel("znver4", ""));
}

TEST(CpuLevel, EachLevelIsListed) {
  EXPECT_EQ(listCpus(), "host, x86-64-v3, x86-64-v4, znver4, znver5, "
                        "cooperlake, sapphirerapids or graniterapids");
}

TEST(CpuLevel, AProcessorIsTheSameEachTime) {
  EXPECT_EQ(cpuIdentity(), cpuIdentity());
  EXPECT_EQ(cpuIdentity().size(), 32u);
}

} // namespace
} // namespace mpc::rt
