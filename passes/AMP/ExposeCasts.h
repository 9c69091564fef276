// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Moves casts over data movement, to where the optimizer can take them over.
#ifndef MPC_PASSES_AMP_EXPOSECASTS_H
#define MPC_PASSES_AMP_EXPOSECASTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc::amp {

/// A 16-bit cast of a moved parameter (transposed, reshaped, ...) becomes a
/// move of the parameter's 16-bit copy; an upcast gradient that is then moved
/// is moved first. No bit changes: movement and casts of elements commute.
void exposeCasts(mlir::func::FuncOp function);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_EXPOSECASTS_H
