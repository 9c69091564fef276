// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arithmetic of signed integers that is defined for all operands; what
/// overflows wraps around.
#ifndef MPC_DIALECTS_NN_OPS_INTEGERARITHMETIC_H
#define MPC_DIALECTS_NN_OPS_INTEGERARITHMETIC_H

#include "mlir/IR/Builders.h"

namespace mpc::nn {

/// lhs / rhs towards zero; 0 where rhs is 0.
mlir::Value buildIntegerQuotient(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::Value lhs, mlir::Value rhs);

/// lhs - quotient * rhs.
mlir::Value buildIntegerRemainder(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value lhs, mlir::Value rhs);

/// base ^ exponent. Of a negative exponent the reciprocal, towards zero: 0
/// unless the base is 1 or -1.
mlir::Value buildIntegerPower(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value base, mlir::Value exponent);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_OPS_INTEGERARITHMETIC_H
