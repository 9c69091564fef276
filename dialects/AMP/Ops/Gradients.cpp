// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on gradients: unscale, check, clip.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/MapBuilder.h"
#include "dialects/Kernel/Body.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Gradient.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

using Values = SmallVector<Value>;

/// The number of partial sums that PyTorch's norm keeps.
static constexpr int64_t kNormLanes = 8;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// InverseScaleOp, ClipCoefficientOp
//===----------------------------------------------------------------------===//

LogicalResult InverseScaleOp::buildVJP(OpBuilder &, ArrayRef<Value>,
                                       MutableArrayRef<Value>) {
  return success();
}

LogicalResult ClipCoefficientOp::verify() {
  if (typeOf(getNorm()).getShape() != typeOf(getCoefficient()).getShape())
    return emitOpError("must make one coefficient of each norm");
  return success();
}

/// `x` rounded to f32, still in f64.
static Fp toSingle(Fp x) {
  return x.as(x.b->getF32Type()).as(x.b->getF64Type());
}

/// The clip coefficient from `max` and `norm` in f64; `scale` may be null.
/// PyTorch computes it in f32, and divides by a tensor by multiplying with its
/// reciprocal. A maximum of 0 or beyond f32 makes no NaN: clipped gradients
/// have been checked already.
static Fp clipCoefficient(Fp norm, Fp max, const Fp *scale, bool keras) {
  if (scale) {
    norm = norm * *scale;
    max = max * *scale;
  }
  if (keras) {
    // max / maximum(norm, max), without 0 / 0 and inf / inf.
    Value fits =
        arith::OrIOp::create(*max.b, less(norm, max), equal(norm - max, 0.0));
    return select(fits, max.constant(1.0), max / norm);
  }
  max = minimum(max, max.constant(std::numeric_limits<float>::max()));
  Fp epsilon = toSingle(norm.constant(1e-6));
  Fp shifted = toSingle(toSingle(norm) + epsilon);
  Fp coefficient = toSingle(toSingle(1.0 / shifted) * toSingle(max));
  return minimum(coefficient, max.constant(1.0));
}

FailureOr<Values> ClipCoefficientOp::buildBody(OpBuilder &builder,
                                               ValueRange operands) {
  ArrayRef<int64_t> shape = typeOf(getCoefficient()).getShape();
  Value empty =
      tensor::EmptyOp::create(builder, getLoc(), shape, builder.getF32Type());
  return buildMapInto(builder, getLoc(), shape, operands, empty,
                      [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                        Fp scale;
                        if (getScale())
                          scale = Fp{&b, s[2]}.as(b.getF64Type());
                        Fp result = clipCoefficient(
                            Fp{&b, s[0]}, Fp{&b, s[1]},
                            getScale() ? &scale : nullptr, getKeras());
                        return {result.as(b.getF32Type()).value};
                      });
}

//===----------------------------------------------------------------------===//
// UnscaleOp, ClipOp, ClampOp
//===----------------------------------------------------------------------===//

/// Applies `fn` to each element, widened to f32, and the scalar.
static FailureOr<Values> buildGradientMap(OpBuilder &builder, Location loc,
                                          ValueRange operands,
                                          function_ref<Fp(Fp, Fp)> fn) {
  ArrayRef<int64_t> shape = typeOf(operands[0]).getShape();
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, builder.getF32Type());
  return buildMapInto(builder, loc, shape, operands, empty,
                      [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                        Fp wide = Fp{&b, s[0]}.as(b.getF32Type());
                        return {fn(wide, Fp{&b, s[1]}).value};
                      });
}

/// The scale where `factor` is the inverse of a scale; else the factor itself.
static Value scaleOf(Value factor) {
  auto inverse = factor.getDefiningOp<InverseScaleOp>();
  return inverse ? inverse.getScale() : factor;
}

/// The result has the type of the gradients where the operand is all gradients
/// of an optimizer, else the shape of the one tensor.
static LogicalResult verifyMap(Operation *op) {
  Type input = op->getOperand(0).getType();
  Type output = op->getResult(0).getType();
  bool fits = isa<GradientsType>(input)
                  ? input == output
                  : succeeded(verifyCompatibleShape(input, output));
  return fits ? success()
              : op->emitOpError("cannot make ") << output << " of " << input;
}

LogicalResult
GradientsType::verify(function_ref<InFlightDiagnostic()> emitError,
                      FlatSymbolRefAttr /*optimizer*/, int64_t parts) {
  if (parts < 1)
    return emitError() << "gradients have " << parts << " parts";
  return success();
}

LogicalResult ExchangeOp::verify() {
  GradientsType input = getInput().getType();
  auto output = cast<GradientsType>(getOutput().getType());
  auto ranks = static_cast<int64_t>(getRanks());
  bool isWholeOrPart = output.getParts() == 1 || output.getParts() == ranks;
  if (input.getOptimizer() == output.getOptimizer() && isWholeOrPart)
    return success();
  return emitOpError("cannot make ")
         << output << " of " << input << " on " << ranks << " ranks";
}

LogicalResult ClipOp::verify() { return verifyMap(*this); }
LogicalResult ClampOp::verify() { return verifyMap(*this); }

/// Dividing by the scale twice would pass the type checks and ruin the step.
LogicalResult UnscaleOp::verify() {
  if (failed(verifyMap(*this)))
    return failure();
  Operation *op = getInput().getDefiningOp();
  while (isa_and_present<GradientTransformInterface>(op)) {
    if (auto earlier = dyn_cast<UnscaleOp>(op);
        earlier && scaleOf(earlier.getFactor()) == scaleOf(getFactor())) {
      InFlightDiagnostic error = emitOpError("unscales a gradient twice");
      error.attachNote(earlier.getLoc()) << "it is unscaled here already";
      return error;
    }
    op = op->getOperand(0).getDefiningOp();
  }
  return success();
}

FailureOr<Values> UnscaleOp::buildBody(OpBuilder &builder,
                                       ValueRange operands) {
  return buildGradientMap(builder, getLoc(), operands, [&](Fp x, Fp f) {
    return getDivide() ? x / f : x * f;
  });
}

// d(x f) = f dx
LogicalResult UnscaleOp::buildVJP(OpBuilder &builder,
                                  ArrayRef<Value> cotangents,
                                  MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0])
    return success();
  nn::GradientBuilder g(builder, getLoc());
  Value factor = g.broadcast(getFactor(), {}, nn::shapeOf(getInput()));
  Value product =
      getDivide() ? g.div(cotangents[0], factor) : g.mul(cotangents[0], factor);
  operandCotangents[0] = g.as(product, getInput());
  return success();
}

FailureOr<Values> ClipOp::buildBody(OpBuilder &builder, ValueRange operands) {
  return buildGradientMap(builder, getLoc(), operands,
                          [](Fp x, Fp f) { return x * f; });
}

FailureOr<Values> ClampOp::buildBody(OpBuilder &builder, ValueRange operands) {
  return buildGradientMap(builder, getLoc(), operands, [](Fp x, Fp f) {
    return minimum(maximum(x, -f), f);
  });
}

//===----------------------------------------------------------------------===//
// SquareSumsOp, BlockMaxAbsOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyRows(Operation *op) {
  RankedTensorType input = typeOf(op->getOperand(0));
  RankedTensorType output = typeOf(op->getResult(0));
  if (input.getRank() != 2 || output.getRank() != 1 ||
      input.getDimSize(0) != output.getDimSize(0))
    return op->emitOpError("must make one value of each row, not ")
           << output << " of " << input;
  return success();
}

LogicalResult SquareSumsOp::verify() { return verifyRows(*this); }
LogicalResult BlockMaxAbsOp::verify() { return verifyRows(*this); }

/// One f64 or f32 value for each row of a matrix.
static FailureOr<Values> reduceRows(OpBuilder &builder, Location loc,
                                    Value input, RankedTensorType type,
                                    function_ref<Fp(Fp, Fp)> fn) {
  nn::ReductionSpace space{{false, true}};
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  return Values{
      nn::buildReduction(builder, loc, type, space, {{input, identity}}, 0.0,
                         [&](OpBuilder &inner, Location l, ValueRange s) {
                           ImplicitLocOpBuilder b(l, inner);
                           Fp element = Fp{&b, s[0]}.as(type.getElementType());
                           return fn(element, Fp{&b, s[1]}).value;
                         })};
}

FailureOr<Values> SquareSumsOp::buildBody(OpBuilder &builder,
                                          ValueRange operands) {
  return reduceRows(builder, getLoc(), operands[0], typeOf(getOutput()),
                    [](Fp x, Fp sum) { return sum + x * x; });
}

FailureOr<Values> BlockMaxAbsOp::buildBody(OpBuilder &builder,
                                           ValueRange operands) {
  return reduceRows(builder, getLoc(), operands[0], typeOf(getOutput()),
                    [](Fp x, Fp max) { return maximum(max, abs(x)); });
}

//===----------------------------------------------------------------------===//
// CombineCheckOp, CombineMaxAbsOp
//===----------------------------------------------------------------------===//

/// Each vector reduced to a scalar.
static Values reduceAll(OpBuilder &builder, Location loc, ValueRange vectors,
                        function_ref<Fp(Fp, Fp)> fn) {
  Values results;
  AffineMap identity = builder.getMultiDimIdentityMap(1);
  for (Value vector : vectors) {
    auto type = RankedTensorType::get({}, typeOf(vector).getElementType());
    results.push_back(nn::buildReduction(
        builder, loc, type, {{true}}, {{vector, identity}}, 0.0,
        [&](OpBuilder &inner, Location l, ValueRange s) {
          ImplicitLocOpBuilder b(l, inner);
          return fn(Fp{&b, s[0]}, Fp{&b, s[1]}).value;
        }));
  }
  return results;
}

static Fp add(Fp x, Fp y) { return y + x; }

FailureOr<Values> CombineCheckOp::buildBody(OpBuilder &builder,
                                            ValueRange operands) {
  Values sums = reduceAll(builder, getLoc(), operands, add);
  return buildScalars(builder, getLoc(), sums,
                      {builder.getI1Type(), builder.getF64Type()},
                      [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                        Fp total{&b, s[0]};
                        for (Value sum : s.slice(1, sums.size() - 1))
                          total = total + Fp{&b, sum};
                        // inf - inf and nan - nan are NaN, never 0.
                        Value finite = equal(total - total, 0.0);
                        Value one = arith::ConstantIntOp::create(b, 1, 1);
                        Value found = arith::XOrIOp::create(b, finite, one);
                        return {found, sqrt(total).value};
                      });
}

FailureOr<Values> CombineMaxAbsOp::buildBody(OpBuilder &builder,
                                             ValueRange operands) {
  Values parts = reduceAll(builder, getLoc(), operands, maximum);
  return buildScalars(builder, getLoc(), parts, builder.getF32Type(),
                      [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                        Fp max{&b, s[0]};
                        for (Value part : s.slice(1, parts.size() - 1))
                          max = maximum(max, Fp{&b, part});
                        return {max.value};
                      });
}

//===----------------------------------------------------------------------===//
// VectorNormOp
//===----------------------------------------------------------------------===//

/// The sums of squares of `count` elements in lanes: each sum takes every
/// eighth element.
static Value sumLanes(OpBuilder &builder, Location loc, Value flat,
                      int64_t count) {
  Value rows = kernel::ViewOp::create(
      builder, loc,
      RankedTensorType::get({count / kNormLanes, kNormLanes},
                            builder.getF32Type()),
      flat, /*offset=*/0);
  auto type = RankedTensorType::get({kNormLanes}, builder.getF32Type());
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  Value sums = nn::buildReduction(
      builder, loc, type, {{true, false}}, {{rows, identity}}, 0.0,
      [](OpBuilder &inner, Location l, ValueRange s) {
        ImplicitLocOpBuilder b(l, inner);
        Fp x{&b, s[0]};
        return (Fp{&b, s[1]} + x * x).value;
      });
  kernel::setInOrder(sums.getDefiningOp<linalg::GenericOp>());
  return sums;
}

/// Every element of rank-1 `vector` from `begin` on.
static SmallVector<Fp> elementsOf(ImplicitLocOpBuilder &b, Value vector,
                                  int64_t begin) {
  SmallVector<Fp> elements;
  for (int64_t i = begin; i != typeOf(vector).getDimSize(0); ++i) {
    Value index = arith::ConstantIndexOp::create(b, i);
    elements.push_back({&b, tensor::ExtractOp::create(b, vector, index)});
  }
  return elements;
}

FailureOr<Values> VectorNormOp::buildBody(OpBuilder &builder,
                                          ValueRange operands) {
  int64_t size = typeOf(getInput()).getNumElements();
  int64_t whole = size / kNormLanes * kNormLanes;
  Value flat = nn::buildView(builder, getLoc(), operands[0], size);
  Value lanes = whole == 0 ? Value() : sumLanes(builder, getLoc(), flat, whole);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange) -> Values {
    Fp sum{&b, nn::buildScalarConstant(b, getLoc(), b.getF32Type(), 0.0)};
    if (lanes)
      for (Fp lane : elementsOf(b, lanes, 0))
        sum = sum + lane;
    SmallVector<Fp> rest = elementsOf(b, flat, whole);
    size_t rounded = rest.size() / 4 * 4;
    for (auto [index, x] : llvm::enumerate(rest))
      sum = index < rounded ? sum + x * x : fma(x, x, sum);
    return {sqrt(sum).value};
  };
  return buildScalars(builder, getLoc(), {}, builder.getF32Type(), body);
}

//===----------------------------------------------------------------------===//
// SegmentNormsOp, ScaleSegmentsOp, TrustRatioOp
//===----------------------------------------------------------------------===//

static LogicalResult verifySegments(Operation *op, ArrayRef<int64_t> blocks,
                                    int64_t numBlocks, int64_t numSegments) {
  int64_t total = 0;
  for (int64_t count : blocks) {
    if (count < 0)
      return op->emitOpError("has a tensor of ") << count << " blocks";
    total += count;
  }
  if (total != numBlocks || static_cast<int64_t>(blocks.size()) != numSegments)
    return op->emitOpError("splits ")
           << numBlocks << " blocks among " << numSegments << " tensors, but "
           << "'blocks' holds " << blocks.size() << " tensors of " << total
           << " blocks";
  return success();
}

/// The tensor that each block belongs to.
static Value buildSegmentTable(OpBuilder &builder, Location loc,
                               ArrayRef<int64_t> blocks) {
  SmallVector<int64_t> table;
  for (auto [segment, count] : llvm::enumerate(blocks))
    table.append(count, segment);
  auto type = RankedTensorType::get({static_cast<int64_t>(table.size())},
                                    builder.getI64Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(table)));
}

LogicalResult SegmentNormsOp::verify() {
  return verifySegments(*this, getBlocks(), typeOf(getSums()).getDimSize(0),
                        typeOf(getNorms()).getDimSize(0));
}

FailureOr<Values> SegmentNormsOp::buildBody(OpBuilder &builder,
                                            ValueRange operands) {
  Location loc = getLoc();
  int64_t numBlocks = typeOf(getSums()).getDimSize(0);
  int64_t numSegments = typeOf(getNorms()).getDimSize(0);
  auto f64 = builder.getF64Type();
  Value updates = nn::buildView(builder, loc, operands[0], {1, numBlocks, 1});
  Value empty = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{1, numSegments, 1}, f64);
  Value zero = nn::buildScalarConstant(builder, loc, f64, 0.0);
  Value zeros = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  Value sums = kernel::ScatterOp::create(
      builder, loc, zeros.getType(), updates,
      buildSegmentTable(builder, loc, getBlocks()), zeros);
  Value flat = nn::buildView(builder, loc, sums, numSegments);
  Value norms = tensor::EmptyOp::create(builder, loc, numSegments, f64);
  return buildMapInto(builder, loc, numSegments, flat, norms,
                      [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                        return {sqrt(Fp{&b, s[0]}).value};
                      });
}

LogicalResult ScaleSegmentsOp::verify() {
  RankedTensorType type = typeOf(getInput());
  if (type.getRank() != 2)
    return emitOpError("takes rows, not ") << type;
  return verifySegments(*this, getBlocks(), type.getDimSize(0),
                        typeOf(getFactors()).getDimSize(0));
}

/// The factor of each block, from the factors of tensors.
static Value buildBlockFactors(OpBuilder &builder, Location loc, Value factors,
                               ArrayRef<int64_t> blocks) {
  Value table = buildSegmentTable(builder, loc, blocks);
  AffineMap identity = builder.getMultiDimIdentityMap(1);
  auto type =
      RankedTensorType::get(typeOf(table).getShape(), builder.getF32Type());
  return nn::buildMap(builder, loc, type, {{table, identity}},
                      [&](OpBuilder &b, Location l, ValueRange s) -> Value {
                        Value index = arith::IndexCastOp::create(
                            b, l, b.getIndexType(), s[0]);
                        return tensor::ExtractOp::create(b, l, factors, index);
                      });
}

FailureOr<Values> ScaleSegmentsOp::buildBody(OpBuilder &builder,
                                             ValueRange operands) {
  Location loc = getLoc();
  Value rows = buildBlockFactors(builder, loc, operands[1], getBlocks());
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  AffineMap row = identity.getMajorSubMap(1);
  return Values{nn::buildMap(
      builder, loc, typeOf(getOutput()), {{operands[0], identity}, {rows, row}},
      [](OpBuilder &b, Location l, ValueRange s) -> Value {
        return arith::MulFOp::create(b, l, s[0], s[1]);
      })};
}

FailureOr<Values> TrustRatioOp::buildBody(OpBuilder &builder,
                                          ValueRange operands) {
  ArrayRef<int64_t> shape = typeOf(getRatio()).getShape();
  Value empty =
      tensor::EmptyOp::create(builder, getLoc(), shape, builder.getF32Type());
  return buildMapInto(
      builder, getLoc(), shape, operands, empty,
      [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
        Fp parameter{&b, s[0]}, direction{&b, s[1]};
        Value none = arith::OrIOp::create(b, equal(parameter, 0.0),
                                          equal(direction, 0.0));
        Fp ratio = parameter / direction;
        return {
            select(none, ratio.constant(1.0), ratio).as(b.getF32Type()).value};
      });
}
