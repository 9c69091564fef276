// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arithmetic of f32 that is the same on scalars and on vectors.
#ifndef MPC_LIB_CODEGEN_CPU_LANEMATH_H
#define MPC_LIB_CODEGEN_CPU_LANEMATH_H

#include "lib/Codegen/CPU/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

namespace mpc::cpu {

/// Scalars where `lanes` is scalar, else vectors; a scalar operand counts for
/// all lanes.
class LaneMath {
public:
  using Value = mlir::Value;
  LaneMath(Emitter &emitter, Lanes lanes) : emitter_(emitter), lanes_(lanes) {}

  Lanes lanes() const { return lanes_; }
  mlir::Type type(mlir::Type element) const {
    if (lanes_.isScalar())
      return element;
    return mlir::VectorType::get({lanes_.width}, element);
  }
  mlir::Type f32() const { return type(emitter_.builder.getF32Type()); }

  Value all(Value value) const { return emitter_.broadcast(value, lanes_); }
  Value constant(float value) const {
    return all(mlir::arith::ConstantOp::create(
        emitter_.builder, emitter_.loc,
        emitter_.builder.getF32FloatAttr(value)));
  }
  Value lowest() const {
    return constant(-std::numeric_limits<float>::infinity());
  }

  Value add(Value a, Value b) const {
    return make<mlir::arith::AddFOp>(all(a), all(b));
  }
  Value sub(Value a, Value b) const {
    return make<mlir::arith::SubFOp>(all(a), all(b));
  }
  Value mul(Value a, Value b) const {
    return make<mlir::arith::MulFOp>(all(a), all(b));
  }
  Value div(Value a, Value b) const {
    return make<mlir::arith::DivFOp>(all(a), all(b));
  }
  /// The greater one; `b` where one is NaN.
  Value max(Value a, Value b) const {
    return select(compare(mlir::arith::CmpFPredicate::OGT, a, b), a, b);
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b) const {
    return mlir::arith::CmpFOp::create(emitter_.builder, emitter_.loc,
                                       predicate, all(a), all(b));
  }
  Value select(Value where, Value a, Value b) const {
    return make<mlir::arith::SelectOp>(all(where), all(a), all(b));
  }
  /// `a` with elements of `element`: a rounding, a widening, or itself.
  Value convert(Value a, mlir::Type element) const;

private:
  template <typename Op, typename... Operands>
  Value make(Operands... operands) const {
    return Op::create(emitter_.builder, emitter_.loc, operands...);
  }

  Emitter &emitter_;
  Lanes lanes_;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_LANEMATH_H
