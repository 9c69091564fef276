// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The iteration space that several statements share, reshaped: neighbouring
/// dimensions that every operand walks as one are merged.
#ifndef MPC_DIALECTS_KERNEL_SPACE_H
#define MPC_DIALECTS_KERNEL_SPACE_H

#include "dialects/Kernel/Classify.h"

namespace mpc::kernel {

/// Merges what can be merged among dimensions [from, to) of all `statements`,
/// which have these dimensions in common; later dimensions move down.
void mergeDims(std::vector<Statement> &statements, unsigned from, unsigned to);

/// Merges dimensions `dim` and `dim + 1` of `statement`, whether or not its
/// operands walk them as one; those that do not get a quotient and a rest.
void mergeAlways(Statement &statement, unsigned dim);

/// Reorders the dimensions of `statement`: dimension d becomes order[d].
void permuteDims(Statement &statement, llvm::ArrayRef<unsigned> order);

/// Merges neighbouring reduced dimensions, always, and then kept ones that
/// everything walks as one. What a reduction is fused with does not change the
/// former, which may decide the order of its sum.
void mergeRows(Rows &rows);

/// In which pass over the elements of a row each statement comes; a statement
/// of the row's own values follows its pass.
struct RowPasses {
  llvm::SmallVector<int> levels; ///< Of each statement.
  int count = 0;
};
RowPasses getPasses(const Rows &rows);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_SPACE_H
