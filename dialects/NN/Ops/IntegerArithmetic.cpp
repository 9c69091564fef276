// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients, powers and shifts of integers that are defined for all operands,
// also those on which hardware traps.
#include "dialects/NN/Ops/IntegerArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc;

namespace {

/// Ops on scalars of one integer type.
struct Integers {
  OpBuilder &builder;
  Location loc;
  Type type;

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, constant(b));
  }
  Value equals(Value a, int64_t b) {
    return compare(arith::CmpIPredicate::eq, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  /// `divisor`, or 1 where `traps` says that dividing by it would trap.
  Value orOne(Value traps, Value divisor) {
    return select(traps, constant(1), divisor);
  }
  Value times(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
};

} // namespace

static Value unsignedQuotient(Integers i, Value lhs, Value rhs) {
  Value isZero = i.equals(rhs, 0);
  Value quotient =
      arith::DivUIOp::create(i.builder, i.loc, lhs, i.orOne(isZero, rhs));
  return i.select(isZero, i.constant(0), quotient);
}

// Division by zero traps, and so does division of the least number by -1.
static Value signedQuotient(Integers i, Value lhs, Value rhs) {
  Value isZero = i.equals(rhs, 0), isMinusOne = i.equals(rhs, -1);
  Value traps = arith::OrIOp::create(i.builder, i.loc, isZero, isMinusOne);
  Value quotient =
      arith::DivSIOp::create(i.builder, i.loc, lhs, i.orOne(traps, rhs));
  Value negated = arith::SubIOp::create(i.builder, i.loc, i.constant(0), lhs);
  return i.select(isZero, i.constant(0),
                  i.select(isMinusOne, negated, quotient));
}

Value nn::buildIntegerQuotient(OpBuilder &builder, Location loc, ValueRange s,
                               Sign sign) {
  Integers i{builder, loc, s[0].getType()};
  return sign == Sign::Unsigned ? unsignedQuotient(i, s[0], s[1])
                                : signedQuotient(i, s[0], s[1]);
}

// a - quotient * b. That is a where b and the quotient are 0, and 0 where b is
// -1.
Value nn::buildIntegerRemainder(OpBuilder &builder, Location loc, ValueRange s,
                                Sign sign) {
  Value quotient = buildIntegerQuotient(builder, loc, s, sign);
  return arith::SubIOp::create(
      builder, loc, s[0], arith::MulIOp::create(builder, loc, quotient, s[1]));
}

/// Squares and multiplies, one bit of the exponent after the other. The work is
/// the same for every exponent, so that it vectorizes.
static Value powerByBits(Integers i, Value base, Value exponent) {
  Value power = i.constant(1), square = base;
  unsigned width = i.type.getIntOrFloatBitWidth();
  for (unsigned bit = 0; bit < width; ++bit) {
    Value shifted =
        arith::ShRUIOp::create(i.builder, i.loc, exponent, i.constant(bit));
    Value masked =
        arith::AndIOp::create(i.builder, i.loc, shifted, i.constant(1));
    power = i.select(i.equals(masked, 1), i.times(power, square), power);
    square = i.times(square, square);
  }
  return power;
}

Value nn::buildIntegerPower(OpBuilder &builder, Location loc, ValueRange s,
                            Sign sign) {
  Integers i{builder, loc, s[0].getType()};
  Value base = s[0], exponent = s[1];
  Value power = powerByBits(i, base, exponent);
  if (sign == Sign::Unsigned)
    return power;
  Value isUnit =
      arith::OrIOp::create(builder, loc, i.equals(base, 1), i.equals(base, -1));
  Value isNegative = i.compare(arith::CmpIPredicate::slt, exponent, 0);
  Value reciprocal = i.select(isUnit, power, i.constant(0));
  return i.select(isNegative, reciprocal, power);
}

// LLVM's shifts are undefined for shifts by the width or more.
Value nn::buildLeftShift(OpBuilder &builder, Location loc, ValueRange s) {
  Integers i{builder, loc, s[0].getType()};
  Value isWhole = i.compare(arith::CmpIPredicate::uge, s[1],
                            i.type.getIntOrFloatBitWidth());
  Value by = i.select(isWhole, i.constant(0), s[1]);
  return i.select(isWhole, i.constant(0),
                  arith::ShLIOp::create(builder, loc, s[0], by));
}

Value nn::buildRightShift(OpBuilder &builder, Location loc, ValueRange s,
                          Sign sign) {
  Integers i{builder, loc, s[0].getType()};
  int64_t width = i.type.getIntOrFloatBitWidth();
  Value isWhole = i.compare(arith::CmpIPredicate::uge, s[1], width);
  if (sign == Sign::Signed)
    return arith::ShRSIOp::create(
        builder, loc, s[0], i.select(isWhole, i.constant(width - 1), s[1]));
  Value by = i.select(isWhole, i.constant(0), s[1]);
  return i.select(isWhole, i.constant(0),
                  arith::ShRUIOp::create(builder, loc, s[0], by));
}
