// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How each kind of kernel runs on a GPU.
#ifndef MPC_LIB_CODEGEN_CUDA_SCHEDULE_H
#define MPC_LIB_CODEGEN_CUDA_SCHEDULE_H

#include "lib/Codegen/CUDA/CUDADialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mpc::cuda {

/// Gives `kernel`, which `launches` launch, its schedule:
/// TargetAttrInterface::scheduleKernel.
mlir::LogicalResult scheduleKernel(kernel::FuncOp kernel,
                                   llvm::ArrayRef<kernel::LaunchOp> launches,
                                   mlir::SymbolTable &symbols,
                                   TargetAttr target);

/// TargetAttrInterface::sumsRunsOfRows.
bool sumsRunsOfRows(int64_t runs, int64_t elements, unsigned sums);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_SCHEDULE_H
