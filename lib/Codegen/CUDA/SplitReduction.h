// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Split-K: a contraction with few tiles and a long sum becomes two kernels,
/// one for the slices of the sum and one for the sum of slices.
#ifndef MPC_LIB_CODEGEN_CUDA_SPLITREDUCTION_H
#define MPC_LIB_CODEGEN_CUDA_SPLITREDUCTION_H

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mpc::cuda {

/// Splits the sum of `kernel`, a contraction or a sum over columns, where its
/// result has too few tiles or columns to fill a GPU. Returns the kernel of the
/// slices, which stands before it and has no schedule yet. `kernel` then adds
/// the slices up, in order, and continues as before. Null where nothing was
/// split. The number of slices depends on the sum's shape alone. `launches` are
/// the launches of `kernel`.
kernel::FuncOp splitReduction(kernel::FuncOp kernel,
                              llvm::ArrayRef<kernel::LaunchOp> launches,
                              mlir::SymbolTable &symbols);

/// Whether sums over `columns` columns, of `terms` each, are split where a
/// divisor allows it, since they alone would not keep the machine busy.
bool splitsColumns(int64_t columns, int64_t terms);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_SPLITREDUCTION_H
