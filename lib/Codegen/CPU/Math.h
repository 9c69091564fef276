// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Math functions as arithmetic: what a kernel computes must not depend on the
/// libm of the machine it runs on. Worst errors, measured over the whole range
/// by test/lib/Codegen/CPU/MathTest.cpp: 2 ulp for f32 (1 for most), 4 ulp for
/// f64.
#ifndef MPC_LIB_CODEGEN_CPU_MATH_H
#define MPC_LIB_CODEGEN_CPU_MATH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mpc::cpu {

/// The value of `op`, of the math dialect, in arithmetic that has
/// instructions; null if the op has one itself. Operands are f32 or f64,
/// scalars or vectors.
mlir::Value expandMath(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

/// Whether `op`, of the math dialect, needs no expansion.
bool hasInstruction(mlir::Operation *op);

/// The rest of lhs / rhs, with the sign of lhs: exact as long as the quotient
/// is below 2^52.
mlir::Value expandRemainder(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_MATH_H
