// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Building blocks of math functions on f32 and f64, and the functions from
/// which others are made.
#ifndef MPC_LIB_CODEGEN_CPU_MATHBUILDER_H
#define MPC_LIB_CODEGEN_CPU_MATHBUILDER_H

#include "dialects/Interfaces/Fp.h"

namespace mpc::cpu {

/// `a` within [low, high]; NaN stays.
Fp clamp(Fp a, double low, double high);

/// Horner's rule, with the coefficient of the highest power first.
Fp polynomial(Fp x, std::initializer_list<double> coefficients);

/// Bits of floats as integers of the same width, scalar or vector.
mlir::Type getIntegerType(Fp x);
mlir::Value toBits(Fp x);
Fp fromBits(Fp like, mlir::Value bits);
mlir::Value integer(Fp like, int64_t number);

/// x = n + rest with n integer and |rest| <= 1/2: n as a float and as an
/// integer. |x| must be below 2^21 (f32) or 2^50 (f64); NaN gives any n.
struct Rounded {
  Fp whole;
  mlir::Value number;
};
Rounded roundToInteger(Fp x);
/// x * 2^n, rounded once, for the whole range of n that a result can need.
Fp scaleByPower(Fp x, Rounded n);

// The functions, for f32 and f64.
Fp exp(Fp x);
Fp exp2(Fp x);
Fp log(Fp x);
Fp erf(Fp x);
Fp tanh(Fp x);
/// log(1 + x) of an f32.
Fp log1pOfSingle(Fp x);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_MATHBUILDER_H
