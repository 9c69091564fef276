// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas that divide by the larger operand, that bound exponents, or that
// were fitted.
#include "lib/Import/Build/Functions.h"

#include "dialects/NN/NNDialect.h"
#include <cmath>
#include <limits>
#include <numbers>

using namespace llvm;

namespace mpc::build {

using Kind = nn::CompareKind;

Operand sinc(TensorBuilder &b, const Operand &x) {
  Operand isZero = b.compare(Kind::EQ, x, b.splatLike(x, 0));
  Operand angle = b.binary(Binary::Mul, x, std::numbers::pi);
  angle = b.select(isZero, b.splatLike(x, 1), angle);
  Operand ratio = b.binary(Binary::Div, b.unary<nn::SinOp>(angle), angle);
  return b.select(isZero, b.splatLike(x, 1), ratio);
}

Operand isNegative(TensorBuilder &b, const Operand &x) {
  Operand zero = b.splatLike(x, 0);
  Operand isBelow = b.compare(Kind::LT, x, zero);
  Operand isZero = b.compare(Kind::EQ, x, zero);
  return b.select(isZero, b.compare(Kind::LT, b.reciprocal(x), zero), isBelow);
}

/// pi times `factor`, with the sign of `y`.
static Operand turn(TensorBuilder &b, const Operand &y, double factor) {
  double angle = factor * std::numbers::pi;
  return b.select(isNegative(b, y), b.splatLike(y, -angle),
                  b.splatLike(y, angle));
}

/// Divides the smaller of the two by the larger one, so that no quotient is
/// infinite. At (0, 0) constants are divided instead.
Operand atan2(TensorBuilder &b, const Operand &y, const Operand &x) {
  Operand zero = b.splatLike(x, 0), one = b.splatLike(x, 1);
  Operand isSteep = b.compare(Kind::GT, b.abs(y), b.abs(x));
  Operand larger = b.select(isSteep, y, x);
  Operand isOrigin = b.compare(Kind::EQ, larger, zero);
  Operand ratio =
      b.binary(Binary::Div, b.select(isOrigin, zero, b.select(isSteep, x, y)),
               b.select(isOrigin, one, larger));
  Operand angle = b.unary<nn::AtanOp>(ratio);
  Operand steep = b.binary(Binary::Sub, turn(b, y, 0.5), angle);
  Operand behind = b.binary(Binary::Add, turn(b, y, 1), angle);
  return b.select(isSteep, steep, b.select(isNegative(b, x), behind, angle));
}

/// The angle of complex numbers, which are pairs along the last axis.
Operand angle(TensorBuilder &b, const Operand &z) {
  int64_t last = z.rank() - 1;
  auto part = [&](int64_t number) {
    return b.reshape(b.sliceAxis(z, last, number, number + 1),
                     ArrayRef(z.shape).drop_back());
  };
  Operand imaginary = part(1), real = part(0);
  return atan2(b, imaginary, real);
}

/// max(x, y) + log(1 + exp(-|x - y|)). The distance of equal infinities is 0.
Operand logAddExp(TensorBuilder &b, const Operand &x, const Operand &y) {
  Operand distance = b.select(b.compare(Kind::EQ, x, y), b.splatLike(x, 0),
                              b.binary(Binary::Sub, x, y));
  Operand rest = b.unary<nn::SoftplusOp>(b.neg(b.abs(distance)));
  return b.binary(Binary::Add, b.binary(Binary::Max, x, y), rest);
}

Operand logAddExp2(TensorBuilder &b, const Operand &x, const Operand &y) {
  Operand first = b.binary(Binary::Mul, x, std::numbers::ln2);
  Operand second = b.binary(Binary::Mul, y, std::numbers::ln2);
  return b.binary(Binary::Mul, logAddExp(b, first, second),
                  std::numbers::log2e);
}

Operand copySign(TensorBuilder &b, const Operand &x, const Operand &sign) {
  Operand size = b.abs(x);
  return b.select(isNegative(b, sign), b.neg(size), size);
}

/// In f64, where no square of an f32 overflows or vanishes.
Operand hypot(TensorBuilder &b, const Operand &x, const Operand &y) {
  Operand wideX = b.cast(x, b.f64()), wideY = b.cast(y, b.f64());
  Operand sum = b.binary(Binary::Add, b.binary(Binary::Mul, wideX, wideX),
                         b.binary(Binary::Mul, wideY, wideY));
  return b.cast(b.sqrt(sum), x.type);
}

/// `extreme`, or the number where one of the two is NaN.
static Operand ofNumbers(TensorBuilder &b, Binary extreme, const Operand &x,
                         const Operand &y) {
  Operand isNumberX = b.compare(Kind::EQ, x, x);
  Operand isNumberY = b.compare(Kind::EQ, y, y);
  Operand found = b.select(isNumberX, b.binary(extreme, x, y), y);
  return b.select(isNumberY, found, x);
}

Operand maxOfNumbers(TensorBuilder &b, const Operand &x, const Operand &y) {
  return ofNumbers(b, Binary::Max, x, y);
}

Operand minOfNumbers(TensorBuilder &b, const Operand &x, const Operand &y) {
  return ofNumbers(b, Binary::Min, x, y);
}

Operand logSigmoid(TensorBuilder &b, const Operand &x) {
  return b.neg(b.unary<nn::SoftplusOp>(b.neg(x)));
}

/// x log(y), with y replaced by 1 where x is 0 and y has no finite logarithm.
Operand xLogY(TensorBuilder &b, const Operand &x, const Operand &y) {
  Operand no = b.splat(b.i1(), x.shape, 0);
  Operand isZero = b.compare(Kind::EQ, x, b.splatLike(x, 0));
  Operand isPositive = b.compare(Kind::GT, y, b.splatLike(y, 0));
  Operand isInfinite = b.compare(
      Kind::EQ, y, b.splatLike(y, std::numeric_limits<double>::infinity()));
  Operand isNumber = b.compare(Kind::EQ, y, y);
  Operand isFree = b.select(isPositive, isInfinite, isNumber);
  Operand base = b.select(b.select(isZero, isFree, no), b.splatLike(y, 1), y);
  return b.binary(Binary::Mul, x, b.log(base));
}

Operand hasOtherSign(TensorBuilder &b, const Operand &rest,
                     const Operand &divisor) {
  Operand zero = b.splatLike(rest, 0.0);
  auto isBelow = [&](const Operand &x) {
    return b.compare(nn::CompareKind::LT, x, zero);
  };
  Operand differs =
      b.compare(nn::CompareKind::NE, isBelow(rest), isBelow(divisor));
  Operand isRest = b.compare(nn::CompareKind::NE, rest, zero);
  return b.select(isRest, differs, b.splatLike(differs, 0.0));
}

Operand flooredRest(TensorBuilder &b, const Operand &x,
                    const Operand &divisor) {
  Operand rest = b.pair<nn::RemOp>(x, divisor);
  Operand isWrong = hasOtherSign(b, rest, divisor);
  return b.select(isWrong, b.binary(Binary::Add, rest, divisor), rest);
}

} // namespace mpc::build
