// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of whole training steps compiled by NVRTC for every
// architecture: nothing spills, and products of 16 bits run on Tensor Cores.
// That all large ones are such products is seen before they become text.
#include "dialects/Kernel/KernelDialect.h"
#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/Target.h"
#include "lib/Driver/TrainingProgram.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "test/runtime/Device/CUDA/RealNvrtc.h"

#include <algorithm>
#include <filesystem>
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

/// The modules of the step, without machine code. `look` sees the step's module
/// when every kernel has its schedule.
std::vector<rt::DeviceModule>
emitStep(const Case &wanted,
         const std::function<void(mlir::Operation *)> &look = nullptr) {
  ::setenv("MPC_CACHE_DIR", "", 1);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.registerActionHandler(
      [&](llvm::function_ref<void()> run, const mlir::tracing::Action &action) {
        run();
        auto *ran = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
        if (look && ran && ran->getPass().getArgument() == "cuda-schedule")
          look(ran->getOp());
      });
  TrainingRequest request;
  request.modelPath = std::string(MPC_TEST_INPUTS "/") + wanted.model;
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
  static const std::regex kKernel(R"(__launch_bounds__\(\d+, \d+\)\n(\w+)\()");
  std::vector<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), kKernel), end;
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
  // sm_75 has no bf16 product, and none has one of f32.
  Precision precision = GetParam().precision;
  bool hasProducts = precision == Precision::FP16 ||
                     (precision == Precision::BF16 && arch >= 80);
  EXPECT_EQ(products > 0, hasProducts) << products;
}

/// The least of the rows, columns and terms that `lhs` and `rhs` have as the
/// factors of `op`.
int64_t leastSize(mlir::linalg::GenericOp op, mlir::OpOperand *lhs,
                  mlir::OpOperand *rhs) {
  int64_t rows = 1, columns = 1, terms = 1;
  mlir::AffineMap left = op.getMatchingIndexingMap(lhs);
  mlir::AffineMap right = op.getMatchingIndexingMap(rhs);
  auto kinds = op.getIteratorTypesArray();
  for (auto [dim, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    auto loop = static_cast<unsigned>(dim);
    bool inLeft = left.isFunctionOfDim(loop);
    bool inRight = right.isFunctionOfDim(loop);
    if (inLeft && !inRight)
      rows *= extent;
    if (!inLeft && inRight)
      columns *= extent;
    if (inLeft && inRight && kinds[dim] == mlir::utils::IteratorType::reduction)
      terms *= extent;
  }
  return std::min({rows, columns, terms});
}

/// Whether `op` multiplies factors of 16 bits, and has at least 64 rows,
/// columns and terms: by its indexing maps, not by what schedules know.
bool isLargeProduct(mlir::linalg::GenericOp op) {
  std::vector<mlir::OpOperand *> factors;
  for (mlir::OpOperand *input : op.getDpsInputOperands())
    if (mlir::getElementTypeOrSelf(input->get().getType())
            .getIntOrFloatBitWidth() == 16)
      factors.push_back(input);
  for (mlir::OpOperand *lhs : factors)
    for (mlir::OpOperand *rhs : factors)
      if (leastSize(op, lhs, rhs) >= 64)
        return true;
  return false;
}

class LargeProducts : public testing::TestWithParam<Case> {};

TEST_P(LargeProducts, RunOnTensorCores) {
  size_t found = 0;
  emitStep(GetParam(), [&](mlir::Operation *module) {
    module->walk([&](mlir::linalg::GenericOp op) {
      auto kernel = op->getParentOfType<kernel::FuncOp>();
      if (!kernel || !isLargeProduct(op))
        return;
      ++found;
      EXPECT_TRUE(kernel.getSchedule() &&
                  llvm::isa<cuda::MmaAttr>(*kernel.getSchedule()))
          << kernel.getSymName().str();
    });
  });
  EXPECT_GT(found, 0u);
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  std::string name = std::filesystem::path(info.param.model).stem();
  std::ranges::replace(name, '-', '_');
  return name + "_sm_" + std::to_string(info.param.arch);
}

/// All models with large products, for the first GPU that has products of the
/// precision: how a kernel is scheduled asks for no more.
std::vector<Case> modelsWithProducts() {
  std::vector<Case> cases;
  for (const char *model :
       {"models/nanogpt.onnx", "models/resnet18.onnx", "workloads/chargpt.onnx",
        "workloads/digits-cnn.onnx", "workloads/digits-mlp.onnx"}) {
    cases.push_back({model, Precision::FP16, 75});
    cases.push_back({model, Precision::BF16, 80});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Steps, LargeProducts,
                         testing::ValuesIn(modelsWithProducts()), nameOf);

INSTANTIATE_TEST_SUITE_P(
    Steps, CudaSass,
    testing::Values(Case{"models/mlp.onnx", Precision::FP16, 75},
                    Case{"models/mlp.onnx", Precision::FP16, 80},
                    Case{"models/mlp.onnx", Precision::FP16, 86},
                    Case{"models/mlp.onnx", Precision::FP16, 89},
                    Case{"models/mlp.onnx", Precision::FP16, 90},
                    Case{"models/mlp.onnx", Precision::FP16, 100},
                    Case{"models/mlp.onnx", Precision::FP16, 120},
                    Case{"models/nanogpt.onnx", Precision::FP16, 90},
                    Case{"cuda/head.mlir", Precision::FP32, 75},
                    Case{"cuda/head.mlir", Precision::FP32, 80},
                    Case{"cuda/head.mlir", Precision::FP32, 90},
                    Case{"cuda/head.mlir", Precision::FP32, 120},
                    Case{"models/lenet.onnx", Precision::BF16, 75},
                    Case{"models/lenet.onnx", Precision::BF16, 80}),
    nameOf);

} // namespace
