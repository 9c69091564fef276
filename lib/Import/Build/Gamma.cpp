// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Series for large arguments, recurrences and reflections for others.
#include "lib/Import/Build/Gamma.h"

#include "dialects/NN/NNDialect.h"
#include <cmath>
#include <limits>
#include <numbers>

using namespace llvm;

namespace mpc::build {

using Kind = nn::CompareKind;

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

namespace {

/// An argument as the two functions look at it. What is not chosen is replaced
/// in the operands, so that no gradient is infinite there. All is f64, since
/// the terms cancel where a result is near 0.
struct Reflected {
  Reflected(TensorBuilder &b, const Operand &input)
      : x(b.cast(input, b.f64())) {
    Operand one = b.splatLike(x, 1.0);
    isLow = b.compare(Kind::LT, x, b.splatLike(x, 0.5));
    Operand y = b.select(isLow, b.binary(Binary::Sub, one, x), x);
    isShort = b.compare(Kind::LT, y, b.splatLike(y, 8.0));
    factor = b.select(isShort, y, one);
    large = b.select(isShort, b.binary(Binary::Add, y, 7.0), y);
  }

  /// pi times the fraction of x below 1/2, else pi / 2.
  Operand angle(TensorBuilder &b) const {
    Operand turn = b.select(isLow, x, b.splatLike(x, 0.5));
    turn = b.binary(Binary::Sub, turn, b.unary<nn::FloorOp>(turn));
    return b.binary(Binary::Mul, turn, std::numbers::pi);
  }

  Operand x;
  Operand isLow;   ///< Below 1/2, where y = 1 - x is looked at; else y = x.
  Operand isShort; ///< Where y is below 8, and y + 7 is looked at.
  Operand factor;  ///< y where it is below 8, else 1.
  Operand large;   ///< y or y + 7: 7.5 and more.
};

} // namespace

/// By gamma(y) = gamma(y + 7) / (y (y + 1) ... (y + 6)) below 8, and by
/// gamma(x) gamma(1 - x) = pi / sin(pi x) below 1/2.
Operand logGamma(TensorBuilder &b, const Operand &input) {
  Reflected of(b, input);
  const Operand &x = of.x;
  Operand product = of.factor;
  for (double step = 1.0; step < 7.0; ++step)
    product =
        b.binary(Binary::Mul, product, b.binary(Binary::Add, of.factor, step));
  Operand result =
      b.binary(Binary::Sub, stirling(b, of.large),
               b.select(of.isShort, b.log(product), b.splatLike(x, 0.0)));
  Operand sine = b.unary<nn::SinOp>(of.angle(b));
  Operand reflected =
      b.binary(Binary::Sub, b.splatLike(x, std::log(std::numbers::pi)),
               b.binary(Binary::Add, b.log(sine), result));
  return b.cast(b.select(of.isLow, reflected, result), input.type);
}

/// log(z) - 1 / (2 z) minus a series in 1 / z^2, z of 7.5 or more; its next
/// term is below 1e-13.
static Operand digammaOfLarge(TensorBuilder &b, const Operand &z) {
  Operand inverse = b.reciprocal(z);
  Operand square = b.binary(Binary::Mul, inverse, inverse);
  Operand series = b.splatLike(z, 1.0 / 12);
  for (double term :
       {-691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12})
    series = b.binary(Binary::Add, b.binary(Binary::Mul, series, square), term);
  Operand rest = b.binary(Binary::Add, b.binary(Binary::Mul, inverse, 0.5),
                          b.binary(Binary::Mul, series, square));
  return b.binary(Binary::Sub, b.log(z), rest);
}

/// By digamma(y) = digamma(y + 7) - (1 / y + ... + 1 / (y + 6)) below 8, and by
/// digamma(x) = digamma(1 - x) - pi / tan(pi x) below 1/2.
Operand digamma(TensorBuilder &b, const Operand &input) {
  Reflected of(b, input);
  const Operand &x = of.x;
  Operand zero = b.splatLike(x, 0.0);
  Operand inverses = b.reciprocal(of.factor);
  for (double step = 1.0; step < 7.0; ++step)
    inverses = b.binary(Binary::Add, inverses,
                        b.reciprocal(b.binary(Binary::Add, of.factor, step)));
  Operand result = b.binary(Binary::Sub, digammaOfLarge(b, of.large),
                            b.select(of.isShort, inverses, zero));
  Operand slope = b.binary(Binary::Div, b.splatLike(x, std::numbers::pi),
                           b.unary<nn::TanOp>(of.angle(b)));
  Operand reflected = b.binary(Binary::Sub, result, slope);
  Operand isPole = b.select(b.compare(Kind::LT, x, zero),
                            b.compare(Kind::EQ, b.unary<nn::FloorOp>(x), x),
                            b.splatLike(of.isLow, 0.0));
  reflected =
      b.select(isPole, b.splatLike(x, std::numeric_limits<double>::quiet_NaN()),
               reflected);
  return b.cast(b.select(of.isLow, reflected, result), input.type);
}

} // namespace mpc::build
