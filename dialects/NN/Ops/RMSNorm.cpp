// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn.rms_norm, and the ops that exporters write in its place.
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/NormPatterns.h"
#include "dialects/NN/Ops/RowBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc::nn;

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

LogicalResult RMSNormOp::verify() {
  int64_t axis = getAxis();
  if (axis < 0 || axis >= rankedType(getInput()).getRank())
    return emitOpError("has no axis ") << axis;
  if (getScale() && shapeOf(getScale()) != shapeOf(getInput()).drop_front(axis))
    return emitOpError("scale must have the shape of the axes from ")
           << axis << " on";
  if (!(getEpsilon().convertToDouble() >= 0.0))
    return emitOpError("epsilon must not be negative");
  return success();
}

FailureOr<SmallVector<Value>> RMSNormOp::buildBody(OpBuilder &b,
                                                   ValueRange operands) {
  RowBody body(b, getLoc(), getInput(), axesFrom(getAxis(), getInput()));
  Value factor = body.reciprocalDeviation(body.sumSquares(operands[0]),
                                          getEpsilon().convertToDouble());
  SmallVector<MappedTensor> inputs{body.all(operands[0]), body.row(factor)};
  if (getScale())
    inputs.push_back(body.along(operands[1]));
  bool hasScale = static_cast<bool>(getScale());
  auto type = rankedType(getOutput());
  Value result = buildMap(
      b, getLoc(), type, inputs, [&](OpBuilder &n, Location l, ValueRange s) {
        Value y = arith::MulFOp::create(n, l, widen(n, l, s[0]), s[1]);
        if (hasScale)
          y = arith::MulFOp::create(n, l, y, widen(n, l, s[2]));
        return narrow(n, l, y, type.getElementType());
      });
  return SmallVector<Value>{result};
}

// With r = 1 / sqrt(mean(x^2) + epsilon), h = x r and e = scale dY:
// dX = r (e - h mean(e h)), dScale = sum(dY h)
LogicalResult RMSNormOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  Value x = g.wide(getInput()), d = g.wide(dOut[0]);
  ArrayRef<int64_t> shape = shapeOf(x);
  SmallVector<int64_t> inner = axesFrom(getAxis(), x);
  SmallVector<int64_t> outer = otherAxes(shape.size(), inner);
  double count = 1.0;
  for (int64_t axis : inner)
    count *= static_cast<double>(shape[axis]);
  Value mean = g.scale(g.sum(g.mul(x, x), inner), 1.0 / count);
  Value shifted = g.add(mean, g.splat(mean, getEpsilon().convertToDouble()));
  Value root = RsqrtOp::create(b, getLoc(), shifted.getType(), shifted);
  Value r = g.broadcast(root, outer, shape);
  Value h = g.mul(x, r);
  Value e = d;
  if (getScale())
    e = g.mul(d, g.broadcast(g.wide(getScale()), inner, shape));
  Value inside = g.sub(e, g.mul(h, g.meanLike(g.mul(e, h), inner)));
  dIn[0] = g.as(g.mul(r, inside), getInput());
  if (getScale())
    dIn[1] = g.as(g.sum(g.mul(d, h), outer), getScale());
  return success();
}

//===----------------------------------------------------------------------===//
// The ops that exporters write in its place
//===----------------------------------------------------------------------===//

namespace {

/// The chain of ops from a sum of squares to the factor or divisor of each
/// element, walked backwards. Each op has no other user than the next.
class RootOfMean {
public:
  /// Matches `factor`, by which `x` is multiplied, or divided where `divides`.
  static std::optional<RootOfMean> match(Value x, Value factor, bool divides,
                                         const IsWideSquare &isWideSquare) {
    RootOfMean found;
    Value at = found.skipMoves(factor);
    at = divides ? found.step<SqrtOp>(at) : found.skipReciprocalRoot(at);
    at = found.skipEpsilon(found.skipMoves(at));
    at = found.skipMean(found.skipMoves(at));
    auto sum = at ? at.getDefiningOp<ReduceSumOp>() : ReduceSumOp();
    if (!sum || !found.visit(sum) || !found.sums(sum, x) ||
        !isWideSquare(sum.getInput().getDefiningOp<MulOp>()))
      return std::nullopt;
    return found;
  }

  [[nodiscard]] double epsilon() const { return epsilon_; }
  [[nodiscard]] int64_t axis() const { return axis_; }
  [[nodiscard]] ArrayRef<Location> places() const { return places_; }

private:
  /// Adds the op to the chain. Nothing but the op added last may read it.
  bool visit(Operation *op) {
    if (!op->hasOneUse())
      return false;
    places_.push_back(op->getLoc());
    return true;
  }

  /// The operand of the `OpTy` that computes `value`; null where another op
  /// does, or where `value` is null.
  template <typename OpTy>
  Value step(Value value) {
    auto op = value ? value.getDefiningOp<OpTy>() : OpTy();
    return op && visit(op) ? op->getOperand(0) : Value();
  }

  /// Skips broadcasts and reshapes by axes of size 1. They are recorded, to be
  /// checked against the sum.
  Value skipMoves(Value value) {
    while (Operation *op = value ? value.getDefiningOp() : nullptr) {
      if (!isa<BroadcastOp, ReshapeOp>(op))
        break;
      if (!visit(op))
        return {};
      moves_.push_back(op);
      value = op->getOperand(0);
    }
    return value;
  }

  Value skipReciprocalRoot(Value value) {
    if (!value || value.getDefiningOp<RsqrtOp>())
      return step<RsqrtOp>(value);
    if (value.getDefiningOp<ReciprocalOp>())
      return step<SqrtOp>(step<ReciprocalOp>(value));
    auto quotient = value.getDefiningOp<DivOp>();
    std::optional<APFloat> one =
        quotient ? splatOf(quotient.getLhs()) : std::nullopt;
    if (!one || !one->isExactlyValue(1.0) || !visit(quotient))
      return {};
    return step<SqrtOp>(skipMoves(quotient.getRhs()));
  }

  /// The other operand of a sum with a constant.
  Value skipEpsilon(Value value) {
    auto sum = value ? value.getDefiningOp<AddOp>() : AddOp();
    if (!sum || !visit(sum))
      return {};
    for (auto [number, other] : {std::pair(sum.getRhs(), sum.getLhs()),
                                 std::pair(sum.getLhs(), sum.getRhs())})
      if (std::optional<APFloat> known = splatOf(number)) {
        epsilon_ = known->convertToDouble();
        return epsilon_ >= 0.0 ? other : Value();
      }
    return {};
  }

  /// The sum under the mean. `scale_` is the factor that makes it a mean.
  Value skipMean(Value value) {
    Operation *op = value ? value.getDefiningOp() : nullptr;
    if (!isa_and_nonnull<DivOp, MulOp>(op) || !visit(op))
      return {};
    std::optional<APFloat> number = splatOf(op->getOperand(1));
    if (!number)
      return {};
    double known = number->convertToDouble();
    scale_ = isa<DivOp>(op) ? 1.0 / known : known;
    return skipMoves(op->getOperand(0));
  }

  /// Whether `sum` sums the squares of `x` along its last axes, over as many
  /// elements as the mean divides by, and whether each of its elements is
  /// applied to its own row.
  bool sums(ReduceSumOp sum, Value x) {
    auto square = sum.getInput().getDefiningOp<MulOp>();
    if (!square || square.getLhs() != x || square.getRhs() != x ||
        !visit(square))
      return false;
    ArrayRef<int64_t> shape = shapeOf(x), axes = sum.getAxes();
    axis_ = static_cast<int64_t>(shape.size() - axes.size());
    if (axes.empty() || !llvm::equal(axes, axesFrom(axis_, x)))
      return false;
    double count = 1.0;
    for (int64_t axis : axes)
      count *= static_cast<double>(shape[axis]);
    // A factor of 1/n was rounded to f32 once.
    return std::abs(scale_ * count - 1.0) < 1e-6 && keepsRows(sum, x);
  }

  /// Follows the axes of the sum that are longer than 1 through the recorded
  /// moves. Each must arrive at its position in `x`.
  bool keepsRows(ReduceSumOp sum, Value x) {
    SmallVector<int64_t> from =
        llvm::to_vector(llvm::seq<int64_t>(shapeOf(sum.getOutput()).size()));
    for (Operation *move : llvm::reverse(moves_)) {
      ArrayRef<int64_t> before = shapeOf(move->getOperand(0));
      ArrayRef<int64_t> after = shapeOf(move->getResult(0));
      SmallVector<int64_t> to(after.size(), kRepeated);
      if (auto broadcast = dyn_cast<BroadcastOp>(move)) {
        for (auto [axis, place] : llvm::enumerate(broadcast.getAxes()))
          to[place] = from[axis];
      } else if (!followReshape(before, from, after, to)) {
        return false;
      }
      from = to;
    }
    if (from.size() != shapeOf(x).size())
      return false;
    for (auto [axis, source] : llvm::enumerate(from))
      if (source != kRepeated && source != static_cast<int64_t>(axis) &&
          shapeOf(sum.getOutput())[source] != 1)
        return false;
    return true;
  }

  /// Follows axes through a reshape that adds and removes axes of size 1.
  static bool followReshape(ArrayRef<int64_t> before, ArrayRef<int64_t> from,
                            ArrayRef<int64_t> after,
                            MutableArrayRef<int64_t> to) {
    size_t at = 0;
    for (auto [axis, size] : llvm::enumerate(after)) {
      if (size == 1)
        continue;
      while (at < before.size() && before[at] == 1)
        ++at;
      if (at == before.size() || before[at] != size)
        return false;
      to[axis] = from[at++];
    }
    return llvm::all_of(before.drop_front(at),
                        [](int64_t size) { return size == 1; });
  }

  static constexpr int64_t kRepeated = -1;

  SmallVector<Operation *> moves_;
  SmallVector<Location> places_;
  double epsilon_ = 0.0, scale_ = 1.0;
  int64_t axis_ = 0;
};

/// Only a chain without rounding in between may become one op.
bool isWide(Value value) {
  Type type = getElementTypeOrSelf(value);
  return isa<FloatType>(type) && getComputeType(type) == type;
}

void replaceByNorm(Operation *op, Value x, const RootOfMean &root,
                   PatternRewriter &rewriter) {
  SmallVector<Location> places{op->getLoc()};
  llvm::append_range(places, root.places());
  auto norm = RMSNormOp::create(
      rewriter, rewriter.getFusedLoc(places), op->getResult(0).getType(), x,
      /*scale=*/Value(), static_cast<uint64_t>(root.axis()),
      APFloat(root.epsilon()));
  rewriter.replaceOp(op, norm);
}

/// x * rsqrt(mean(x^2) + epsilon)
struct ProductToNorm : OpRewritePattern<MulOp> {
  ProductToNorm(MLIRContext *context, IsWideSquare isWideSquare)
      : OpRewritePattern(context), isWideSquare_(std::move(isWideSquare)) {}

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isWide(op.getOutput()))
      return failure();
    for (auto [x, factor] : {std::pair(op.getLhs(), op.getRhs()),
                             std::pair(op.getRhs(), op.getLhs())})
      if (auto root =
              RootOfMean::match(x, factor, /*divides=*/false, isWideSquare_)) {
        replaceByNorm(op, x, *root, rewriter);
        return success();
      }
    return failure();
  }

private:
  IsWideSquare isWideSquare_;
};

/// x / sqrt(mean(x^2) + epsilon)
struct QuotientToNorm : OpRewritePattern<DivOp> {
  QuotientToNorm(MLIRContext *context, IsWideSquare isWideSquare)
      : OpRewritePattern(context), isWideSquare_(std::move(isWideSquare)) {}

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    if (!isWide(op.getOutput()))
      return failure();
    Value x = op.getLhs();
    auto root =
        RootOfMean::match(x, op.getRhs(), /*divides=*/true, isWideSquare_);
    if (!root)
      return failure();
    replaceByNorm(op, x, *root, rewriter);
    return success();
  }

private:
  IsWideSquare isWideSquare_;
};

/// rms_norm(x) * scale, where the scale is the same for each row.
struct ScaleToNorm : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isWide(op.getOutput()))
      return failure();
    for (auto [value, factor] : {std::pair(op.getLhs(), op.getRhs()),
                                 std::pair(op.getRhs(), op.getLhs())}) {
      auto norm = value.getDefiningOp<RMSNormOp>();
      Value scale = norm ? scaleOf(norm, factor) : Value();
      if (!scale || norm.getScale() || !norm->hasOneUse())
        continue;
      Location place = rewriter.getFusedLoc({op.getLoc(), norm.getLoc()});
      auto scaled =
          RMSNormOp::create(rewriter, place, op.getType(), norm.getInput(),
                            scale, norm.getAxis(), norm.getEpsilon());
      rewriter.replaceOp(op, scaled);
      return success();
    }
    return failure();
  }

  /// The vector that `factor` repeats for each row of `norm`; null where it is
  /// no such repetition.
  static Value scaleOf(RMSNormOp norm, Value factor) {
    int64_t axis = norm.getAxis();
    auto broadcast = factor.getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return axis == 0 ? factor : Value();
    bool isOfRow =
        llvm::equal(broadcast.getAxes(), axesFrom(axis, norm.getInput())) &&
        shapeOf(broadcast.getInput()) ==
            shapeOf(norm.getInput()).drop_front(axis);
    return isOfRow ? broadcast.getInput() : Value();
  }
};

} // namespace

void mpc::nn::populateNormPatterns(RewritePatternSet &patterns,
                                   IsWideSquare isWideSquare) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ProductToNorm, QuotientToNorm>(context, isWideSquare);
  patterns.add<ScaleToNorm>(context);
}
