// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From the training form of normalizations back to that of an evaluation.
#ifndef MPC_DIALECTS_NN_RUNNINGSTATISTICS_H
#define MPC_DIALECTS_NN_RUNNINGSTATISTICS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc::nn {

/// Lets each normalization of `model` that keeps running statistics normalize
/// by them, and leave them as they are. One whose batch statistics are used
/// elsewhere stays.
void useRunningStatistics(mlir::func::FuncOp model);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_RUNNINGSTATISTICS_H
