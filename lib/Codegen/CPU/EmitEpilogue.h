// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The map on the result of a contraction, which its kernel computes too.
#ifndef MPC_LIB_CODEGEN_CPU_EMITEPILOGUE_H
#define MPC_LIB_CODEGEN_CPU_EMITEPILOGUE_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/IndexMath.h"

namespace mpc::cpu {

using EpilogueValues = llvm::DenseMap<mlir::Value, mlir::Value>;
/// Loads the value of an input of a step, by the numbers of both.
using LoadInput = llvm::function_ref<mlir::Value(size_t step, size_t input)>;

/// Computes all steps at some elements of a contraction's result. `values`
/// holds these elements, and then the results of steps. `load` is asked for
/// inputs that no step computes.
void emitSteps(Emitter &emitter, const kernel::Epilogue &epilogue, Lanes lanes,
               LoadInput load, EpilogueValues &values);

/// The part of a contraction's result that a chunk of #cpu.gemm computes.
struct ResultTile {
  mlir::Value batch;
  mlir::Value row, rows;       ///< The first row and the number of rows.
  mlir::Value column, columns; ///< The first column and the number of columns.
};

/// How panels of results lie in memory: rows of `width` columns.
struct PanelLayout {
  int64_t lanes, width;
  /// The factor to which the rows belong.
  unsigned rows;
  /// A number that divides the columns of every tile.
  int64_t granule;
  /// No panel has columns on both sides of a multiple of this number.
  int64_t line = 1;
};

/// A panel of a tile's results in memory.
struct ResultPanel {
  ResultTile tile;
  mlir::Value buffer;
  mlir::Value place; ///< The place of the first element.
  mlir::Value panel; ///< The panel's number in the tile.
};

/// Emits the map of a contraction on one panel of a tile, and stores its
/// results.
void emitEpilogue(Emitter &emitter, const kernel::Contraction &contraction,
                  const kernel::Epilogue &epilogue, const PanelLayout &layout,
                  const ResultPanel &panel);

/// Prefetches what emitEpilogue() will read and write for `count` rows of the
/// panel, from number `row` on.
void emitEpiloguePrefetch(Emitter &emitter,
                          const kernel::Contraction &contraction,
                          const kernel::Epilogue &epilogue,
                          const PanelLayout &layout, const ResultPanel &panel,
                          mlir::Value row, int64_t count);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_EMITEPILOGUE_H
