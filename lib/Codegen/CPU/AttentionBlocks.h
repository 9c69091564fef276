// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Blocks of attention's products: packed factors, tiles of sums, and the
/// products of a block by the micro-kernel.
#ifndef MPC_LIB_CODEGEN_CPU_ATTENTIONBLOCKS_H
#define MPC_LIB_CODEGEN_CPU_ATTENTIONBLOCKS_H

#include "dialects/Kernel/Attention.h"
#include "lib/Codegen/CPU/Factor.h"
#include "lib/Codegen/CPU/MicroKernel.h"

namespace mpc::cpu {

/// A factor in groups of micro rows: one row after another, `rowStride` apart,
/// or (`panels`) the rows of a group step by step of k.
struct PackedRows {
  mlir::Value buffer;
  int64_t rowStride, groupStride;
  bool panels = false;
  mlir::Value offset = {}; ///< Of the first row; null for 0.
};

/// A factor in panels of micro columns.
struct PackedPanels {
  mlir::Value buffer;
  int64_t stride; ///< From one panel to the next.
};

/// Sums of f32 in panels of micro columns: `[panel][row][column]`.
struct Tiles {
  mlir::Value buffer;
  int64_t stride; ///< From one panel to the next.
};

using ValueRangePair = std::pair<mlir::Value, mlir::Value>;

/// A product of rows and columns, added to `result` or (not `adds`) written to
/// it. Counts are of groups of rows and of panels.
struct BlockProduct {
  PackedRows rows = {};
  mlir::Value groups;
  PackedPanels columns = {};
  mlir::Value firstColumn; ///< A multiple of the panel's width; null for 0.
  mlir::Value panels;
  mlir::Value firstK; ///< Of the columns; null for 0.
  Tiles result = {};
  mlir::Value firstRow; ///< Of the result, in rows; null for 0.
  mlir::Value k;        ///< The number of k.
  int64_t mostK = 0;    ///< The most that `k` can be.
  bool adds = false;
  /// The first group of a panel that is needed; all where empty.
  std::function<mlir::Value(mlir::Value)> firstGroup;
  /// The k of a group that are not zero; all where empty. A range may begin
  /// behind 0 only where `mostK` is one chain.
  std::function<ValueRangePair(mlir::Value)> range;
};

/// Packs and multiplies blocks as a schedule says.
class AttentionBlocks {
public:
  AttentionBlocks(Emitter &emitter, kernel::AttentionOpInterface op,
                  AttentionAttr schedule);

  int64_t microRows() const { return schedule_.getMicroRows(); }
  int64_t microColumns() const { return schedule_.getMicroColumns(); }
  /// The type that the unit multiplies.
  mlir::FloatType factorType() const { return factorType_; }

  /// Scratch memory.
  PackedRows allocateRows(int64_t rows, int64_t k);
  PackedRows allocateRowPanels(int64_t rows, int64_t k);
  PackedPanels allocatePanels(int64_t columns, int64_t k);
  Tiles allocateTiles(int64_t rows, int64_t columns);
  void emitZeros(const Tiles &tiles, int64_t columns);

  /// The rows (queries or keys) of an operand in one batch and head, which are
  /// multiplied along their elements, or (`alongRows`) along the rows.
  Factor getFactor(mlir::OpOperand &operand, mlir::Value batch,
                   mlir::Value head, bool alongRows);
  /// A block that lies in rows, multiplied along the rows: its columns are the
  /// rows of the product. `rows` is their number in all.
  Factor getTransposed(const PackedRows &block, int64_t rows, int64_t columns);

  /// Packs rows [first, first + count) of a factor; the last group is filled up
  /// with zeros.
  void packRows(const PackedRows &to, const Factor &factor, mlir::Value first,
                mlir::Value count);
  /// Packs columns [first, ..) and k [kFirst, ..) of a factor.
  struct Part {
    mlir::Value first, count, kFirst, kCount;
  };
  void packPanels(const PackedPanels &to, const Factor &factor,
                  const Part &part);
  /// Packs rows for a product along the other axis of where they lie.
  void packTransposed(const PackedRows &to, const Factor &factor,
                      mlir::Value columns, mlir::Value k);

  void emitProduct(const BlockProduct &product);

private:
  void emitGroup(const BlockProduct &product, mlir::Value panel,
                 mlir::Value group);
  /// A chain of a micro-tile: its group and panel, the first k and their
  /// number.
  struct Chain {
    mlir::Value group, panel, from, length;
  };
  void emitChain(const BlockProduct &product, const Chain &chain, bool adds);

  Emitter &emitter_;
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  IndexMath math_;
  kernel::AttentionOpInterface op_;
  AttentionAttr schedule_;
  mlir::FloatType factorType_;
  int64_t depth_;
  mlir::Value zeros_; ///< A micro-tile.
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ATTENTIONBLOCKS_H
