// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which direction vectors go over a row, and in which pass a statement
// comes.
#include "lib/Codegen/CPU/Rows.h"

#include "lib/Codegen/CPU/Space.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

/// Merges neighbouring reduced dimensions. That, and the direction of vectors,
/// fixes the order of sums: both are functions of shape and axes alone, so that
/// what a reduction is fused with does not change its bits.
static void mergeReduced(Rows &rows) {
  for (unsigned inner = rows.followsReduced.size(); inner-- > 1;)
    if (rows.followsReduced[inner])
      for (Statement &statement : rows.statements)
        mergeAlways(statement, rows.numOuter + inner - 1);
}

/// Makes the kept dimension that suits vectors best the last kept one.
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
  mergeReduced(rows);
  unsigned inner = rows.statements.front().numDims() - rows.numOuter;
  mergeDims(rows.statements, 0, rows.numOuter);
  rows.numOuter = rows.statements.front().numDims() - inner;
  if (isColumns)
    moveColumnsLast(rows, lanes);
  along = isColumns ? rows.numOuter - 1 : rows.statements.front().numDims() - 1;
  setLevels();
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

/// Whether `statement` reads an input that may lie where `result` is written.
static bool readsMemoryOf(const Statement &statement, FuncOp kernel,
                          unsigned result) {
  return llvm::any_of(statement.inputs, [&](const Access &input) {
    auto argument = dyn_cast<BlockArgument>(input.tensor);
    return argument && kernel.mayAlias(argument.getArgNumber(), result);
  });
}

// A destination may lie in the memory of an input that is read, in program
// order, no later than the destination is written. Passes keep that.
int RowPlan::getLeastWriteLevel(unsigned number) const {
  int least = -1;
  auto kernel = cast<FuncOp>(rows.statements[number].op->getParentOp());
  for (Value value : rows.statements[number].op->getResults())
    for (OpOperand &use : value.getUses()) {
      if (!isa<ReturnOp>(use.getOwner()))
        continue;
      for (unsigned earlier = 0; earlier < number; ++earlier)
        if (readsMemoryOf(rows.statements[earlier], kernel,
                          use.getOperandNumber()))
          least = std::max(least, levels[earlier] +
                                      (rows.roles[earlier] == Role::Row &&
                                       rows.roles[number] != Role::Row));
    }
  return least;
}

/// The pass of each statement; a Row statement follows its pass.
void RowPlan::setLevels() {
  Body body{rows.statements};
  for (auto [number, statement] : llvm::enumerate(rows.statements)) {
    bool isRow = rows.roles[number] == Role::Row;
    int level = isRow ? -1 : 0;
    auto need = [&](const Access &access, bool atRow) {
      std::optional<Producer> producer = getProducer(access.tensor, body);
      if (!producer)
        return;
      bool fromRow = rows.roles[producer->statement] != Role::Map;
      level =
          std::max(level, levels[producer->statement] + (fromRow && !atRow));
    };
    for (const Access &input : statement.inputs)
      need(input, isRow);
    // The first value of a sum is added after its pass, or before it begins
    // where lanes are columns.
    for (const Access &output : statement.outputs)
      need(output, isRow);
    level = std::max(level, getLeastWriteLevel(number));
    levels.push_back(level);
    passes = std::max(passes, level + 1);
  }
}
