// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels of maps and reductions over one space, which run row by row.
#ifndef MPC_DIALECTS_KERNEL_ROWS_H
#define MPC_DIALECTS_KERNEL_ROWS_H

#include "dialects/Kernel/Stages.h"

namespace mpc::kernel {

/// A list of maps and reductions over one space: softmax, normalization, sums
/// over any axes. Outer dimensions come first, then those reduced over. `Row`
/// statements have all dimensions too.
struct Rows {
  std::vector<Statement> statements;
  llvm::SmallVector<StageKind> kinds;
  unsigned numOuter = 0;
  int64_t run = 1; ///< See Stages.
  /// See Stages.
  llvm::SmallVector<bool> followsReduced;
  bool byColumns = false;
};

/// The body of a kernel of kind Rows or Columns.
Rows getRows(const Body &body);

/// Merges neighbouring reduced dimensions, always, and then kept dimensions
/// that all operands walk as one. Merging the reduced ones may decide the order
/// of a sum, so it does not depend on what the reduction is fused with.
void mergeRows(Rows &rows);

/// The pass over the elements of a row in which each statement runs. A
/// statement of the row's own values runs after its pass.
struct RowPasses {
  llvm::SmallVector<int> levels; ///< The pass of each statement.
  int count = 0;
};
RowPasses getPasses(const Rows &rows);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_ROWS_H
