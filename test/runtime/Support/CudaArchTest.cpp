// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which GPUs run code that is for an architecture, by the rules of the CUDA
// C++ Programming Guide.
#include "runtime/Support/CudaArch.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

TEST(CudaArch, IsANumberAndALetter) {
  EXPECT_EQ(CudaArch::parse("90"), (CudaArch{90}));
  EXPECT_EQ(CudaArch::parse("90a"), (CudaArch{90, 'a'}));
  EXPECT_EQ(CudaArch::parse("120f"), (CudaArch{120, 'f'}));
  EXPECT_EQ(CudaArch({90, 'a'}).name(), "sm_90a");
  EXPECT_EQ(CudaArch({75}).name(), "sm_75");
  for (const char *text :
       {"", "a", "90b", "sm_90", "9a0", "90aa", "49", "1000", "-90", "90 "})
    EXPECT_FALSE(CudaArch::parse(text)) << text;
}

TEST(CudaArch, MachineCodeRunsOnLaterMinorNumbers) {
  EXPECT_TRUE(CudaArch({80}).runsOn(80));
  EXPECT_TRUE(CudaArch({80}).runsOn(86));
  EXPECT_FALSE(CudaArch({86}).runsOn(80));
  EXPECT_FALSE(CudaArch({80}).runsOn(90));
  EXPECT_FALSE(CudaArch({90}).runsOn(89));
}

TEST(CudaArch, CodeWithALetterStaysWhereItIs) {
  EXPECT_TRUE(CudaArch({100, 'a'}).runsOn(100));
  EXPECT_FALSE(CudaArch({100, 'a'}).runsOn(103));
  EXPECT_TRUE(CudaArch({100, 'f'}).runsOn(103));
  EXPECT_FALSE(CudaArch({103, 'f'}).runsOn(100));
  EXPECT_FALSE(CudaArch({100, 'f'}).runsOn(120));
}

TEST(CudaArch, TextIsCompiledForAnyLaterOne) {
  EXPECT_TRUE(CudaArch({80}).compilesFor(90));
  EXPECT_FALSE(CudaArch({90}).compilesFor(80));
  EXPECT_FALSE(CudaArch({90, 'a'}).compilesFor(100));
  EXPECT_TRUE(CudaArch({90, 'a'}).compilesFor(90));
}

} // namespace
} // namespace mpc::rt
