// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small powers as products, and roots of magnitudes with a gradient at 0.
#include "lib/Import/Build/Powers.h"

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"
#include <limits>

using namespace llvm;

namespace mpc::build {

/// The one operand that decides the sign of a result, where the result is 0
/// only where the operand is; else null.
static mlir::Value magnitudeIn(mlir::Operation *op) {
  if (isa<nn::PowOp, nn::ReduceSumOp, nn::CastOp>(op) ||
      op->hasTrait<mpc::DataMovement>())
    return op->getOperand(0);
  if (!isa<nn::MulOp, nn::DivOp>(op))
    return {};
  mlir::Value factor = op->getOperand(1);
  std::optional<APFloat> number = nn::splatOf(factor);
  bool keepsSign = number ? !number->isNegative()
                          : isa_and_nonnull<nn::AbsOp>(factor.getDefiningOp());
  return keepsSign ? op->getOperand(0) : mlir::Value();
}

/// Whether `value` consists of absolute values, squares and their sums, so that
/// 0 is its minimum.
static bool isMagnitude(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && !isa<nn::AbsOp>(op)) {
    if (isa<nn::MulOp>(op) && op->getOperand(0) == op->getOperand(1))
      return true;
    mlir::Value next = magnitudeIn(op);
    op = next ? next.getDefiningOp() : nullptr;
  }
  return op;
}

/// A power below 1, which has no slope at 0. Of a magnitude it is a norm, a
/// standard deviation or the like.
static Operand powerBelowOne(TensorBuilder &b, const Operand &x,
                             function_ref<Operand(const Operand &)> power) {
  return isMagnitude(x.value) ? b.flatAtZero(x, power) : power(x);
}

Operand rootOf(TensorBuilder &b, const Operand &x) {
  return powerBelowOne(b, x, [&](const Operand &y) { return b.sqrt(y); });
}

/// x ^ n as products for small n: exact for negative x too, and one rounding
/// for the square.
static std::optional<Operand> smallPower(TensorBuilder &b, const Operand &x,
                                         double exponent) {
  if (exponent == 0.0)
    return b.splatLike(x, 1);
  if (exponent == 1.0)
    return x;
  if (exponent == 2.0)
    return b.binary(Binary::Mul, x, x);
  if (exponent == 3.0)
    return b.binary(Binary::Mul, b.binary(Binary::Mul, x, x), x);
  if (exponent == 4.0) {
    Operand square = b.binary(Binary::Mul, x, x);
    return b.binary(Binary::Mul, square, square);
  }
  if (!x.isFloat())
    return std::nullopt;
  if (exponent == 0.5)
    return rootOf(b, x);
  if (exponent == -0.5)
    return b.rsqrt(x);
  if (exponent == -1.0)
    return b.reciprocal(x);
  return std::nullopt;
}

/// The power of two integers, in the longer type of the two.
static Operand integerPower(TensorBuilder &b, const Operand &base,
                            const Operand &exponent) {
  bool isLonger = nn::elementBytes(exponent.type) > nn::elementBytes(base.type);
  mlir::Type type = isLonger ? exponent.type : base.type;
  Operand power =
      b.binary(Binary::Pow, b.cast(base, type), b.cast(exponent, type));
  return b.cast(power, base.type);
}

/// An integer to the power of a float, in f64. The result is exact where the
/// float is whole.
static Operand mixedPower(TensorBuilder &b, const Operand &base,
                          const Operand &exponent) {
  Operand real = b.cast(exponent, b.f64());
  Operand isWhole =
      b.compare(nn::CompareKind::EQ, real, b.unary<nn::RoundOp>(real));
  Operand whole = integerPower(b, base, b.cast(real, b.i64()));
  Operand other = b.binary(Binary::Pow, b.cast(base, b.f64()), real);
  return b.select(isWhole, whole, b.cast(other, base.type));
}

static Operand powerOf(TensorBuilder &b, const Operand &base,
                       const Operand &exponent) {
  if (!base.isFloat())
    return exponent.isFloat() ? mixedPower(b, base, exponent)
                              : integerPower(b, base, exponent);
  auto power = [&](const Operand &x) {
    return b.binary(Binary::Pow, x, b.cast(exponent, x.type));
  };
  std::optional<double> number = exponent.splatValue();
  bool isBelowOne = number && 0 < *number && *number < 1;
  return isBelowOne ? powerBelowOne(b, base, power) : power(base);
}

/// A norm of negative order has no slope where an element is 0. The gradient is
/// 0 there, because the element's power is infinite.
static Operand flatAtPole(TensorBuilder &b, const Operand &x,
                          function_ref<Operand(const Operand &)> power) {
  Operand isZero = b.compare(nn::CompareKind::EQ, x, b.splatLike(x, 0));
  Operand result = power(b.select(isZero, b.splatLike(x, 1), x));
  Operand pole = b.splatLike(result, std::numeric_limits<double>::infinity());
  return b.select(isZero, pole, result);
}

Operand power(TensorBuilder &b, const Operand &base, const Operand &exponent,
              std::optional<double> number, bool isFlatAtPole) {
  auto raise = [&](const Operand &x) {
    std::optional<Operand> small;
    if (number)
      small = smallPower(b, x, *number);
    return small ? *small : powerOf(b, x, exponent);
  };
  bool isFlat = isFlatAtPole && base.isFloat() && number && *number < 0;
  return isFlat ? flatAtPole(b, base, raise) : raise(base);
}

} // namespace mpc::build
