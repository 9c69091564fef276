// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of whole training steps compiled by NVRTC for every
// architecture: nothing spills, and products of 16 bits run on Tensor Cores.
// That all large ones are such products is seen before they become text.
#include "dialects/Kernel/KernelDialect.h"
#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/Target.h"
#include "lib/Driver/Request.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "test/lib/Driver/WidePlaces.h"
#include "test/runtime/Device/CUDA/RealNvrtc.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

using namespace mpc;
using namespace mpc::rt::cuda::test;
using rt::cuda::Target;
using testing::HasSubstr;

namespace {

struct Case {
  const char *model;
  Precision precision;
  int arch;
  bool wide = false; ///< Places have 64 bits.
};

class CudaSass : public testing::TestWithParam<Case> {};

/// The modules of the step, without machine code. `look` sees the step's module
/// when every kernel has its schedule.
std::vector<rt::DeviceModule>
emitStep(const Case &wanted,
         const std::function<void(mlir::Operation *)> &look = nullptr) {
  ::setenv("MPC_CACHE_DIR", "", 1);
  auto context = std::make_shared<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
  if (wanted.wide)
    widenPlaces(*context);
  else
    context->registerActionHandler([&](llvm::function_ref<void()> run,
                                       const mlir::tracing::Action &action) {
      run();
      auto *ran = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
      if (look && ran && ran->getPass().getArgument() == "kernel-schedule")
        look(ran->getOp());
    });
  CompileRequest request;
  request.context = context;
  request.modelPath = std::string(MPC_TEST_INPUTS "/") + wanted.model;
  request.recipe.clauses["--precision"] =
      stringifyPrecision(wanted.precision).str();
  request.target.machineCode = false;
  request.target.runsHere = false;
  request.target.cpu = "cuda:sm_" + std::to_string(wanted.arch);
  CompileReport report;
  auto program = compileProgram(request, report);
  EXPECT_TRUE(program.ok()) << program.status().message();
  return (*program)->cuda()->modules;
}

/// The kernels of a text, by name.
std::map<std::string, std::string> kernelsOf(const std::string &text) {
  static const std::regex kKernel(R"(__launch_bounds__\(\d+, \d+\)\n(\w+)\()");
  std::map<std::string, std::string> kernels;
  for (std::sregex_iterator found(text.begin(), text.end(), kKernel), end;
       found != end; ++found) {
    auto begin = static_cast<size_t>(found->position());
    kernels[(*found)[1]] =
        text.substr(begin, text.find("\n}\n", begin) - begin);
  }
  return kernels;
}

int64_t bytesOfType(const std::string &type) {
  static const std::map<std::string, int64_t> kBytes = {
      {"float", 4},   {"double", 8},  {"mpc_u8", 1},
      {"mpc_u16", 2}, {"mpc_u32", 4}, {"mpc_u64", 8}};
  return kBytes.at(type);
}

/// Bytes of each kind of access that `body` says it makes to global memory, as
/// `load` or as `store`: by vectors, and of elements by themselves.
std::set<int64_t> accessesOf(const std::string &body, bool isStore) {
  std::set<int64_t> widths;
  std::map<std::string, int64_t> made, elements;
  auto each = [&](const char *pattern, auto &&use) {
    std::regex wanted(pattern);
    for (std::sregex_iterator found(body.begin(), body.end(), wanted), end;
         found != end; ++found)
      use(*found);
  };
  auto widthOf = [](const std::smatch &m) {
    return std::min<int64_t>(16, bytesOfType(m[1]) * std::stoi(m[2]));
  };
  each(R"((float|double|mpc_u\d+) \*(?:__restrict__ )?((?:in|out)put\d+))",
       [&](const std::smatch &m) { elements[m[2]] = bytesOfType(m[1]); });
  each(R"(mpc_vector<(\w+), (\d+)> (\w+);)",
       [&](const std::smatch &m) { made[m[3]] = widthOf(m); });
  if (!isStore)
    each(R"(mpc_vector<(\w+), (\d+)>::load\(input)",
         [&](const std::smatch &m) { widths.insert(widthOf(m)); });
  else
    each(R"((\w+)\.store\(output)",
         [&](const std::smatch &m) { widths.insert(made.at(m[1])); });
  if (isStore)
    each(R"((output\d+)\[[^\n]*\] = )",
         [&](const std::smatch &m) { widths.insert(elements.at(m[1])); });
  // What the prelude reads and writes: a type of elements, and how many at
  // once, which is the last number.
  auto widthOfPlaces = [](const std::smatch &m) {
    return (m[1] == "mpc_f32" ? 4 : 2) * std::stoi(m[2]);
  };
  if (isStore)
    each(R"(mpc_result<mpc_places<(\w+), \w+(?:, \d+)*, (\d+)>>)",
         [&](const std::smatch &m) { widths.insert(widthOfPlaces(m)); });
  return widths;
}

/// The same of machine code.
std::set<int64_t> accessesOfCode(const std::string &sass, const char *opcode) {
  static const std::map<std::string, int64_t> kBytes = {
      {"U8", 1}, {"S8", 1}, {"U16", 2}, {"S16", 2}, {"64", 8}, {"128", 16}};
  std::set<int64_t> widths;
  std::regex wanted(std::string(opcode) + R"(\.E((?:\.\w+)*))");
  for (std::sregex_iterator found(sass.begin(), sass.end(), wanted), end;
       found != end; ++found) {
    int64_t bytes = 4;
    std::string suffixes = (*found)[1];
    for (const auto &[name, width] : kBytes)
      if ((suffixes + ".").find("." + name + ".") != std::string::npos)
        bytes = width;
    widths.insert(bytes);
  }
  return widths;
}

/// Every vector of the text is one access of that width: each width that is
/// written there is in the machine code, and no store has another.
void expectVectors(const std::string &name, const std::string &body,
                   const std::string &sass) {
  std::set<int64_t> loads = accessesOfCode(sass, "LDG");
  for (int64_t bytes : accessesOf(body, false))
    EXPECT_TRUE(loads.contains(bytes)) << name << " loads " << bytes << body;
  EXPECT_EQ(accessesOfCode(sass, "STG"), accessesOf(body, true))
      << name << body << sass;
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
                                   {{arch}, Target::Kind::Cubin}, options);
    ASSERT_TRUE(image.ok()) << image.status().message();
    EXPECT_THAT(image->log, HasSubstr("0 bytes spill stores"));
    static const std::regex kSpill("[1-9][0-9]* bytes (spill|stack frame)");
    EXPECT_FALSE(std::regex_search(image->log, kSpill)) << image->log;
    std::string sass = inspect("nvdisasm", "-c", *image);
    MPC_REQUIRE(!sass.empty(), "no nvdisasm");
    for (const auto &[name, body] : kernelsOf(text)) {
      std::string code = sectionOf(sass, name);
      // One kernel is written by hand, and calls its parameters otherwise.
      if (body.find("output0") != std::string::npos)
        expectVectors(name, body, code);
      static const std::regex kProducts(
          "mpc_multiply_tiles|mpc_places<mpc_b?f16");
      if (!std::regex_search(body, kProducts))
        continue;
      ++products;
      EXPECT_THAT(code, HasSubstr("HMMA.")) << name;
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
  return name + "_" + stringifyPrecision(info.param.precision).str() + "_sm_" +
         std::to_string(info.param.arch) + (info.param.wide ? "_wide" : "");
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
                    Case{"cuda/attention.mlir", Precision::FP16, 75},
                    Case{"cuda/attention.mlir", Precision::BF16, 80},
                    Case{"cuda/attention.mlir", Precision::FP32, 90},
                    Case{"cuda/attention.mlir", Precision::FP16, 120},
                    Case{"cuda/head.mlir", Precision::FP32, 75},
                    Case{"cuda/head.mlir", Precision::FP32, 80},
                    Case{"cuda/head.mlir", Precision::FP32, 90},
                    Case{"cuda/head.mlir", Precision::FP32, 120},
                    Case{"models/mlp.onnx", Precision::FP16, 90, true},
                    Case{"models/nanogpt.onnx", Precision::FP16, 80, true},
                    Case{"models/lenet.onnx", Precision::BF16, 75},
                    Case{"models/lenet.onnx", Precision::BF16, 80}),
    nameOf);

} // namespace
