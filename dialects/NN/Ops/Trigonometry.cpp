// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trigonometric and hyperbolic functions, and rounding: bodies and VJPs.
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mpc::nn;

/// Builds `OpTy` on `x`, in the type of `x`.
template <typename OpTy>
static Value apply(GradientBuilder &g, Value x) {
  return OpTy::create(g.b, g.loc, x.getType(), x);
}

static Value one(GradientBuilder &g, Value like) { return g.splat(like, 1.0); }

/// 1 - x^2 as (1 - x) (1 + x), which keeps its digits where |x| is near 1.
static Value oneLessSquare(GradientBuilder &g, Value x) {
  return g.mul(g.sub(one(g, x), x), g.add(one(g, x), x));
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

Value FloorOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::FloorOp::create(b, loc, s[0]);
}
LogicalResult FloorOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success(); // The function is constant almost everywhere.
}

Value CeilOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::CeilOp::create(b, loc, s[0]);
}
LogicalResult CeilOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success(); // The function is constant almost everywhere.
}

Value RoundOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::RoundEvenOp::create(b, loc, s[0]);
}
LogicalResult RoundOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success(); // The function is constant almost everywhere.
}

//===----------------------------------------------------------------------===//
// Trigonometric functions and their inverses
//===----------------------------------------------------------------------===//

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

Value TanOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::TanOp::create(b, loc, s[0]);
}
// d tan(x) = (1 + y^2) dx
LogicalResult TanOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value) {
    Value y = g.wide(getOutput());
    return g.mul(d, g.add(one(g, y), g.mul(y, y)));
  });
  return success();
}

Value AsinOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::AsinOp::create(b, loc, s[0]);
}
// d asin(x) = dx / sqrt((1 - x) (1 + x))
LogicalResult AsinOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.div(d, apply<SqrtOp>(g, oneLessSquare(g, x)));
  });
  return success();
}

Value AcosOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::AcosOp::create(b, loc, s[0]);
}
// d acos(x) = -dx / sqrt((1 - x) (1 + x))
LogicalResult AcosOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.neg(g.div(d, apply<SqrtOp>(g, oneLessSquare(g, x))));
  });
  return success();
}

Value AtanOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::AtanOp::create(b, loc, s[0]);
}
// d atan(x) = dx / (1 + x^2)
LogicalResult AtanOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.div(d, g.add(one(g, x), g.mul(x, x)));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions and their inverses
//===----------------------------------------------------------------------===//

Value SinhOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::SinhOp::create(b, loc, s[0]);
}
// d sinh(x) = cosh(x) dx
LogicalResult SinhOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.mul(d, apply<CoshOp>(g, x));
  });
  return success();
}

Value CoshOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::CoshOp::create(b, loc, s[0]);
}
// d cosh(x) = sinh(x) dx
LogicalResult CoshOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.mul(d, apply<SinhOp>(g, x));
  });
  return success();
}

Value AsinhOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::AsinhOp::create(b, loc, s[0]);
}
// d asinh(x) = dx / sqrt(1 + x^2)
LogicalResult AsinhOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    Value sum = g.add(one(g, x), g.mul(x, x));
    return g.div(d, apply<SqrtOp>(g, sum));
  });
  return success();
}

Value AcoshOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::AcoshOp::create(b, loc, s[0]);
}
// d acosh(x) = dx / sqrt((x - 1) (x + 1))
LogicalResult AcoshOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    Value product = g.mul(g.sub(x, one(g, x)), g.add(x, one(g, x)));
    return g.div(d, apply<SqrtOp>(g, product));
  });
  return success();
}

Value AtanhOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return math::AtanhOp::create(b, loc, s[0]);
}
// d atanh(x) = dx / ((1 - x) (1 + x))
LogicalResult AtanhOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    return g.div(d, oneLessSquare(g, x));
  });
  return success();
}
