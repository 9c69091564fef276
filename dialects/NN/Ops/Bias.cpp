// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter that is added to a contraction becomes its bias.
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// The vector that `value` repeats along all axes but `axis`; null where
/// `value` is no such repetition.
static Value sourceAlong(Value value, int64_t axis) {
  int64_t size = shapeOf(value)[axis];
  SmallVector<int64_t> places =
      llvm::to_vector(llvm::seq<int64_t>(shapeOf(value).size()));
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    value = broadcast.getInput();
    places = llvm::to_vector(broadcast.getAxes());
  }
  int64_t elements = 1;
  for (auto [place, extent] : llvm::zip_equal(places, shapeOf(value))) {
    if (extent != 1 && place != axis)
      return {};
    elements *= extent;
  }
  return elements == size ? value : Value();
}

namespace {

/// A contraction that may take the bias, and the axis of the sum along which
/// the bias would run.
struct Product {
  BiasOpInterface op;
  int64_t axis = 0;
};

/// contraction(..) + bias is the contraction with that bias. In f32 and f64 the
/// contraction adds the same numbers and rounds the same sum. In 16 bits it
/// would round once instead of twice, so that these sums stay as they are.
struct FoldBias : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The contraction behind `value`. A reshape between them that leaves the
  /// bias's axis alone, as front ends write around a matrix product, does not
  /// matter.
  static Product productOf(Value value, Block *block) {
    int64_t rank = shapeOf(value).size();
    auto reshape = value.getDefiningOp<ReshapeOp>();
    if (reshape && reshape->hasOneUse())
      value = reshape.getInput();
    else
      reshape = {};
    auto op = dyn_cast_or_null<BiasOpInterface>(value.getDefiningOp());
    if (!op || op->getBlock() != block || !op->hasOneUse() ||
        !op.getBiasMutable().empty())
      return {};
    int64_t axis = op.getBiasAxis();
    if (!reshape)
      return {op, axis};
    ArrayRef<int64_t> before = shapeOf(value);
    bool isLast = axis == static_cast<int64_t>(before.size()) - 1;
    if (rank == 0 || !isLast ||
        shapeOf(reshape.getOutput()).back() != before.back())
      return {};
    return {op, rank - 1};
  }

  LogicalResult matchAndRewrite(AddOp add,
                                PatternRewriter &rewriter) const override {
    Type type = getElementTypeOrSelf(add.getType());
    if (!isa<FloatType>(type) || getComputeType(type) != type)
      return rewriter.notifyMatchFailure(add, "the product is rounded");
    for (auto [value, other] : {std::pair(add.getLhs(), add.getRhs()),
                                std::pair(add.getRhs(), add.getLhs())}) {
      Product product = productOf(value, add->getBlock());
      if (!product.op)
        continue;
      Value source = sourceAlong(other, product.axis);
      if (!source || !movedFrom(source).getDefiningOp<GetOp>())
        continue;
      fold(add, product.op, source, shapeOf(other)[product.axis], rewriter);
      return success();
    }
    return rewriter.notifyMatchFailure(add, "no contraction and its bias");
  }

  /// Builds the contraction at the place of the sum, where the bias exists, and
  /// under the sum's name.
  static void fold(AddOp add, BiasOpInterface product, Value source,
                   int64_t size, PatternRewriter &rewriter) {
    Location loc = rewriter.getFusedLoc({add.getLoc(), product->getLoc()});
    auto type = cast<RankedTensorType>(source.getType());
    Value bias =
        ReshapeOp::create(rewriter, loc, type.clone(ArrayRef(size)), source);
    Operation *biased = rewriter.clone(*product);
    rewriter.modifyOpInPlace(biased, [&] {
      biased->setLoc(loc);
      cast<BiasOpInterface>(biased).getBiasMutable().assign(bias);
    });
    rewriter.replaceOpWithNewOp<ReshapeOp>(add, add.getType(),
                                           biased->getResult(0));
  }
};

} // namespace

void AddOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<FoldBias>(context);
}
