// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding NVRTC, choosing what to compile for, and compiling.
#include "test/runtime/Device/CUDA/FakeCuda.h"

#include <cstdlib>
#include <gmock/gmock.h>

namespace mpc::rt::cuda::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Source kernelNamed(const std::string &name) {
  return {name + ".cu",
          "extern \"C\" __global__ void " + name + "(int *x) { *x = 1; }\n"};
}

TEST(Nvrtc, SaysThatThereIsNone) {
  auto none = Nvrtc::open("libnosuchnvrtc.so.13");
  EXPECT_EQ(none.status().code(), StatusCode::Environment);
  EXPECT_THAT(none.status().message(),
              StartsWith("no NVRTC, which compiles kernels for the GPU"));
  EXPECT_THAT(none.status().message(),
              HasSubstr("libnosuchnvrtc.so.13: cannot open shared object"));
}

TEST(Nvrtc, ALibraryThatIsNoneIsNamed) {
  auto none = Nvrtc::open(MPC_FAKE_CUDA);
  EXPECT_THAT(none.status().message(),
              HasSubstr("has no symbol 'nvrtcVersion'"));
}

TEST(Nvrtc, TheEnvironmentNamesOne) {
  ::setenv("MPC_NVRTC", MPC_FAKE_NVRTC, 1);
  auto found = Nvrtc::open();
  ::unsetenv("MPC_NVRTC");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ((*found)->path(), MPC_FAKE_NVRTC);
  EXPECT_EQ((*found)->version(), "13.0");
}

TEST(Nvrtc, AKnownDeviceGetsMachineCode) {
  EXPECT_EQ(*fakeNvrtc()->targetFor({8, 0}),
            (Target{{80}, Target::Kind::Cubin}));
  EXPECT_EQ((*fakeNvrtc()->targetFor({9, 0})).name(), "sm_90");
}

TEST(Nvrtc, ALaterMinorNumberRunsTheCodeOfAnEarlierOne) {
  EXPECT_EQ(*fakeNvrtc()->targetFor({8, 7}),
            (Target{{86}, Target::Kind::Cubin}));
}

TEST(Nvrtc, ADeviceNewerThanNvrtcGetsPtxOfTheNewestThatIsKnown) {
  EXPECT_EQ((*fakeNvrtc()->targetFor({13, 0})).name(), "compute_120");
  EXPECT_EQ((*fakeNvrtc()->targetFor({11, 0})).name(), "compute_100");
}

TEST(Nvrtc, ADeviceOlderThanNvrtcIsAnError) {
  EXPECT_EQ(fakeNvrtc()->targetFor({7, 0}).status().message(),
            "NVRTC 13.0 compiles for sm_75 and newer; the device is an sm_70: "
            "it needs an older NVRTC (MPC_NVRTC names one)");
}

TEST(Nvrtc, AnErrorInTheTextComesWithTheLog) {
  Source broken{"broken.cu",
                "extern \"C\" __global__ void k() { undeclared; }"};
  Status status =
      fakeNvrtc()->compile(broken, {{90}, Target::Kind::Cubin}).status();
  EXPECT_THAT(status.message(),
              StartsWith("compiling 'broken.cu' for sm_90: nvrtcCompileProgram "
                         "failed: NVRTC_ERROR_COMPILATION (6)\n"));
  EXPECT_THAT(status.message(), HasSubstr("broken.cu:1"));
  EXPECT_THAT(status.message(), HasSubstr("undeclared"));
  // Without the 0 and the empty line that the log ends with.
  EXPECT_EQ(status.message().find('\0'), std::string::npos);
  EXPECT_NE(status.message().back(), '\n');
}

TEST(Nvrtc, ATextWithoutAFaultHasNoLog) {
  auto image =
      fakeNvrtc()->compile(kernelNamed("k"), {{90}, Target::Kind::Cubin});
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ(image->log, "");
}

TEST(Nvrtc, AnArchitectureThatItDoesNotKnowIsAnError) {
  Status status = fakeNvrtc()
                      ->compile(kernelNamed("k"), {{70}, Target::Kind::Cubin})
                      .status();
  EXPECT_THAT(status.message(),
              HasSubstr("for sm_70: nvrtcCompileProgram failed: "
                        "NVRTC_ERROR_INVALID_OPTION (5)"));
}

TEST(Nvrtc, CompilesSeveralSourcesAndNamesTheFirstThatFails) {
  std::vector<Source> sources = {kernelNamed("a"), kernelNamed("b")};
  auto images =
      fakeNvrtc()->compileAll(sources, {{90}, Target::Kind::Cubin}, 2);
  ASSERT_TRUE(images.ok()) << images.status().message();
  EXPECT_EQ(images->size(), 2U);
  sources = {kernelNamed("a"), {"bad1.cu", "!"}, {"bad2.cu", "!"}};
  images = fakeNvrtc()->compileAll(sources, {{90}, Target::Kind::Cubin}, 3);
  EXPECT_THAT(images.status().message(), StartsWith("compiling 'bad1.cu'"));
}

class PtxOnNewerDevice : public FakeCuda {};

TEST_F(PtxOnNewerDevice, IsLoadedAndRuns) {
  useMachine({1, 13, 0});
  KernelRunner runner(context(), fakeNvrtc());
  std::vector<int> x = {0};
  Status status = runner.run(kernelNamed("k"), "k", {}, {inOut(x)});
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(x[0], 1);
}

} // namespace
} // namespace mpc::rt::cuda::test
