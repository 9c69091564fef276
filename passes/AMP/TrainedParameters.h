// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The parameters that a step can train, and the types in which it keeps them.
#ifndef MPC_PASSES_AMP_TRAINEDPARAMETERS_H
#define MPC_PASSES_AMP_TRAINEDPARAMETERS_H

#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mpc::amp {

/// The parameters on which floating results of `function` depend through
/// floating values. Any other parameter has no gradient, not even a zero one,
/// so that optimizers leave it alone.
llvm::DenseSet<mlir::StringAttr>
findDifferentiableParameters(mlir::func::FuncOp function);

/// Gives `parameter` the type `elementType`, and casts every read of it to its
/// former type. A 16-bit parameter thus becomes an f32 master, whose 16-bit
/// copy the optimizer writes.
void retype(nn::ParameterOp parameter, mlir::Type elementType);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_TRAINEDPARAMETERS_H
