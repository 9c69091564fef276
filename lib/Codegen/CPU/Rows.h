// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How maps and reductions over one space run: in which direction vectors go,
/// and in which pass over a row each statement comes.
#ifndef MPC_LIB_CODEGEN_CPU_ROWS_H
#define MPC_LIB_CODEGEN_CPU_ROWS_H

#include "dialects/Kernel/Space.h"
#include "lib/Codegen/CPU/Chains.h"

namespace mpc::cpu {

/// Vectors next to each other that one unit of columns has: for 8 lanes of f32
/// two cache lines, so that what is fetched is used.
inline constexpr int64_t kColumnVectors = 4;

struct RowPlan {
  RowPlan(kernel::Rows rows, int64_t lanes);

  /// Independent pieces: rows, or blocks of columns.
  int64_t countUnits() const;
  llvm::SmallVector<int64_t> unitExtents() const;

  kernel::Rows rows; ///< Dimensions merged and reordered.
  int64_t lanes;
  /// The dimension that vectors go along. For rows it is the last one, which
  /// is reduced; for columns the last of the outer ones.
  unsigned along = 0;
  bool isColumns = false;
  kernel::RowPasses passes;
  /// Chains of the dimensions reduced over; along vectors counts of whole
  /// vectors.
  llvm::SmallVector<Chains> cuts;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ROWS_H
