// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which parameters a step can train, and in which type it holds them.
#ifndef MPC_PASSES_AMP_TRAINEDPARAMETERS_H
#define MPC_PASSES_AMP_TRAINEDPARAMETERS_H

#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mpc::amp {

/// The parameters that floating results of `function` depend on by way of
/// floating values. Of any other the gradient is not zero: there is none, and
/// an optimizer leaves it alone.
llvm::DenseSet<mlir::StringAttr>
findDifferentiableParameters(mlir::func::FuncOp function);

/// Makes `parameter` one of `elementType`; every read of it is cast to the type
/// that it had. Of a 16-bit parameter this makes an f32 master, whose 16-bit
/// copy the optimizer writes.
void retype(nn::ParameterOp parameter, mlir::Type elementType);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_TRAINEDPARAMETERS_H
