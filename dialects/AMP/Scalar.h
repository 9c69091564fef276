// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Scalar arithmetic of a body under construction, written as C++.
#ifndef MPC_DIALECTS_AMP_SCALAR_H
#define MPC_DIALECTS_AMP_SCALAR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mpc::amp {

/// An f32 or f64 value. Every operation rounds once in that type; operands
/// have one type, a literal takes the other operand's.
struct Scalar {
  mlir::ImplicitLocOpBuilder *b = nullptr;
  mlir::Value value;

  [[nodiscard]] Scalar literal(double constant) const {
    auto type = mlir::cast<mlir::FloatType>(value.getType());
    return {b, mlir::arith::ConstantOp::create(
                   *b, b->getFloatAttr(type, constant))};
  }
  [[nodiscard]] Scalar as(mlir::Type type) const {
    if (value.getType() == type)
      return *this;
    if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return {b, mlir::arith::ExtFOp::create(*b, type, value)};
    return {b, mlir::arith::TruncFOp::create(*b, type, value)};
  }

  friend Scalar operator+(Scalar x, Scalar y) {
    return {x.b, mlir::arith::AddFOp::create(*x.b, x.value, y.value)};
  }
  friend Scalar operator-(Scalar x, Scalar y) {
    return {x.b, mlir::arith::SubFOp::create(*x.b, x.value, y.value)};
  }
  friend Scalar operator*(Scalar x, Scalar y) {
    return {x.b, mlir::arith::MulFOp::create(*x.b, x.value, y.value)};
  }
  friend Scalar operator/(Scalar x, Scalar y) {
    return {x.b, mlir::arith::DivFOp::create(*x.b, x.value, y.value)};
  }
  friend Scalar operator-(Scalar x) {
    return {x.b, mlir::arith::NegFOp::create(*x.b, x.value)};
  }
  friend Scalar operator+(Scalar x, double y) { return x + x.literal(y); }
  friend Scalar operator-(Scalar x, double y) { return x - x.literal(y); }
  friend Scalar operator-(double x, Scalar y) { return y.literal(x) - y; }
  friend Scalar operator/(double x, Scalar y) { return y.literal(x) / y; }

  /// An i1: ordered, false where either is NaN.
  [[nodiscard]] mlir::Value isEqualTo(double constant) const {
    return mlir::arith::CmpFOp::create(*b, mlir::arith::CmpFPredicate::OEQ,
                                       value, literal(constant).value);
  }
  [[nodiscard]] mlir::Value isLessThan(Scalar y) const {
    return mlir::arith::CmpFOp::create(*b, mlir::arith::CmpFPredicate::OLT,
                                       value, y.value);
  }
};

/// x * y + z in one rounding.
inline Scalar multiplyAdd(Scalar x, Scalar y, Scalar z) {
  return {x.b, mlir::math::FmaOp::create(*x.b, x.value, y.value, z.value)};
}
inline Scalar squareRoot(Scalar x) {
  return {x.b, mlir::math::SqrtOp::create(*x.b, x.value)};
}
inline Scalar absolute(Scalar x) {
  return {x.b, mlir::math::AbsFOp::create(*x.b, x.value)};
}
/// NaN where either is NaN.
inline Scalar maximum(Scalar x, Scalar y) {
  return {x.b, mlir::arith::MaximumFOp::create(*x.b, x.value, y.value)};
}
/// NaN where either is NaN.
inline Scalar minimum(Scalar x, Scalar y) {
  return {x.b, mlir::arith::MinimumFOp::create(*x.b, x.value, y.value)};
}
inline Scalar select(mlir::Value condition, Scalar x, Scalar y) {
  return {x.b,
          mlir::arith::SelectOp::create(*x.b, condition, x.value, y.value)};
}

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_SCALAR_H
