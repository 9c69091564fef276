// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Into how many independent pieces a body run by scalar loops can be cut.
#ifndef MPC_LIB_CODEGEN_CPU_LOOPUNITS_H
#define MPC_LIB_CODEGEN_CPU_LOOPUNITS_H

#include "dialects/Kernel/Body.h"

namespace mpc::cpu {

/// Extents of the leading dimensions of a `linalg.generic` that chunks are cut
/// along.
llvm::ArrayRef<int64_t> getChunkDims(const kernel::Statement &statement);

/// The number of independent pieces of a body run by loops; 1 if none.
int64_t countLoopUnits(kernel::FuncOp kernel, const kernel::Body &body);

/// The dimension of which vectors can do several indices at once: of one
/// statement, that along which its results are contiguous, and its operands
/// too, but for every second element left out. None where results are not each
/// written by its own iterations, straight to its destination.
std::optional<unsigned> findLaneDim(kernel::FuncOp kernel,
                                    const kernel::Body &body);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_LOOPUNITS_H
