// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a scatter is cut: into blocks of rows and columns, each of which goes
/// through all indices by itself.
#ifndef MPC_LIB_CODEGEN_CPU_SCATTERPLAN_H
#define MPC_LIB_CODEGEN_CPU_SCATTERPLAN_H

#include "dialects/Kernel/Body.h"
#include "lib/Codegen/CPU/CPUDialect.h"

namespace mpc::cpu {

/// The sizes of a kernel.scatter.
struct ScatterSpace {
  int64_t outer;
  int64_t count; ///< Of indices.
  int64_t inner; ///< Of columns.
  int64_t size;  ///< Of places.
};
ScatterSpace spaceOf(kernel::ScatterOp scatter);

/// How a scatter is cut into units.
struct ScatterBlocks {
  /// Those that `scatter` should have.
  ScatterBlocks(kernel::ScatterOp scatter, int64_t lanes);
  ScatterBlocks(kernel::ScatterOp scatter, ScatterAttr schedule);

  /// The outer slices, blocks of rows and blocks of columns.
  llvm::SmallVector<int64_t, 3> unitExtents() const;
  int64_t countUnits() const;
  bool hasAllRows() const { return rows >= space.size; }
  bool hasAllColumns() const { return columns >= space.inner; }

  ScatterSpace space;
  int64_t rows = 1, columns = 1; ///< Of a unit.
};

/// The scatter that is the only statement of a kernel and lies in its only
/// destination; null for any other body.
kernel::ScatterOp findScatter(kernel::FuncOp kernel, const kernel::Body &body);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SCATTERPLAN_H
