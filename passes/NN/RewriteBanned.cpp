// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-rewrite-banned: computes logarithms of a sigmoid from its logits.
#include "passes/NN/Passes.h"

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>
#include <optional>

namespace mpc::nn {
#define GEN_PASS_DEF_REWRITEBANNEDPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

/// The number that all elements of `value` equal; empty where they differ.
static std::optional<double> numberOf(Value value) {
  std::optional<APFloat> splat = splatOf(value);
  return splat ? std::optional(splat->convertToDouble()) : std::nullopt;
}

/// `p` where `value` is 1 - p, also written as (-p) + 1; else null.
static Value complementOf(Value value) {
  if (auto sub = value.getDefiningOp<SubOp>())
    return numberOf(sub.getLhs()) == 1.0 ? sub.getRhs() : Value();
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return {};
  for (auto [one, other] : {std::pair(add.getLhs(), add.getRhs()),
                            std::pair(add.getRhs(), add.getLhs())})
    if (auto neg = other.getDefiningOp<NegOp>(); neg && numberOf(one) == 1.0)
      return neg.getInput();
  return {};
}

namespace {

/// The maximum or minimum of a value and a number.
struct Bound {
  Value value;
  double limit;
  bool isMaximum;
};

/// Rewrites log(v), or log(1 - v), where v follows from a sigmoid by
/// complements, bounds and moves. log is monotonic, so that bounds can be
/// exchanged with it. log(sigmoid(x)) = -softplus(-x) and log(1 - sigmoid(x)) =
/// -softplus(x) never lose the smaller one of p and 1 - p.
class LogOfSigmoid {
public:
  LogOfSigmoid(PatternRewriter &rewriter, Location loc)
      : rewriter_(rewriter), loc_(loc) {}

  static bool matches(Value value, bool complement) {
    if (value.getDefiningOp<SigmoidOp>())
      return true;
    if (Value other = complementOf(value))
      return matches(other, !complement);
    if (auto bound = boundOf(value)) {
      double limit = complement ? 1.0 - bound->limit : bound->limit;
      return limit > 0.0 && matches(bound->value, complement);
    }
    if (Operation *move = moveOf(value))
      return matches(move->getOperand(0), complement);
    return false;
  }

  Value build(Value value, bool complement) {
    if (auto sigmoid = value.getDefiningOp<SigmoidOp>())
      return buildLog(sigmoid.getInput(), complement);
    if (Value other = complementOf(value))
      return build(other, !complement);
    if (auto bound = boundOf(value))
      return buildBound(*bound, complement);
    Operation *move = moveOf(value);
    Value input = build(move->getOperand(0), complement);
    IRMapping mapping;
    mapping.map(move->getOperand(0), input);
    return rewriter_.clone(*move, mapping)->getResult(0);
  }

private:
  static std::optional<Bound> boundOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<MaximumOp, MinimumOp>(op))
      return std::nullopt;
    for (unsigned i : {0, 1})
      if (auto limit = numberOf(op->getOperand(i)))
        return Bound{op->getOperand(1 - i), *limit, isa<MaximumOp>(op)};
    return std::nullopt;
  }

  static Operation *moveOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !op->hasTrait<mpc::DataMovement>())
      return nullptr;
    // Where v repeats elements, the logarithm before the repetition is cheaper.
    auto countOf = [](Value v) {
      return cast<RankedTensorType>(v.getType()).getNumElements();
    };
    return countOf(op->getOperand(0)) == countOf(value) ? op : nullptr;
  }

  Value buildLog(Value logits, bool complement) {
    Type type = logits.getType();
    Value x =
        complement ? logits : NegOp::create(rewriter_, loc_, type, logits);
    return NegOp::create(rewriter_, loc_, type,
                         SoftplusOp::create(rewriter_, loc_, type, x));
  }

  /// 1 - max(v, c) = min(1 - v, 1 - c), and the other way round.
  Value buildBound(const Bound &bound, bool complement) {
    Value inner = build(bound.value, complement);
    auto type = cast<RankedTensorType>(inner.getType());
    double limit = std::log(complement ? 1.0 - bound.limit : bound.limit);
    Value constant = ConstantOp::create(
        rewriter_, loc_, type,
        DenseElementsAttr::get(
            type, rewriter_.getFloatAttr(type.getElementType(), limit)));
    if (bound.isMaximum != complement)
      return MaximumOp::create(rewriter_, loc_, type, inner, constant);
    return MinimumOp::create(rewriter_, loc_, type, inner, constant);
  }

  PatternRewriter &rewriter_;
  Location loc_;
};

struct LogPattern : OpRewritePattern<LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LogOp log,
                                PatternRewriter &rewriter) const override {
    if (!LogOfSigmoid::matches(log.getInput(), /*complement=*/false))
      return rewriter.notifyMatchFailure(log, "is not of a sigmoid");
    LogOfSigmoid made(rewriter, log.getLoc());
    rewriter.replaceOp(log, made.build(log.getInput(), /*complement=*/false));
    return success();
  }
};

/// log(1 + (-p)).
struct Log1pPattern : OpRewritePattern<Log1pOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(Log1pOp log,
                                PatternRewriter &rewriter) const override {
    auto neg = log.getInput().getDefiningOp<NegOp>();
    if (!neg || !LogOfSigmoid::matches(neg.getInput(), /*complement=*/true))
      return rewriter.notifyMatchFailure(log, "is not of a sigmoid");
    LogOfSigmoid made(rewriter, log.getLoc());
    rewriter.replaceOp(log, made.build(neg.getInput(), /*complement=*/true));
    return success();
  }
};

struct RewriteBannedPass
    : mpc::nn::impl::RewriteBannedPassBase<RewriteBannedPass> {
  using RewriteBannedPassBase::RewriteBannedPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LogPattern, Log1pPattern>(&getContext());
    // Only these patterns run: folding would change ops that later passes
    // match.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.enableConstantCSE(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
