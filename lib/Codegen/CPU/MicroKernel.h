// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The micro-kernel of contractions: a block of results in registers.
#ifndef MPC_LIB_CODEGEN_CPU_MICROKERNEL_H
#define MPC_LIB_CODEGEN_CPU_MICROKERNEL_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// The micro-kernel of a module: rows x columns results in registers, `lanes`
/// columns in a vector. Without `fused`, products are rounded before they are
/// added.
struct MicroKernel {
  int64_t rows, columns, lanes;
  bool fused;
  Unit unit;
  /// Whether a step of k has the elements of all rows next to each other.
  bool rowPanels = false;
  /// Whether k is cut into runs.
  bool hasRuns = false;
};
/// An operand of a call of the micro-kernel: a flat memref of any size and a
/// position. Factors have the unit's type; sums are f32.
struct MicroOperand {
  mlir::Value buffer, offset;
};
/// Runs of k: rows begin each `rowStride` elements behind the one before, and
/// panels `columnStride`.
struct MicroRuns {
  mlir::Value count, rowStride, columnStride;
};
/// Calls the micro-kernel, and adds it to the module if it is missing: `result`
/// (rows x columns) = `init` + `a` (in panels, or rows `rowStride` apart, with
/// k contiguous) times `b` (as emitPackColumns() packs it), over `steps` steps
/// of the unit. Each element is one chain over ascending k.
void emitMicroKernelCall(Emitter &emitter, const MicroKernel &shape,
                         mlir::Value steps, MicroOperand a,
                         mlir::Value rowStride, MicroOperand b,
                         MicroOperand init, MicroOperand result);
/// The same for a micro-kernel that has runs of `steps` each. Rows of `init`
/// are `initStride` elements apart, those of `result` `resultStride`.
void emitMicroKernelCall(Emitter &emitter, const MicroKernel &shape,
                         mlir::Value steps, MicroOperand a,
                         mlir::Value rowStride, MicroOperand b,
                         MicroOperand init, MicroOperand result,
                         const MicroRuns &runs, mlir::Value initStride,
                         mlir::Value resultStride);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_MICROKERNEL_H
