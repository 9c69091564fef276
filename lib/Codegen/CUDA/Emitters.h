// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One emitter for each schedule. A kernel has the kind that its schedule fits.
#ifndef MPC_LIB_CODEGEN_CUDA_EMITTERS_H
#define MPC_LIB_CODEGEN_CUDA_EMITTERS_H

#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/KernelText.h"
#include "lib/Codegen/CUDA/TileProducts.h"

namespace mpc::cuda {

/// Makes the attribute that emitKernel gives a scheduled kernel. The kernel
/// itself stays unchanged.
mlir::FailureOr<KernelAttr> writeKernel(kernel::FuncOp kernel);

/// Replaces `kernel`, which has a schedule of this dialect, by a declaration
/// with the text: TargetAttrInterface::emitKernel.
mlir::FailureOr<mlir::func::FuncOp> emitKernel(kernel::FuncOp kernel);

/// Writes a kernel of #cuda.loops, whose body has at most one statement.
mlir::LogicalResult emitLoops(KernelText &text, const kernel::Body &body,
                              LoopsAttr schedule);
/// The number of threads that can work independently; 1 where the body must run
/// in one block.
int64_t countLoopUnits(kernel::FuncOp kernel, const kernel::Body &body);

/// Whether output `output` is updated in place: it overwrites its own
/// destination and nothing else.
bool isInPlace(kernel::FuncOp kernel, const kernel::Statement &statement,
               unsigned output);

/// Writes a kernel of #cuda.attention.
mlir::LogicalResult emitAttention(KernelText &text, const kernel::Body &body,
                                  AttentionAttr schedule);

/// Writes a kernel of #cuda.scatter.
void emitScatter(KernelText &text, const kernel::Body &body,
                 ScatterAttr schedule);
ScatterAttr scheduleScatter(const kernel::Body &body);

/// Writes a kernel of #cuda.map.
void emitMap(KernelText &text, const kernel::Body &body, MapAttr schedule);
/// The number of elements of the space, and the number of them that one thread
/// should compute.
std::pair<int64_t, int64_t> countMapUnits(const kernel::Body &body);

/// Write kernels of #cuda.rows and of #cuda.columns.
mlir::LogicalResult emitRows(KernelText &text, const kernel::Body &body,
                             RowsAttr schedule);
void emitColumns(KernelText &text, const kernel::Body &body,
                 ColumnsAttr schedule);
/// Rows, runs of them, or columns.
struct RowCounts {
  int64_t units;
  int64_t run;      ///< The rows of a unit.
  int64_t elements; ///< Of each row or column.
  int64_t last;     ///< Of them those along the last axis.
};
/// The most elements of a row that a thread may have where it sums runs of
/// rows.
inline constexpr int64_t kMostOfRuns = 32;
RowCounts countRows(kernel::FuncOp kernel, const kernel::Body &body);

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
