// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One emitter for each schedule. Kernels are of the kind that it fits.
#ifndef MPC_LIB_CODEGEN_CUDA_EMITTERS_H
#define MPC_LIB_CODEGEN_CUDA_EMITTERS_H

#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/KernelText.h"
#include "lib/Codegen/CUDA/TileProducts.h"

namespace mpc::cuda {

/// What emitKernel makes of a scheduled kernel, which stays as it is.
mlir::FailureOr<KernelAttr> writeKernel(kernel::FuncOp kernel);

/// Puts a declaration with the text in the place of `kernel`, which has a
/// schedule of this dialect: TargetAttrInterface::emitKernel.
mlir::FailureOr<mlir::func::FuncOp> emitKernel(kernel::FuncOp kernel);

/// Writes a kernel of #cuda.loops, whose body has one statement at most.
mlir::LogicalResult emitLoops(KernelText &text, const kernel::Body &body,
                              LoopsAttr schedule);
/// How many threads work on their own; 1 where the body has to run in one
/// block.
int64_t countLoopUnits(kernel::FuncOp kernel, const kernel::Body &body);

/// Whether output `output` is updated where it lies: it is written over its own
/// destination and nothing else.
bool isInPlace(kernel::FuncOp kernel, const kernel::Statement &statement,
               unsigned output);

/// Writes a kernel of #cuda.scatter.
void emitScatter(KernelText &text, const kernel::Body &body,
                 ScatterAttr schedule);
ScatterAttr scheduleScatter(const kernel::Body &body);

/// Writes a kernel of #cuda.map.
void emitMap(KernelText &text, const kernel::Body &body, MapAttr schedule);
/// The number of elements of the space, and how many of them a thread should
/// do.
std::pair<int64_t, int64_t> countMapUnits(const kernel::Body &body);

/// Write kernels of #cuda.rows and of #cuda.columns.
void emitRows(KernelText &text, const kernel::Body &body, int64_t threads,
              int64_t lanes);
void emitColumns(KernelText &text, const kernel::Body &body, int64_t threads);
/// The number of rows or columns, and of the elements of each.
std::pair<int64_t, int64_t> countRows(kernel::FuncOp kernel,
                                      const kernel::Body &body);

/// Writes a kernel of #cuda.dot.
void emitDot(KernelText &text, const kernel::Body &body, DotAttr schedule);

/// Writes a kernel of #cuda.mma or #cuda.simt.
void emitTiles(KernelText &text, const kernel::Body &body,
               const TileSchedule &schedule, const TileProducts &products);
/// The bytes of dynamic shared memory that a block needs.
int64_t getSharedBytes(kernel::FuncOp kernel, const kernel::Body &body,
                       const TileSchedule &schedule,
                       const TileProducts &products);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_EMITTERS_H
