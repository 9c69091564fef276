// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn.cast: folds, scalar body and VJP.
#include "dialects/NN/Annotations.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace mpc::nn;

/// Whether `to` has every value of `from`. Integers count up to 16 bits: those
/// are exact in f32, so that any further cast rounds once.
static bool isExact(Type from, Type to) {
  if (from == to)
    return true;
  if (auto integer = dyn_cast<IntegerType>(from)) {
    auto type = dyn_cast<FloatType>(to);
    unsigned bits = std::max(integer.getWidth() - !integer.isUnsigned(), 1u);
    return type && integer.getWidth() <= 16 &&
           bits <= APFloat::semanticsPrecision(type.getFloatSemantics());
  }
  auto narrowType = dyn_cast<FloatType>(from),
       wideType = dyn_cast<FloatType>(to);
  if (!narrowType || !wideType)
    return false;
  return wideType.isF64() || (wideType.isF32() && !narrowType.isF64());
}

static DenseElementsAttr foldCast(DenseElementsAttr input,
                                  RankedTensorType type) {
  bool isReal = isa<FloatType>(input.getElementType());
  int64_t count = input.isSplat() ? 1 : input.getNumElements();
  if (count > (isReal ? kMostFoldedReals : kMostFolded))
    return {};
  if (!isReal && !isa<FloatType>(type.getElementType()))
    return constantOfInts(type,
                          ArrayRef<int64_t>(intsOf(input)).take_front(count));
  SmallVector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(realAt(input, i));
  return constantOfReals(type, values);
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getOutput().getType() &&
      !(*this)->hasAttr(kWrittenAttr))
    return getInput();
  if (auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    return foldCast(known, cast<RankedTensorType>(getOutput().getType()));
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
  // The first cast changes no value, so this cast may read the first one's
  // operand.
  if (!isa<FloatType>(target))
    return {};
  getInputMutable().assign(inner.getInput());
  return getOutput();
}

/// Casts by way of twice the bits, so that a negative number wraps around.
static Value castToUnsigned(OpBuilder &b, Location loc, Value x, unsigned width,
                            Type to) {
  if (width == 64)
    return arith::FPToUIOp::create(b, loc, to, x);
  Type wide = b.getIntegerType(width == 32 ? 64 : 32);
  return arith::TruncIOp::create(b, loc, to,
                                 arith::FPToSIOp::create(b, loc, wide, x));
}

static Value castFromFloat(OpBuilder &b, Location loc, Value x, Type to) {
  if (isa<FloatType>(to))
    return narrow(b, loc, x, to);
  if (to.isInteger(1))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x,
                                 buildScalarConstant(b, loc, x.getType(), 0.0));
  Type type = getKernelType(to);
  if (to.isUnsignedInteger())
    return castToUnsigned(b, loc, x, to.getIntOrFloatBitWidth(), type);
  return arith::FPToSIOp::create(b, loc, type, x);
}

static Value castFromInt(OpBuilder &b, Location loc, Value x, Type to,
                         bool isUnsigned) {
  if (isa<FloatType>(to)) {
    Type compute = getComputeType(to);
    if (isUnsigned)
      return arith::UIToFPOp::create(b, loc, compute, x);
    return arith::SIToFPOp::create(b, loc, compute, x);
  }
  if (to.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x,
                                 buildScalarConstant(b, loc, x.getType(), 0));
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  Type type = getKernelType(to);
  if (from == width)
    return x;
  if (from > width)
    return arith::TruncIOp::create(b, loc, type, x);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, type, x);
  return arith::ExtSIOp::create(b, loc, type, x);
}

Value CastOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  Type to = getElementTypeOrSelf(getOutput().getType());
  return isa<FloatType>(s[0].getType())
             ? castFromFloat(b, loc, s[0], to)
             : castFromInt(b, loc, s[0], to, isUnsigned(getInput()));
}

/// `d`, bounded where `x` is 0 and `d` is finite: at most the largest number of
/// the type of `x`.
static Value boundAtZero(GradientBuilder &g, Value d, Value x) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  double most = APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  Value magnitude = AbsOp::create(g.b, g.loc, d.getType(), d);
  Value isFinite =
      g.compare(CompareKind::LT, magnitude,
                g.splat(d, std::numeric_limits<double>::infinity()));
  Value low = MaximumOp::create(g.b, g.loc, d.getType(), d, g.splat(d, -most));
  Value bounded =
      MinimumOp::create(g.b, g.loc, d.getType(), low, g.splat(d, most));
  Value isZero = g.compare(CompareKind::EQ, g.wide(x), g.splat(d, 0.0));
  return g.select(isZero, g.select(isFinite, bounded, d), d);
}

// A cast is linear: the cotangent is cast back.
LogicalResult CastOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  Type from = getElementTypeOrSelf(getInput().getType());
  if (!dOut[0] || !isa<FloatType>(from))
    return success();
  GradientBuilder g(b, getLoc());
  bool isBounded = (*this)->hasAttr(kBoundedAtZero) &&
                   getElementTypeOrSelf(dOut[0].getType()).isF32();
  dIn[0] =
      g.cast(isBounded ? boundAtZero(g, dOut[0], getInput()) : dOut[0], from);
  return success();
}
