// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fitted polynomial, and Newton's iteration.
#include "lib/Import/Build/ErrorFunctions.h"

#include "dialects/NN/NNDialect.h"
#include <cmath>
#include <limits>
#include <numbers>

using namespace llvm;

namespace mpc::build {

using Kind = nn::CompareKind;

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

/// log(1 - erfc(t) / 2) with t = x / sqrt(2), and below 1, where that loses its
/// digits, log(erfcx(-t) / 2) - t^2.
Operand logNormalIntegral(TensorBuilder &b, const Operand &input) {
  Operand t =
      b.binary(Binary::Mul, b.cast(input, b.f64()), 1.0 / std::numbers::sqrt2);
  Operand edge = b.splatLike(t, 1.0 / std::numbers::sqrt2);
  Operand isLow = b.compare(Kind::LT, t, edge);
  Operand low = b.select(isLow, t, edge);
  Operand tail = b.binary(
      Binary::Sub, b.log(b.binary(Binary::Mul, erfcx(b, b.neg(low)), 0.5)),
      b.binary(Binary::Mul, low, low));
  Operand rest =
      b.binary(Binary::Sub, b.unary<nn::ErfOp>(b.select(isLow, edge, t)), 1.0);
  Operand head = b.unary<nn::Log1pOp>(b.binary(Binary::Mul, rest, 0.5));
  return b.cast(b.select(isLow, tail, head), input.type);
}

/// x with a relative error of 2e-3: S. Winitzki, "A handy approximation for the
/// error function and its inverse", 2008.
static Operand roughErfInverse(TensorBuilder &b, const Operand &y) {
  constexpr double kShape = 0.147;
  Operand rest =
      b.binary(Binary::Sub, b.splatLike(y, 1.0), b.binary(Binary::Mul, y, y));
  Operand log = b.log(rest);
  Operand half = b.binary(Binary::Add, b.binary(Binary::Mul, log, 0.5),
                          2.0 / (std::numbers::pi * kShape));
  Operand root = b.sqrt(b.binary(Binary::Sub, b.binary(Binary::Mul, half, half),
                                 b.binary(Binary::Div, log, kShape)));
  Operand size =
      b.sqrt(b.binary(Binary::Max, b.binary(Binary::Sub, root, half), 0.0));
  return b.binary(Binary::Mul, b.unary<nn::SignOp>(y), size);
}

/// A step of Newton's iteration, with an error of x times the square of that of
/// `x`. Its derivative by `y` is that of the inverse.
static Operand stepToErfInverse(TensorBuilder &b, const Operand &x,
                                const Operand &y) {
  Operand distance = b.binary(Binary::Sub, y, b.unary<nn::ErfOp>(x));
  Operand inverseSlope =
      b.binary(Binary::Mul, b.exp(b.binary(Binary::Mul, x, x)),
               0.5 * std::sqrt(std::numbers::pi));
  return b.binary(Binary::Add, x,
                  b.binary(Binary::Mul, distance, inverseSlope));
}

Operand erfInverse(TensorBuilder &b, const Operand &input) {
  Operand given = b.cast(input, b.f64());
  Operand one = b.splatLike(given, 1.0);
  Operand isEnd = b.compare(Kind::EQ, b.abs(given), one);
  Operand y = b.select(isEnd, b.splatLike(given, 0.0), given);
  Operand fixed = b.held(y);
  Operand x = roughErfInverse(b, fixed);
  for (int step = 0; step < 3; ++step)
    x = stepToErfInverse(b, x, fixed);
  x = stepToErfInverse(b, b.held(x), y);
  // Infinite at the ends, with an infinite gradient there alone.
  Operand end = b.select(isEnd, given, b.splatLike(given, 0.5));
  Operand infinite =
      b.binary(Binary::Mul, b.unary<nn::SignOp>(end),
               b.neg(b.log(b.binary(Binary::Sub, one, b.abs(end)))));
  return b.cast(b.select(isEnd, infinite, x), input.type);
}

} // namespace mpc::build
