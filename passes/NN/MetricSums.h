// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The sums that the batches of an evaluation over a file contribute to.
#ifndef MPC_PASSES_NN_METRICSUMS_H
#define MPC_PASSES_NN_METRICSUMS_H

#include "dialects/NN/Losses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc::nn {

/// Turns `function`, a clone of @model with the loss' target, into @measure:
/// see nn-add-loss. `g` stands before its terminator.
void addMetricSums(GradientBuilder &g, mlir::func::FuncOp function,
                   const LossFunction &rule, const LossOperands &operands,
                   const LossSettings &settings);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_METRICSUMS_H
