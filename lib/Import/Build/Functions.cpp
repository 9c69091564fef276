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

/// Whether `x` has a minus sign, also for zeros.
static Operand isNegative(TensorBuilder &b, const Operand &x) {
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

/// Stirling's series for log gamma(z), z of 8 or more; its next term is below
/// 1e-11.
static Operand stirling(TensorBuilder &b, const Operand &z) {
  Operand inverse = b.reciprocal(z);
  Operand square = b.binary(Binary::Mul, inverse, inverse);
  Operand series = b.splatLike(z, -1.0 / 1680);
  for (double term : {1.0 / 1260, -1.0 / 360, 1.0 / 12})
    series = b.binary(Binary::Add, b.binary(Binary::Mul, series, square), term);
  Operand main = b.binary(Binary::Mul, b.binary(Binary::Sub, z, 0.5),
                          b.binary(Binary::Sub, b.log(z), 1.0));
  main =
      b.binary(Binary::Add, main, 0.5 * std::log(2.0 * std::numbers::pi) - 0.5);
  return b.binary(Binary::Add, main, b.binary(Binary::Mul, series, inverse));
}

/// By gamma(y) = gamma(y + 7) / (y (y + 1) ... (y + 6)) below 8, and by
/// gamma(x) gamma(1 - x) = pi / sin(pi x) below 1/2. What is not chosen is
/// replaced in the operands, so that no gradient is infinite there. All is f64,
/// since the terms cancel where the result is near 0.
Operand logGamma(TensorBuilder &b, const Operand &input) {
  Operand x = b.cast(input, b.f64()), zero = b.splatLike(x, 0.0);
  Operand isLow = b.compare(Kind::LT, x, b.splatLike(x, 0.5));
  Operand y = b.select(isLow, b.binary(Binary::Sub, b.splatLike(x, 1.0), x), x);
  Operand isShort = b.compare(Kind::LT, y, b.splatLike(y, 8.0));
  Operand factor = b.select(isShort, y, b.splatLike(y, 1.0));
  Operand product = factor;
  for (double step = 1.0; step < 7.0; ++step)
    product =
        b.binary(Binary::Mul, product, b.binary(Binary::Add, factor, step));
  Operand result =
      b.binary(Binary::Sub,
               stirling(b, b.select(isShort, b.binary(Binary::Add, y, 7.0), y)),
               b.select(isShort, b.log(product), zero));
  Operand turn = b.select(isLow, x, b.splatLike(x, 0.5));
  turn = b.binary(Binary::Sub, turn, b.unary<nn::FloorOp>(turn));
  Operand sine =
      b.unary<nn::SinOp>(b.binary(Binary::Mul, turn, std::numbers::pi));
  Operand reflected =
      b.binary(Binary::Sub, b.splatLike(x, std::log(std::numbers::pi)),
               b.binary(Binary::Add, b.log(sine), result));
  return b.cast(b.select(isLow, reflected, result), input.type);
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

/// exp(x^2) (1 - erf(x)) for x >= 0, in t = 3 / (3 + x): t times a polynomial
/// in 2t - 1, which was fitted at the nodes of Chebyshev's polynomials against
/// float64 values. The relative error is at most 1.1e-12.
static Operand scaledComplement(TensorBuilder &b, const Operand &x) {
  static constexpr double kCoefficients[] = {
      -8.7115529383181343e-08, -1.3589284887402772e-07, 8.5970221364188939e-07,
      1.307139065282944e-06,   -5.7897619242218908e-06, -9.9083764179416899e-06,
      3.5851868697865384e-05,  9.215173461489297e-05,   -0.00018277595304052241,
      -0.0010113243684737143,  -0.00040413625201782787, 0.0089424072040648391,
      0.039842586683028702,    0.10348908758347226,     0.19674278572345194,
      0.29446481771797461,     0.35800230236259856};
  Operand three = b.splatLike(x, 3);
  Operand t = b.binary(Binary::Div, three, b.binary(Binary::Add, x, 3));
  Operand s =
      b.binary(Binary::Sub, b.binary(Binary::Add, t, t), b.splatLike(x, 1));
  Operand sum = b.splatLike(x, kCoefficients[0]);
  for (double coefficient : ArrayRef(kCoefficients).drop_front())
    sum = b.binary(Binary::Add, b.binary(Binary::Mul, sum, s), coefficient);
  return b.binary(Binary::Mul, t, sum);
}

/// exp(x^2) (1 - erf(x)). For negative x it is 2 exp(x^2) minus the value at
/// -x. It has no gradient where it is infinite, because log_ndtr(x) does not
/// use this branch there.
Operand erfcx(TensorBuilder &b, const Operand &x) {
  Operand isNegative = b.compare(Kind::LT, x, b.splatLike(x, 0));
  // Unlike |x|, this has a slope at 0.
  Operand size = b.select(isNegative, b.neg(x), x);
  Operand positive = scaledComplement(b, size);
  double most =
      std::log(x.type == b.f64() ? std::numeric_limits<double>::max()
                                 : std::numeric_limits<float>::max()) -
      std::numbers::ln2;
  Operand zero = b.splatLike(x, 0);
  Operand square = b.binary(Binary::Mul, x, x);
  square = b.select(isNegative, square, zero);
  Operand isHeld = b.compare(Kind::LT, square, b.splatLike(x, most));
  Operand power = b.exp(b.select(isHeld, square, zero));
  Operand negative = b.select(
      isHeld,
      b.binary(Binary::Sub, b.binary(Binary::Add, power, power), positive),
      b.splatLike(x, std::numeric_limits<double>::infinity()));
  return b.select(isNegative, negative, positive);
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
