// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-expect-gates: replaces random gates by their expected values.
#include "passes/NN/Passes.h"

#include "dialects/NN/Constants.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/Random.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mpc::nn {
#define GEN_PASS_DEF_EXPECTGATESPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

/// Whether `x` is uniform numbers in [0, 1) without a key.
static bool isUnkeyedUniform(Value x) {
  x = movedFrom(x);
  if (auto cast = x.getDefiningOp<CastOp>();
      cast && isa<FloatType>(getElementTypeOrSelf(cast.getInput())))
    return isUnkeyedUniform(cast.getInput());
  auto uniform = x.getDefiningOp<UniformOp>();
  auto bits =
      uniform ? uniform.getBits().getDefiningOp<RandomBitsOp>() : nullptr;
  return bits && bits.getRandomKey().empty();
}

static Value clampToUnit(GradientBuilder &g, Value x) {
  Value positive =
      MaximumOp::create(g.b, g.loc, x.getType(), x, g.splat(x, 0.0));
  return MinimumOp::create(g.b, g.loc, x.getType(), positive, g.splat(x, 1.0));
}

/// The probability that a comparison of uniform numbers is true, in the type of
/// the other operand; null for any other comparison.
static Value chanceOf(GradientBuilder &g, Value condition) {
  auto compare = condition.getDefiningOp<CompareOp>();
  if (!compare)
    return {};
  Value left = compare.getLhs(), right = compare.getRhs();
  bool isLeft = isUnkeyedUniform(left), isRight = isUnkeyedUniform(right);
  CompareKind kind = compare.getKind();
  bool isBelow = kind == CompareKind::LT || kind == CompareKind::LE;
  bool isAbove = kind == CompareKind::GT || kind == CompareKind::GE;
  if (isLeft == isRight || (!isBelow && !isAbove))
    return {};
  Value bound = clampToUnit(g, isLeft ? right : left);
  // u < p has the probability p, and so has p > u.
  return isLeft == isBelow ? bound : g.sub(g.splat(bound, 1.0), bound);
}

namespace {

/// The expected value of floor(c + u) is c, for any c.
struct ExpectFloor : OpRewritePattern<FloorOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FloorOp op,
                                PatternRewriter &rewriter) const override {
    auto sum = op.getInput().getDefiningOp<AddOp>();
    if (!sum)
      return rewriter.notifyMatchFailure(op, "is not of a sum");
    bool isLeft = isUnkeyedUniform(sum.getLhs());
    if (isLeft == isUnkeyedUniform(sum.getRhs()))
      return rewriter.notifyMatchFailure(op, "is of no sum with one uniform");
    Value rest = isLeft ? sum.getRhs() : sum.getLhs();
    rewriter.replaceOp(
        op, GradientBuilder(rewriter, op.getLoc()).as(rest, op.getOutput()));
    return success();
  }
};

/// Matches a comparison that was cast to numbers, 1 where it is true.
struct ExpectCast : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "is to no floating type");
    GradientBuilder g(rewriter, op.getLoc());
    Value chance = chanceOf(g, op.getInput());
    if (!chance)
      return rewriter.notifyMatchFailure(op, "is of no random gate");
    rewriter.replaceOp(op, g.as(chance, op.getOutput()));
    return success();
  }
};

static bool isZero(Value x) { return matchPattern(x, m_AnyZeroFloat()); }

/// Matches a select that yields x where the gate is open and 0 elsewhere.
struct ExpectSelect : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    bool isGated = isZero(op.getOnFalse()), isInverted = isZero(op.getOnTrue());
    if (isGated == isInverted)
      return rewriter.notifyMatchFailure(op, "does not choose 0");
    GradientBuilder g(rewriter, op.getLoc());
    Value chance = chanceOf(g, op.getCondition());
    if (!chance)
      return rewriter.notifyMatchFailure(op, "is of no random gate");
    Value x = isGated ? op.getOnTrue() : op.getOnFalse();
    chance = g.as(chance, x);
    if (isInverted)
      chance = g.sub(g.splat(chance, 1.0), chance);
    rewriter.replaceOp(op, g.mul(x, chance));
    return success();
  }
};

struct ExpectGatesPass : mpc::nn::impl::ExpectGatesPassBase<ExpectGatesPass> {
  using ExpectGatesPassBase::ExpectGatesPassBase;

  void runOnOperation() override {
    auto model = getOperation().lookupSymbol<func::FuncOp>(kModelFunction);
    if (!model || model.isDeclaration())
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpectFloor, ExpectCast, ExpectSelect>(&getContext());
    if (failed(applyPatternsGreedily(model, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
