// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Dropout of attention's weights: the random bits of a row's keys, a whole run
/// of them at a time, and which keys they keep. On scalars and on vectors along
/// the keys.
#ifndef MPC_LIB_CODEGEN_CPU_ATTENTIONDROPOUT_H
#define MPC_LIB_CODEGEN_CPU_ATTENTIONDROPOUT_H

#include "dialects/Kernel/Attention.h"
#include "dialects/Kernel/Philox.h"
#include "lib/Codegen/CPU/AttentionScores.h"
#include "lib/Codegen/CPU/IndexMath.h"

namespace mpc::cpu {

/// What was drawn for keys of a row.
struct DrawnKeys {
  mlir::Value first; ///< The first key's place in memory; null for nothing.
};

class AttentionDropout {
public:
  using Value = mlir::Value;

  /// For up to `keys` keys of a row at a time.
  AttentionDropout(Emitter &emitter, kernel::AttentionOpInterface op,
                   LaneMath math, int64_t keys);

  /// Draws for `count` keys of a row, from that of `place` on. They count until
  /// the next ones are drawn. Without dropout it does nothing.
  DrawnKeys emitDraw(const ScorePlace &place, Value count);
  /// `value` where the key that is `number` keys behind the first one is kept,
  /// else 0; without dropout `value` itself.
  Value emitKept(Value value, const DrawnKeys &keys, Value number);
  /// `value` times what kept weights are multiplied by; without dropout `value`
  /// itself.
  Value emitScaled(Value value);

private:
  bool isActive() const { return static_cast<bool>(buffer_); }
  void loadKey();
  Value loadScalar(unsigned number);
  Value halfOf(Value wide, bool isUpper);
  /// Where a row's elements lie among those that share runs.
  struct RunPlace {
    Value row, column;
  };
  RunPlace placeOf(const ScorePlace &place);
  void emitRun(Value run, Value to);
  void emitLanes(Value counter, Value to);

  Emitter &emitter_;
  IndexMath index_;
  kernel::AttentionOpInterface op_;
  LaneMath math_;
  kernel::AttentionSizes sizes_;
  kernel::RandomRows rows_; ///< Of a tensor of scores.
  double kept_ = 1.0;       ///< The part of weights that is kept.
  /// Bits of a row's keys, in whole runs; null without dropout.
  Value buffer_;
  std::array<Value, 2> key_;
  Value stream_, step_, firstRow_; ///< The batch's first row, an index.
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ATTENTIONDROPOUT_H
