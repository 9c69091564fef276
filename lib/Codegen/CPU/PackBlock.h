// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Packs a block of a contraction's factor into memory that the micro-kernel
/// reads in order.
#ifndef MPC_LIB_CODEGEN_CPU_PACKBLOCK_H
#define MPC_LIB_CODEGEN_CPU_PACKBLOCK_H

#include "lib/Codegen/CPU/Factor.h"

namespace mpc::cpu {

/// The destination of packed elements: a flat memref of the factor's type, a
/// position in it, and the distance of rows or panels in elements.
struct PackDestination {
  mlir::Value buffer, offset;
  int64_t stride;
};

/// Stores a scalar or a vector at position `place` of the destination's memref.
void storePacked(Emitter &emitter, mlir::Value value,
                 const PackDestination &destination, mlir::Value place);

/// What a unit reads at once: `lanes` f32, and `depth` neighbouring k of a row
/// or a column. Where K is no multiple of that, zeros follow.
struct UnitShape {
  int64_t lanes, depth;
};

/// Packs rows, with k contiguous. Rows from block.count to `padded` are zero.
void emitPackRows(Emitter &emitter, const Factor &factor,
                  const FactorBlock &block, const PackDestination &destination,
                  mlir::Value padded, UnitShape unit);

/// Whether `k` are channels within taps, of which neighbours in memory, in
/// either direction, are the taps, 16 or more. Such a factor is packed in
/// blocks of up to `kMost` if these are whole taps, kLeastTaps at least.
bool hasTaps(const kernel::StridedIndex &k, int64_t depth, int64_t kMost);
inline constexpr int64_t kLeastTaps = 8;

/// Panels of `width` columns each, of `columns` in all.
struct PanelShape {
  int64_t width, columns;
  UnitShape unit;
};

/// Packs panels. A step of k has `depth` contiguous elements of each of `width`
/// columns. Columns that do not exist are zero.
void emitPackColumns(Emitter &emitter, const Factor &factor,
                     const FactorBlock &block,
                     const PackDestination &destination, PanelShape shape);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_PACKBLOCK_H
