// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Turns the training form of normalizations back into the form of an
/// evaluation.
#ifndef MPC_DIALECTS_NN_RUNNINGSTATISTICS_H
#define MPC_DIALECTS_NN_RUNNINGSTATISTICS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc::nn {

/// Makes each normalization of `model` that keeps running statistics use them
/// and leave them unchanged. A normalization whose batch statistics are used
/// elsewhere stays.
void useRunningStatistics(mlir::func::FuncOp model);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_RUNNINGSTATISTICS_H
