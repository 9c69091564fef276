// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One emitter for each schedule. A kernel has the kind that its schedule fits.
#ifndef MPC_LIB_CODEGEN_CPU_EMITTERS_H
#define MPC_LIB_CODEGEN_CPU_EMITTERS_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// Replaces `kernel`, which has a schedule of this dialect, by a `func.func`:
/// TargetAttrInterface::emitKernel.
mlir::func::FuncOp emitKernel(kernel::FuncOp kernel);

/// Emits #cpu.loops, which can run any body. With more than one chunk the body
/// is one statement, cut along its outermost parallel dimensions.
void emitLoops(Emitter &emitter, const kernel::Body &body, LoopsAttr schedule);

/// Emits #cpu.lanes.
void emitLanes(Emitter &emitter, const kernel::Body &body, LanesAttr schedule);

/// Emits #cpu.map.
void emitMap(Emitter &emitter, const kernel::Body &body, MapAttr schedule);
/// The number of pieces into which a map can be cut.
int64_t countMapUnits(const kernel::Body &body, int64_t lanes);

/// Emits #cpu.rows and #cpu.columns. The kernel's kind says which.
void emitRows(Emitter &emitter, const kernel::Body &body, int64_t chunks,
              int64_t lanes);

/// Emits #cpu.gemm.
void emitGemm(Emitter &emitter, const kernel::Body &body, GemmAttr schedule);
/// A part of it: rows in windows.
void emitWindows(Emitter &emitter, const kernel::Contraction &contraction,
                 const kernel::Epilogue &epilogue, GemmAttr schedule);
/// Emits #cpu.attention, for kernel.attention and for its gradient.
void emitAttention(Emitter &emitter, const kernel::Body &body,
                   AttentionAttr schedule);
/// Parts of it: the gradient, and both by scalar loops.
void emitAttentionGradient(Emitter &emitter, kernel::AttentionGradientOp op,
                           AttentionAttr schedule);
void emitAttentionLoops(Emitter &emitter, kernel::AttentionOpInterface op,
                        AttentionAttr schedule);
/// Emits #cpu.pack.
void emitPack(Emitter &emitter, const kernel::Body &body, PackAttr schedule);
/// Emits #cpu.depthwise.
void emitDepthwise(Emitter &emitter, const kernel::Body &body,
                   DepthwiseAttr schedule);

/// Emits #cpu.scatter.
void emitScatterBlocks(Emitter &emitter, const kernel::Body &body,
                       ScatterAttr schedule);
/// Emits one kernel.scatter, whose result has a buffer with its first values,
/// for positions [from, to) of the outer x inner space.
void emitScatter(Emitter &emitter, kernel::ScatterOp scatter,
                 std::pair<mlir::Value, mlir::Value> units);

/// Emits one kernel.cumsum, whose result has a buffer, for units [from, to) as
/// countUnits counts them.
void emitCumsum(Emitter &emitter, kernel::CumsumOp cumsum,
                std::pair<mlir::Value, mlir::Value> units);

/// Emits one kernel.rank into `buffer`, for rows [from, to). Each row is sorted
/// by the digits of its keys, the last digit first.
void emitRank(Emitter &emitter, kernel::RankOp rank, mlir::Value buffer,
              std::pair<mlir::Value, mlir::Value> rows);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_EMITTERS_H
