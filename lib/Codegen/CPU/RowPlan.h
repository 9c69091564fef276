// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How maps and reductions over one space run: the direction of vectors, and
/// the passes over a row in which each statement runs.
#ifndef MPC_LIB_CODEGEN_CPU_ROWPLAN_H
#define MPC_LIB_CODEGEN_CPU_ROWPLAN_H

#include "dialects/Kernel/Rows.h"
#include "lib/Codegen/CPU/Chains.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mpc::cpu {

/// The number of neighbouring vectors in one unit of columns: for 8 lanes of
/// f32 two cache lines, so that fetched lines are used whole.
inline constexpr int64_t kColumnVectors = 4;

struct RowPlan {
  RowPlan(kernel::Rows rows, int64_t lanes);

  /// The number of independent pieces: rows, runs of rows, or blocks of
  /// columns.
  int64_t countUnits() const;
  llvm::SmallVector<int64_t> unitExtents() const;
  /// The numbers of the statements that are reductions of `pass`.
  llvm::SmallVector<unsigned> reductionsOf(int pass) const;
  /// Whether a later pass reads values of map `number` from memory.
  bool isKept(unsigned number, mlir::Value result) const;
  /// Whether `pass` computes statement `number`: its own, or one that computes
  /// a map again.
  bool runsIn(unsigned number, int pass) const {
    return passes.levels[number] == pass || repeats[pass].test(number);
  }

  kernel::Rows rows; ///< The rows, with dimensions merged and reordered.
  int64_t lanes;
  /// The dimension along which vectors run. For rows it is the last one, which
  /// is reduced; for columns it is the last of the outer ones.
  unsigned along = 0;
  bool isColumns = false;
  kernel::RowPasses passes;
  /// For each pass the maps of earlier ones that it computes again.
  llvm::SmallVector<llvm::SmallBitVector> repeats;
  /// The chains of the reduced dimensions; where vectors run along them, in
  /// whole vectors.
  llvm::SmallVector<Chains> cuts;

private:
  bool isNeededLater(mlir::Value value, int pass) const;
  int64_t countScratchBytes() const;
  llvm::SmallBitVector findRepeatable() const;
  void findRepeats();
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ROWPLAN_H
