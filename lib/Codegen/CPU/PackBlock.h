// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Packs a block of a contraction's factor into memory that the micro-kernel
/// reads in order.
#ifndef MPC_LIB_CODEGEN_CPU_PACKBLOCK_H
#define MPC_LIB_CODEGEN_CPU_PACKBLOCK_H

#include "lib/Codegen/CPU/Factor.h"

namespace mpc::cpu {

/// The destination of packed elements: a flat f32 memref, a position in it, and
/// the distance of rows or panels in elements.
struct PackDestination {
  mlir::Value buffer, offset;
  int64_t stride;
};

/// Stores a scalar or a vector at position `place` of the destination's memref.
void storePacked(Emitter &emitter, mlir::Value value,
                 const PackDestination &destination, mlir::Value place);

/// Packs rows, with k contiguous. Rows from block.count to `padded` are zero.
void emitPackRows(Emitter &emitter, const Factor &factor,
                  const FactorBlock &block, const PackDestination &destination,
                  mlir::Value padded, int64_t lanes);

/// Panels of `width` columns each, of `columns` in all.
struct PanelShape {
  int64_t width, columns, lanes;
};

/// Packs panels, with `width` contiguous elements for each k. Columns that do
/// not exist are zero.
void emitPackColumns(Emitter &emitter, const Factor &factor,
                     const FactorBlock &block,
                     const PackDestination &destination, PanelShape shape);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_PACKBLOCK_H
