// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the statements of one pass over a row.
#include "lib/Codegen/CPU/RowValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

using Values = SmallVector<Value>;

SmallVector<Value> RowStatements::emitMap(const Statement &statement,
                                          ValueRange dims, LaneGroup &group,
                                          Lanes lanes) {
  Emitter &emitter = values_.emitter;
  Values arguments = values_.readArguments(statement, dims, group, lanes);
  Values indices =
      emitter.getIndices(statement, dims, values_.plan.along, lanes);
  return emitter.emitRegion(statement.generic(), arguments, indices, lanes);
}

/// The sums of a run so far, and a vector of elements.
SmallVector<Value> RowStatements::emitPartial(const Statement &statement,
                                              ValueRange dims, LaneGroup &group,
                                              Lanes lanes) {
  Emitter &emitter = values_.emitter;
  Values arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(values_.read(input, dims, group, lanes));
  llvm::append_range(arguments, values_.readSums(statement, dims, lanes));
  Values indices =
      emitter.getIndices(statement, dims, values_.plan.along, lanes);
  return emitter.emitRegion(statement.generic(), arguments, indices, lanes);
}

/// Adds a vector of elements to `sums`, one for each output. The sums in lanes
/// beyond the row's end stay unchanged.
SmallVector<Value> RowStatements::emitSum(const Statement &statement,
                                          ValueRange dims, LaneGroup &group,
                                          Lanes lanes, ValueRange sums) {
  Emitter &emitter = values_.emitter;
  const RowPlan &plan = values_.plan;
  Values arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(values_.read(input, dims, group, lanes));
  llvm::append_range(arguments, sums);
  Values indices = emitter.getIndices(statement, dims, plan.along, lanes);
  Values next =
      emitter.emitRegion(statement.generic(), arguments, indices, lanes);
  for (auto [out, value] : llvm::enumerate(next)) {
    value = emitter.broadcast(value, lanes);
    if (lanes.isPartial() && !plan.isColumns)
      value =
          arith::SelectOp::create(emitter.builder, emitter.loc,
                                  emitter.createMask(lanes), value, sums[out]);
  }
  return next;
}

SmallVector<Value> RowStatements::emitElements(ValueRange dims,
                                               LaneGroup &group, Lanes lanes,
                                               ValueRange sums) {
  values_.clearElements();
  Values next;
  SmallVector<const Statement *> maps;
  for (auto [number, statement] : llvm::enumerate(values_.statements)) {
    StageKind kind = values_.plan.rows.kinds[number];
    if (kind == StageKind::Row || !values_.plan.runsIn(number, pass_))
      continue;
    if (kind == StageKind::Reduction) {
      ValueRange own = sums.slice(next.size(), statement.outputs.size());
      next.append(emitSum(statement, dims, group, lanes, own));
      continue;
    }
    if (values_.plan.passes.levels[number] == pass_)
      maps.push_back(&statement);
    Values results = kind == StageKind::Partial
                         ? emitPartial(statement, dims, group, lanes)
                         : emitMap(statement, dims, group, lanes);
    for (auto [result, value] : llvm::zip(statement.op->getResults(), results))
      values_.setElement(result, value);
  }
  for (const Statement *statement : maps)
    values_.storeElements(*statement, dims, group, lanes);
  return next;
}

void RowStatements::emitRow(ValueRange outer, LaneGroup &group) {
  Values dims = values_.getDims(outer);
  for (auto [number, statement] : llvm::enumerate(values_.statements)) {
    if (values_.plan.rows.kinds[number] != StageKind::Row ||
        values_.plan.passes.levels[number] != pass_)
      continue;
    Values results =
        emitMap(statement, dims, group, values_.getRowLanes(group));
    for (auto [out, value] : llvm::enumerate(results))
      values_.setRow(statement.op->getResult(out), value,
                     statement.outputs[out].index, outer, group);
  }
}
