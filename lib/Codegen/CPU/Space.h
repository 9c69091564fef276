// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The dimension that vectors go along, of an iteration space that several
/// statements share.
#ifndef MPC_LIB_CODEGEN_CPU_SPACE_H
#define MPC_LIB_CODEGEN_CPU_SPACE_H

#include "dialects/Kernel/Body.h"

namespace mpc::cpu {

/// Moves dimension `dim` of all statements behind the others.
void moveDimLast(std::vector<kernel::Statement> &statements, unsigned dim);

/// The one of `candidates` that vectors of `lanes` should go along: where
/// operands are contiguous and few lanes are left over. The first, if equal.
unsigned chooseVectorDim(const std::vector<kernel::Statement> &statements,
                         int64_t lanes, llvm::ArrayRef<unsigned> candidates);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SPACE_H
