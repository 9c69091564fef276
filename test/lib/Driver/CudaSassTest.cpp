// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of whole training steps compiled by NVRTC for every
// architecture: nothing spills, and products of 16 bits run on Tensor Cores.
#include "lib/Codegen/CUDA/Target.h"
#include "lib/Driver/TrainingProgram.h"
#include "mlir/IR/MLIRContext.h"
#include "test/runtime/Device/CUDA/RealNvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>

using namespace mpc;
using namespace mpc::rt::cuda::test;
using rt::cuda::Target;
using testing::HasSubstr;

namespace {

struct Case {
  const char *model;
  Precision precision;
  int arch;
};

class CudaSass : public testing::TestWithParam<Case> {};

/// The modules of the step, without machine code.
std::vector<rt::DeviceModule> emitStep(const Case &wanted) {
  ::setenv("MPC_CACHE_DIR", "", 1);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TrainingRequest request;
  request.modelPath = std::string(MPC_TEST_INPUTS "/models/") + wanted.model;
  request.recipe.precision.precision = wanted.precision;
  request.recipe.target.machineCode = false;
  auto plan = planTraining(request, context);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  CompileReport report;
  auto program = compileTrainingProgram(
      *plan, "cuda:sm_" + std::to_string(wanted.arch), false, report);
  EXPECT_TRUE(program.ok()) << program.status().message();
  return (*program)->modules;
}

/// The kernels of a text whose products are on Tensor Cores.
std::vector<std::string> productsOf(const std::string &text) {
  static const std::regex kernel(R"(__launch_bounds__\(\d+, \d+\)\n(\w+)\()");
  std::vector<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), kernel), end;
       found != end; ++found) {
    size_t begin = static_cast<size_t>(found->position());
    std::string body = text.substr(begin, text.find("\n}\n", begin) - begin);
    if (body.find("mpc_multiply_tiles") != std::string::npos)
      names.push_back((*found)[1]);
  }
  return names;
}

TEST_P(CudaSass, CompilesWithoutSpills) {
  std::vector<rt::DeviceModule> modules = emitStep(GetParam());
  auto nvrtc = findNvrtc();
  MPC_REQUIRE(nvrtc.ok(), nvrtc.status().message());
  int arch = GetParam().arch;
  if (std::ranges::count((*nvrtc)->archs(), arch) == 0)
    GTEST_SKIP() << "NVRTC " << (*nvrtc)->version() << " does not know it";
  size_t products = 0;
  for (const rt::DeviceModule &module : modules) {
    std::string text(reinterpret_cast<const char *>(module.source.data()),
                     module.source.size());
    std::vector<std::string> options = {"--ptxas-options=-v"};
    auto image = (*nvrtc)->compile({"step.cu", text},
                                   {arch, Target::Kind::Cubin}, options);
    ASSERT_TRUE(image.ok()) << image.status().message();
    EXPECT_THAT(image->log, HasSubstr("0 bytes spill stores"));
    static const std::regex kSpill("[1-9][0-9]* bytes (spill|stack frame)");
    EXPECT_FALSE(std::regex_search(image->log, kSpill)) << image->log;
    std::vector<std::string> names = productsOf(text);
    if (names.empty())
      continue;
    std::string sass = inspect("nvdisasm", "-c", *image);
    MPC_REQUIRE(!sass.empty(), "no nvdisasm");
    for (const std::string &name : names) {
      ++products;
      EXPECT_THAT(sectionOf(sass, name), HasSubstr("HMMA.")) << name;
    }
  }
  // sm_75 has no bf16 product.
  bool hasProducts = GetParam().precision == Precision::FP16 || arch >= 80;
  EXPECT_EQ(products > 0, hasProducts) << products;
}

INSTANTIATE_TEST_SUITE_P(
    Steps, CudaSass,
    testing::Values(Case{"mlp.onnx", Precision::FP16, 75},
                    Case{"mlp.onnx", Precision::FP16, 80},
                    Case{"mlp.onnx", Precision::FP16, 86},
                    Case{"mlp.onnx", Precision::FP16, 89},
                    Case{"mlp.onnx", Precision::FP16, 90},
                    Case{"mlp.onnx", Precision::FP16, 100},
                    Case{"mlp.onnx", Precision::FP16, 120},
                    Case{"nanogpt.onnx", Precision::FP16, 90},
                    Case{"lenet.onnx", Precision::BF16, 75},
                    Case{"lenet.onnx", Precision::BF16, 80}),
    [](const auto &info) {
      std::string name = info.param.model;
      return name.substr(0, name.find('.')) + "_sm_" +
             std::to_string(info.param.arch);
    });

} // namespace
