// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-fuse-optimizer: joins ops on gradients with the ops that read their
// results.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/Precision.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mpc::amp {
#define GEN_PASS_DEF_FUSEOPTIMIZERPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// Whether `op` is elementwise over a slab or over the blocks of one.
static bool isSlabMap(Operation *op) {
  return op && (op->hasTrait<Recomputed>() || isa<nn::CastOp>(op));
}

namespace {

/// Makes an op that widens its operand itself read a 16-bit gradient, without
/// the cast before it.
struct ReadNarrow : RewritePattern {
  explicit ReadNarrow(MLIRContext *context)
      : RewritePattern(Pattern::MatchTraitOpTypeTag(),
                       TypeID::get<WidensFirst>(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto cast = op->getOperand(0).getDefiningOp<nn::CastOp>();
    if (!cast || !isLowPrecision(getElementTypeOrSelf(cast.getInput())) ||
        !getElementTypeOrSelf(cast.getType()).isF32())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, cast.getInput()); });
    return success();
  }
};

/// Applies an elementwise op to the blocks of its operands, rather than to
/// whole operands whose result is then cut into blocks.
struct MapBlocks : OpRewritePattern<kernel::ViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(kernel::ViewOp view,
                                PatternRewriter &rewriter) const override {
    Operation *map = view.getSource().getDefiningOp();
    auto type = cast<RankedTensorType>(view.getType());
    if (type.getRank() != 2 || type.getDimSize(1) != kBlockSize)
      return failure();
    if (auto range = dyn_cast_if_present<kernel::ViewOp>(map);
        range && range.getSource().getType() == type) {
      rewriter.replaceOp(view, range.getSource());
      return success();
    }
    if (!isSlabMap(map))
      return failure();
    auto flat = cast<RankedTensorType>(view.getSource().getType());
    if (flat.getRank() != 1 || flat.getNumElements() != type.getNumElements())
      return failure();
    Operation *clone = rewriter.clone(*map);
    for (OpOperand &operand : clone->getOpOperands()) {
      auto part = cast<RankedTensorType>(operand.get().getType());
      if (part.getRank() == 0)
        continue;
      rewriter.setInsertionPoint(clone);
      operand.set(kernel::ViewOp::create(rewriter, view.getLoc(),
                                         type.clone(part.getElementType()),
                                         operand.get(), 0));
    }
    clone->getResult(0).setType(type);
    rewriter.replaceOp(view, clone->getResults());
    return success();
  }
};

/// Clones an op that is cheap to recompute for each of its readers, so that no
/// f32 gradient is stored.
struct Recompute : RewritePattern {
  explicit Recompute(MLIRContext *context)
      : RewritePattern(Pattern::MatchTraitOpTypeTag(),
                       TypeID::get<Recomputed>(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (op->use_empty() || op->hasOneUse() || type.getRank() == 0 ||
        type.getShape().back() % kBlockSize != 0)
      return failure();
    // All readers are served at once. The driver gives up after a few
    // iterations, and probes read a gradient once for each parameter.
    while (!op->hasOneUse()) {
      OpOperand &use = *op->use_begin();
      rewriter.setInsertionPoint(use.getOwner());
      Operation *clone = rewriter.clone(*op);
      rewriter.modifyOpInPlace(use.getOwner(),
                               [&] { use.set(clone->getResult(0)); });
    }
    return success();
  }
};

} // namespace

/// Whether `op` is recomputed for each reader, or is a view of such a result.
static bool isRecomputed(Operation *op) {
  if (auto view = dyn_cast<kernel::ViewOp>(op))
    op = view.getSource().getDefiningOp();
  return op && op->hasTrait<Recomputed>();
}

/// Moves each recomputed op of one reader to just before that reader.
static void moveToReaders(func::FuncOp function) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (op.hasOneUse() && isRecomputed(&op))
      op.moveBefore(*op.user_begin());
}

namespace {

struct FuseOptimizerPass
    : mpc::amp::impl::FuseOptimizerPassBase<FuseOptimizerPass> {
  using FuseOptimizerPassBase::FuseOptimizerPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ReadNarrow, MapBlocks, Recompute>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isEntry(function))
        continue;
      if (failed(applyPatternsGreedily(function, frozen, config)))
        return signalPassFailure();
      moveToReaders(function);
    }
  }
};

} // namespace
