// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reduces arguments of trigonometric functions by quarters of a turn.
#ifndef MPC_LIB_CODEGEN_CPU_MATHREDUCTION_H
#define MPC_LIB_CODEGEN_CPU_MATHREDUCTION_H

#include "lib/Codegen/CPU/MathBuilder.h"

namespace mpc::cpu {

/// x = number * pi/2 + rest with |rest| at most pi/4. Only the last two bits of
/// `number` are defined.
struct Quarters {
  Fp rest;
  mlir::Value number;
};
/// Works for every f64. The rest is NaN for infinities and NaN.
Quarters reduceByQuarters(Fp x);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_MATHREDUCTION_H
