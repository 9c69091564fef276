// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch normalization by given statistics, and by the batch's own.
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Ops/RowBody.h"
#include "dialects/NN/RunningStatistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc::nn;

/// The number of vector operands after the input. Each has one element for each
/// place on the axis.
static constexpr unsigned kNumVectors = 4;

static LogicalResult verifyVector(Operation *op, StringRef what, Value vector,
                                  ArrayRef<int64_t> shape, Type compute) {
  if (shapeOf(vector) == shape &&
      getComputeType(getElementTypeOrSelf(vector)) == compute)
    return success();
  return op->emitOpError() << what << " must have the shape of 'axis', "
                           << shape.front() << ", and be computed in "
                           << compute << ", but is " << vector.getType();
}

template <typename OpTy>
static LogicalResult verifyCommon(OpTy op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  int64_t axis = op.getAxis();
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return op.emitOpError("has no axis ") << axis;
  Type compute = getComputeType(getElementTypeOrSelf(op.getInput()));
  for (unsigned i = 1; i <= kNumVectors; ++i)
    if (failed(verifyVector(op, "operand #" + std::to_string(i),
                            op->getOperand(i), shape[axis], compute)))
      return failure();
  if (op.getOutput().getType() != op.getInput().getType())
    return op.emitOpError("output must have the input's type, ")
           << op.getInput().getType();
  if (!(op.getEpsilon().convertToDouble() >= 0.0))
    return op.emitOpError("epsilon must not be negative");
  double momentum = op.getMomentum().convertToDouble();
  if (!(momentum >= 0.0 && momentum <= 1.0))
    return op.emitOpError("momentum must be from 0 to 1");
  return success();
}

/// (x - mean) * rstd * scale + bias, rounded to `type`.
static Value buildNormal(RowBody &body, RankedTensorType type, Value centered,
                         Value rstd, Value scale, Value bias) {
  return buildMap(
      body.b, body.loc, type,
      {body.all(centered), body.row(rstd), body.row(scale), body.row(bias)},
      [&](OpBuilder &n, Location l, ValueRange s) {
        Value y = arith::MulFOp::create(n, l, s[0], s[1]);
        y = arith::MulFOp::create(n, l, y, widen(n, l, s[2]));
        y = arith::AddFOp::create(n, l, y, widen(n, l, s[3]));
        return narrow(n, l, y, type.getElementType());
      });
}

static SmallVector<int64_t> axesBut(int64_t axis, Value x) {
  return otherAxes(shapeOf(x).size(), axis);
}

//===----------------------------------------------------------------------===//
// BatchNormOp
//===----------------------------------------------------------------------===//

LogicalResult BatchNormOp::verify() { return verifyCommon(*this); }

bool BatchNormOp::isTrainingForm() { return false; }

SmallVector<mpc::RunningState> BatchNormOp::getRunningState() { return {}; }

mpc::TrainingOpInterface BatchNormOp::toTrainingForm(OpBuilder &b) {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto vector = RankedTensorType::get(input.getDimSize(getAxis()),
                                      getComputeType(input.getElementType()));
  auto training = BatchNormTrainingOp::create(
      b, getLoc(), input, vector, vector, getMean().getType(),
      getVariance().getType(), getInput(), getScale(), getBias(), getMean(),
      getVariance(), getAxis(), getEpsilon(), getMomentum(),
      /*sample_variance=*/true);
  training->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  getOutput().replaceAllUsesWith(training.getOutput());
  erase();
  return training;
}

FailureOr<SmallVector<Value>> BatchNormOp::buildBody(OpBuilder &b,
                                                     ValueRange operands) {
  RowBody body(b, getLoc(), getInput(), axesBut(getAxis(), getInput()));
  Value mean =
      body.mapRows({operands[3]}, [](OpBuilder &n, Location l, ValueRange s) {
        return widen(n, l, s[0]);
      });
  Value rstd =
      body.mapRows({operands[4]}, [&](OpBuilder &n, Location l, ValueRange s) {
        return buildReciprocalDeviation(n, l, widen(n, l, s[0]),
                                        getEpsilon().convertToDouble());
      });
  Value centered = body.subtractRow(operands[0], mean);
  auto type = cast<RankedTensorType>(getOutput().getType());
  return SmallVector<Value>{
      buildNormal(body, type, centered, rstd, operands[1], operands[2])};
}

// With r = 1 / sqrt(variance + epsilon) and h = (x - mean) r:
// dX = dY scale r, dScale = sum(dY h), dBias = sum(dY),
// dMean = -sum(dY) scale r, dVariance = -sum(dY h) scale r^2 / 2
LogicalResult BatchNormOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                    Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  int64_t axis = getAxis();
  Value x = g.wide(getInput()), d = g.wide(dOut[0]);
  ArrayRef<int64_t> shape = shapeOf(x);
  SmallVector<int64_t> others = axesBut(axis, x);
  Value variance = g.wide(getVariance());
  Value shifted =
      g.add(variance, g.splat(variance, getEpsilon().convertToDouble()));
  Value r = RsqrtOp::create(b, getLoc(), shifted.getType(), shifted);
  Value slope = g.mul(g.wide(getScale()), r);
  Value centered = g.sub(x, g.broadcast(g.wide(getMean()), axis, shape));
  Value h = g.mul(centered, g.broadcast(r, axis, shape));
  Value sum = g.sum(d, others), dot = g.sum(g.mul(d, h), others);
  dIn[0] = g.as(g.mul(d, g.broadcast(slope, axis, shape)), getInput());
  dIn[1] = g.as(dot, getScale());
  dIn[2] = g.as(sum, getBias());
  dIn[3] = g.as(g.neg(g.mul(sum, slope)), getMean());
  dIn[4] = g.as(g.scale(g.mul(dot, g.mul(slope, r)), -0.5), getVariance());
  return success();
}

//===----------------------------------------------------------------------===//
// BatchNormTrainingOp
//===----------------------------------------------------------------------===//

LogicalResult BatchNormTrainingOp::verify() {
  if (failed(verifyCommon(*this)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getInput());
  int64_t count = 1;
  for (int64_t other : axesBut(getAxis(), getInput()))
    count *= shape[other];
  if (getSampleVariance() && count < 2)
    return emitOpError("has ")
           << count << " element for each place on axis " << getAxis()
           << ", which has no sample variance: train with a larger batch";
  auto vector = RankedTensorType::get(
      shape[getAxis()], getComputeType(getElementTypeOrSelf(getInput())));
  if (getMean().getType() != vector || getRstd().getType() != vector)
    return emitOpError("mean and rstd must be ") << vector;
  if (getNewMean().getType() != getRunningMean().getType() ||
      getNewVariance().getType() != getRunningVariance().getType())
    return emitOpError("new statistics must have the types of the old ones");
  return success();
}

/// (1 - momentum) * old + momentum * factor * value, in the type of `old`.
static Value buildRunning(RowBody &body, Value old, Value value,
                          double momentum, double factor) {
  auto type = cast<RankedTensorType>(old.getType());
  AffineMap all = body.b.getMultiDimIdentityMap(1);
  return buildMap(
      body.b, body.loc, type, {{old, all}, {value, all}},
      [&](OpBuilder &n, Location l, ValueRange s) {
        Value kept = buildScaled(n, l, widen(n, l, s[0]), 1.0 - momentum);
        Value added =
            buildScaled(n, l, buildScaled(n, l, s[1], factor), momentum);
        return narrow(n, l, arith::AddFOp::create(n, l, kept, added),
                      type.getElementType());
      });
}

bool BatchNormTrainingOp::isTrainingForm() { return true; }

mpc::TrainingOpInterface BatchNormTrainingOp::toTrainingForm(OpBuilder &) {
  setSampleVariance(true);
  return *this;
}

SmallVector<mpc::RunningState> BatchNormTrainingOp::getRunningState() {
  double decay = 1.0 - getMomentum().convertToDouble();
  return {
      {&getRunningMeanMutable(), cast<OpResult>(getNewMean()), decay},
      {&getRunningVarianceMutable(), cast<OpResult>(getNewVariance()), decay}};
}

FailureOr<SmallVector<Value>>
BatchNormTrainingOp::buildBody(OpBuilder &b, ValueRange operands) {
  RowBody body(b, getLoc(), getInput(), axesBut(getAxis(), getInput()));
  Value mean = body.mean(operands[0]);
  Value centered = body.subtractRow(operands[0], mean);
  Value squares = body.sumSquares(centered);
  Value rstd =
      body.reciprocalDeviation(squares, getEpsilon().convertToDouble());
  auto type = cast<RankedTensorType>(getOutput().getType());
  Value output =
      buildNormal(body, type, centered, rstd, operands[1], operands[2]);
  double momentum = getMomentum().convertToDouble();
  double divisor = getSampleVariance() ? body.count - 1.0 : body.count;
  Value newMean = buildRunning(body, operands[3], mean, momentum, 1.0);
  Value newVariance =
      buildRunning(body, operands[4], squares, momentum, 1.0 / divisor);
  return SmallVector<Value>{output, mean, rstd, newMean, newVariance};
}

// With r = rstd, h = (x - mean) r and n elements in a row:
// dX = scale r (dY - sum(dY) / n - h sum(dY h) / n) + dMean / n
//      - h r^2 dR / n, dScale = sum(dY h), dBias = sum(dY)
LogicalResult BatchNormTrainingOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                            Gradients dIn) {
  Value dMean = dOut[1], dRstd = dOut[2];
  if (!dOut[0] && !dMean && !dRstd)
    return success();
  GradientBuilder g(b, getLoc());
  int64_t axis = getAxis();
  Value x = g.wide(getInput());
  ArrayRef<int64_t> shape = shapeOf(x);
  SmallVector<int64_t> others = axesBut(axis, x);
  double weight = 1.0;
  for (int64_t other : others)
    weight /= static_cast<double>(shape[other]);
  auto spread = [&](Value row) { return g.broadcast(row, axis, shape); };
  Value h = g.mul(g.sub(x, spread(getMean())), spread(getRstd()));
  Value slope;
  auto add = [&](Value part) { slope = slope ? g.add(slope, part) : part; };
  if (dOut[0]) {
    Value d = g.wide(dOut[0]);
    Value sum = g.sum(d, others), dot = g.sum(g.mul(d, h), others);
    Value inside = g.sub(g.sub(d, spread(g.scale(sum, weight))),
                         g.mul(h, spread(g.scale(dot, weight))));
    add(g.mul(spread(g.mul(g.wide(getScale()), getRstd())), inside));
    dIn[1] = g.as(dot, getScale());
    dIn[2] = g.as(sum, getBias());
  }
  if (dMean)
    add(spread(g.scale(dMean, weight)));
  if (dRstd) {
    Value cube = g.mul(dRstd, g.mul(getRstd(), getRstd()));
    add(g.mul(h, spread(g.scale(cube, -weight))));
  }
  dIn[0] = g.as(slope, getInput());
  return success();
}

//===----------------------------------------------------------------------===//
// From the training form to the form of an evaluation
//===----------------------------------------------------------------------===//

static void useRunningStatistics(BatchNormTrainingOp op) {
  if (!op.getMean().use_empty() || !op.getRstd().use_empty())
    return;
  OpBuilder b(op);
  auto normal = BatchNormOp::create(
      b, op.getLoc(), op.getOutput().getType(), op.getInput(), op.getScale(),
      op.getBias(), op.getRunningMean(), op.getRunningVariance(),
      op.getAxisAttr(), op.getEpsilonAttr(), op.getMomentumAttr());
  op.getOutput().replaceAllUsesWith(normal.getOutput());
  op.getNewMean().replaceAllUsesWith(op.getRunningMean());
  op.getNewVariance().replaceAllUsesWith(op.getRunningVariance());
  op.erase();
}

void mpc::nn::useRunningStatistics(func::FuncOp model) {
  model.walk([](BatchNormTrainingOp op) { ::useRunningStatistics(op); });
}
