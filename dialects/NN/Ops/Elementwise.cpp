// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops: scalar bodies and VJPs.
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Ops/IntegerArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

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

/// As above, where the signedness of the integers in `tensor` matters.
template <typename FloatOp, typename SignedOp, typename UnsignedOp>
static Value binary(OpBuilder &b, Location loc, ValueRange s, Value tensor) {
  return isUnsigned(tensor) ? binary<FloatOp, UnsignedOp>(b, loc, s)
                            : binary<FloatOp, SignedOp>(b, loc, s);
}

static Sign signOf(Value tensor) {
  return isUnsigned(tensor) ? Sign::Unsigned : Sign::Signed;
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
// Range
//===----------------------------------------------------------------------===//

static bool isInUnitRange(Operation *op) {
  if (auto cast = dyn_cast_or_null<CastOp>(op)) {
    Value from = cast.getInput();
    return getElementTypeOrSelf(from).isInteger(1) ||
           isInUnitRange(from.getDefiningOp());
  }
  return op && op->hasTrait<IsInUnitRange>();
}

/// Whether `value` is a constant whose elements all have the `property`.
static bool isConstantOf(Value value,
                         function_ref<bool(const APFloat &)> property) {
  DenseFPElementsAttr elements;
  if (!matchPattern(movedFrom(value), m_Constant(&elements)))
    return false;
  if (elements.isSplat())
    return property(elements.getSplatValue<APFloat>());
  return elements.getNumElements() <= kMostFolded &&
         llvm::all_of(elements.getValues<APFloat>(), property);
}

static bool isAtMostOne(const APFloat &number) {
  return abs(number) <= APFloat::getOne(number.getSemantics());
}

static bool isAtLeastOne(const APFloat &number) {
  return abs(number) >= APFloat::getOne(number.getSemantics());
}

PrecisionRule MulOp::getPrecisionRule() {
  return getLhs() == getRhs() ? PrecisionRule::KeepF32 : PrecisionRule::Promote;
}

bool MulOp::mayOverflow() {
  return llvm::none_of(getOperands(), [](Value factor) {
    return isInUnitRange(movedFrom(factor).getDefiningOp()) ||
           isConstantOf(factor, isAtMostOne);
  });
}

bool DivOp::mayOverflow() { return !isConstantOf(getRhs(), isAtLeastOne); }

InfinityFate DivOp::getInfinityFate(OpOperand &operand) {
  bool isDivisor = operand.getOperandNumber() == 1;
  return isDivisor ? InfinityFate::Hidden : InfinityFate::Passed;
}

/// An extremum with a number that f16 holds is right where the other operand is
/// infinite or too large for f16: it is that number, or again infinite or too
/// large.
static InfinityFate fateBeside(Value lhs, Value rhs) {
  for (Value side : {lhs, rhs})
    if (std::optional<APFloat> number = splatOf(side)) {
      bool losesInfo;
      number->convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
      if (number->isFinite())
        return InfinityFate::Passed;
    }
  return InfinityFate::Hidden;
}

InfinityFate MaximumOp::getInfinityFate(OpOperand &) {
  return fateBeside(getLhs(), getRhs());
}

InfinityFate MinimumOp::getInfinityFate(OpOperand &) {
  return fateBeside(getLhs(), getRhs());
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
  // Zero and NaN map to themselves.
  return arith::SelectOp::create(b, loc, nonZero, signedOne, s[0]);
}
LogicalResult SignOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success(); // The function is constant almost everywhere.
}

Value ReluOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return arith::MaximumFOp::create(b, loc, s[0],
                                   constantLike(b, loc, s[0], 0.0));
}
// d relu(x) = [x > 0] dx. The result is positive where x is, and a product that
// reads it keeps it anyway.
LogicalResult ReluOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value) {
    Value y = g.wide(getOutput());
    Value positive = g.compare(CompareKind::GT, y, g.splat(y, 0.0));
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

// 1 / (1 + exp(-x)); exp(x) where exp(-x) would overflow, since the result is
// subnormal there.
Value SigmoidOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  Value one = constantLike(b, loc, s[0], 1.0);
  Value limit = constantLike(b, loc, s[0], s[0].getType().isF64() ? -709 : -88);
  Value isTiny =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, s[0], limit);
  Value negated = arith::NegFOp::create(b, loc, s[0]);
  Value exponent = arith::SelectOp::create(b, loc, isTiny, s[0], negated);
  Value exp = math::ExpOp::create(b, loc, exponent);
  Value sum = arith::AddFOp::create(b, loc, one, exp);
  Value quotient = arith::DivFOp::create(b, loc, one, sum);
  return arith::SelectOp::create(b, loc, isTiny, exp, quotient);
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
/// d / x, and 0 where d is 0: a logarithm bounded from below, as in binary
/// cross entropy, has no gradient at 0.
static Value slopeOfLog(GradientBuilder &g, Value d, Value x) {
  Value isFlat = g.compare(CompareKind::EQ, d, g.splat(d, 0.0));
  return g.div(d, g.select(isFlat, g.splat(x, 1.0), x));
}

// d log(x) = dx / x
LogicalResult LogOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, slopeOfLog);
  return success();
}

Value Log1pOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::Log1pOp::create(b, loc, s[0]);
}
// d log(1 + x) = dx / (1 + x)
LogicalResult Log1pOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return slopeOfLog(g, d, g.add(x, g.splat(x, 1.0)));
  });
  return success();
}

Value Expm1Op::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::ExpM1Op::create(b, loc, s[0]);
}
// d (exp(x) - 1) = exp(x) dx. Computing it as y + 1 would lose all digits where
// y is near -1.
LogicalResult Expm1Op::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.mul(d, ExpOp::create(g.b, g.loc, x.getType(), x));
  });
  return success();
}

// max(x, 0) + log(1 + exp(-|x|)), which takes no exponential of a large number.
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
  return buildIntegerQuotient(b, loc, s, signOf(getLhs()));
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
  return buildIntegerPower(b, loc, s, signOf(getLhs()));
}
// d(a^b) = b a^(b-1) da + a^b log(a) db, the first where b is not 0, the second
// where a > 0
LogicalResult PowOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x, Value y) {
    Value lower =
        PowOp::create(g.b, g.loc, x.getType(), x, g.sub(y, g.splat(y, 1.0)));
    Value slope = g.mul(y, lower), zero = g.splat(x, 0.0);
    std::optional<APFloat> number = splatOf(getRhs());
    if (!number || number->isZero())
      slope = g.select(g.compare(CompareKind::EQ, y, zero), zero, slope);
    Value positive = g.compare(CompareKind::GT, x, zero);
    Value base = g.select(positive, x, g.splat(x, 1.0));
    Value log = LogOp::create(g.b, g.loc, x.getType(), base);
    return std::pair(g.mul(d, slope),
                     g.mul(d, g.mul(g.wide(getOutput()), log)));
  });
  return success();
}

/// The cotangents of a choice between two operands: all to the chosen one, half
/// to each of two equal ones. A tie with a constant bound goes to the bound, as
/// in PyTorch's clamp().
static std::pair<Value, Value> splitByOrder(GradientBuilder &g, Operation *op,
                                            Value d, Value x, Value y,
                                            CompareKind kind) {
  Value zero = g.splat(d, 0.0);
  Value first = g.compare(kind, x, y);
  if (splatOf(op->getOperand(1)))
    return {g.select(first, d, zero), zero};
  if (splatOf(op->getOperand(0)))
    return {zero, g.select(g.compare(kind, y, x), d, zero)};
  Value tie = g.compare(CompareKind::EQ, x, y);
  Value half = g.scale(d, 0.5);
  Value dLhs = g.select(tie, half, g.select(first, d, zero));
  Value dRhs = g.select(tie, half, g.select(first, zero, d));
  return {dLhs, dRhs};
}

Value RemOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  if (isFloat(s[0]))
    return arith::RemFOp::create(b, loc, s[0], s[1]);
  return buildIntegerRemainder(b, loc, s, signOf(getLhs()));
}
// d rem(a, b) = da - trunc(a / b) db
LogicalResult RemOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x, Value y) {
    Value whole = g.div(g.sub(x, g.wide(getOutput())), y);
    Value times = RoundOp::create(g.b, g.loc, whole.getType(), whole);
    return std::pair(d, g.sub(g.splat(d, 0.0), g.mul(d, times)));
  });
  return success();
}

Value MaximumOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return binary<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(b, loc, s,
                                                                   getLhs());
}
// d max(a, b) = [a > b] da + [a < b] db, half each where two tensors are equal
LogicalResult MaximumOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x, Value y) {
    return splitByOrder(g, *this, d, x, y, CompareKind::GT);
  });
  return success();
}

Value MinimumOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return binary<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(b, loc, s,
                                                                   getLhs());
}
// d min(a, b) = [a < b] da + [a > b] db, half each where two tensors are equal
LogicalResult MinimumOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                  Gradients dIn) {
  binaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x, Value y) {
    return splitByOrder(g, *this, d, x, y, CompareKind::LT);
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

static arith::CmpIPredicate intPredicate(CompareKind kind, bool isUnsigned) {
  switch (kind) {
  case CompareKind::EQ:
    return arith::CmpIPredicate::eq;
  case CompareKind::NE:
    return arith::CmpIPredicate::ne;
  case CompareKind::LT:
    return isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  case CompareKind::LE:
    return isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  case CompareKind::GT:
    return isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  case CompareKind::GE:
    return isUnsigned ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  }
  llvm_unreachable("unknown comparison");
}

Value CompareOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  if (isFloat(s[0]))
    return arith::CmpFOp::create(b, loc, floatPredicate(getKind()), s[0], s[1]);
  return arith::CmpIOp::create(
      b, loc, intPredicate(getKind(), isUnsigned(getLhs())), s[0], s[1]);
}
LogicalResult CompareOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success(); // The function is constant almost everywhere.
}

/// The most elements of a selection of integers that folds: enough for sizes
/// and positions. A larger constant would only make the program larger.
static constexpr int64_t kMostPicked = 1024;

static DenseElementsAttr pick(DenseElementsAttr condition,
                              DenseElementsAttr onTrue,
                              DenseElementsAttr onFalse) {
  SmallVector<APInt> picked;
  for (auto [isTrue, one, other] :
       llvm::zip_equal(condition.getValues<bool>(), onTrue.getValues<APInt>(),
                       onFalse.getValues<APInt>()))
    picked.push_back(isTrue ? one : other);
  return DenseElementsAttr::get(onTrue.getType(), picked);
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getCondition());
  if (std::optional<double> fixed = splatOf(known))
    return *fixed != 0.0 ? getOnTrue() : getOnFalse();
  auto onTrue = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOnTrue());
  auto onFalse = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOnFalse());
  bool isSmall = rankedType(getOutput()).getNumElements() <= kMostPicked;
  if (known && onTrue && onFalse && isSmall &&
      onTrue.getElementType().isInteger())
    return pick(known, onTrue, onFalse);
  return {};
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
