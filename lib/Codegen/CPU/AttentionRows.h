// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Rows of tiles, a vector at a time, and the results of attention in memory.
#ifndef MPC_LIB_CODEGEN_CPU_ATTENTIONROWS_H
#define MPC_LIB_CODEGEN_CPU_ATTENTIONROWS_H

#include "lib/Codegen/CPU/AttentionBlocks.h"
#include "lib/Codegen/CPU/LaneMath.h"

namespace mpc::cpu {

/// The rows of tiles as vectors.
class VectorRows {
public:
  /// The columns of a panel, and those of the tiles that count.
  struct Shape {
    int64_t columns, elements;
  };
  VectorRows(Emitter &emitter, LaneMath math, const Tiles &tiles, Shape shape)
      : emitter_(emitter), math_(math), tiles_(tiles), shape_(shape) {}

  const LaneMath &math() const { return math_; }
  const Shape &shape() const { return shape_; }
  /// The place of a row in a panel, for load() and store().
  mlir::Value at(mlir::Value row, mlir::Value panel) const;
  /// Vector `number` of the panel's row at `place`.
  mlir::Value load(mlir::Value place, int64_t number) const;
  void store(mlir::Value value, mlir::Value place, int64_t number) const;

private:
  Emitter &emitter_;
  LaneMath math_;
  Tiles tiles_;
  Shape shape_;
};

/// A result of kernel.attention or its gradient, in its destination.
class RowResult {
public:
  RowResult(Emitter &emitter, kernel::AttentionOpInterface op, unsigned result);

  /// Whether the kernel returns it. If not, nothing is stored.
  bool isWanted() const { return static_cast<bool>(access_.tensor); }
  /// Rounds and stores the number of a row.
  void storeNumber(mlir::Value value, mlir::ValueRange dims) const;
  /// Rounds and stores what `finish` makes of each vector of `row`, the row of
  /// batch, head and number `dims`.
  void storeRow(const VectorRows &rows, mlir::Value row, mlir::ValueRange dims,
                llvm::function_ref<mlir::Value(mlir::Value)> finish) const;

private:
  Emitter &emitter_;
  kernel::Access access_;
  mlir::Type element_;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ATTENTIONROWS_H
