// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The complementary error function.
#ifndef MPC_LIB_CODEGEN_CPU_MATHERF_H
#define MPC_LIB_CODEGEN_CPU_MATHERF_H

#include "lib/Codegen/CPU/MathBuilder.h"

namespace mpc::cpu {

/// 1 - erf(x), without cancellation; f64 only.
Fp erfc(Fp x);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_MATHERF_H
