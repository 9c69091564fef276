// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arithmetic on scalars or vectors of f32 or f64, to write math functions in.
#ifndef MPC_LIB_CODEGEN_CPU_MATHBUILDER_H
#define MPC_LIB_CODEGEN_CPU_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

namespace mpc::cpu {

/// A value with operators. All values of an expression have one type.
struct Fp {
  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;

  bool isDouble() const {
    return mlir::getElementTypeOrSelf(value.getType()).isF64();
  }
  /// The same kind of thing, holding `other`.
  Fp with(mlir::Value other) const { return {builder, loc, other}; }
  Fp constant(double number) const;
  template <typename Op, typename... Args>
  Fp make(Args... args) const {
    return with(Op::create(*builder, loc, args...));
  }
};

inline Fp operator+(Fp a, Fp b) {
  return a.make<mlir::arith::AddFOp>(a.value, b.value);
}
inline Fp operator-(Fp a, Fp b) {
  return a.make<mlir::arith::SubFOp>(a.value, b.value);
}
inline Fp operator*(Fp a, Fp b) {
  return a.make<mlir::arith::MulFOp>(a.value, b.value);
}
inline Fp operator/(Fp a, Fp b) {
  return a.make<mlir::arith::DivFOp>(a.value, b.value);
}
inline Fp operator-(Fp a) { return a.make<mlir::arith::NegFOp>(a.value); }
inline Fp operator+(Fp a, double b) { return a + a.constant(b); }
inline Fp operator-(Fp a, double b) { return a - a.constant(b); }
inline Fp operator*(Fp a, double b) { return a * a.constant(b); }
inline Fp operator/(Fp a, double b) { return a / a.constant(b); }
inline Fp operator-(double a, Fp b) { return b.constant(a) - b; }
inline Fp operator/(double a, Fp b) { return b.constant(a) / b; }

/// a * b + c, rounded once.
inline Fp fma(Fp a, Fp b, Fp c) {
  return a.make<mlir::math::FmaOp>(a.value, b.value, c.value);
}
inline Fp fma(Fp a, Fp b, double c) { return fma(a, b, a.constant(c)); }
inline Fp abs(Fp a) { return a.make<mlir::math::AbsFOp>(a.value); }
inline Fp sqrt(Fp a) { return a.make<mlir::math::SqrtOp>(a.value); }
inline Fp floor(Fp a) { return a.make<mlir::math::FloorOp>(a.value); }
inline Fp trunc(Fp a) { return a.make<mlir::math::TruncOp>(a.value); }
inline Fp copysign(Fp a, Fp sign) {
  return a.make<mlir::math::CopySignOp>(a.value, sign.value);
}

/// The comparison as a bool or vector of them; false if one is NaN, but
/// `differs` true.
using Condition = mlir::Value;
Condition compare(mlir::arith::CmpFPredicate predicate, Fp a, Fp b);
inline Condition less(Fp a, Fp b) {
  return compare(mlir::arith::CmpFPredicate::OLT, a, b);
}
inline Condition less(Fp a, double b) { return less(a, a.constant(b)); }
inline Condition greater(Fp a, double b) { return less(a.constant(b), a); }
inline Condition equal(Fp a, Fp b) {
  return compare(mlir::arith::CmpFPredicate::OEQ, a, b);
}
inline Condition equal(Fp a, double b) { return equal(a, a.constant(b)); }
inline Condition differs(Fp a, Fp b) {
  return compare(mlir::arith::CmpFPredicate::UNE, a, b);
}
inline Fp select(Condition condition, Fp a, Fp b) {
  return a.make<mlir::arith::SelectOp>(condition, a.value, b.value);
}
inline Fp select(Condition condition, double a, Fp b) {
  return select(condition, b.constant(a), b);
}
/// `a` within [low, high]; NaN stays.
Fp clamp(Fp a, double low, double high);

/// Horner's rule; the coefficient of the highest power first.
Fp polynomial(Fp x, std::initializer_list<double> coefficients);

/// Bits of floats as integers of the same width, scalar or vector.
mlir::Type getIntegerType(Fp x);
mlir::Value toBits(Fp x);
Fp fromBits(Fp like, mlir::Value bits);
mlir::Value integer(Fp like, int64_t number);

/// x * 2^n for the whole range of n that a result can need.
Fp scaleByPower(Fp x, mlir::Value n);
/// x = n + rest with n integer and |rest| <= 1/2: n as a float and as an
/// integer. |x| must be below 2^21 (f32) or 2^50 (f64); NaN gives any n.
struct Rounded {
  Fp whole;
  mlir::Value number;
};
Rounded roundToInteger(Fp x);

// The functions themselves; f32 and f64 alike.
Fp exp(Fp x);
Fp exp2(Fp x);
Fp log(Fp x);
Fp erf(Fp x);
Fp tanh(Fp x);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_MATHBUILDER_H
