// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The iteration space that several statements share, reshaped for speed:
/// neighbouring dimensions that every operand walks as one are merged, and the
/// dimension that vectors go along comes last.
#ifndef MPC_LIB_CODEGEN_CPU_SPACE_H
#define MPC_LIB_CODEGEN_CPU_SPACE_H

#include "dialects/Kernel/Body.h"

namespace mpc::cpu {

/// Merges what can be merged among dimensions [from, to) of all `statements`,
/// which have these dimensions in common; later dimensions move down.
void mergeDims(std::vector<kernel::Statement> &statements, unsigned from,
               unsigned to);

/// Merges dimensions `dim` and `dim + 1` of `statement`, whether or not its
/// operands walk them as one; those that do not get a quotient and a rest.
void mergeAlways(kernel::Statement &statement, unsigned dim);

/// Moves dimension `dim` of all statements behind the others.
void moveDimLast(std::vector<kernel::Statement> &statements, unsigned dim);

/// Reorders the dimensions of `statement`: dimension d becomes order[d].
void permuteDims(kernel::Statement &statement, llvm::ArrayRef<unsigned> order);

/// The one of `candidates` that vectors of `lanes` should go along: where
/// operands are contiguous and few lanes are left over. The first, if equal.
unsigned chooseVectorDim(const std::vector<kernel::Statement> &statements,
                         int64_t lanes, llvm::ArrayRef<unsigned> candidates);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SPACE_H
