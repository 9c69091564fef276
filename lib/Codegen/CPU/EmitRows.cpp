// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.rows and #cpu.columns: maps and reductions over one space. They run one
// row, or one block of columns, at a time.
//
// A row is computed in passes over its elements. A statement that needs the
// value of a reduction runs in a later pass than the reduction.
//
// Rows of a run add their elements to the same partial sums, which lie where
// the kernel returns them.
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/RowValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

using Values = SmallVector<Value>;

/// Emits a row, or a block of columns, at `outer`.
static void emitGroups(RowValues &values, ValueRange outer,
                       MutableArrayRef<LaneGroup> groups) {
  values.hoistLoads(outer);
  for (LaneGroup &group : groups)
    values.allocate(group);
  for (LaneGroup &group : groups)
    RowStatements(values, /*pass=*/-1)
        .emitRow(values.getOuter(outer, group), group);
  for (int pass = 0; pass < values.plan.passes.count; ++pass)
    emitPass(values, pass, outer, groups);
}

/// The groups of a block of columns in which `count` columns exist.
static SmallVector<LaneGroup> makeGroups(int64_t count, int64_t lanes) {
  SmallVector<LaneGroup> groups;
  for (int64_t offset = 0; offset < count; offset += lanes) {
    LaneGroup group;
    group.lanes = {lanes, std::min(lanes, count - offset)};
    group.offset = offset;
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Emits a block of columns. Its number is the last of `outer`, and the last
/// block may be smaller than the others.
static void emitColumns(RowValues &values, Values outer) {
  OpBuilder &builder = values.emitter.builder;
  Location loc = values.emitter.loc;
  const RowPlan &plan = values.plan;
  int64_t columns = values.statements.front().extents[plan.along];
  int64_t block = kColumnVectors * plan.lanes;
  int64_t whole = columns / block, tail = columns % block;
  Value isWhole =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                            outer.back(), values.emitter.constantIndex(whole));
  outer.back() = arith::MulIOp::create(builder, loc, outer.back(),
                                       values.emitter.constantIndex(block));
  auto emitBlock = [&](Block *target, int64_t count) {
    OpBuilder::InsertionGuard guard(builder);
    if (target)
      builder.setInsertionPointToStart(target);
    SmallVector<LaneGroup> groups = makeGroups(count, plan.lanes);
    emitGroups(values, outer, groups);
  };
  if (whole == 0 || tail == 0)
    return emitBlock(nullptr, whole == 0 ? tail : block);
  auto branch =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  emitBlock(branch.thenBlock(), block);
  emitBlock(branch.elseBlock(), tail);
}

/// Emits rows that share partial sums. The number of the run is the last of
/// `outer`.
static void emitRun(RowValues &values, Values outer) {
  Emitter &emitter = values.emitter;
  IndexMath math(emitter);
  int64_t run = values.plan.rows.run;
  Value first = math.mul(outer.back(), run);
  outer.back() = first;
  values.startPartials(outer);
  emitter.emitLoop(first, math.add(first, run), 1, [&](Value row) {
    outer.back() = row;
    LaneGroup own;
    emitGroups(values, outer, own);
  });
}

static void emitUnit(RowValues &values, Value unit) {
  Values outer = values.emitter.delinearize(unit, values.plan.unitExtents());
  if (values.plan.isColumns)
    return emitColumns(values, outer);
  if (values.plan.rows.run > 1)
    return emitRun(values, outer);
  LaneGroup group;
  emitGroups(values, outer, group);
}

void mpc::cpu::emitRows(Emitter &emitter, const Body &body, int64_t chunks,
                        int64_t lanes) {
  RowPlan plan(getRows(body), lanes);
  emitter.hasWholeVectors = true;
  RowValues values(emitter, body, plan);
  int64_t units = plan.countUnits();
  Value from = emitter.chunkStart(emitter.begin, units, chunks);
  Value to = emitter.chunkStart(emitter.end, units, chunks);
  emitter.emitLoop(from, to, 1, [&](Value unit) { emitUnit(values, unit); });
}
