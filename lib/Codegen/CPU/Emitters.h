// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One emitter for each schedule, and the question of whether a body fits one.
#ifndef MPC_LIB_CODEGEN_CPU_EMITTERS_H
#define MPC_LIB_CODEGEN_CPU_EMITTERS_H

#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// Emits `kernel` as its schedule says: `func.func` in its place, with
/// attributes `mpc.chunks` and `mpc.scratch` (bytes a worker).
mlir::LogicalResult emitKernel(kernel::FuncOp kernel);

/// #kernel.loops: any body. With more than one chunk the body is one statement,
/// cut along its outermost parallel dimensions.
mlir::LogicalResult emitLoops(Emitter &emitter, const kernel::Body &body,
                              int64_t chunks);
/// The number of independent pieces of a body run by loops; 1 if none.
int64_t countLoopUnits(kernel::FuncOp kernel, const kernel::Body &body);

/// #kernel.map, for bodies that kernel::isMap accepts.
mlir::LogicalResult emitMap(Emitter &emitter, const kernel::Body &body,
                            kernel::MapAttr schedule);
/// The number of pieces that a map can be cut into.
int64_t countMapUnits(const kernel::Body &body, int64_t lanes);

struct RowSchedule {
  int64_t chunks;
  int64_t lanes;
  bool isColumns;
};
/// #kernel.rows and #kernel.columns, for bodies that kernel::getRows reads.
mlir::LogicalResult emitRows(Emitter &emitter, const kernel::Body &body,
                             const RowSchedule &schedule);

/// Emits one kernel.scatter into `buffer`, for positions [from, to) of the
/// outer x inner space.
void emitScatter(Emitter &emitter, kernel::ScatterOp scatter,
                 mlir::Value buffer, std::pair<mlir::Value, mlir::Value> units);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_EMITTERS_H
