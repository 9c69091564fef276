// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Neutral elements of reductions, and the combination of partial results.
#ifndef MPC_LIB_CODEGEN_CPU_REDUCTIONS_H
#define MPC_LIB_CODEGEN_CPU_REDUCTIONS_H

#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// Applies `combiner` (see getCombiner) to other values. A fused multiply-add
/// combines by addition.
mlir::Value createCombined(Emitter &emitter, mlir::Operation *combiner,
                           mlir::Value lhs, mlir::Value rhs);

/// The value that leaves any other value unchanged when combined with it.
mlir::Value createNeutral(Emitter &emitter, mlir::Operation *combiner);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_REDUCTIONS_H
