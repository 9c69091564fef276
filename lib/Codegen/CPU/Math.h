// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Math functions as arithmetic. The result of a kernel must not depend on the
/// libm of the machine on which it runs. Worst errors, measured over the whole
/// range by test/lib/Codegen/CPU/MathTest.cpp: 2 ulp for f32 (1 for most), 4
/// ulp for f64.
#ifndef MPC_LIB_CODEGEN_CPU_MATH_H
#define MPC_LIB_CODEGEN_CPU_MATH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mpc::cpu {

/// The value of `op`, of the math dialect, in arithmetic that has instructions;
/// null if there is an instruction for the op itself. Operands are f32 or f64,
/// scalars or vectors.
mlir::Value expandMath(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

/// Whether there is an instruction for `op`, of the math dialect.
bool hasInstruction(mlir::Operation *op);

/// The remainder of lhs / rhs, with the sign of lhs. It is exact as long as the
/// quotient is below 2^52.
mlir::Value expandRemainder(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_MATH_H
