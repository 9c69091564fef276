// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arguments of trigonometric functions by quarters of a turn.
#ifndef MPC_LIB_CODEGEN_CPU_MATHREDUCTION_H
#define MPC_LIB_CODEGEN_CPU_MATHREDUCTION_H

#include "lib/Codegen/CPU/MathBuilder.h"

namespace mpc::cpu {

/// x = number * pi/2 + rest with |rest| at most pi/4. Of `number` only the
/// last two bits are meant.
struct Quarters {
  Fp rest;
  mlir::Value number;
};
/// For every f64; infinities and NaN have a NaN as rest.
Quarters reduceByQuarters(Fp x);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_MATHREDUCTION_H
