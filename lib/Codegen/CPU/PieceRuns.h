// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loop over the tiles of a contraction whose pieces are chunks.
#ifndef MPC_LIB_CODEGEN_CPU_PIECERUNS_H
#define MPC_LIB_CODEGEN_CPU_PIECERUNS_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/IndexMath.h"

namespace mpc::cpu {

/// Arithmetic with numbers of pieces, which is not simplified where a number is
/// 1: kernels with other numbers have the same code.
class PieceMath {
public:
  explicit PieceMath(Emitter &emitter) : emitter_(emitter) {}

  mlir::Value mul(mlir::Value a, int64_t b) const;
  mlir::Value div(mlir::Value a, int64_t b) const;
  mlir::Value rem(mlir::Value a, int64_t b) const;
  mlir::Value ceilDiv(mlir::Value a, int64_t b) const;

private:
  Emitter &emitter_;
};

/// Neighbouring pieces along one side of a tile.
struct PieceRange {
  mlir::Value first, count;
};

/// A rectangle of pieces of one tile.
struct PieceRun {
  mlir::Value tile;
  PieceRange rows, columns;
};

/// Calls `body` for rectangles that have all pieces among the kernel's chunks:
/// whole tiles where it has all of their pieces. Columns are innermost.
void emitPieceRuns(Emitter &emitter, GemmAttr schedule,
                   llvm::function_ref<void(const PieceRun &)> body);

/// Emits `body` where there is something to compute: the last pieces of the
/// last tile may have nothing.
void emitIfAny(Emitter &emitter, mlir::Value rows, mlir::Value columns,
               llvm::function_ref<void()> body);

/// What the pieces of `range` have of `count` rows or columns from `first` on,
/// of which each piece has `size`: both values become those of the range.
void takePieces(Emitter &emitter, const PieceRange &range, int64_t size,
                mlir::Value &first, mlir::Value &count);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_PIECERUNS_H
