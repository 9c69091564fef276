// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilation inside of a program that has set the floating-point mode, that
// forks, and whose threads compile and train at the same time.
#include "test/capi/CompilerTest.h"
#include "test/runtime/FlushMode.h"
#include "test/runtime/TempFolder.h"

#include <cfenv>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace mpc::test {
namespace {

/// A program file whose constants are folded: 1/3 squared, and a subnormal.
std::string compileFolding() {
  Model model = get(Model::parse(R"(
func.func @model(%x: tensor<2xf32> {nn.name = "x"})
    -> (tensor<2xf32> {nn.name = "y"}) {
  %one = nn.constant dense<[1.0, 3.0e-39]> : tensor<2xf32>
  %three = nn.constant dense<3.0> : tensor<2xf32>
  %third = nn.div %one, %three : tensor<2xf32>
  %ninth = nn.mul %third, %third : tensor<2xf32>
  %sum = nn.add %ninth, %third : tensor<2xf32>
  %y = nn.add %x, %sum : tensor<2xf32>
  return %y : tensor<2xf32>
})",
                                 "folding.mlir"));
  rt::TempFolder folder;
  std::string path = folder.path("eval.mpc");
  succeed(model.compileFile({"--eval"}, path));
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

TEST(CompilerHost, AFloatingPointModeDecidesNothing) {
  std::string expected = compileFolding();
  EXPECT_EQ(compileFolding(), expected);
  for (int mode : {FE_UPWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    std::string bytes = compileFolding();
    EXPECT_EQ(std::fegetround(), mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(bytes, expected) << mode;
  }
  if constexpr (rt::FlushMode::kSupported) {
    rt::FlushMode flushing;
    EXPECT_EQ(compileFolding(), expected);
  }
}

TEST(CompilerHost, AChildProcessCompilesWhatItsParentDoes) {
  std::string expected = compileFolding();
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    ::_exit(compileFolding() == expected ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(CompilerHost, ThreadsCompileAndTrainSideBySide) {
  LinearCase given;
  auto work = [&given] {
    for (int i = 0; i < 2; ++i) {
      Model model = buildLinear(given);
      Program program = get(model.compile({"--loss=mse", "--optimizer=sgd"}));
      for (int run = 0; run < 3; ++run)
        expectStep(program, given, "w");
    }
  };
  std::thread other(work);
  work();
  other.join();
}

} // namespace
} // namespace mpc::test
