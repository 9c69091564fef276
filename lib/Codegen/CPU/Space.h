// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Chooses, for an iteration space that several statements share, the dimension
/// along which vectors run.
#ifndef MPC_LIB_CODEGEN_CPU_SPACE_H
#define MPC_LIB_CODEGEN_CPU_SPACE_H

#include "dialects/Kernel/Body.h"

namespace mpc::cpu {

/// Moves dimension `dim` of all statements behind the others.
void moveDimLast(std::vector<kernel::Statement> &statements, unsigned dim);

/// The candidate along which vectors of `lanes` should run: operands are
/// contiguous along it, and few lanes are left over. Of equal candidates it is
/// the first.
unsigned chooseVectorDim(const std::vector<kernel::Statement> &statements,
                         int64_t lanes, llvm::ArrayRef<unsigned> candidates);

/// The dimension along which inputs are contiguous that are not along the last
/// one, as those of a transposition; empty if there is none, or if blocks of
/// kBlockSide in both dimensions would not pay.
std::optional<unsigned>
findAcross(const std::vector<kernel::Statement> &statements);
inline constexpr int64_t kBlockSide = 8;
/// Whether `input` is contiguous along the last dimension but one, and not
/// along the last.
bool isTransposed(const kernel::Access &input, unsigned numDims);

/// The elements of an iteration along the last dimension, as vectors one after
/// another. Random bits of a run share blocks, which LLVM finds where one
/// iteration has the whole run.
int64_t chooseStep(llvm::ArrayRef<kernel::Statement> statements, int64_t lanes);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SPACE_H
