// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The iteration space that several statements share, reshaped: neighbouring
/// dimensions that every operand walks as one are merged.
#ifndef MPC_DIALECTS_KERNEL_SPACE_H
#define MPC_DIALECTS_KERNEL_SPACE_H

#include "dialects/Kernel/Body.h"

namespace mpc::kernel {

/// Merges the mergeable ones among dimensions [from, to) of all `statements`,
/// which share these dimensions. Later dimensions move down.
void mergeDims(std::vector<Statement> &statements, unsigned from, unsigned to);

/// Merges dimensions `dim` and `dim + 1` of `statement`, whether or not its
/// operands walk them as one. Operands that do not get a quotient and a
/// remainder.
void mergeAlways(Statement &statement, unsigned dim);

/// Reorders the dimensions of `statement`: dimension d becomes order[d].
void permuteDims(Statement &statement, llvm::ArrayRef<unsigned> order);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_SPACE_H
