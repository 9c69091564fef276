// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the forms of attention that models write before and after
// nn-find-attention.
#include "dialects/NN/Attention.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/NN/Passes.h"
#include "test/dialects/NN/GradientHarness.h"
#include "test/support/Compile.h"
#include "gtest/gtest.h"
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

using namespace mpc;
using namespace mpc::test;

namespace {

/// The functions of find-attention.mlir, as they are written and as one op.
class FindAttentionTest : public testing::Test {
protected:
  void SetUp() override {
    std::ifstream file(MPC_TEST_FORMS);
    std::ostringstream text;
    text << file.rdbuf();
    context = makeContext();
    module = mlir::parseSourceString<mlir::ModuleOp>(text.str(), context.get());
    ASSERT_TRUE(module);
    found = module->clone();
    mlir::PassManager manager(context.get());
    auto &functions = manager.nest<mlir::func::FuncOp>();
    functions.addPass(mlir::createCanonicalizerPass());
    nn::FindAttentionPassOptions options;
    options.force = true;
    functions.addPass(nn::createFindAttentionPass(options));
    ASSERT_TRUE(succeeded(manager.run(*found)));
  }

  static std::string textOf(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  /// Numbers for the arguments: scores of a few units, and bits of masks. No
  /// row lacks the first but in the forms that look after rows without keys.
  static std::vector<Numbers> inputsOf(mlir::func::FuncOp function) {
    std::mt19937 engine(7);
    std::vector<Numbers> inputs;
    for (mlir::Type type : function.getArgumentTypes()) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      bool isBits = tensor.getElementType().isInteger();
      std::uniform_real_distribution<double> reals(-1.5, 1.5);
      Numbers numbers;
      for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
        double number = reals(engine);
        bool isFirst = tensor.getRank() > 0 &&
                       i % tensor.getShape().back() == 0 &&
                       function.getName() != "empty_rows" &&
                       !function.getName().starts_with("low");
        numbers.push_back(isBits ? isFirst || number > 0 : number);
      }
      inputs.push_back(numbers);
    }
    return inputs;
  }

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module, found;
};

} // namespace

TEST_F(FindAttentionTest, EveryFormIsFound) {
  for (auto function : found->getOps<mlir::func::FuncOp>()) {
    EXPECT_TRUE(function.getOps<nn::SoftmaxOp>().empty())
        << function.getName().str();
    EXPECT_FALSE(function.getOps<nn::AttentionOp>().empty())
        << function.getName().str();
  }
}

// In f32 both round at every op, f16 holds the scores in between.
TEST_F(FindAttentionTest, ValuesAreTheSame) {
  CompiledModule written(textOf(*module)), one(textOf(*found));
  size_t count = 0;
  for (auto function : module->getOps<mlir::func::FuncOp>()) {
    std::string name = function.getName().str();
    std::vector<Numbers> inputs = inputsOf(function);
    Numbers want = written.run(name, inputs)[0], got = one.run(name, inputs)[0];
    bool isWide =
        mlir::cast<mlir::RankedTensorType>(function.getResultTypes()[0])
            .getElementType()
            .isF32();
    ASSERT_EQ(got.size(), want.size());
    for (auto [g, w] : llvm::zip(got, want))
      EXPECT_NEAR(g, w, isWide ? 1e-5 : 4e-3) << name;
    ++count;
  }
  EXPECT_GT(count, 15u);
}
