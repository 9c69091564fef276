// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The number of independent pieces into which a body that scalar loops run can
/// be cut.
#ifndef MPC_LIB_CODEGEN_CPU_LOOPUNITS_H
#define MPC_LIB_CODEGEN_CPU_LOOPUNITS_H

#include "dialects/Kernel/Body.h"

namespace mpc::cpu {

/// The extents of the leading dimensions of a `linalg.generic`, along which
/// chunks are cut.
llvm::ArrayRef<int64_t> getChunkDims(const kernel::Statement &statement);

/// The independent pieces of an op without accesses: its lines; of a cumsum
/// that has neighbouring lines, as many of them as a block has elements.
int64_t countUnits(const kernel::Statement &statement);

/// The number of independent pieces of a body that loops run; 1 if it cannot be
/// cut.
int64_t countLoopUnits(kernel::FuncOp kernel, const kernel::Body &body);

/// The dimension of which vectors can compute several indices at once. The body
/// is one statement; its results are contiguous along the dimension, and so are
/// its operands, or every second element of them. Empty where the iterations of
/// a result do not write all its elements straight to its destination.
std::optional<unsigned> findLaneDim(kernel::FuncOp kernel,
                                    const kernel::Body &body);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_LOOPUNITS_H
