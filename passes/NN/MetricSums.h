// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the batches of an evaluation over a file add up to.
#ifndef MPC_PASSES_NN_METRICSUMS_H
#define MPC_PASSES_NN_METRICSUMS_H

#include "dialects/NN/Losses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc::nn {

/// Makes of `function`, a clone of @model with the loss' target, @measure: see
/// nn-add-loss. `g` stands before its terminator.
void addMetricSums(GradientBuilder &g, mlir::func::FuncOp function,
                   const LossFunction &rule, const LossOperands &operands,
                   const LossSettings &settings);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_METRICSUMS_H
