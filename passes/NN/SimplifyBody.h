// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What simplifies the body of a loop whose gradient is made.
#ifndef MPC_PASSES_NN_SIMPLIFYBODY_H
#define MPC_PASSES_NN_SIMPLIFYBODY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mpc::nn {

inline mlir::OpPassManager bodySimplification() {
  mlir::OpPassManager manager(mlir::func::FuncOp::getOperationName());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  return manager;
}

} // namespace mpc::nn

#endif // MPC_PASSES_NN_SIMPLIFYBODY_H
