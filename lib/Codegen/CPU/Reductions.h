// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What emitters of reductions do with values that are parts of one.
#ifndef MPC_LIB_CODEGEN_CPU_REDUCTIONS_H
#define MPC_LIB_CODEGEN_CPU_REDUCTIONS_H

#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// `combiner` (see getCombiner) on other values; a fused multiply-add combines
/// by addition.
mlir::Value createCombined(Emitter &emitter, mlir::Operation *combiner,
                           mlir::Value lhs, mlir::Value rhs);

/// What combines with any value to that value.
mlir::Value createNeutral(Emitter &emitter, mlir::Operation *combiner);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_REDUCTIONS_H
