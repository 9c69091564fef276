// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The index space that the ops of one kernel share.
#ifndef MPC_PASSES_KERNEL_GROUPSPACE_H
#define MPC_PASSES_KERNEL_GROUPSPACE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mpc::kernel {

/// How the ops of a group share an index space. The kind of the resulting
/// kernel depends on its whole body: see kernel::kindOf.
enum class GroupSpace {
  Map,         ///< Elementwise ops over `shape`.
  Rows,        ///< Maps, and reductions over the last `inner` axes of `shape`.
  Contraction, ///< A contraction with result `shape`, then maps over `shape`.
  Other,       ///< One op that is not joined with others.
};

struct SharedSpace {
  GroupSpace kind = GroupSpace::Other;
  llvm::SmallVector<int64_t> shape;
  int64_t inner = 0;
};

/// Structured ops that become one kernel, in program order.
struct Group {
  SharedSpace space;
  llvm::SmallVector<mlir::Operation *> statements;
};

/// The space of a group of one op.
SharedSpace spaceOf(mlir::linalg::GenericOp op);

/// The space of both groups as one kernel; Other where they are two kernels.
/// They are one where they run over one space, and the consumer reads the
/// producer element by element or row by row.
SharedSpace joinedSpace(const Group &producer, const Group &consumer);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_GROUPSPACE_H
