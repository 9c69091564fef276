// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Holds the gradients of every nn op against central differences in f64, and
// those in narrower formats against f64.
#include "GradientHarness.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Driver/Dialects.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

using namespace mpc;
using namespace mpc::test;

/// Ops that no case can hold, and why.
static const std::map<std::string, std::string> kWithoutCase = {
    {"get", "has no operands: nn-differentiate itself takes its cotangent, "
            "which test/passes/NN/differentiate.mlir checks"},
    {"stop_gradient", "differences see through it, and nn-differentiate "
                      "removes it: values/stop_gradient.mlir holds its VJP"},
    {"variable", "nn-expand-grad removes it before there are kernels: "
                 "test/passes/NN/expand-grad.mlir holds its VJP"},
};

static std::string titleOf(const GradientCase &test) {
  return test.variant.empty() ? test.op : test.op + " (" + test.variant + ")";
}

static std::string nameOf(char kind, size_t index, const std::string &type) {
  return kind + std::to_string(index) + "_" + type;
}

/// Numbers of the floating arguments of a case.
static std::vector<size_t> floatingOf(const GradientCase &test) {
  std::vector<size_t> result;
  for (size_t i = 0; i < test.arguments.size(); ++i)
    if (test.arguments[i].integers.empty())
      result.push_back(i);
  return result;
}

namespace {

/// All cases in all formats, compiled once for all tests: f64 with second
/// order in one module, the rest in another.
class GradientTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    std::string wide, narrow;
    for (auto [index, test] : llvm::enumerate(gradientCases())) {
      wide += gradientText(test, index, "f64", true);
      for (const char *type : {"f32", "f16", "bf16"})
        narrow += gradientText(test, index, type, false);
    }
    std::thread other([&] {
      f64 = std::make_unique<CompiledModule>(wide, nullptr, collect);
    });
    rest = std::make_unique<CompiledModule>(narrow);
    other.join();
  }
  static void TearDownTestSuite() {
    f64.reset();
    rest.reset();
  }

  /// Which ops the gradients consist of that have no gradient themselves, and
  /// which ops each case holds.
  static void collect(mlir::ModuleOp module) {
    for (auto function : module.getOps<mlir::func::FuncOp>())
      function.walk([&](mlir::Operation *op) {
        if (mlir::isa<mlir::func::FuncOp, mlir::func::ReturnOp>(op))
          return;
        std::string name = op->getName().getStringRef().str();
        opsOf[function.getName().str()].insert(name);
        if (!mlir::isa<VJPOpInterface>(op))
          withoutGradient.insert(name);
      });
  }

  /// The largest error of a narrow gradient, in units of the last place of
  /// `type` at the gradient's largest element.
  static double ulpError(const GradientCase &test, size_t index,
                         const std::string &type) {
    std::vector<Numbers> inputs = gradientInputs(test, false, type);
    std::vector<Numbers> got = rest->run(nameOf('g', index, type), inputs);
    std::vector<Numbers> want = f64->run(nameOf('g', index, "f64"), inputs);
    double worst = 0.0;
    for (size_t i = 1; i < want.size(); ++i) {
      double largest = 0.0;
      for (double x : want[i])
        largest = std::max(largest, std::abs(x));
      for (auto [g, w] : llvm::zip(got[i], want[i])) {
        double error = std::abs(g - w) / ulpOf(type, largest);
        worst = error <= worst ? worst : error; // NaN is worst.
      }
    }
    return worst;
  }

  static std::unique_ptr<CompiledModule> f64, rest;
  static std::set<std::string> withoutGradient;
  static std::map<std::string, std::set<std::string>> opsOf;
};

} // namespace

std::unique_ptr<CompiledModule> GradientTest::f64, GradientTest::rest;
std::set<std::string> GradientTest::withoutGradient;
std::map<std::string, std::set<std::string>> GradientTest::opsOf;

TEST_F(GradientTest, EveryDifferentiableOpHasACase) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<nn::NNDialect>();
  std::set<std::string> tested;
  for (auto [index, test] : llvm::enumerate(gradientCases())) {
    tested.insert(test.op);
    EXPECT_TRUE(opsOf[nameOf('f', index, "f64")].count("nn." + test.op))
        << titleOf(test) << " does not hold its op";
  }
  size_t differentiable = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "nn" ||
        !name.hasInterface<VJPOpInterface>())
      continue;
    ++differentiable;
    std::string op = name.stripDialect().str();
    EXPECT_TRUE(tested.count(op) || kWithoutCase.count(op))
        << name.getStringRef().str() << " has no case in GradientCases.cpp";
  }
  EXPECT_GT(differentiable, 40u);
}

TEST_F(GradientTest, GradientsAreBuiltOfDifferentiableOps) {
  for (const std::string &name : withoutGradient)
    ADD_FAILURE() << "a gradient holds " << name << ", which has none";
}

TEST_F(GradientTest, FirstOrderEqualsCentralDifferences) {
  for (auto [index, test] : llvm::enumerate(gradientCases()))
    EXPECT_LE(directionalError(*f64, nameOf('g', index, "f64"),
                               gradientInputs(test, false, "f64"),
                               floatingOf(test), 1),
              1e-6)
        << titleOf(test);
}

// Features: G6.
TEST_F(GradientTest, SecondOrderEqualsCentralDifferences) {
  for (auto [index, test] : llvm::enumerate(gradientCases())) {
    std::vector<size_t> floating = floatingOf(test);
    size_t numSeeds = 1 + floating.size();
    floating.push_back(test.arguments.size());
    EXPECT_LE(directionalError(*f64, nameOf('h', index, "f64"),
                               gradientInputs(test, true, "f64"), floating,
                               numSeeds),
              1e-6)
        << titleOf(test);
  }
}

// A 16-bit VJP computes in f32 and rounds once; in f32 it rounds at each op.
// Features: X27.
TEST_F(GradientTest, NarrowFormatsFollowF64) {
  for (auto [index, test] : llvm::enumerate(gradientCases())) {
    EXPECT_LE(ulpError(test, index, "f16"), test.ulps) << titleOf(test);
    EXPECT_LE(ulpError(test, index, "bf16"), test.ulps) << titleOf(test);
    EXPECT_LE(ulpError(test, index, "f32"), 8.0) << titleOf(test);
  }
}

// Where a function has a kink: zero at zero, half to each of two equals, the
// mean over all that hold a maximum.
TEST_F(GradientTest, Kinks) {
  auto gradientAt = [](const std::string &op, double x) {
    const std::vector<GradientCase> &cases = gradientCases();
    auto test = std::find_if(cases.begin(), cases.end(),
                             [&](const auto &c) { return c.op == op; });
    std::vector<Numbers> inputs = gradientInputs(*test, false, "f64");
    for (size_t i = 0; i < test->arguments.size(); ++i)
      inputs[i].assign(inputs[i].size(), x);
    inputs.back().assign(inputs.back().size(), 1.0);
    return f64->run(nameOf('g', test - cases.begin(), "f64"), inputs)[1];
  };
  for (const char *op : {"relu", "abs", "sign"})
    EXPECT_EQ(gradientAt(op, 0.0), Numbers(21, 0.0)) << op;
  for (const char *op : {"maximum", "minimum"})
    EXPECT_EQ(gradientAt(op, 2.0), Numbers(21, 0.5)) << op;
  EXPECT_EQ(gradientAt("reduce_max", -1.0), Numbers(60, 0.25));
}

//===----------------------------------------------------------------------===//
// The harness itself
//===----------------------------------------------------------------------===//

namespace {

/// A product whose gradient by its left operand forgets to swap the factors.
struct WrongGradient
    : VJPOpInterface::ExternalModel<WrongGradient, mlir::arith::MulFOp> {
  llvm::LogicalResult
  buildVJP(mlir::Operation *op, mlir::OpBuilder &builder,
           llvm::ArrayRef<mlir::Value> cotangents,
           llvm::MutableArrayRef<mlir::Value> operandCotangents) const {
    for (unsigned i = 0; i < 2; ++i)
      operandCotangents[i] =
          nn::MulOp::create(builder, op->getLoc(), cotangents[0].getType(),
                            cotangents[0], op->getOperand(0));
    return llvm::success();
  }
};

struct ProductBody
    : ScalarBodyOpInterface::ExternalModel<ProductBody, mlir::arith::MulFOp> {
  mlir::Value buildScalar(mlir::Operation *, mlir::OpBuilder &builder,
                          mlir::Location loc, mlir::ValueRange scalars) const {
    return mlir::arith::MulFOp::create(builder, loc, scalars[0], scalars[1]);
  }
};

} // namespace

TEST(GradientHarness, FindsAWrongGradient) {
  GradientCase test{"mulf",
                    "",
                    {{"3x7"}, {"3x7"}},
                    "3x7",
                    "%r = arith.mulf %a, %b : tensor<3x7x$T>"};
  CompiledModule module(
      gradientText(test, 0, "f64", true), [](mlir::MLIRContext &context) {
        mlir::arith::MulFOp::attachInterface<WrongGradient, ProductBody>(
            context);
      });
  EXPECT_GT(directionalError(module, "g0_f64",
                             gradientInputs(test, false, "f64"), {0, 1}, 1),
            1e-2);
}

// Features: B24.
