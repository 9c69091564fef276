// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is known while a contraction of windows is emitted, and the parts of
/// the emission.
#ifndef MPC_LIB_CODEGEN_CPU_WINDOWKERNEL_H
#define MPC_LIB_CODEGEN_CPU_WINDOWKERNEL_H

#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/MicroKernel.h"
#include "lib/Codegen/CPU/WindowPlan.h"

namespace mpc::cpu {

/// A kernel and its scratch memory.
struct WindowKernel {
  /// Allocates the scratch memory. All arguments must outlive this object.
  WindowKernel(Emitter &emitter, const kernel::Contraction &contraction,
               const kernel::Epilogue &epilogue, GemmAttr schedule);

  /// The number of positions along the last axis, and of the rows of results
  /// that they have: whole micro-tiles where these go along it.
  int64_t lineWidth() const { return windows.last().position.extent; }
  int64_t lineRows() const;
  /// The rows of results of the lines that a tile has of an image, and of a
  /// panel.
  int64_t imageRows() const;
  int64_t panelRows() const;

  Emitter &emitter;
  IndexMath math;
  const kernel::Contraction &contraction;
  const kernel::Epilogue &epilogue;
  GemmAttr schedule;
  Windows windows;
  int64_t depth; ///< The number of k in a step of the unit.
  WindowChains chains;
  WindowTile tile;
  WindowCopy copy;
  int64_t rows, columns; ///< Of a micro-tile.
  int64_t pieceColumns;  ///< Of a piece of a tile.
  int64_t numBlocks;     ///< Of taps of the first axis.

  /// The copy of the images; a micro-tile of zeros, and then results, panel by
  /// panel; some results of a panel, transposed.
  mlir::Value images, results, transposed;
  /// The panels of the weight.
  mlir::Value panels;
};

/// The part of the result that a chunk computes: positions of the first axis of
/// some images, and columns.
struct WindowPart {
  mlir::Value batch;
  mlir::Value image, images;   ///< The first image, and how many.
  mlir::Value line, lines;     ///< The first position of the first axis.
  mlir::Value column, columns; ///< The first column.
};

/// A micro-tile: the place of its first row in the copy and in the results, and
/// its position along each axis; null where it has several.
struct MicroTile {
  mlir::Value row, result;
  llvm::SmallVector<mlir::Value> positions;
};
using TileBody = llvm::function_ref<void(MicroTile)>;

/// Multiplies the windows of a block of taps of the first axis, from `tap` on,
/// by the panel `columns`, some chains at a time: `loopTiles` calls a body for
/// each micro-tile, to whose results they are added.
void emitWindowProducts(const WindowKernel &kernel, mlir::Value tap,
                        mlir::Value taps, MicroOperand columns,
                        llvm::function_ref<void(TileBody)> loopTiles);

/// Computes the map on the results of panel number `panel` of a part, which lie
/// from `place` on.
void emitWindowResults(const WindowKernel &kernel, const WindowPart &part,
                       mlir::Value panel, mlir::Value place);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_WINDOWKERNEL_H
