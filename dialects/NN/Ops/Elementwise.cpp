// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops: scalar bodies and VJPs.
#include "dialects/NN/Body.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Ops/IntegerArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace mpc::nn;

using Cotangents = ArrayRef<Value>;
using Gradients = MutableArrayRef<Value>;

static Value constantLike(OpBuilder &b, Location loc, Value like,
                          double value) {
  return buildScalarConstant(b, loc, like.getType(), value);
}

static bool isFloat(Value scalar) { return isa<FloatType>(scalar.getType()); }

/// The floating or the integer form of a binary scalar op.
template <typename FloatOp, typename IntOp>
static Value binary(OpBuilder &b, Location loc, ValueRange s) {
  if (isFloat(s[0]))
    return FloatOp::create(b, loc, s[0], s[1]);
  return IntOp::create(b, loc, s[0], s[1]);
}

/// A unary VJP: `fn` takes the wide cotangent and input.
static void unaryVJP(
    OpBuilder &builder, Operation *op, Cotangents dOut, Gradients dIn,
    function_ref<Value(GradientBuilder &, Value dOutput, Value input)> fn) {
  if (!dOut[0])
    return;
  GradientBuilder g(builder, op->getLoc());
  Value input = op->getOperand(0);
  dIn[0] = g.as(fn(g, g.wide(dOut[0]), g.wide(input)), input);
}

/// A binary VJP: `fn` sets both wide cotangents.
static void
binaryVJP(OpBuilder &builder, Operation *op, Cotangents dOut, Gradients dIn,
          function_ref<std::pair<Value, Value>(GradientBuilder &, Value dOutput,
                                               Value, Value)>
              fn) {
  if (!dOut[0])
    return;
  GradientBuilder g(builder, op->getLoc());
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  auto [dLhs, dRhs] = fn(g, g.wide(dOut[0]), g.wide(lhs), g.wide(rhs));
  dIn[0] = g.as(dLhs, lhs);
  dIn[1] = g.as(dRhs, rhs);
}

//===----------------------------------------------------------------------===//
// Unary ops
//===----------------------------------------------------------------------===//

Value NegOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return arith::NegFOp::create(b, loc, s[0]);
}
// d(-x) = -dx
LogicalResult NegOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn,
           [](auto &g, Value d, Value) { return g.neg(d); });
  return success();
}

Value AbsOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::AbsFOp::create(b, loc, s[0]);
}
// d|x| = sign(x) dx
LogicalResult AbsOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.mul(d, SignOp::create(g.b, g.loc, x.getType(), x));
  });
  return success();
}

Value SignOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  Value zero = constantLike(b, loc, s[0], 0.0);
  Value one = constantLike(b, loc, s[0], 1.0);
  Value signedOne = math::CopySignOp::create(b, loc, one, s[0]);
  Value nonZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, s[0], zero);
  // Zero and NaN give themselves.
  return arith::SelectOp::create(b, loc, nonZero, signedOne, s[0]);
}
LogicalResult SignOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success(); // Constant almost everywhere.
}

Value ReluOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return arith::MaximumFOp::create(b, loc, s[0],
                                   constantLike(b, loc, s[0], 0.0));
}
// d relu(x) = [x > 0] dx
LogicalResult ReluOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    Value positive = g.compare(CompareKind::GT, x, g.splat(x, 0.0));
    return g.select(positive, d, g.splat(d, 0.0));
  });
  return success();
}

Value TanhOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::TanhOp::create(b, loc, s[0]);
}
// d tanh(x) = (1 - y^2) dx
LogicalResult TanhOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value) {
    Value y = g.wide(getOutput());
    return g.mul(d, g.sub(g.splat(y, 1.0), g.mul(y, y)));
  });
  return success();
}

Value SigmoidOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  Value one = constantLike(b, loc, s[0], 1.0);
  Value negated = arith::NegFOp::create(b, loc, s[0]);
  Value exp = math::ExpOp::create(b, loc, negated);
  Value sum = arith::AddFOp::create(b, loc, one, exp);
  return arith::DivFOp::create(b, loc, one, sum);
}
// d sigmoid(x) = y (1 - y) dx
LogicalResult SigmoidOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value) {
    Value y = g.wide(getOutput());
    return g.mul(d, g.mul(y, g.sub(g.splat(y, 1.0), y)));
  });
  return success();
}

Value ErfOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::ErfOp::create(b, loc, s[0]);
}
// d erf(x) = 2/sqrt(pi) exp(-x^2) dx
LogicalResult ErfOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    Value density = ExpOp::create(g.b, g.loc, x.getType(), g.neg(g.mul(x, x)));
    return g.mul(d, g.scale(density, 2.0 / std::sqrt(M_PI)));
  });
  return success();
}

Value SqrtOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::SqrtOp::create(b, loc, s[0]);
}
// d sqrt(x) = dx / (2 y)
LogicalResult SqrtOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value) {
    return g.div(g.scale(d, 0.5), g.wide(getOutput()));
  });
  return success();
}

Value SinOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::SinOp::create(b, loc, s[0]);
}
// d sin(x) = cos(x) dx
LogicalResult SinOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.mul(d, CosOp::create(g.b, g.loc, x.getType(), x));
  });
  return success();
}

Value CosOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::CosOp::create(b, loc, s[0]);
}
// d cos(x) = -sin(x) dx
LogicalResult CosOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.neg(g.mul(d, SinOp::create(g.b, g.loc, x.getType(), x)));
  });
  return success();
}

Value ExpOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::ExpOp::create(b, loc, s[0]);
}
// d exp(x) = y dx
LogicalResult ExpOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value) {
    return g.mul(d, g.wide(getOutput()));
  });
  return success();
}

Value LogOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::LogOp::create(b, loc, s[0]);
}
// d log(x) = dx / x
LogicalResult LogOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn,
           [](auto &g, Value d, Value x) { return g.div(d, x); });
  return success();
}

// max(x, 0) + log(1 + exp(-|x|)): no exponential of a large number.
Value SoftplusOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  Value zero = constantLike(b, loc, s[0], 0.0);
  Value ramp = arith::MaximumFOp::create(b, loc, s[0], zero);
  Value magnitude = math::AbsFOp::create(b, loc, s[0]);
  Value decay =
      math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, magnitude));
  return arith::AddFOp::create(b, loc, ramp,
                               math::Log1pOp::create(b, loc, decay));
}
// d softplus(x) = sigmoid(x) dx
LogicalResult SoftplusOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                   Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.mul(d, SigmoidOp::create(g.b, g.loc, x.getType(), x));
  });
  return success();
}

Value RsqrtOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  Value one = constantLike(b, loc, s[0], 1.0);
  return arith::DivFOp::create(b, loc, one, math::SqrtOp::create(b, loc, s[0]));
}
// d x^(-1/2) = -y^3 / 2 dx
LogicalResult RsqrtOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value) {
    Value y = g.wide(getOutput());
    return g.mul(g.scale(d, -0.5), g.mul(y, g.mul(y, y)));
  });
  return success();
}

Value ReciprocalOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return arith::DivFOp::create(b, loc, constantLike(b, loc, s[0], 1.0), s[0]);
}
// d (1/x) = -y^2 dx
LogicalResult ReciprocalOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                     Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value) {
    Value y = g.wide(getOutput());
    return g.neg(g.mul(d, g.mul(y, y)));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// GeluOp
//===----------------------------------------------------------------------===//

static const double kSqrt2OverPi = std::sqrt(2.0 / M_PI);
static constexpr double kGeluCubic = 0.044715;

/// sqrt(2/pi) (x + 0.044715 x^3), the argument of tanh.
static Value geluArgument(OpBuilder &b, Location loc, Value x) {
  Value square = arith::MulFOp::create(b, loc, x, x);
  Value inner = arith::MulFOp::create(b, loc, square,
                                      constantLike(b, loc, x, kGeluCubic));
  inner = arith::AddFOp::create(b, loc, inner, constantLike(b, loc, x, 1.0));
  inner = arith::MulFOp::create(b, loc, inner, x);
  return arith::MulFOp::create(b, loc, inner,
                               constantLike(b, loc, x, kSqrt2OverPi));
}

Value GeluOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  Value x = s[0];
  Value bend;
  if (getTanh()) {
    bend = math::TanhOp::create(b, loc, geluArgument(b, loc, x));
  } else {
    Value scaled =
        arith::MulFOp::create(b, loc, x, constantLike(b, loc, x, M_SQRT1_2));
    bend = math::ErfOp::create(b, loc, scaled);
  }
  Value half = arith::MulFOp::create(b, loc, x, constantLike(b, loc, x, 0.5));
  Value gate =
      arith::AddFOp::create(b, loc, bend, constantLike(b, loc, x, 1.0));
  return arith::MulFOp::create(b, loc, half, gate);
}

// With Phi the normal distribution: d gelu(x) = (Phi(x) + x phi(x)) dx
static Value geluErfGradient(GradientBuilder &g, Value d, Value x) {
  Value erf = ErfOp::create(g.b, g.loc, x.getType(), g.scale(x, M_SQRT1_2));
  Value cdf = g.scale(g.add(erf, g.splat(erf, 1.0)), 0.5);
  Value density =
      ExpOp::create(g.b, g.loc, x.getType(), g.scale(g.mul(x, x), -0.5));
  Value pdf = g.scale(density, 1.0 / std::sqrt(2.0 * M_PI));
  return g.mul(d, g.add(cdf, g.mul(x, pdf)));
}

// With t = tanh(u(x)): d gelu = ((1 + t) / 2 + x (1 - t^2) u'(x) / 2) dx
static Value geluTanhGradient(GradientBuilder &g, Value d, Value x) {
  Value square = g.mul(x, x);
  Value cubic = g.add(g.scale(square, kGeluCubic), g.splat(x, 1.0));
  Value u = g.scale(g.mul(cubic, x), kSqrt2OverPi);
  Value t = TanhOp::create(g.b, g.loc, x.getType(), u);
  Value slope = g.scale(
      g.add(g.scale(square, 3.0 * kGeluCubic), g.splat(x, 1.0)), kSqrt2OverPi);
  Value left = g.scale(g.add(t, g.splat(t, 1.0)), 0.5);
  Value bend = g.sub(g.splat(t, 1.0), g.mul(t, t));
  // Far out the bend is 0 and the slope may be infinite.
  Value flat = g.compare(CompareKind::EQ, bend, g.splat(bend, 0.0));
  Value right = g.mul(g.scale(x, 0.5), g.mul(bend, slope));
  return g.mul(d, g.add(left, g.select(flat, g.splat(right, 0.0), right)));
}

LogicalResult GeluOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x) {
    return getTanh() ? geluTanhGradient(g, d, x) : geluErfGradient(g, d, x);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Binary ops
//===----------------------------------------------------------------------===//

Value AddOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return binary<arith::AddFOp, arith::AddIOp>(b, loc, s);
}
// d(a + b) = da + db
LogicalResult AddOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  dIn[0] = g.as(dOut[0], getLhs());
  dIn[1] = g.as(dOut[0], getRhs());
  return success();
}

Value SubOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return binary<arith::SubFOp, arith::SubIOp>(b, loc, s);
}
// d(a - b) = da - db
LogicalResult SubOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value, Value) {
    return std::pair(d, g.neg(d));
  });
  return success();
}

Value MulOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return binary<arith::MulFOp, arith::MulIOp>(b, loc, s);
}
// d(a b) = b da + a db
LogicalResult MulOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x, Value y) {
    return std::pair(g.mul(d, y), g.mul(d, x));
  });
  return success();
}

Value DivOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  if (isFloat(s[0]))
    return arith::DivFOp::create(b, loc, s[0], s[1]);
  return buildIntegerQuotient(b, loc, s[0], s[1]);
}
// d(a / b) = da / b - (a / b) / b db
LogicalResult DivOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value, Value y) {
    Value dLhs = g.div(d, y);
    return std::pair(dLhs, g.neg(g.mul(dLhs, g.wide(getOutput()))));
  });
  return success();
}

Value PowOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  if (isFloat(s[0]))
    return math::PowFOp::create(b, loc, s[0], s[1]);
  return buildIntegerPower(b, loc, s[0], s[1]);
}
// d(a^b) = b a^(b-1) da + a^b log(a) db, the second where a > 0
LogicalResult PowOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x, Value y) {
    Value lower =
        PowOp::create(g.b, g.loc, x.getType(), x, g.sub(y, g.splat(y, 1.0)));
    Value positive = g.compare(CompareKind::GT, x, g.splat(x, 0.0));
    Value base = g.select(positive, x, g.splat(x, 1.0));
    Value log = LogOp::create(g.b, g.loc, x.getType(), base);
    return std::pair(g.mul(d, g.mul(y, lower)),
                     g.mul(d, g.mul(g.wide(getOutput()), log)));
  });
  return success();
}

/// The cotangents of a choice between two: all to the chosen, half to each of
/// two equals.
static std::pair<Value, Value> splitByOrder(GradientBuilder &g, Value d,
                                            Value chosen, Value other,
                                            CompareKind kind) {
  Value zero = g.splat(d, 0.0);
  Value tie = g.compare(CompareKind::EQ, chosen, other);
  Value half = g.scale(d, 0.5);
  Value first = g.compare(kind, chosen, other);
  Value dLhs = g.select(tie, half, g.select(first, d, zero));
  Value dRhs = g.select(tie, half, g.select(first, zero, d));
  return {dLhs, dRhs};
}

Value MaximumOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return binary<arith::MaximumFOp, arith::MaxSIOp>(b, loc, s);
}
// d max(a, b) = [a > b] da + [a < b] db, half each where equal
LogicalResult MaximumOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x, Value y) {
    return splitByOrder(g, d, x, y, CompareKind::GT);
  });
  return success();
}

Value MinimumOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return binary<arith::MinimumFOp, arith::MinSIOp>(b, loc, s);
}
// d min(a, b) = [a < b] da + [a > b] db, half each where equal
LogicalResult MinimumOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x, Value y) {
    return splitByOrder(g, d, x, y, CompareKind::LT);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// CompareOp, SelectOp
//===----------------------------------------------------------------------===//

static arith::CmpFPredicate floatPredicate(CompareKind kind) {
  switch (kind) {
  case CompareKind::EQ:
    return arith::CmpFPredicate::OEQ;
  case CompareKind::NE:
    return arith::CmpFPredicate::UNE;
  case CompareKind::LT:
    return arith::CmpFPredicate::OLT;
  case CompareKind::LE:
    return arith::CmpFPredicate::OLE;
  case CompareKind::GT:
    return arith::CmpFPredicate::OGT;
  case CompareKind::GE:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("unknown comparison");
}

static arith::CmpIPredicate intPredicate(CompareKind kind, bool isBool) {
  switch (kind) {
  case CompareKind::EQ:
    return arith::CmpIPredicate::eq;
  case CompareKind::NE:
    return arith::CmpIPredicate::ne;
  case CompareKind::LT:
    return isBool ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  case CompareKind::LE:
    return isBool ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  case CompareKind::GT:
    return isBool ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  case CompareKind::GE:
    return isBool ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  }
  llvm_unreachable("unknown comparison");
}

Value CompareOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  if (isFloat(s[0]))
    return arith::CmpFOp::create(b, loc, floatPredicate(getKind()), s[0], s[1]);
  bool isBool = s[0].getType().isInteger(1);
  return arith::CmpIOp::create(b, loc, intPredicate(getKind(), isBool), s[0],
                               s[1]);
}
LogicalResult CompareOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success(); // Constant almost everywhere.
}

Value SelectOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return arith::SelectOp::create(b, loc, s[0], s[1], s[2]);
}
// d select(c, a, b) = [c] da + [not c] db
LogicalResult SelectOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  if (!dOut[0])
    return success();
  GradientBuilder g(b, getLoc());
  Value zero = g.splat(dOut[0], 0.0);
  dIn[1] = g.select(getCondition(), dOut[0], zero);
  dIn[2] = g.select(getCondition(), zero, dOut[0]);
  return success();
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

/// True where every value of `from` is one of `to`. Of integers those up to 16
/// bits: what one of them becomes in any type is rounded once from f32.
static bool isExact(Type from, Type to) {
  if (from == to)
    return true;
  if (auto integer = dyn_cast<IntegerType>(from)) {
    auto type = dyn_cast<FloatType>(to);
    unsigned bits = std::max(integer.getWidth() - 1, 1u);
    return type && integer.getWidth() <= 16 &&
           bits <= APFloat::semanticsPrecision(type.getFloatSemantics());
  }
  auto narrowType = dyn_cast<FloatType>(from),
       wideType = dyn_cast<FloatType>(to);
  if (!narrowType || !wideType)
    return false;
  return wideType.isF64() || (wideType.isF32() && !narrowType.isF64());
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getOutput().getType())
    return getInput();
  auto inner = getInput().getDefiningOp<CastOp>();
  if (!inner)
    return {};
  Type source = getElementTypeOrSelf(inner.getInput().getType());
  Type middle = getElementTypeOrSelf(inner.getOutput().getType());
  Type target = getElementTypeOrSelf(getOutput().getType());
  if (!isExact(source, middle))
    return {};
  if (source == target)
    return inner.getInput();
  // The first cast changes no value: this one may read what it read.
  if (!isa<FloatType>(target))
    return {};
  getInputMutable().assign(inner.getInput());
  return getOutput();
}

static Value castFromFloat(OpBuilder &b, Location loc, Value x, Type to) {
  if (isa<FloatType>(to))
    return narrow(b, loc, x, to);
  if (to.isInteger(1))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x,
                                 constantLike(b, loc, x, 0.0));
  return arith::FPToSIOp::create(b, loc, to, x);
}

static Value castFromInt(OpBuilder &b, Location loc, Value x, Type to) {
  bool fromBool = x.getType().isInteger(1);
  if (isa<FloatType>(to)) {
    Type compute = getComputeType(to);
    if (fromBool)
      return arith::UIToFPOp::create(b, loc, compute, x);
    return arith::SIToFPOp::create(b, loc, compute, x);
  }
  if (to.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x,
                                 constantLike(b, loc, x, 0));
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (from == width)
    return x;
  if (from > width)
    return arith::TruncIOp::create(b, loc, to, x);
  if (fromBool)
    return arith::ExtUIOp::create(b, loc, to, x);
  return arith::ExtSIOp::create(b, loc, to, x);
}

Value CastOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  Type to = getElementTypeOrSelf(getOutput().getType());
  return isFloat(s[0]) ? castFromFloat(b, loc, s[0], to)
                       : castFromInt(b, loc, s[0], to);
}
// A cast is linear: the cotangent is cast back.
LogicalResult CastOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  Type from = getElementTypeOrSelf(getInput().getType());
  if (dOut[0] && isa<FloatType>(from))
    dIn[0] = GradientBuilder(b, getLoc()).cast(dOut[0], from);
  return success();
}
