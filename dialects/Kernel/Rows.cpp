// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form of a list of maps and reductions in which it is emitted.
#include "dialects/Kernel/Rows.h"

#include "dialects/Kernel/Space.h"

using namespace mlir;
using namespace mpc::kernel;

Rows mpc::kernel::getRows(const Body &body) {
  Stages stages = *getStages(body);
  Rows rows;
  for (Stage &stage : stages.list) {
    rows.statements.push_back(std::move(stage.statement));
    rows.kinds.push_back(stage.kind);
  }
  rows.numOuter = stages.numOuter;
  rows.run = stages.run;
  rows.byColumns = stages.goesByColumns();
  rows.followsReduced = std::move(stages.followsReduced);
  return rows;
}

/// Merges neighbouring reduced dimensions. Merging and the direction of vectors
/// fix the order of sums. Both follow from shape and axes alone, so that fusing
/// does not change the bits of a reduction.
static void mergeReduced(Rows &rows) {
  for (unsigned inner = rows.followsReduced.size(); inner-- > 1;)
    if (rows.followsReduced[inner])
      for (Statement &statement : rows.statements)
        mergeAlways(statement, rows.numOuter + inner - 1);
}

void mpc::kernel::mergeRows(Rows &rows) {
  mergeReduced(rows);
  unsigned inner = rows.statements.front().numDims() - rows.numOuter;
  mergeDims(rows.statements, 0, rows.numOuter);
  rows.numOuter = rows.statements.front().numDims() - inner;
}
