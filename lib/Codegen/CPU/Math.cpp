// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands math functions. Functions that are used less are evaluated in f64 for
// every type.
#include "lib/Codegen/CPU/Math.h"

#include "lib/Codegen/CPU/MathErf.h"
#include "lib/Codegen/CPU/MathReduction.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::cpu;

static constexpr double kPi = 3.14159265358979323846;
static constexpr double kLn2 = 0.69314718055994530942;
static constexpr double kLn10 = 2.30258509299404568402;

//===----------------------------------------------------------------------===//
// Trigonometric
//===----------------------------------------------------------------------===//

namespace {
struct SinCos {
  Fp sin, cos;
};
} // namespace

// The series on [-pi/4, pi/4] are fdlibm's.
static SinCos sinCos(Fp x) {
  auto [r, number] = reduceByQuarters(x);
  Fp z = r * r;
  Fp sine =
      polynomial(z, {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                     2.75573137070700676789e-06, -1.98412698298579493134e-04,
                     8.33333333332248946124e-03, -1.66666666666666324348e-01});
  sine = fma(r * z, sine, r);
  Fp cosine =
      polynomial(z, {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                     -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                     -1.38888888888741095749e-03, 4.16666666666666019037e-02});
  cosine = fma(z * z, cosine, fma(z, x.constant(-0.5), 1));
  ImplicitLocOpBuilder &b = *x.b;
  auto bit = [&](Value number, int64_t mask) -> Condition {
    Value masked = arith::AndIOp::create(b, number, integer(x, mask));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                 integer(x, 0));
  };
  Condition odd = bit(number, 1);
  Value next = arith::AddIOp::create(b, number, integer(x, 1));
  Fp s = select(odd, cosine, sine), c = select(odd, sine, cosine);
  // The reduction turns -0 into 0, so that x itself is taken.
  s = select(equal(x, 0), x, select(bit(number, 2), -s, s));
  return {s, select(bit(next, 2), -c, c)};
}

// Cephes: |x| reduced to [-0.42, 0.66] by subtracting pi/4 or pi/2.
static Fp atan(Fp x) {
  Fp t = abs(x);
  Condition large = greater(t, 2.41421356237309504880);
  Condition middle = greater(t, 0.66);
  Fp r = select(large, -1 / t, select(middle, (t - 1) / (t + 1), t));
  Fp base = select(large, kPi / 2, select(middle, kPi / 4, t.constant(0)));
  Fp rest = select(large, 6.123233995736765886130e-17,
                   select(middle, 3.061616997868382943065e-17, t.constant(0)));
  Fp z = r * r;
  Fp p = polynomial(z, {-8.750608600031904122785e-1, -1.615753718733365076637e1,
                        -7.500855792314704667340e1, -1.228866684490136173410e2,
                        -6.485021904942025371773e1});
  Fp q = polynomial(z, {1, 2.485846490142306297962e1, 1.650270098316988542046e2,
                        4.328810604912902668951e2, 4.853903996359136964868e2,
                        1.945506571482613964425e2});
  Fp y = fma(r * z, p / q, r);
  return copysign(base + (y + rest), x);
}

static Fp atan2(Fp y, Fp x) {
  Fp angle = atan(abs(y) / abs(x));
  angle = select(equal(y, 0), 0, angle);
  Condition bothInfinite = arith::AndIOp::create(*x.b, equal(abs(x), HUGE_VAL),
                                                 equal(abs(y), HUGE_VAL));
  angle = select(bothInfinite, kPi / 4, angle);
  // The sign bit of x decides, so that -0 counts as negative.
  Condition left = less(copysign(x.constant(1), x), 0);
  angle = select(left, kPi - angle, angle);
  angle = select(equal(x, x), angle, x);
  return select(equal(y, y), copysign(angle, y), y);
}

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

// Adds back what 1 + x lost (Kahan).
static Fp log1p(Fp x) {
  Fp u = x + 1;
  Fp y = log(u) + (x - (u - 1)) / u;
  y = select(equal(u, HUGE_VAL), u, y);
  y = select(equal(u, 0), -HUGE_VAL, y);
  return select(equal(u, 1), x, y);
}

// (e^x - 1) x / log(e^x), in which the error of e^x cancels (Kahan).
static Fp expm1(Fp x) {
  Fp u = exp(x);
  Fp less1 = u - 1;
  Fp y = less1 * (x / log(u));
  y = select(equal(u, HUGE_VAL), u, y);
  y = select(less(u, 1e-30), -1, y);
  return select(equal(u, 1), x, y);
}

// Of an x that was f32. Where e^x - 1 keeps fewer than 40 of its bits, three
// terms of the series have more.
static Fp expm1OfNarrow(Fp x) {
  Fp series = x * fma(x, fma(x, x.constant(1.0 / 6), 0.5), 1);
  return select(less(abs(x), 0x1p-12), series, exp(x) - 1);
}

static Fp sinh(Fp x) {
  Fp t = abs(x);
  Fp e = expm1(t);
  Fp small = (e + e / (e + 1)) * 0.5;
  Fp half = exp(t * 0.5);
  Fp y = select(greater(t, 700), half * 0.5 * half, small);
  return copysign(y, x);
}

static Fp cosh(Fp x) {
  Fp half = exp(abs(x) * 0.5);
  Fp e = half * half;
  return select(greater(abs(x), 700), half * 0.5 * half, (e + 1 / e) * 0.5);
}

static Fp pow(Fp x, Fp y) {
  Fp size = exp(y * log(abs(x)));
  size = select(equal(abs(x), 1), 1, size);
  Fp half = y * 0.5;
  Condition isInteger = equal(floor(y), y);
  Condition isOdd =
      arith::AndIOp::create(*x.b, isInteger, differs(floor(half), half));
  Fp negative = select(isOdd, -size, size);
  Condition real = arith::OrIOp::create(*x.b, isInteger, equal(x, -HUGE_VAL));
  negative = select(real, negative, x.constant(NAN));
  Fp result = select(less(x, 0), negative, size);
  // -0 is not less than 0, but its odd powers are negative.
  result = select(isOdd, copysign(result, x), result);
  Condition one = arith::OrIOp::create(*x.b, equal(y, 0), equal(x, 1));
  return select(one, 1, result);
}

// One step of Newton's method on the power.
static Fp cbrt(Fp x) {
  Fp t = abs(x);
  Fp y = exp(log(t) / 3);
  y = y - (y - t / (y * y)) / 3;
  Condition special =
      arith::OrIOp::create(*x.b, equal(t, 0), equal(t, HUGE_VAL));
  return copysign(select(special, t, y), x);
}

static Fp asinh(Fp x) {
  Fp t = abs(x);
  Fp y = log1p(t + t * t / (sqrt(fma(t, t, 1)) + 1));
  return copysign(select(greater(t, 1e150), log(t) + kLn2, y), x);
}

static Fp acosh(Fp x) {
  Fp less1 = x - 1;
  Fp y = log1p(less1 + sqrt(fma(less1, less1, less1 + less1)));
  y = select(greater(x, 1e150), log(x) + kLn2, y);
  return select(less(x, 1), x.constant(NAN), y);
}

static Fp atanh(Fp x) {
  Fp t = abs(x);
  return copysign(log1p((t + t) / (1 - t)) * 0.5, x);
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

// Rounds to nearest, halves away from zero.
static Fp roundAway(Fp x) {
  Fp t = abs(x);
  Fp whole = trunc(t);
  Fp up = whole + 1;
  Condition isUp =
      compare(arith::CmpFPredicate::OGE, t - whole, t.constant(0.5));
  return copysign(select(isUp, up, whole), x);
}

static Fp remainder(Fp x, Fp y) {
  Fp size = abs(y);
  Fp rest = fma(-trunc(abs(x) / size), size, abs(x));
  // The quotient may have been rounded up, or down to the next integer.
  rest = select(less(rest, 0), rest + size, rest);
  rest = select(less(rest, size), rest, rest - size);
  rest = select(equal(size, HUGE_VAL), abs(x), rest);
  rest = select(equal(abs(x), HUGE_VAL), x.constant(NAN), rest);
  return copysign(rest, x);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// Functions with f32 code of their own.
static std::optional<Fp> expandTyped(Operation *op, Fp x) {
  if (isa<math::Log1pOp>(op) && !x.isDouble())
    return log1pOfSingle(x);
  return TypeSwitch<Operation *, std::optional<Fp>>(op)
      .Case([&](math::ExpOp) { return exp(x); })
      .Case([&](math::Exp2Op) { return exp2(x); })
      .Case([&](math::LogOp) { return log(x); })
      .Case([&](math::ErfOp) { return erf(x); })
      .Case([&](math::TanhOp) { return tanh(x); })
      .Case([&](math::RsqrtOp) { return 1 / sqrt(x); })
      .Case([&](math::RoundOp) { return roundAway(x); })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<Fp> expandTrigonometric(Operation *op, Fp x) {
  return TypeSwitch<Operation *, std::optional<Fp>>(op)
      .Case([&](math::SinOp) { return sinCos(x).sin; })
      .Case([&](math::CosOp) { return sinCos(x).cos; })
      .Case([&](math::TanOp) {
        SinCos both = sinCos(x);
        return both.sin / both.cos;
      })
      .Case([&](math::AtanOp) { return atan(x); })
      .Case([&](math::Atan2Op) { return atan2(x, x.with(op->getOperand(1))); })
      .Case([&](math::AsinOp) { return atan(x / sqrt((1 - x) * (x + 1))); })
      .Case([&](math::AcosOp) { return atan(sqrt((1 - x) / (x + 1))) * 2; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Functions that are evaluated in f64; `x` is f64.
static std::optional<Fp> expandWide(Operation *op, Fp x) {
  if (std::optional<Fp> result = expandTrigonometric(op, x))
    return result;
  return TypeSwitch<Operation *, std::optional<Fp>>(op)
      .Case([&](math::ErfcOp) { return erfc(x); })
      .Case([&](math::ExpM1Op) { return expm1(x); })
      .Case([&](math::Log1pOp) { return log1p(x); })
      .Case([&](math::Log2Op) { return log(x) / kLn2; })
      .Case([&](math::Log10Op) { return log(x) / kLn10; })
      .Case([&](math::PowFOp) { return pow(x, x.with(op->getOperand(1))); })
      .Case([&](math::CbrtOp) { return cbrt(x); })
      .Case([&](math::SinhOp) { return sinh(x); })
      .Case([&](math::CoshOp) { return cosh(x); })
      .Case([&](math::AsinhOp) { return asinh(x); })
      .Case([&](math::AcoshOp) { return acosh(x); })
      .Case([&](math::AtanhOp) { return atanh(x); })
      .Default([](Operation *) { return std::nullopt; });
}

/// The same of an `x` that was f32, by shorter ways where there are any.
static std::optional<Fp> expandWidened(Operation *op, Fp x) {
  if (isa<math::ExpM1Op>(op))
    return expm1OfNarrow(x);
  return expandWide(op, x);
}

static Type getWideType(Type type) {
  Type wide = Float64Type::get(type.getContext());
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), wide);
  return wide;
}

bool mpc::cpu::hasInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::SqrtOp, math::TruncOp>(op);
}

Value mpc::cpu::expandRemainder(ImplicitLocOpBuilder &b, Operation *op) {
  Fp x{&b, op->getOperand(0)}, y = x.with(op->getOperand(1));
  if (x.isDouble())
    return remainder(x, y).value;
  Type type = x.value.getType(), wide = getWideType(type);
  return remainder(x.as(wide), y.as(wide)).as(type).value;
}

/// Evaluates a function of f32 in f64 and rounds.
static Value expandNarrow(ImplicitLocOpBuilder &b, Operation *op) {
  Type type = op->getResult(0).getType(), wide = getWideType(type);
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, Fp{&b, operand}.as(wide).value);
  // A copy of the op on wide operands stands in its place until it is expanded.
  Operation *copy = b.clone(*op, mapping);
  copy->getResult(0).setType(wide);
  std::optional<Fp> result = expandWidened(copy, {&b, copy->getOperand(0)});
  copy->erase();
  return result ? result->as(type).value : Value();
}

/// x to an integer power, in f64. The magnitude comes from pow, the sign from
/// the last bit of the exponent, which f64 may not hold.
static Value expandIntegerPower(ImplicitLocOpBuilder &b, math::FPowIOp op) {
  Type type = op.getType(), wide = getWideType(type);
  Value exponent = op.getRhs();
  Fp x = Fp{&b, op.getLhs()}.as(wide);
  Fp size = pow(abs(x), x.make<arith::SIToFPOp>(wide, exponent));
  TypedAttr one = b.getIntegerAttr(getElementTypeOrSelf(exponent), 1);
  if (auto vector = dyn_cast<VectorType>(exponent.getType()))
    one = DenseElementsAttr::get(vector, Attribute(one));
  Value bit = arith::ConstantOp::create(b, one);
  Value odd =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            arith::AndIOp::create(b, exponent, bit), bit);
  return copysign(size, select(odd, x, abs(x))).as(type).value;
}

Value mpc::cpu::expandMath(ImplicitLocOpBuilder &b, Operation *op) {
  if (hasInstruction(op))
    return {};
  if (auto power = dyn_cast<math::FPowIOp>(op))
    return expandIntegerPower(b, power);
  Fp x{&b, op->getOperand(0)};
  if (std::optional<Fp> result = expandTyped(op, x))
    return result->value;
  for (Value operand : op->getOperands())
    if (operand.getType() != x.value.getType())
      return {};
  if (!x.isDouble())
    return expandNarrow(b, op);
  std::optional<Fp> result = expandWide(op, x);
  return result ? result->value : Value();
}
