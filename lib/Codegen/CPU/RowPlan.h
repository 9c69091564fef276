// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How maps and reductions over one space run: the direction of vectors, and
/// the pass over a row in which each statement runs.
#ifndef MPC_LIB_CODEGEN_CPU_ROWPLAN_H
#define MPC_LIB_CODEGEN_CPU_ROWPLAN_H

#include "dialects/Kernel/Rows.h"
#include "lib/Codegen/CPU/Chains.h"

namespace mpc::cpu {

/// The number of neighbouring vectors in one unit of columns: for 8 lanes of
/// f32 two cache lines, so that fetched lines are used whole.
inline constexpr int64_t kColumnVectors = 4;

struct RowPlan {
  RowPlan(kernel::Rows rows, int64_t lanes);

  /// The number of independent pieces: rows, or blocks of columns.
  int64_t countUnits() const;
  llvm::SmallVector<int64_t> unitExtents() const;
  /// The numbers of the statements that are reductions of `pass`.
  llvm::SmallVector<unsigned> reductionsOf(int pass) const;
  /// Whether a statement of a later pass than `pass` reads `value`.
  bool isNeededLater(mlir::Value value, int pass) const;

  kernel::Rows rows; ///< The rows, with dimensions merged and reordered.
  int64_t lanes;
  /// The dimension along which vectors run. For rows it is the last one, which
  /// is reduced; for columns it is the last of the outer ones.
  unsigned along = 0;
  bool isColumns = false;
  kernel::RowPasses passes;
  /// The chains of the reduced dimensions; where vectors run along them, in
  /// whole vectors.
  llvm::SmallVector<Chains> cuts;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ROWPLAN_H
