// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activation functions: scalar bodies and VJPs.
#include "dialects/Interfaces/Fp.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

static Fp exp(Fp x) { return x.make<math::ExpOp>(x.value); }

static Fp clampToUnit(Fp x) {
  return maximum(minimum(x, x.constant(1.0)), x.constant(0.0));
}

/// x where x > 0, `otherwise` elsewhere.
static Fp positiveElse(Fp x, Fp otherwise) {
  return select(greater(x, 0.0), x, otherwise);
}

/// `onTrue` where `x` and `bound` compare as `kind` says, `onFalse` elsewhere.
static Value choose(GradientBuilder &g, CompareKind kind, Value x, double bound,
                    Value onTrue, Value onFalse) {
  return g.select(g.compare(kind, x, g.splat(x, bound)), onTrue, onFalse);
}

static Value sigmoid(GradientBuilder &g, Value x) {
  return SigmoidOp::create(g.b, g.loc, x.getType(), x);
}

// tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2) with e = exp(x). It is 1 from
// x = 20 on, in f64 too.
Value MishOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  ImplicitLocOpBuilder body(loc, b);
  Fp x{&body, s[0]};
  Fp e = exp(minimum(x, x.constant(20.0)));
  Fp odds = e * (e + 2.0);
  return (x * (odds / (odds + 2.0))).value;
}
// With t = tanh(softplus(x)): d mish(x) = (t + x sigmoid(x) (1 - t^2)) dx
LogicalResult MishOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    Value t = SoftplusOp::create(g.b, g.loc, x.getType(), x);
    t = TanhOp::create(g.b, g.loc, t.getType(), t);
    Value bend = g.sub(g.splat(t, 1.0), g.mul(t, t));
    return g.mul(d, g.add(t, g.mul(g.mul(x, sigmoid(g, x)), bend)));
  });
  return success();
}

Value SoftsignOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  ImplicitLocOpBuilder body(loc, b);
  Fp x{&body, s[0]};
  return (x / (abs(x) + 1.0)).value;
}
// d softsign(x) = dx / (1 + |x|)^2
LogicalResult SoftsignOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                   Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    Value size = AbsOp::create(g.b, g.loc, x.getType(), x);
    Value whole = g.add(size, g.splat(x, 1.0));
    return g.div(g.div(d, whole), whole);
  });
  return success();
}

Value HardSwishOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  ImplicitLocOpBuilder body(loc, b);
  Fp x{&body, s[0]};
  return (x * clampToUnit(x / 6.0 + 0.5)).value;
}
// d hard_swish(x) = (0 up to -3, x / 3 + 1/2 between, 1 from 3 on) dx
LogicalResult HardSwishOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                    Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [](auto &g, Value d, Value x) {
    Value line = g.add(g.div(x, g.splat(x, 3.0)), g.splat(x, 0.5));
    Value low =
        choose(g, CompareKind::LE, x, -3.0, g.splat(d, 0.0), g.mul(d, line));
    return choose(g, CompareKind::GE, x, 3.0, d, low);
  });
  return success();
}

Value HardSigmoidOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  ImplicitLocOpBuilder body(loc, b);
  Fp x{&body, s[0]};
  return clampToUnit(x * getAlpha().convertToDouble() +
                     getBeta().convertToDouble())
      .value;
}
// d hard_sigmoid(x) = alpha dx where 0 < alpha x + beta < 1
LogicalResult HardSigmoidOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                      Gradients dIn) {
  double alpha = getAlpha().convertToDouble();
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x) {
    Value line =
        g.add(g.scale(x, alpha), g.splat(x, getBeta().convertToDouble()));
    Value zero = g.splat(d, 0.0), slope = g.scale(d, alpha);
    Value above = choose(g, CompareKind::GT, line, 0.0, slope, zero);
    return choose(g, CompareKind::LT, line, 1.0, above, zero);
  });
  return success();
}

Value SwishOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  ImplicitLocOpBuilder body(loc, b);
  Fp x{&body, s[0]};
  return (x / (exp(x * -getAlpha().convertToDouble()) + 1.0)).value;
}
// With s = sigmoid(alpha x): d swish(x) = s (1 + alpha x (1 - s)) dx
LogicalResult SwishOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x) {
    Value scaled = g.scale(x, getAlpha().convertToDouble());
    Value s = sigmoid(g, scaled), one = g.splat(x, 1.0);
    Value slope = g.add(one, g.mul(scaled, g.sub(one, s)));
    return g.mul(d, g.mul(s, slope));
  });
  return success();
}

Value LeakyReluOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  ImplicitLocOpBuilder body(loc, b);
  Fp x{&body, s[0]};
  return positiveElse(x, x * getAlpha().convertToDouble()).value;
}
// d leaky_relu(x) = dx where x > 0, alpha dx elsewhere. The result is positive
// where x is, unless alpha is negative.
LogicalResult LeakyReluOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                    Gradients dIn) {
  double alpha = getAlpha().convertToDouble();
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x) {
    Value sign = alpha < 0 ? x : g.wide(getOutput());
    return choose(g, CompareKind::GT, sign, 0.0, d, g.scale(d, alpha));
  });
  return success();
}

// The exponential is evaluated at min(x, 0), since it would overflow for large
// x.
Value EluOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  ImplicitLocOpBuilder body(loc, b);
  Fp x{&body, s[0]};
  Fp low = minimum(x, x.constant(0.0)) / getWidth().convertToDouble();
  Fp tail = low.make<math::ExpM1Op>(low.value) * getAlpha().convertToDouble();
  return (positiveElse(x, tail) * getScale().convertToDouble()).value;
}
// d elu(x) = scale dx where x > 0, scale alpha / width exp(x / width) dx
// elsewhere
LogicalResult EluOp::buildVJP(OpBuilder &b, Cotangents dOut, Gradients dIn) {
  double scale = getScale().convertToDouble();
  double width = getWidth().convertToDouble();
  double tail = scale * getAlpha().convertToDouble() / width;
  unaryVJP(b, *this, dOut, dIn, [&](auto &g, Value d, Value x) {
    Value low = MinimumOp::create(g.b, g.loc, x.getType(), x, g.splat(x, 0.0));
    low = g.div(low, g.splat(low, width));
    Value decay = ExpOp::create(g.b, g.loc, low.getType(), low);
    return choose(g, CompareKind::GT, x, 0.0, g.scale(d, scale),
                  g.mul(d, g.scale(decay, tail)));
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
  Value inner = arith::MulFOp::create(
      b, loc, square, buildScalarConstant(b, loc, x.getType(), kGeluCubic));
  inner = arith::AddFOp::create(b, loc, inner,
                                buildScalarConstant(b, loc, x.getType(), 1.0));
  inner = arith::MulFOp::create(b, loc, inner, x);
  return arith::MulFOp::create(
      b, loc, inner, buildScalarConstant(b, loc, x.getType(), kSqrt2OverPi));
}

Value GeluOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  Value x = s[0];
  Value bend;
  if (getTanh()) {
    bend = math::TanhOp::create(b, loc, geluArgument(b, loc, x));
  } else {
    Value scaled = arith::MulFOp::create(
        b, loc, x, buildScalarConstant(b, loc, x.getType(), M_SQRT1_2));
    bend = math::ErfOp::create(b, loc, scaled);
  }
  Value half = arith::MulFOp::create(
      b, loc, x, buildScalarConstant(b, loc, x.getType(), 0.5));
  Value gate = arith::AddFOp::create(
      b, loc, bend, buildScalarConstant(b, loc, x.getType(), 1.0));
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
  // Where |x| is large, 1 - t^2 is 0 and the slope may be infinite.
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
