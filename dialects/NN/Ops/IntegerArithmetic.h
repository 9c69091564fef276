// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Integer arithmetic that is defined for all operands. Overflow wraps around.
#ifndef MPC_DIALECTS_NN_OPS_INTEGERARITHMETIC_H
#define MPC_DIALECTS_NN_OPS_INTEGERARITHMETIC_H

#include "mlir/IR/Builders.h"

namespace mpc::nn {

/// The signedness of integers, which their types in kernels do not say.
enum class Sign { Signed, Unsigned };

/// a / b towards zero; 0 where b is 0.
mlir::Value buildIntegerQuotient(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::ValueRange scalars, Sign sign);

/// a - quotient * b.
mlir::Value buildIntegerRemainder(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::ValueRange scalars, Sign sign);

/// a ^ b. For a negative exponent it is the reciprocal, rounded towards zero: 0
/// unless the base is 1 or -1.
mlir::Value buildIntegerPower(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::ValueRange scalars, Sign sign);

/// a << b and a >> b. Where b is the width or more, only the sign remains.
mlir::Value buildLeftShift(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::ValueRange scalars);
mlir::Value buildRightShift(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::ValueRange scalars, Sign sign);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_OPS_INTEGERARITHMETIC_H
