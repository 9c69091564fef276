// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the emitters of attention, forward and backward, have in common.
#ifndef MPC_LIB_CODEGEN_CPU_ATTENTIONEMITTER_H
#define MPC_LIB_CODEGEN_CPU_ATTENTIONEMITTER_H

#include "lib/Codegen/CPU/AttentionBlocks.h"
#include "lib/Codegen/CPU/AttentionDropout.h"
#include "lib/Codegen/CPU/AttentionRows.h"
#include "lib/Codegen/CPU/AttentionScores.h"

namespace mpc::cpu {

class AttentionEmitter {
protected:
  using Value = mlir::Value;

  AttentionEmitter(Emitter &emitter, kernel::AttentionOpInterface op,
                   AttentionAttr schedule);

  /// Queries or keys of a block.
  struct Range {
    Value first, count;
  };
  Value endOf(const Range &range) {
    return math_.add(range.first, range.count);
  }
  /// The block of up to `block` of `size` rows that begins at `first`.
  Range blockAt(Value first, int64_t block, int64_t size);
  Value groupsOf(const Range &rows) { return math_.ceilDiv(rows.count, mr_); }

  /// The product of rows of queries and a block of keys, without the
  /// micro-tiles in which no query sees a key.
  BlockProduct scoresOf(const Range &rows, const Range &keys);
  /// The keys of a block, from its first on, that a group of rows sees in all.
  Value keysOfGroup(const Range &rows, const Range &keys, Value group);
  /// The vectors of scores' tiles.
  VectorRows rowsOf(const Tiles &tiles, int64_t elements) {
    return {emitter_, lanes_, tiles, {nr_, elements}};
  }
  /// `value`, of f32, as a factor of the unit, at `place` of `buffer`.
  void storeFactor(Value value, Value buffer, Value place);

  Emitter &emitter_;
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  IndexMath math_;
  kernel::AttentionSizes sizes_;
  LaneMath lanes_, one_; ///< Of vectors and of scalars.
  Unit unit_;
  AttentionBlocks blocks_;
  AttentionScores scores_;
  AttentionDropout dropout_;
  int64_t width_;          ///< Of a vector.
  int64_t mr_, nr_;        ///< Rows and columns of a micro-tile.
  int64_t queries_, keys_; ///< Of a block.
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ATTENTIONEMITTER_H
