// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One emitter for each schedule. Kernels are of the kind that it fits.
#ifndef MPC_LIB_CODEGEN_CPU_EMITTERS_H
#define MPC_LIB_CODEGEN_CPU_EMITTERS_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// Puts a `func.func` in the place of `kernel`, which has a schedule of this
/// dialect: TargetAttrInterface::emitKernel.
mlir::func::FuncOp emitKernel(kernel::FuncOp kernel);

/// #cpu.loops: any body. With more than one chunk the body is one statement,
/// cut along its outermost parallel dimensions.
void emitLoops(Emitter &emitter, const kernel::Body &body, int64_t chunks);

/// #cpu.lanes.
void emitLanes(Emitter &emitter, const kernel::Body &body, LanesAttr schedule);

/// #cpu.map.
void emitMap(Emitter &emitter, const kernel::Body &body, MapAttr schedule);
/// The number of pieces that a map can be cut into.
int64_t countMapUnits(const kernel::Body &body, int64_t lanes);

/// #cpu.rows and #cpu.columns: which of them, the kernel's kind says.
void emitRows(Emitter &emitter, const kernel::Body &body, int64_t chunks,
              int64_t lanes);

/// #cpu.depthwise.
void emitDepthwise(Emitter &emitter, const kernel::Body &body,
                   DepthwiseAttr schedule);

/// Emits one kernel.scatter into `buffer`, for positions [from, to) of the
/// outer x inner space.
void emitScatter(Emitter &emitter, kernel::ScatterOp scatter,
                 mlir::Value buffer, std::pair<mlir::Value, mlir::Value> units);

/// Emits one kernel.rank into `buffer`, for rows [from, to): each is sorted by
/// digits of its keys, the last one first.
void emitRank(Emitter &emitter, kernel::RankOp rank, mlir::Value buffer,
              std::pair<mlir::Value, mlir::Value> rows);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_EMITTERS_H
