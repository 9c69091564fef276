// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a scatter is cut: into blocks of columns, each of which goes through all
/// indices by itself.
#ifndef MPC_LIB_CODEGEN_CPU_SCATTERPLAN_H
#define MPC_LIB_CODEGEN_CPU_SCATTERPLAN_H

#include "dialects/Kernel/Body.h"

namespace mpc::cpu {

/// The sizes of a kernel.scatter.
struct ScatterSpace {
  int64_t outer;
  int64_t count; ///< Of indices.
  int64_t inner; ///< Of columns.
  int64_t size;  ///< Of places.
};
ScatterSpace spaceOf(kernel::ScatterOp scatter);

/// The columns of a block: as many as leave enough blocks for all workers, and
/// whole vectors where there are any.
int64_t chooseScatterBlock(kernel::ScatterOp scatter, int64_t lanes);

/// The number of blocks of `block` columns.
int64_t countScatterUnits(kernel::ScatterOp scatter, int64_t block);

/// The scatter that is the only statement of a kernel and lies in its only
/// destination; null for any other body.
kernel::ScatterOp findScatter(kernel::FuncOp kernel, const kernel::Body &body);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SCATTERPLAN_H
