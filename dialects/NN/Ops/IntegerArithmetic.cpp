// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and powers of integers, for operands that hardware traps on too.
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
  Value times(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
};

} // namespace

// Division by zero traps, and so does that of the least number by -1.
Value nn::buildIntegerQuotient(OpBuilder &builder, Location loc, Value lhs,
                               Value rhs) {
  Integers i{builder, loc, lhs.getType()};
  Value isZero = i.equals(rhs, 0), isMinusOne = i.equals(rhs, -1);
  Value traps = arith::OrIOp::create(builder, loc, isZero, isMinusOne);
  Value quotient = arith::DivSIOp::create(builder, loc, lhs,
                                          i.select(traps, i.constant(1), rhs));
  Value negated = arith::SubIOp::create(builder, loc, i.constant(0), lhs);
  return i.select(isZero, i.constant(0),
                  i.select(isMinusOne, negated, quotient));
}

// a - quotient * b, which is a where b is 0 and the quotient is, and 0 for -1.
Value nn::buildIntegerRemainder(OpBuilder &builder, Location loc, Value lhs,
                                Value rhs) {
  Value quotient = buildIntegerQuotient(builder, loc, lhs, rhs);
  return arith::SubIOp::create(
      builder, loc, lhs, arith::MulIOp::create(builder, loc, quotient, rhs));
}

// Squares and multiplies, one bit of the exponent after the other: the same
// work for every exponent, as vectors want it.
Value nn::buildIntegerPower(OpBuilder &builder, Location loc, Value base,
                            Value exponent) {
  Integers i{builder, loc, base.getType()};
  Value power = i.constant(1), square = base;
  unsigned width = i.type.getIntOrFloatBitWidth();
  for (unsigned bit = 0; bit < width; ++bit) {
    Value shifted =
        arith::ShRUIOp::create(builder, loc, exponent, i.constant(bit));
    Value masked = arith::AndIOp::create(builder, loc, shifted, i.constant(1));
    power = i.select(i.equals(masked, 1), i.times(power, square), power);
    square = i.times(square, square);
  }
  Value isUnit =
      arith::OrIOp::create(builder, loc, i.equals(base, 1), i.equals(base, -1));
  Value isNegative = i.compare(arith::CmpIPredicate::slt, exponent, 0);
  Value reciprocal = i.select(isUnit, power, i.constant(0));
  return i.select(isNegative, reciprocal, power);
}
