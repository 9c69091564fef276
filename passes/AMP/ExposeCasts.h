// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Moves casts across data movement, to where the optimizer can make them.
#ifndef MPC_PASSES_AMP_EXPOSECASTS_H
#define MPC_PASSES_AMP_EXPOSECASTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc::amp {

/// A 16-bit cast of a moved parameter (transposed, reshaped, ...) becomes a
/// move of the parameter's 16-bit copy. A gradient that is cast up and then
/// moved is moved first. No bit changes, because movement and elementwise casts
/// commute.
void exposeCasts(mlir::func::FuncOp function);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_EXPOSECASTS_H
