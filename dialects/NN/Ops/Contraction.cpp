// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products, fully connected layers and convolutions.
#include "dialects/NN/Ops/Contraction.h"

#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Ops/SpreadConvolution.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mpc::nn;

/// acc + lhs * rhs in one rounding, all in the compute type.
static Value multiplyAdd(OpBuilder &b, Location loc, ValueRange s) {
  return math::FmaOp::create(b, loc, widen(b, loc, s[0]), widen(b, loc, s[1]),
                             s[2]);
}

/// Adds `bias` along `axis` to the sum `acc`, if given, and rounds to `type`.
static Value finish(OpBuilder &b, Location loc, Value acc, Value bias,
                    int64_t axis, RankedTensorType type) {
  if (!bias)
    return buildNarrowing(b, loc, acc, type.getElementType());
  int64_t rank = type.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  auto alongAxis = AffineMap::get(rank, 0, b.getAffineDimExpr(axis));
  return buildMap(b, loc, type, {{acc, identity}, {bias, alongAxis}},
                  [&](OpBuilder &nested, Location l, ValueRange s) {
                    Value sum = arith::AddFOp::create(nested, l, s[0],
                                                      widen(nested, l, s[1]));
                    return narrow(nested, l, sum, type.getElementType());
                  });
}

int64_t mpc::nn::saturatedProduct(ArrayRef<int64_t> shape, int64_t product) {
  for (int64_t size : shape)
    if (llvm::MulOverflow(product, size, product))
      return std::numeric_limits<int64_t>::max();
  return product;
}

/// Checks that a bias is a vector of `size` elements of `type`.
static LogicalResult checkBias(std::optional<Location> loc, Value bias,
                               int64_t size, Type type) {
  if (!bias || rankedType(bias) == RankedTensorType::get({size}, type))
    return success();
  return emitOptionalError(loc, "bias must be [", size,
                           "] of the operands' element type");
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         MatmulOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto lhs = rankedType(adaptor.getLhs()), rhs = rankedType(adaptor.getRhs());
  int64_t rank = lhs.getRank();
  if (rank < 2 || rhs.getRank() != rank)
    return emitOptionalError(loc, "operands must have one rank, at least 2");
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(loc, "operands must have one element type");
  if (lhs.getShape().drop_back(2) != rhs.getShape().drop_back(2))
    return emitOptionalError(loc, "batch axes differ");
  bool tl = adaptor.getTransposeLhs(), tr = adaptor.getTransposeRhs();
  int64_t m = lhs.getDimSize(rank - (tl ? 1 : 2));
  int64_t kLhs = lhs.getDimSize(rank - (tl ? 2 : 1));
  int64_t kRhs = rhs.getDimSize(rank - (tr ? 1 : 2));
  int64_t n = rhs.getDimSize(rank - (tr ? 2 : 1));
  if (kLhs != kRhs)
    return emitOptionalError(loc, "sums over ", kLhs, " elements of lhs but ",
                             kRhs, " of rhs");
  if (failed(checkBias(loc, adaptor.getBias(), n, lhs.getElementType())))
    return failure();
  SmallVector<int64_t> shape(lhs.getShape().drop_back(2));
  shape.append({m, n});
  inferred.push_back(lhs.clone(shape));
  return success();
}

int64_t MatmulOp::getMultiplyAdds() {
  ArrayRef<int64_t> lhs = rankedType(getLhs()).getShape();
  int64_t terms = lhs[lhs.size() - (getTransposeLhs() ? 2 : 1)];
  return saturatedProduct(rankedType(getOutput()).getShape(), terms);
}

int64_t MatmulOp::getBiasAxis() { return getOutput().getType().getRank() - 1; }

FailureOr<SmallVector<Value>> MatmulOp::buildBody(OpBuilder &b,
                                                  ValueRange operands) {
  auto type = rankedType(getOutput());
  int64_t rank = type.getRank();
  // Loop dimensions: batch.., m, n, k.
  auto map = [&](int64_t row, int64_t column) {
    SmallVector<AffineExpr> results;
    for (int64_t i = 0; i < rank - 2; ++i)
      results.push_back(b.getAffineDimExpr(i));
    results.push_back(b.getAffineDimExpr(row));
    results.push_back(b.getAffineDimExpr(column));
    return AffineMap::get(rank + 1, 0, results, getContext());
  };
  int64_t m = rank - 2, n = rank - 1, k = rank;
  ReductionSpace space;
  space.reduced.assign(rank + 1, false);
  space.reduced[k] = true;
  Value acc = buildReduction(
      b, getLoc(), type.clone(getComputeType(type.getElementType())), space,
      {{operands[0], getTransposeLhs() ? map(k, m) : map(m, k)},
       {operands[1], getTransposeRhs() ? map(n, k) : map(k, n)}},
      0.0, multiplyAdd);
  Value bias = getBias() ? operands[2] : Value();
  return SmallVector<Value>{finish(b, getLoc(), acc, bias, n, type)};
}

// With C = A B + c: dA = dC B^T, dB = A^T dC, dc = sum(dC). A transposed
// operand's cotangent is the transpose.
LogicalResult MatmulOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  if (!dOut[0])
    return success();
  Location loc = getLoc();
  Value lhs = getLhs(), rhs = getRhs(), d = dOut[0];
  bool tl = getTransposeLhs(), tr = getTransposeRhs();
  Value none;
  dIn[0] = tl ? MatmulOp::create(b, loc, rhs, d, none, tr, true)
              : MatmulOp::create(b, loc, d, rhs, none, false, !tr);
  dIn[1] = tr ? MatmulOp::create(b, loc, d, lhs, none, true, tl)
              : MatmulOp::create(b, loc, lhs, d, none, !tl, false);
  if (getBias())
    dIn[2] = GradientBuilder(b, loc).sum(
        d, otherAxes(shapeOf(d).size(), {getBiasAxis()}));
  return success();
}

namespace {

/// matmul(transpose(x)) becomes a matmul of x with the transpose flag inverted.
struct FoldTransposeIntoMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool swapsLastTwo(TransposeOp op) {
    SmallVector<int64_t> expected =
        llvm::to_vector(llvm::seq<int64_t>(0, op.getPermutation().size()));
    if (expected.size() < 2)
      return false;
    std::swap(expected.back(), expected[expected.size() - 2]);
    return op.getPermutation() == ArrayRef<int64_t>(expected);
  }

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    auto lhs = op.getLhs().getDefiningOp<TransposeOp>();
    auto rhs = op.getRhs().getDefiningOp<TransposeOp>();
    bool foldLhs = lhs && swapsLastTwo(lhs), foldRhs = rhs && swapsLastTwo(rhs);
    if (!foldLhs && !foldRhs)
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    rewriter.replaceOpWithNewOp<MatmulOp>(
        op, foldLhs ? lhs.getInput() : op.getLhs(),
        foldRhs ? rhs.getInput() : op.getRhs(), op.getBias(),
        op.getTransposeLhs() != foldLhs, op.getTransposeRhs() != foldRhs);
    return success();
  }
};

} // namespace

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FoldTransposeIntoMatmul>(context);
}

//===----------------------------------------------------------------------===//
// LinearOp
//===----------------------------------------------------------------------===//

LogicalResult LinearOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         LinearOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto input = rankedType(adaptor.getInput());
  auto weight = rankedType(adaptor.getWeight());
  if (input.getRank() < 1 || weight.getRank() != 2)
    return emitOptionalError(loc, "input needs an axis, weight must be [n, k]");
  if (input.getShape().back() != weight.getDimSize(1))
    return emitOptionalError(loc, "weight has ", weight.getDimSize(1),
                             " input features, input has ",
                             input.getShape().back());
  if (input.getElementType() != weight.getElementType())
    return emitOptionalError(loc, "operands must have one element type");
  if (failed(checkBias(loc, adaptor.getBias(), weight.getDimSize(0),
                       input.getElementType())))
    return failure();
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = weight.getDimSize(0);
  inferred.push_back(input.clone(shape));
  return success();
}

int64_t LinearOp::getMultiplyAdds() {
  return saturatedProduct(rankedType(getOutput()).getShape(),
                          rankedType(getWeight()).getDimSize(1));
}

int64_t LinearOp::getBiasAxis() { return getOutput().getType().getRank() - 1; }

FailureOr<SmallVector<Value>> LinearOp::buildBody(OpBuilder &b,
                                                  ValueRange operands) {
  auto type = rankedType(getOutput());
  int64_t rank = type.getRank(), n = rank - 1, k = rank;
  SmallVector<AffineExpr> row;
  for (int64_t i = 0; i < n; ++i)
    row.push_back(b.getAffineDimExpr(i));
  row.push_back(b.getAffineDimExpr(k));
  ReductionSpace space;
  space.reduced.assign(rank + 1, false);
  space.reduced[k] = true;
  auto weightMap = AffineMap::get(
      rank + 1, 0, {b.getAffineDimExpr(n), b.getAffineDimExpr(k)},
      getContext());
  Value acc = buildReduction(
      b, getLoc(), type.clone(getComputeType(type.getElementType())), space,
      {{operands[0], AffineMap::get(rank + 1, 0, row, getContext())},
       {operands[1], weightMap}},
      0.0, multiplyAdd);
  Value bias = getBias() ? operands[2] : Value();
  return SmallVector<Value>{finish(b, getLoc(), acc, bias, n, type)};
}

/// Whether `value` is an elementwise function of one tensor, perhaps cast.
static bool isOfActivation(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  Operation *op = value.getDefiningOp();
  return op && isa<ScalarBodyOpInterface>(op) && op->getNumOperands() == 1;
}

// With Y = X W^T + b: dX = dY W, dW = dY^T X, db = sum(dY)
LogicalResult LinearOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  ArrayRef<int64_t> shape = shapeOf(getInput());
  int64_t k = shape.back(), n = shapeOf(getWeight())[0];
  int64_t rows = 1;
  for (int64_t size : shape.drop_back())
    rows *= size;
  Value d = g.reshape(dOut[0], {rows, n});
  Value x = g.reshape(getInput(), {rows, k});
  Value none;
  // With the axes of the input the product can be computed with what reads it:
  // the derivative of an activation. A reduction is better off alone.
  if (shape.size() > 2 && isOfActivation(getInput())) {
    Value transposed =
        TransposeOp::create(b, getLoc(), getWeight(), ArrayRef<int64_t>{1, 0});
    dIn[0] = LinearOp::create(b, getLoc(), dOut[0], transposed, none);
  } else {
    dIn[0] = g.reshape(
        MatmulOp::create(b, getLoc(), d, getWeight(), none, false, false),
        shape);
  }
  dIn[1] = MatmulOp::create(b, getLoc(), d, x, none, true, false);
  // With the axes of the result the sum can be computed with what makes that.
  if (getBias())
    dIn[2] = g.sum(dOut[0], llvm::to_vector(llvm::seq<int64_t>(
                                0, static_cast<int64_t>(shape.size()) - 1)));
  return success();
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

StringRef ConvOp::getReferenceOp() {
  switch (getStrides().size()) {
  case 1:
    return "conv1d";
  case 2:
    return "conv2d";
  case 3:
    return "conv3d";
  default:
    return "convolution";
  }
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       ConvOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  auto input = rankedType(adaptor.getInput());
  auto weight = rankedType(adaptor.getWeight());
  int64_t rank = input.getRank(), spatial = rank - 2;
  if (rank < 3 || weight.getRank() != rank)
    return emitOptionalError(loc,
                             "input and weight must have one rank, at least 3");
  for (ArrayRef<int64_t> list : {adaptor.getStrides(), adaptor.getLow(),
                                 adaptor.getHigh(), adaptor.getDilations()})
    if (static_cast<int64_t>(list.size()) != spatial)
      return emitOptionalError(loc,
                               "strides, padding and dilations need one "
                               "number for each of ",
                               spatial, " spatial axes");
  int64_t groups = adaptor.getGroups();
  if (groups < 1 || weight.getDimSize(0) % groups != 0)
    return emitOptionalError(loc, groups, " groups do not divide ",
                             weight.getDimSize(0), " output channels");
  if (weight.getDimSize(1) * groups != input.getDimSize(1))
    return emitOptionalError(loc, "weight has ", weight.getDimSize(1) * groups,
                             " input channels, input has ",
                             input.getDimSize(1));
  if (input.getElementType() != weight.getElementType())
    return emitOptionalError(loc, "operands must have one element type");
  if (failed(checkBias(loc, adaptor.getBias(), weight.getDimSize(0),
                       input.getElementType())))
    return failure();
  SmallVector<int64_t> shape{input.getDimSize(0), weight.getDimSize(0)};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t stride = adaptor.getStrides()[i],
            dilation = adaptor.getDilations()[i];
    if (stride < 1 || dilation < 1 || weight.getDimSize(i + 2) < 1)
      return emitOptionalError(
          loc, "strides, dilations and windows must be positive");
    int64_t padded =
        input.getDimSize(i + 2) + adaptor.getLow()[i] + adaptor.getHigh()[i];
    int64_t window = (weight.getDimSize(i + 2) - 1) * dilation + 1;
    if (padded < window)
      return emitOptionalError(loc, "window of ", window,
                               " is larger than the padded input's ", padded,
                               " on spatial axis ", i);
    shape.push_back((padded - window) / stride + 1);
  }
  inferred.push_back(input.clone(shape));
  return success();
}

/// Builds the convolution as one contraction over the padded input. Views split
/// the channels into groups, so that every loop is an axis of its own.
static Value contract(OpBuilder &b, ConvOp op, Value input, Value weight) {
  Location loc = op.getLoc();
  auto type = rankedType(op.getOutput());
  int64_t groups = op.getGroups(), spatial = type.getRank() - 2;
  ArrayRef<int64_t> x = shapeOf(input), w = shapeOf(weight);
  ArrayRef<int64_t> y = type.getShape();
  SmallVector<int64_t> xShape{x[0], groups, w[1]}, yShape{y[0], groups};
  SmallVector<int64_t> wShape{groups, w[0] / groups, w[1]};
  yShape.push_back(w[0] / groups);
  for (int64_t i = 0; i < spatial; ++i) {
    xShape.push_back(x[i + 2]);
    wShape.push_back(w[i + 2]);
    yShape.push_back(y[i + 2]);
  }
  // Loop dimensions: n, g, o, y.., c, k...
  int64_t dims = 3 + spatial + 1 + spatial;
  auto dim = [&](int64_t i) { return b.getAffineDimExpr(i); };
  int64_t channel = 3 + spatial;
  SmallVector<AffineExpr> xMap{dim(0), dim(1), dim(channel)};
  SmallVector<AffineExpr> wMap{dim(1), dim(2), dim(channel)};
  for (int64_t i = 0; i < spatial; ++i) {
    xMap.push_back(dim(3 + i) * op.getStrides()[i] +
                   dim(channel + 1 + i) * op.getDilations()[i]);
    wMap.push_back(dim(channel + 1 + i));
  }
  ReductionSpace space;
  space.reduced.assign(dims, false);
  for (int64_t i = channel; i < dims; ++i)
    space.reduced[i] = true;
  MLIRContext *context = b.getContext();
  Type compute = getComputeType(type.getElementType());
  Value acc =
      buildReduction(b, loc, RankedTensorType::get(yShape, compute), space,
                     {{buildView(b, loc, input, xShape),
                       AffineMap::get(dims, 0, xMap, context)},
                      {buildView(b, loc, weight, wShape),
                       AffineMap::get(dims, 0, wMap, context)}},
                     0.0, multiplyAdd);
  return buildView(b, loc, acc, y);
}

int64_t ConvOp::getMultiplyAdds() {
  int64_t terms =
      saturatedProduct(rankedType(getWeight()).getShape().drop_front());
  return saturatedProduct(rankedType(getOutput()).getShape(), terms);
}

int64_t ConvOp::getBiasAxis() { return 1; }

FailureOr<SmallVector<Value>> ConvOp::buildBody(OpBuilder &b,
                                                ValueRange operands) {
  Value input = operands[0];
  auto isNonZero = [](int64_t size) { return size != 0; };
  if (llvm::any_of(getLow(), isNonZero) || llvm::any_of(getHigh(), isNonZero)) {
    SmallVector<int64_t> low{0, 0}, high{0, 0};
    llvm::append_range(low, getLow());
    llvm::append_range(high, getHigh());
    SmallVector<int64_t> interior(low.size(), 0);
    input = buildPad(b, getLoc(), input, low, high, interior, 0.0);
  }
  Value acc = contract(b, *this, input, operands[1]);
  Value bias = getBias() ? operands[2] : Value();
  return SmallVector<Value>{
      finish(b, getLoc(), acc, bias, 1, rankedType(getOutput()))};
}

/// The taps of a phase of dX, reversed, with the channel axes exchanged within
/// their group. Tap u of dX is the last but u of the convolution's.
static Value getGradientWeight(GradientBuilder &g, ConvOp op,
                               ArrayRef<Taps> phase) {
  ArrayRef<int64_t> w = shapeOf(op.getWeight());
  int64_t groups = op.getGroups();
  SmallVector<int64_t> starts(w.size(), 0), limits(w), strides(w.size(), 1);
  SmallVector<int64_t> grouped{groups, w[0] / groups, w[1]}, axes;
  SmallVector<int64_t> permutation{0, 2, 1},
      shape{groups * w[1], w[0] / groups};
  for (auto [axis, taps] : llvm::enumerate(phase)) {
    int64_t last = taps.start + taps.step * (taps.count - 1);
    starts[axis + 2] = w[axis + 2] - 1 - last;
    strides[axis + 2] = taps.step;
    if (taps.count > 1)
      axes.push_back(axis + 2);
    grouped.push_back(taps.count);
    permutation.push_back(axis + 3);
    shape.push_back(taps.count);
  }
  Value taps = op.getWeight();
  if (llvm::any_of(phase, [](const Taps &taps) { return taps.step != 1; }))
    taps = SliceOp::create(g.b, g.loc, taps, starts, limits, strides);
  if (!axes.empty())
    taps = ReverseOp::create(g.b, g.loc, taps.getType(), taps, axes);
  return g.reshape(
      TransposeOp::create(g.b, g.loc, g.reshape(taps, grouped), permutation),
      shape);
}

/// `x` with `strides[i] - 1` zeros between the elements of spatial axis i.
static Value spreadByZeros(GradientBuilder &g, Value x,
                           ArrayRef<int64_t> strides) {
  SmallVector<int64_t> zeros(strides.size() + 2, 0), interior{0, 0};
  for (int64_t stride : strides)
    interior.push_back(stride - 1);
  return PadOp::create(g.b, g.loc, x, zeros, zeros, interior,
                       llvm::APFloat(0.0));
}

/// dX: dY, spread by the strides, padded, and convolved with the reversed
/// weight.
static Value convInputGradient(GradientBuilder &g, ConvOp op, Value d) {
  SpreadConvolution spread;
  spread.input = d;
  llvm::append_range(spread.strides, op.getStrides());
  llvm::append_range(spread.dilations, op.getDilations());
  llvm::append_range(spread.kernel, shapeOf(op.getWeight()).drop_front(2));
  llvm::append_range(spread.output, shapeOf(op.getInput()).drop_front(2));
  for (auto [taps, dilation, low] :
       llvm::zip(spread.kernel, spread.dilations, op.getLow()))
    spread.low.push_back(dilation * (taps - 1) - low);
  spread.groups = op.getGroups();
  if (llvm::product_of(spread.strides) > kMostPhases) {
    spread.input = spreadByZeros(g, d, spread.strides);
    llvm::fill(spread.strides, 1);
  }
  return spread.build(
      g, [&](ArrayRef<Taps> phase) { return getGradientWeight(g, op, phase); });
}

/// `x[n, g * c, ...]` with batch and channels exchanged within each of
/// `groups`: `[c, g * n, ...]`, or, with `outer`, `[g * c, n, ...]`.
static Value swapBatch(GradientBuilder &g, Value x, int64_t groups,
                       bool outer) {
  SmallVector<int64_t> shape(shapeOf(x));
  int64_t batch = shape[0], size = shape[1] / groups;
  SmallVector<int64_t> split{batch, groups, size};
  SmallVector<int64_t> swap{2, 1, 0};
  if (outer)
    swap = {1, 2, 0};
  for (size_t axis = 2; axis < shape.size(); ++axis) {
    split.push_back(shape[axis]);
    swap.push_back(axis + 1);
  }
  shape[0] = outer ? groups * size : size;
  shape[1] = outer ? batch : groups * batch;
  Value swapped = TransposeOp::create(g.b, g.loc, g.reshape(x, split), swap);
  return g.reshape(swapped, shape);
}

/// The part of the padded input that the windows of `op` read. Elements behind
/// the last window are cut off before there is a border, so that only padding
/// stands between the input and what reads it.
static Value readByWindows(GradientBuilder &g, ConvOp op, Value d) {
  OpBuilder &b = g.b;
  ArrayRef<int64_t> w = shapeOf(op.getWeight());
  Value x = op.getInput();
  SmallVector<int64_t> low{0, 0}, high{0, 0}, kept(shapeOf(x));
  llvm::append_range(low, op.getLow());
  for (size_t axis = 2; axis < w.size(); ++axis) {
    int64_t read = (w[axis] - 1) * op.getDilations()[axis - 2] +
                   (shapeOf(d)[axis] - 1) * op.getStrides()[axis - 2] + 1;
    // At least one, even if all windows are in the border.
    kept[axis] = std::clamp<int64_t>(read - low[axis], 1, kept[axis]);
    high.push_back(read - low[axis] - kept[axis]);
  }
  SmallVector<int64_t> zeros(w.size(), 0), ones(w.size(), 1);
  if (kept != shapeOf(x))
    x = SliceOp::create(b, g.loc, x, zeros, kept, ones);
  if (low != zeros || high != zeros)
    x = PadOp::create(b, g.loc, x, low, high, zeros, llvm::APFloat(0.0));
  return x;
}

/// dW: for each group, the convolution of the padded X and dY with batch and
/// channels exchanged. dY is the window, dilated by the stride. X is padded
/// before the exchange, so that the contraction reads exchanged axes in place.
static Value convWeightGradient(GradientBuilder &g, ConvOp op, Value d) {
  OpBuilder &b = g.b;
  Value x = readByWindows(g, op, d);
  int64_t groups = op.getGroups(), rank = shapeOf(x).size();
  SmallVector<int64_t> swap{1, 0}, zeros(rank - 2, 0);
  for (int64_t axis = 2; axis < rank; ++axis)
    swap.push_back(axis);
  Value sum =
      ConvOp::create(b, g.loc, swapBatch(g, x, groups, /*outer=*/false),
                     swapBatch(g, d, groups, /*outer=*/true), Value(),
                     op.getDilations(), zeros, zeros, op.getStrides(), groups);
  return TransposeOp::create(b, g.loc, sum, swap);
}

LogicalResult ConvOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  Value d = dOut[0];
  dIn[0] = convInputGradient(g, *this, d);
  dIn[1] = convWeightGradient(g, *this, d);
  if (getBias())
    dIn[2] = g.sum(d, otherAxes(shapeOf(d).size(), {1}));
  return success();
}

namespace {

/// A convolution of a tensor with zeros between its elements, as a transposed
/// convolution is, goes by phases, which multiply no zero.
struct ConvOfSpread : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Whether zeros are all that `pad` adds, and only along spatial axes.
  static bool spreads(PadOp pad) {
    auto isZero = [](int64_t size) { return size == 0; };
    ArrayRef<int64_t> interior = pad.getInterior();
    return pad.getValue().isZero() && !llvm::all_of(interior, isZero) &&
           llvm::all_of(interior.take_front(2), isZero) &&
           llvm::all_of(pad.getLow().take_front(2), isZero) &&
           llvm::all_of(pad.getHigh().take_front(2), isZero);
  }

  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getInput().getDefiningOp<PadOp>();
    if (!pad || !spreads(pad))
      return rewriter.notifyMatchFailure(op, "no zeros between elements");
    SpreadConvolution spread;
    spread.input = pad.getInput();
    spread.bias = op.getBias();
    for (int64_t zeros : pad.getInterior().drop_front(2))
      spread.strides.push_back(zeros + 1);
    if (llvm::any_of(op.getStrides(), [](int64_t s) { return s != 1; }) ||
        llvm::product_of(spread.strides) > kMostPhases)
      return rewriter.notifyMatchFailure(op, "no phases of its own");
    for (auto [own, before] :
         llvm::zip(op.getLow(), pad.getLow().drop_front(2)))
      spread.low.push_back(own + before);
    llvm::append_range(spread.dilations, op.getDilations());
    llvm::append_range(spread.kernel, shapeOf(op.getWeight()).drop_front(2));
    llvm::append_range(spread.output, shapeOf(op.getOutput()).drop_front(2));
    spread.groups = op.getGroups();
    GradientBuilder g(rewriter, op.getLoc());
    rewriter.replaceOp(op, spread.build(g, [&](ArrayRef<Taps> phase) {
      return getTaps(rewriter, op, phase);
    }));
    return success();
  }

  /// The weight of some of the taps.
  static Value getTaps(PatternRewriter &rewriter, ConvOp op,
                       ArrayRef<Taps> phase) {
    SmallVector<int64_t> starts(2, 0), strides(2, 1);
    SmallVector<int64_t> limits(shapeOf(op.getWeight()));
    for (const Taps &taps : phase) {
      starts.push_back(taps.start);
      strides.push_back(taps.step);
    }
    return SliceOp::create(rewriter, op.getLoc(), op.getWeight(), starts,
                           limits, strides);
  }
};

} // namespace

void ConvOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<ConvOfSpread>(context);
}
