// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The direction in which vectors go over a row.
#include "lib/Codegen/CPU/RowPlan.h"

#include "dialects/Kernel/Space.h"
#include "lib/Codegen/CPU/Space.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

/// Moves the kept dimension that suits vectors best behind the other kept ones.
static void moveColumnsLast(Rows &rows, int64_t lanes) {
  SmallVector<unsigned> kept(llvm::reverse(llvm::seq(rows.numOuter)));
  unsigned along = chooseVectorDim(rows.statements, lanes, kept);
  for (Statement &statement : rows.statements) {
    SmallVector<unsigned> order =
        llvm::to_vector(llvm::seq(statement.numDims()));
    for (unsigned dim = along + 1; dim < rows.numOuter; ++dim)
      order[dim] = dim - 1;
    order[along] = rows.numOuter - 1;
    permuteDims(statement, order);
  }
}

RowPlan::RowPlan(Rows given, int64_t lanes)
    : rows(std::move(given)), lanes(lanes) {
  isColumns = rows.byColumns;
  mergeRows(rows);
  if (isColumns)
    moveColumnsLast(rows, lanes);
  along = isColumns ? rows.numOuter - 1 : rows.statements.front().numDims() - 1;
  passes = getPasses(rows);
  SmallVector<int64_t> reduced(
      ArrayRef(rows.statements.front().extents).drop_front(rows.numOuter));
  if (!isColumns)
    reduced.back() = std::max<int64_t>(reduced.back() / lanes, 1);
  cuts = getCascade(reduced);
}

int64_t RowPlan::countUnits() const {
  int64_t units = 1;
  for (int64_t extent : unitExtents())
    units *= extent;
  return units;
}

SmallVector<int64_t> RowPlan::unitExtents() const {
  ArrayRef<int64_t> extents = rows.statements.front().extents;
  SmallVector<int64_t> result(extents.take_front(rows.numOuter));
  if (isColumns)
    result.back() = llvm::divideCeil(result.back(), kColumnVectors * lanes);
  return result;
}

SmallVector<unsigned> RowPlan::reductionsOf(int pass) const {
  SmallVector<unsigned> result;
  for (unsigned number = 0; number < rows.statements.size(); ++number)
    if (rows.kinds[number] == StageKind::Reduction &&
        passes.levels[number] == pass)
      result.push_back(number);
  return result;
}

bool RowPlan::isNeededLater(Value value, int pass) const {
  for (auto [number, statement] : llvm::enumerate(rows.statements))
    if (passes.levels[number] > pass &&
        llvm::is_contained(statement.op->getOperands(), value))
      return true;
  return false;
}
