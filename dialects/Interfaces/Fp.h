// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Floating-point arithmetic of a body under construction, written as C++.
#ifndef MPC_DIALECTS_INTERFACES_FP_H
#define MPC_DIALECTS_INTERFACES_FP_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace mpc {

/// A float, or a vector of floats, with operators. Every operation emits one op
/// and rounds once in the type of its operands, which must be the same type. A
/// literal takes that type. The builder must outlive the value.
struct Fp {
  mlir::ImplicitLocOpBuilder *b = nullptr;
  mlir::Value value;

  bool isDouble() const {
    return mlir::getElementTypeOrSelf(value.getType()).isF64();
  }
  /// `other` as an Fp with the same builder.
  Fp with(mlir::Value other) const { return {b, other}; }
  template <typename Op, typename... Args>
  Fp make(Args... args) const {
    return with(Op::create(*b, args...));
  }
  /// `number` in this type; in every lane of a vector.
  Fp constant(double number) const {
    mlir::Type type = value.getType();
    mlir::TypedAttr attr =
        b->getFloatAttr(mlir::getElementTypeOrSelf(type), number);
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      attr = mlir::DenseElementsAttr::get(vector, mlir::Attribute(attr));
    return make<mlir::arith::ConstantOp>(attr);
  }
  /// This number in another float type of the same shape.
  Fp as(mlir::Type type) const {
    if (value.getType() == type)
      return *this;
    bool widens =
        mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() <
        mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    return widens ? make<mlir::arith::ExtFOp>(type, value)
                  : make<mlir::arith::TruncFOp>(type, value);
  }
};

inline Fp operator+(Fp x, Fp y) {
  return x.make<mlir::arith::AddFOp>(x.value, y.value);
}
inline Fp operator-(Fp x, Fp y) {
  return x.make<mlir::arith::SubFOp>(x.value, y.value);
}
inline Fp operator*(Fp x, Fp y) {
  return x.make<mlir::arith::MulFOp>(x.value, y.value);
}
inline Fp operator/(Fp x, Fp y) {
  return x.make<mlir::arith::DivFOp>(x.value, y.value);
}
inline Fp operator-(Fp x) { return x.make<mlir::arith::NegFOp>(x.value); }
inline Fp operator+(Fp x, double y) { return x + x.constant(y); }
inline Fp operator-(Fp x, double y) { return x - x.constant(y); }
inline Fp operator*(Fp x, double y) { return x * x.constant(y); }
inline Fp operator/(Fp x, double y) { return x / x.constant(y); }
inline Fp operator-(double x, Fp y) { return y.constant(x) - y; }
inline Fp operator/(double x, Fp y) { return y.constant(x) / y; }

/// x * y + z in one rounding.
inline Fp fma(Fp x, Fp y, Fp z) {
  return x.make<mlir::math::FmaOp>(x.value, y.value, z.value);
}
inline Fp fma(Fp x, Fp y, double z) { return fma(x, y, x.constant(z)); }
inline Fp abs(Fp x) { return x.make<mlir::math::AbsFOp>(x.value); }
inline Fp sqrt(Fp x) { return x.make<mlir::math::SqrtOp>(x.value); }
inline Fp floor(Fp x) { return x.make<mlir::math::FloorOp>(x.value); }
inline Fp trunc(Fp x) { return x.make<mlir::math::TruncOp>(x.value); }
inline Fp copysign(Fp x, Fp sign) {
  return x.make<mlir::math::CopySignOp>(x.value, sign.value);
}
/// NaN where either is NaN.
inline Fp maximum(Fp x, Fp y) {
  return x.make<mlir::arith::MaximumFOp>(x.value, y.value);
}
/// NaN where either is NaN.
inline Fp minimum(Fp x, Fp y) {
  return x.make<mlir::arith::MinimumFOp>(x.value, y.value);
}

/// An i1 or a vector of them.
using Condition = mlir::Value;

inline Condition compare(mlir::arith::CmpFPredicate predicate, Fp x, Fp y) {
  return mlir::arith::CmpFOp::create(*x.b, predicate, x.value, y.value);
}
/// Ordered, as `equal` is: false where either is NaN.
inline Condition less(Fp x, Fp y) {
  return compare(mlir::arith::CmpFPredicate::OLT, x, y);
}
inline Condition less(Fp x, double y) { return less(x, x.constant(y)); }
inline Condition greater(Fp x, double y) { return less(x.constant(y), x); }
inline Condition equal(Fp x, Fp y) {
  return compare(mlir::arith::CmpFPredicate::OEQ, x, y);
}
inline Condition equal(Fp x, double y) { return equal(x, x.constant(y)); }
/// True where either is NaN.
inline Condition differs(Fp x, Fp y) {
  return compare(mlir::arith::CmpFPredicate::UNE, x, y);
}
inline Fp select(Condition condition, Fp x, Fp y) {
  return x.make<mlir::arith::SelectOp>(condition, x.value, y.value);
}
inline Fp select(Condition condition, double x, Fp y) {
  return select(condition, y.constant(x), y);
}

} // namespace mpc

#endif // MPC_DIALECTS_INTERFACES_FP_H
