// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ops are read as stages over a common outer space.
#include "dialects/Kernel/Stages.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Kernel/Passes.h"
#include "test/support/Compile.h"

#include <gtest/gtest.h>

using namespace mpc::kernel;

namespace {

/// The stages of the structured ops to which nn ops are lowered.
class StagesTest : public testing::Test {
protected:
  /// The stages of a function with these arguments and ops, without the
  /// statements in `skipped`; empty where they are no list.
  std::optional<Stages> read(const std::string &arguments,
                             const std::string &ops,
                             llvm::ArrayRef<unsigned> skipped = {}) {
    module = {};
    statements.clear();
    numOps = 0;
    context = mpc::test::makeContext();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(" + arguments + ") {\n" + ops + "\nreturn\n}",
        context.get());
    if (!module) {
      ADD_FAILURE() << "cannot parse";
      return std::nullopt;
    }
    keepAll();
    mlir::PassManager manager(context.get());
    manager.nest<mlir::func::FuncOp>().addPass(createLowerBodiesPass());
    EXPECT_TRUE(succeeded(manager.run(*module)));
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    for (auto op : function.getBody().getOps<mlir::linalg::GenericOp>())
      if (!llvm::is_contained(skipped, numOps++))
        statements.push_back(getStatement(op));
    return getStages(llvm::map_to_vector(
        statements, [](const Statement &statement) { return &statement; }));
  }

  /// Returns all values, so that no op is dead.
  void keepAll() {
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    llvm::SmallVector<mlir::Value> values;
    for (mlir::Operation &op : function.getBody().front())
      llvm::append_range(values, op.getResults());
    mlir::Operation *end = function.getBody().front().getTerminator();
    end->setOperands(values);
    function.setType(mlir::FunctionType::get(
        context.get(), function.getArgumentTypes(), end->getOperandTypes()));
  }

  static std::vector<StageKind> kindsOf(const Stages &stages) {
    std::vector<StageKind> kinds;
    for (const Stage &stage : stages.list)
      kinds.push_back(stage.kind);
    return kinds;
  }

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Statement> statements;
  unsigned numOps = 0;
};

constexpr StageKind kMap = StageKind::Map, kRow = StageKind::Row,
                    kReduction = StageKind::Reduction,
                    kContraction = StageKind::Contraction;
using Kinds = std::vector<StageKind>;
using Extents = std::vector<int64_t>;

TEST_F(StagesTest, MapsOfOneSpaceAreAList) {
  std::optional<Stages> stages = read(
      "%x: tensor<4x8xf32>",
      "%a = nn.exp %x : tensor<4x8xf32>\n%b = nn.neg %a : tensor<4x8xf32>");
  ASSERT_TRUE(stages);
  EXPECT_EQ(kindsOf(*stages), (Kinds{kMap, kMap}));
  EXPECT_EQ(stages->getOuter(), llvm::ArrayRef<int64_t>({4, 8}));
  EXPECT_EQ(getKind(*stages), KernelKind::Map);
}

TEST_F(StagesTest, MapsOfTwoSpacesAreNone) {
  EXPECT_FALSE(read("%x: tensor<4x8xf32>, %y: tensor<8x4xf32>",
                    "%a = nn.exp %x : tensor<4x8xf32>\n"
                    "%b = nn.exp %y : tensor<8x4xf32>"));
}

TEST_F(StagesTest, ASoftmaxOfColumnsHasItsRowsBehindTheOuterSpace) {
  std::optional<Stages> stages =
      read("%x: tensor<4x8x3xf32>",
           "%a = nn.softmax %x axis(1) : tensor<4x8x3xf32>");
  ASSERT_TRUE(stages);
  EXPECT_EQ(kindsOf(*stages), (Kinds{kReduction, kMap, kReduction, kMap}));
  EXPECT_EQ(llvm::ArrayRef(stages->extents),
            llvm::ArrayRef<int64_t>({4, 3, 8}));
  EXPECT_EQ(stages->numOuter, 2u);
  EXPECT_EQ(getKind(*stages), KernelKind::Columns);
}

TEST_F(StagesTest, ValuesOfARowAreStagesOfTheirOwn) {
  std::optional<Stages> stages =
      read("%x: tensor<4x8xf32>",
           "%a = nn.reduce_sum %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>\n"
           "%b = nn.exp %a : tensor<4xf32>\n"
           "%c = nn.broadcast %b axes [0] : tensor<4xf32> -> tensor<4x8xf32>\n"
           "%d = nn.mul %x, %c : tensor<4x8xf32>");
  ASSERT_TRUE(stages);
  EXPECT_EQ(kindsOf(*stages), (Kinds{kReduction, kRow, kMap, kMap}));
  EXPECT_EQ(getKind(*stages), KernelKind::Rows);
}

TEST_F(StagesTest, SumsOverDifferentAxesHaveNoCommonSpace) {
  for (const char *axes : {"0", "1"}) {
    EXPECT_EQ(read("%x: tensor<8x8xf32>",
                   "%a = nn.reduce_sum %x axes [1] : tensor<8x8xf32> -> "
                   "tensor<8xf32>\n%b = nn.reduce_sum %x axes [" +
                       std::string(axes) +
                       "] : tensor<8x8xf32> -> tensor<8xf32>")
                  .has_value(),
              axes == std::string("1"));
  }
}

TEST_F(StagesTest, AMapReadsNoOtherElement) {
  EXPECT_FALSE(read("%x: tensor<8x8xf32>",
                    "%a = nn.exp %x : tensor<8x8xf32>\n"
                    "%b = nn.transpose %a [1, 0] : tensor<8x8xf32> -> "
                    "tensor<8x8xf32>"));
}

TEST_F(StagesTest, AValueOfALaterStageIsNoMemory) {
  // The sum alone reads memory; behind what it reads it would be a list.
  read("%x: tensor<4x8xf32>", "%a = nn.exp %x : tensor<4x8xf32>\n"
                              "%b = nn.neg %a : tensor<4x8xf32>");
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_TRUE(getStages({&statements[1]}));
  EXPECT_FALSE(getStages({&statements[1], &statements[0]}));
}

/// softmax(q k^T) v by its ops: the scores, the softmax of their rows, and the
/// product with v, whose columns are the contraction's own.
constexpr const char *kAttention =
    "%s = nn.matmul %q, %k : tensor<8x4xf32>, tensor<4x16xf32> -> "
    "tensor<8x16xf32>\n"
    "%p = nn.softmax %s axis(1) : tensor<8x16xf32>\n"
    "%o = nn.matmul %p, %v : tensor<8x16xf32>, tensor<16x5xf32> -> "
    "tensor<8x5xf32>";

TEST_F(StagesTest, AttentionIsAContractionRowsAndAContraction) {
  std::optional<Stages> stages =
      read("%q: tensor<8x4xf32>, %k: tensor<4x16xf32>, %v: tensor<16x5xf32>",
           kAttention);
  ASSERT_TRUE(stages);
  EXPECT_EQ(kindsOf(*stages), (Kinds{kContraction, kReduction, kMap, kReduction,
                                     kMap, kContraction}));
  EXPECT_EQ(stages->getOuter(), llvm::ArrayRef<int64_t>({8}));
  EXPECT_EQ(llvm::ArrayRef(stages->extents), llvm::ArrayRef<int64_t>({8, 16}));
  // Rows, keys, and what the contraction has for itself.
  EXPECT_EQ(Extents(stages->list.back().statement.extents.begin(),
                    stages->list.back().statement.extents.end()),
            (Extents{8, 16, 5, 16}));
  EXPECT_EQ(getKind(*stages), KernelKind::Loops);
}

TEST_F(StagesTest, AContractionAcrossRowsHasNoCommonSpaceWithThem) {
  // Each row of the second product needs all rows of the first.
  EXPECT_FALSE(read("%x: tensor<8x8xf32>, %w: tensor<8x8xf32>",
                    "%a = nn.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32> "
                    "-> tensor<8x8xf32>\n"
                    "%b = nn.matmul %w, %a : tensor<8x8xf32>, tensor<8x8xf32> "
                    "-> tensor<8x8xf32>"));
}

/// The sums of products of `window` and a filter, over windows of `%a`.
std::string windowsOf(const std::string &window) {
  return "%zero = arith.constant 0.0 : f32\n"
         "%e = tensor.empty() : tensor<8x5x8xf32>\n"
         "%first = linalg.fill ins(%zero : f32) outs(%e : tensor<8x5x8xf32>) "
         "-> tensor<8x5x8xf32>\n"
         "%b = linalg.generic {indexing_maps = [affine_map<(n, f, o, k) -> "
         "(n, " +
         window +
         ")>, affine_map<(n, f, o, k) -> (f, k)>, affine_map<(n, f, o, k) -> "
         "(n, f, o)>], iterator_types = [\"parallel\", \"parallel\", "
         "\"parallel\", \"reduction\"]} ins(%a, %w : tensor<8x16xf32>, "
         "tensor<5x2xf32>) outs(%first : tensor<8x5x8xf32>) {\n"
         "^bb0(%l: f32, %r: f32, %s: f32):\n"
         "%0 = math.fma %l, %r, %s : f32\nlinalg.yield %0 : f32\n"
         "} -> tensor<8x5x8xf32>";
}

TEST_F(StagesTest, TheWindowsOfARowAreNotKnownToStayInIt) {
  const std::string softmax = "%a = nn.softmax %x axis(1) : tensor<8x16xf32>\n";
  const std::string arguments = "%x: tensor<8x16xf32>, %w: tensor<5x2xf32>";
  // Steps of two and of one, of which the row has only the latter.
  EXPECT_FALSE(read(arguments, softmax + windowsOf("o * 2 + k")));
  EXPECT_FALSE(read(arguments, softmax + windowsOf("o + k")));
  EXPECT_EQ(numOps, 5u);
}

TEST_F(StagesTest, AViewOfAStageIsNoMemory) {
  EXPECT_FALSE(read("%x: tensor<8x16xf32>",
                    "%a = nn.exp %x : tensor<8x16xf32>\n"
                    "%v = kernel.view %a[0] : tensor<8x16xf32> -> "
                    "tensor<16x8xf32>\n%b = nn.transpose %v [1, 0] : "
                    "tensor<16x8xf32> -> tensor<8x16xf32>"));
}

TEST_F(StagesTest, TheMapsOnAContractionMakeItsKernel) {
  std::optional<Stages> stages =
      read("%x: tensor<8x4xf32>, %w: tensor<4x16xf32>",
           "%a = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x16xf32> -> "
           "tensor<8x16xf32>\n%b = nn.tanh %a : tensor<8x16xf32>");
  ASSERT_TRUE(stages);
  EXPECT_EQ(kindsOf(*stages), (Kinds{kContraction, kMap}));
  EXPECT_EQ(getKind(*stages), KernelKind::Contraction);
}

} // namespace
