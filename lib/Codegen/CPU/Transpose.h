// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Transposes small blocks in vectors, by shuffles that CPUs have.
#ifndef MPC_LIB_CODEGEN_CPU_TRANSPOSE_H
#define MPC_LIB_CODEGEN_CPU_TRANSPOSE_H

#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

mlir::Value createShuffle(Emitter &emitter, mlir::Value a, mlir::Value b,
                          llvm::ArrayRef<int64_t> mask);

/// Transposes 8 vectors of 8; of 16 bits also 8 longer ones, 8 elements of each
/// at a time.
llvm::SmallVector<mlir::Value>
transposeEights(Emitter &emitter, llvm::ArrayRef<mlir::Value> rows);

/// Transposes 4 x 4 elements in each 16 bytes of 4 vectors of `lanes` f32.
llvm::SmallVector<mlir::Value> transposeFours(Emitter &emitter,
                                              llvm::ArrayRef<mlir::Value> rows,
                                              int64_t lanes);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_TRANSPOSE_H
