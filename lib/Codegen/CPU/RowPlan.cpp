// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The direction in which vectors go over a row.
#include "lib/Codegen/CPU/RowPlan.h"

#include "dialects/Kernel/Space.h"
#include "lib/Codegen/CPU/Emitter.h"
#include "lib/Codegen/CPU/Space.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
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
  findRepeats();
}

//===----------------------------------------------------------------------===//
// Maps that are computed again
//===----------------------------------------------------------------------===//

/// The scratch memory of a row that a core's first cache holds beside what the
/// row reads and writes. Values of a longer row go through the second cache,
/// which takes longer than a few operations.
static constexpr int64_t kMostScratchBytes = 16384;
/// The most operations of a map that is computed again, with those of the maps
/// that it reads.
static constexpr unsigned kMostOperations = 8;

bool RowPlan::isNeededLater(Value value, int pass) const {
  for (auto [number, statement] : llvm::enumerate(rows.statements))
    if (passes.levels[number] > pass &&
        llvm::is_contained(statement.op->getOperands(), value))
      return true;
  return false;
}

/// The bytes of the values that a later pass needs.
int64_t RowPlan::countScratchBytes() const {
  int64_t elements = 1, bytes = 0;
  for (int64_t extent :
       ArrayRef(rows.statements.front().extents).drop_front(rows.numOuter))
    elements *= extent;
  for (auto [number, statement] : llvm::enumerate(rows.statements))
    for (Value result : statement.op->getResults())
      if (rows.kinds[number] == StageKind::Map &&
          isNeededLater(result, passes.levels[number]))
        bytes += elements * getStorageBytes(getElementTypeOrSelf(result));
  return isColumns ? bytes * lanes * kColumnVectors : bytes;
}

/// The operations of a map; empty where one of them takes long.
static std::optional<unsigned> countOperations(const Statement &statement) {
  unsigned count = 0;
  for (Operation &op : statement.generic().getBody()->without_terminator()) {
    bool isFast =
        isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp,
            arith::ExtFOp, arith::MaximumFOp, arith::MinimumFOp, arith::NegFOp,
            arith::CmpFOp, arith::SelectOp, arith::ConstantOp>(op);
    if (!isFast)
      return std::nullopt;
    count += !isa<arith::ConstantOp>(op);
  }
  return count;
}

/// Whether a pass before the last one may overwrite what `statement` reads.
static bool readsOverwritten(const Rows &rows, const RowPasses &passes,
                             const Statement &statement) {
  auto kernel = cast<FuncOp>(statement.op->getParentOp());
  Body body{rows.statements};
  for (auto [result, value] : llvm::enumerate(kernel.getReturn().getValues())) {
    std::optional<Producer> producer = getProducer(value, body);
    bool isLast =
        producer && passes.levels[producer->statement] == passes.count - 1;
    for (const Access &input : statement.inputs)
      if (auto argument = dyn_cast<BlockArgument>(input.tensor);
          argument && !isLast &&
          kernel.mayAlias(argument.getArgNumber(), result))
        return true;
  }
  return false;
}

/// The maps that any later pass may compute again: of few operations on memory,
/// on values of the row and on other such maps.
llvm::SmallBitVector RowPlan::findRepeatable() const {
  Body body{rows.statements};
  llvm::SmallBitVector repeatable(rows.statements.size());
  SmallVector<unsigned> costs(rows.statements.size());
  for (auto [number, statement] : llvm::enumerate(rows.statements)) {
    if (rows.kinds[number] != StageKind::Map)
      continue;
    std::optional<unsigned> cost = countOperations(statement);
    if (!cost || readsOverwritten(rows, passes, statement))
      continue;
    bool readsRepeatable = true;
    for (const Access &input : statement.inputs) {
      std::optional<Producer> producer = getProducer(input.tensor, body);
      if (!producer || rows.kinds[producer->statement] != StageKind::Map)
        continue;
      readsRepeatable &= repeatable.test(producer->statement);
      *cost += costs[producer->statement];
    }
    costs[number] = *cost;
    if (readsRepeatable && *cost <= kMostOperations)
      repeatable.set(number);
  }
  return repeatable;
}

void RowPlan::findRepeats() {
  size_t count = rows.statements.size();
  repeats.assign(passes.count, llvm::SmallBitVector(count));
  if (countScratchBytes() <= kMostScratchBytes)
    return;
  Body body{rows.statements};
  llvm::SmallBitVector repeatable = findRepeatable();
  for (int pass = 0; pass < passes.count; ++pass)
    for (size_t reader = count; reader-- > 0;) {
      if (rows.kinds[reader] == StageKind::Row || !runsIn(reader, pass))
        continue;
      for (const Access &input : rows.statements[reader].inputs)
        if (std::optional<Producer> producer = getProducer(input.tensor, body);
            producer && passes.levels[producer->statement] < pass &&
            repeatable.test(producer->statement))
          repeats[pass].set(producer->statement);
    }
}

bool RowPlan::isKept(unsigned number, Value result) const {
  if (rows.kinds[number] != StageKind::Map)
    return false;
  for (auto [reader, statement] : llvm::enumerate(rows.statements))
    for (int pass = passes.levels[number] + 1; pass < passes.count; ++pass)
      if (rows.kinds[reader] != StageKind::Row && runsIn(reader, pass) &&
          !repeats[pass].test(number) &&
          llvm::is_contained(statement.op->getOperands(), result))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

int64_t RowPlan::countUnits() const {
  int64_t units = 1;
  for (int64_t extent : unitExtents())
    units *= extent;
  return units;
}

SmallVector<int64_t> RowPlan::unitExtents() const {
  ArrayRef<int64_t> extents = rows.statements.front().extents;
  SmallVector<int64_t> result(extents.take_front(rows.numOuter));
  if (rows.run > 1)
    result.back() /= rows.run;
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
