// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels of maps and reductions over one space, which run row by row.
#ifndef MPC_DIALECTS_KERNEL_ROWS_H
#define MPC_DIALECTS_KERNEL_ROWS_H

#include "dialects/Kernel/Body.h"

namespace mpc::kernel {

/// The role of a statement in a kernel whose reductions all go over the same
/// dimensions.
enum class Role {
  Map,    ///< One value for each element of the whole space.
  Reduce, ///< One value for each row, from all elements of the row.
  Row,    ///< One value for each row, from other values of the row.
};

/// A DAG of maps and reductions over one space: softmax, normalization, sums
/// over any axes. Dimensions are reordered: the `numOuter` parallel ones come
/// first, then those reduced over. `Row` statements have all dimensions too.
struct Rows {
  std::vector<Statement> statements;
  llvm::SmallVector<Role> roles;
  unsigned numOuter = 0;
  /// For each reduced dimension, whether the dimension before it in the
  /// original order is reduced too; and whether the last dimension of all is.
  llvm::SmallVector<bool> followsReduced;
  bool lastIsReduced = false;
  /// Whether vectors run along an axis that is kept. They do where the last
  /// axis is kept, or where a row has too few elements. This follows from shape
  /// and axes alone, since it fixes the order of sums.
  bool byColumns = false;
};

/// Reads a body as Rows, if it has that form: every reduction combines by one
/// associative op, and ends before its value is used.
std::optional<Rows> getRows(FuncOp kernel, const Body &body);

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
