// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax, layer normalization and cross entropy.
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Ops/RowBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mpc::nn;

static LogicalResult verifyAxis(Operation *op, Value value, int64_t axis) {
  if (axis < 0 || axis >= rankedType(value).getRank())
    return op->emitOpError("has no axis ") << axis;
  return success();
}

//===----------------------------------------------------------------------===//
// SoftmaxOp
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  return verifyAxis(*this, getInput(), getAxis());
}

FailureOr<SmallVector<Value>> SoftmaxOp::buildBody(OpBuilder &b,
                                                   ValueRange operands) {
  int64_t axis = getAxis();
  RowBody body(b, getLoc(), getInput(), axis);
  Value exp = body.expShifted(operands[0], body.max(operands[0]));
  Value sum = body.sum(exp);
  auto type = rankedType(getOutput());
  Value result =
      buildMap(b, getLoc(), type, {body.all(exp), body.row(sum)},
               [&](OpBuilder &n, Location l, ValueRange s) {
                 Value quotient = arith::DivFOp::create(n, l, s[0], s[1]);
                 return narrow(n, l, quotient, type.getElementType());
               });
  return SmallVector<Value>{result};
}

// d softmax(x) = y (dx - sum(y dx))
LogicalResult SoftmaxOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  int64_t axis = getAxis();
  Value d = g.wide(dOut[0]), y = g.wide(getOutput());
  Value mean = g.sumLike(g.mul(d, y), axis);
  dIn[0] = g.as(g.mul(y, g.sub(d, mean)), getInput());
  return success();
}

//===----------------------------------------------------------------------===//
// LogSoftmaxOp
//===----------------------------------------------------------------------===//

LogicalResult LogSoftmaxOp::verify() {
  return verifyAxis(*this, getInput(), getAxis());
}

FailureOr<SmallVector<Value>> LogSoftmaxOp::buildBody(OpBuilder &b,
                                                      ValueRange operands) {
  int64_t axis = getAxis();
  RowBody body(b, getLoc(), getInput(), axis);
  Value peak = body.max(operands[0]);
  Value sum = body.sum(body.expShifted(operands[0], peak));
  auto type = rankedType(getOutput());
  Value result = buildMap(
      b, getLoc(), type, {body.all(operands[0]), body.row(peak), body.row(sum)},
      [&](OpBuilder &n, Location l, ValueRange s) {
        Value shifted = arith::SubFOp::create(n, l, widen(n, l, s[0]), s[1]);
        Value log = math::LogOp::create(n, l, s[2]);
        return narrow(n, l, arith::SubFOp::create(n, l, shifted, log),
                      type.getElementType());
      });
  return SmallVector<Value>{result};
}

// d log softmax(x) = dx - softmax(x) sum(dx)
LogicalResult LogSoftmaxOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                     Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  int64_t axis = getAxis();
  Value d = g.wide(dOut[0]), y = g.wide(getOutput());
  Value p = ExpOp::create(b, getLoc(), y.getType(), y);
  dIn[0] = g.as(g.sub(d, g.mul(p, g.sumLike(d, axis))), getInput());
  return success();
}

//===----------------------------------------------------------------------===//
// LayerNormOp
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  if (failed(verifyAxis(*this, getInput(), getAxis())))
    return failure();
  ArrayRef<int64_t> inner = shapeOf(getInput()).drop_front(getAxis());
  for (Value factor : {getScale(), getBias()})
    if (factor && shapeOf(factor) != inner)
      return emitOpError("scale and bias must have the shape of the axes from ")
             << getAxis() << " on";
  if (!(getEpsilon().convertToDouble() >= 0.0))
    return emitOpError("epsilon must not be negative");
  return success();
}

FailureOr<SmallVector<Value>> LayerNormOp::buildBody(OpBuilder &b,
                                                     ValueRange operands) {
  Location loc = getLoc();
  RowBody body(b, loc, getInput(), axesFrom(getAxis(), getInput()));
  Value centered = body.subtractRow(operands[0], body.mean(operands[0]));
  Value rstd = body.reciprocalDeviation(body.sumSquares(centered),
                                        getEpsilon().convertToDouble());
  SmallVector<MappedTensor> inputs{body.all(centered), body.row(rstd)};
  for (Value factor : operands.drop_front())
    inputs.push_back(body.along(factor));
  bool hasScale = static_cast<bool>(getScale()),
       hasBias = static_cast<bool>(getBias());
  auto type = rankedType(getOutput());
  Value result = buildMap(
      b, loc, type, inputs, [&](OpBuilder &n, Location l, ValueRange s) {
        Value y = arith::MulFOp::create(n, l, s[0], s[1]);
        if (hasScale)
          y = arith::MulFOp::create(n, l, y, widen(n, l, s[2]));
        if (hasBias)
          y = arith::AddFOp::create(n, l, y, widen(n, l, s[hasScale ? 3 : 2]));
        return narrow(n, l, y, type.getElementType());
      });
  return SmallVector<Value>{result};
}

// With h = (x - mean) r and e = scale dY:
// dX = r (e - mean(e) - h mean(e h)), dScale = sum(dY h), dBias = sum(dY)
LogicalResult LayerNormOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                    Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  Value x = g.wide(getInput()), d = g.wide(dOut[0]);
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t rank = shape.size();
  SmallVector<int64_t> inner = axesFrom(getAxis(), x);
  SmallVector<int64_t> outer = otherAxes(rank, inner);
  double count = 1.0;
  for (int64_t axis : inner)
    count *= static_cast<double>(shape[axis]);
  Value centered = g.sub(x, g.meanLike(x, inner));
  Value variance =
      g.scale(g.sum(g.mul(centered, centered), inner), 1.0 / count);
  Value shifted =
      g.add(variance, g.splat(variance, getEpsilon().convertToDouble()));
  Value rstd = RsqrtOp::create(b, getLoc(), shifted.getType(), shifted);
  Value r = g.broadcast(rstd, outer, shape);
  Value h = g.mul(centered, r);
  Value e = d;
  if (getScale())
    e = g.mul(d, g.broadcast(g.wide(getScale()), inner, shape));
  Value inside = g.sub(g.sub(e, g.meanLike(e, inner)),
                       g.mul(h, g.meanLike(g.mul(e, h), inner)));
  dIn[0] = g.as(g.mul(r, inside), getInput());
  unsigned next = 1;
  if (getScale())
    dIn[next++] = g.as(g.sum(g.mul(d, h), outer), getScale());
  if (getBias())
    dIn[next] = g.as(g.sum(d, outer), getBias());
  return success();
}

//===----------------------------------------------------------------------===//
// CrossEntropyOp
//===----------------------------------------------------------------------===//

LogicalResult CrossEntropyOp::verify() {
  if (failed(verifyAxis(*this, getLogits(), getAxis())))
    return failure();
  SmallVector<int64_t> expected(shapeOf(getLogits()));
  expected.erase(expected.begin() + getAxis());
  if (shapeOf(getTarget()) != ArrayRef<int64_t>(expected))
    return emitOpError("target must have the shape of logits without axis ")
           << getAxis();
  auto loss = rankedType(getLoss());
  if (loss.getRank() != 0 ||
      loss.getElementType() != rankedType(getLogits()).getElementType())
    return emitOpError("loss must be a scalar of the logits' element type");
  return success();
}

/// Whether the label counts, as 0 or 1.
static Value takesPart(OpBuilder &b, Location loc, Value label,
                       int64_t ignoreIndex, Type compute) {
  Value ignored = buildScalarConstant(b, loc, label.getType(),
                                      static_cast<double>(ignoreIndex));
  Value used =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, label, ignored);
  return arith::UIToFPOp::create(b, loc, compute, used);
}

std::optional<mpc::IndexRange>
CrossEntropyOp::getIndexRange(OpOperand &operand) {
  // With `ignore_index` a label out of range is valid.
  if (operand.getOperandNumber() != getTargetMutable().getOperandNumber() ||
      getIgnoreIndex())
    return std::nullopt;
  return mpc::IndexRange{0, shapeOf(getLogits())[getAxis()]};
}

FailureOr<SmallVector<Value>> CrossEntropyOp::buildBody(OpBuilder &b,
                                                        ValueRange operands) {
  Location loc = getLoc();
  int64_t axis = getAxis();
  RowBody body(b, loc, getLogits(), axis);
  Value logits = operands[0], target = operands[1];
  Value peak = body.max(logits);
  Value sum = body.sum(body.expShifted(logits, peak));
  Value picked = body.reduce(
      {body.all(logits), body.row(target)}, 0.0,
      [&](OpBuilder &n, Location l, ValueRange s) -> Value {
        Value index = linalg::IndexOp::create(n, l, axis);
        Value label = s[1];
        Value here = arith::IndexCastOp::create(n, l, label.getType(), index);
        Value hit =
            arith::CmpIOp::create(n, l, arith::CmpIPredicate::eq, here, label);
        Value x = widen(n, l, s[0]);
        Value zero = buildScalarConstant(n, l, x.getType(), 0.0);
        // The value is selected and not multiplied, since a class of -inf must
        // not give NaN.
        return arith::AddFOp::create(
            n, l, s[2], arith::SelectOp::create(n, l, hit, x, zero));
      });
  std::optional<int64_t> ignore = getIgnoreIndex();
  Value rowLoss =
      body.mapRows({sum, peak, picked, target},
                   [&](OpBuilder &n, Location l, ValueRange s) -> Value {
                     Value log = math::LogOp::create(n, l, s[0]);
                     Value whole = arith::AddFOp::create(n, l, log, s[1]);
                     Value loss = arith::SubFOp::create(n, l, whole, s[2]);
                     if (!ignore)
                       return loss;
                     Value used = arith::CmpIOp::create(
                         n, l, arith::CmpIPredicate::ne, s[3],
                         buildScalarConstant(n, l, s[3].getType(),
                                             static_cast<double>(*ignore)));
                     Value zero =
                         buildScalarConstant(n, l, loss.getType(), 0.0);
                     return arith::SelectOp::create(n, l, used, loss, zero);
                   });
  ReductionSpace all;
  all.reduced.assign(body.rows.getRank(), true);
  auto scalar = RankedTensorType::get({}, body.compute);
  MappedTensor rows{rowLoss, b.getMultiDimIdentityMap(body.rows.getRank())};
  Value total =
      buildReduction(b, loc, scalar, all, {rows}, 0.0,
                     [](OpBuilder &n, Location l, ValueRange s) -> Value {
                       return arith::AddFOp::create(n, l, s[1], s[0]);
                     });
  SmallVector<MappedTensor> parts{{total, b.getMultiDimIdentityMap(0)}};
  if (ignore) {
    MappedTensor labels{target, b.getMultiDimIdentityMap(body.rows.getRank())};
    Value count = buildReduction(
        b, loc, scalar, all, {labels}, 0.0,
        [&](OpBuilder &n, Location l, ValueRange s) -> Value {
          return arith::AddFOp::create(
              n, l, s[1], takesPart(n, l, s[0], *ignore, body.compute));
        });
    parts.push_back({count, b.getMultiDimIdentityMap(0)});
  }
  auto type = rankedType(getLoss());
  auto count = static_cast<double>(body.rows.getNumElements());
  Value mean = buildMap(
      b, loc, type, parts, [&](OpBuilder &n, Location l, ValueRange s) {
        Value divisor =
            ignore ? s[1] : buildScalarConstant(n, l, body.compute, count);
        Value result = arith::DivFOp::create(n, l, s[0], divisor);
        return narrow(n, l, result, type.getElementType());
      });
  return SmallVector<Value>{mean};
}

// dX = (softmax(x) - onehot(target)) dLoss / count
LogicalResult CrossEntropyOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                       Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  int64_t axis = getAxis();
  Value x = g.wide(getLogits()), d = g.wide(dOut[0]);
  ArrayRef<int64_t> shape = shapeOf(x);
  auto labelType = rankedType(getTarget()).clone(shape);
  SmallVector<int64_t> rows = otherAxes(shape.size(), axis);
  Value p = SoftmaxOp::create(b, getLoc(), x.getType(), x, axis);
  Value classes = IotaOp::create(b, getLoc(), labelType, axis);
  Value labels = g.broadcast(getTarget(), rows, shape);
  Value hit = g.compare(CompareKind::EQ, classes, labels);
  Value hot = g.select(hit, g.splat(x, 1.0), g.splat(x, 0.0));
  Value slope = g.sub(p, hot);
  auto count = static_cast<double>(rankedType(getTarget()).getNumElements());
  Value divisor = g.splat(d, count);
  if (std::optional<int64_t> ignore = getIgnoreIndex()) {
    Value used = g.compare(CompareKind::NE, getTarget(),
                           g.splat(getTarget(), static_cast<double>(*ignore)));
    auto maskType =
        rankedType(getTarget()).clone(rankedType(x).getElementType());
    Value mask = CastOp::create(b, getLoc(), maskType, used);
    divisor = g.sum(mask, otherAxes(maskType.getRank(), {}));
    slope = g.mul(slope, g.broadcast(mask, rows, shape));
  }
  Value factor = g.broadcast(g.div(d, divisor), {}, shape);
  dIn[0] = g.as(g.mul(slope, factor), getLogits());
  return success();
}
