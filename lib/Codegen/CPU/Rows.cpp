// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.rows and #cpu.columns: maps and reductions over one space, one
// row, or a block of columns, at a time.
//
// A row is done in passes over its elements: a statement that needs the value
// of a reduction comes in a later pass than that. Values of elements that a
// later pass needs lie in scratch memory, those of rows in registers.
#include "lib/Codegen/CPU/Rows.h"

#include "lib/Codegen/CPU/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

/// Lanes that are done together. For rows there is one group, its values of
/// rows are scalars; for columns a unit has several, their values are vectors.
struct Group {
  Lanes lanes;
  int64_t offset = 0;
  DenseMap<Value, Value> rowValues;
  DenseMap<Value, Value> buffers; ///< Scratch memory for later passes.
};

class RowEmitter {
public:
  RowEmitter(Emitter &emitter, const Body &body, RowPlan plan)
      : emitter(emitter), builder(emitter.builder), plan(std::move(plan)),
        body(body), statements(this->plan.rows.statements) {}
  void emit(int64_t chunks);

private:
  using Values = SmallVector<Value>;

  void emitUnit(Value unit);
  void emitGroups(ValueRange outer, MutableArrayRef<Group> groups);
  void emitPass(int pass, ValueRange outer, MutableArrayRef<Group> groups);
  void emitRowStatements(int pass, ValueRange outer, Group &group);
  Values emitInner(int pass, Values dims, MutableArrayRef<Group> groups,
                   Values sums);
  Values emitLine(int pass, Values dims, Group &group, Values sums);
  Values emitBody(int pass, ValueRange dims, MutableArrayRef<Group> groups,
                  ValueRange sums);
  Values emitElements(int pass, ValueRange dims, Group &group, Lanes lanes,
                      ValueRange sums);
  void storeElements(const Statement &statement, unsigned number,
                     ValueRange dims, Group &group, Lanes lanes);
  Value read(const Access &access, ValueRange dims, Group &group, Lanes lanes);
  Value readFirst(const Access &output, ValueRange outer, Group &group);
  Value getNeutral(const Statement &statement, unsigned output, Lanes lanes);
  Value reduceLanes(Operation *combiner, Value sums);
  Value combine(Operation *combiner, Value lhs, Value rhs);
  void finishSums(int pass, ValueRange outer, Group &group, ValueRange sums);
  void storeRow(Value result, AffineExpr index, ValueRange outer, Group &group);
  void hoistLoads(ValueRange outer);
  bool isNeededLater(Value value, int pass);
  AffineExpr getScratchIndex(const Group &group);
  SmallVector<unsigned> getReductions(int pass) const;
  Values getDims(ValueRange outer) {
    Values dims(outer);
    dims.resize(statements.front().numDims(), emitter.constantIndex(0));
    return dims;
  }

  Emitter &emitter;
  OpBuilder &builder;
  RowPlan plan;
  const Body &body;
  std::vector<Statement> &statements;
  DenseMap<std::pair<Value, AffineExpr>, Value> hoisted;
  DenseMap<Value, Value> forwarded; ///< Values of the current elements.
  Value column;                     ///< First of the unit's block, for columns.
};

} // namespace

SmallVector<unsigned> RowEmitter::getReductions(int pass) const {
  SmallVector<unsigned> result;
  for (unsigned number = 0; number < statements.size(); ++number)
    if (plan.rows.roles[number] == Role::Reduce && plan.levels[number] == pass)
      result.push_back(number);
  return result;
}

bool RowEmitter::isNeededLater(Value value, int pass) {
  for (auto [number, statement] : llvm::enumerate(statements))
    if (plan.levels[number] > pass &&
        llvm::is_contained(statement.op->getOperands(), value))
      return true;
  return false;
}

/// Where an element of the row lies in scratch memory.
AffineExpr RowEmitter::getScratchIndex(const Group &group) {
  ArrayRef<int64_t> extents = statements.front().extents;
  MLIRContext *context = builder.getContext();
  AffineExpr index = getAffineConstantExpr(0, context);
  for (unsigned dim = plan.rows.numOuter; dim < extents.size(); ++dim)
    index = index * extents[dim] + getAffineDimExpr(dim, context);
  return plan.isColumns ? index * group.lanes.width : index;
}

/// Loads what the whole row shares ahead of its loops.
void RowEmitter::hoistLoads(ValueRange outer) {
  hoisted.clear();
  Values dims = getDims(outer);
  for (const Statement &statement : statements)
    for (const Access &input : statement.inputs) {
      bool shared = !getProducer(input.tensor, body);
      for (unsigned dim = plan.rows.numOuter; dim < dims.size(); ++dim)
        shared &= !input.index.isFunctionOfDim(dim);
      if (shared &&
          !(plan.isColumns && input.index.isFunctionOfDim(plan.along)))
        hoisted[{input.tensor, input.index}] =
            emitter.load(input.tensor, emitter.evaluate(input.index, dims));
    }
}

Value RowEmitter::read(const Access &access, ValueRange dims, Group &group,
                       Lanes lanes) {
  if (Value value = group.rowValues.lookup(access.tensor))
    return value;
  if (Value value = forwarded.lookup(access.tensor))
    return value;
  if (Value value = hoisted.lookup({access.tensor, access.index}))
    return value;
  if (Value buffer = group.buffers.lookup(access.tensor)) {
    emitter.setBuffer(access.tensor, buffer);
    AffineExpr index = getScratchIndex(group);
    if (!plan.isColumns)
      return emitter.loadLanes({access.tensor, index}, dims, plan.along, lanes);
    Values shifted(dims);
    shifted[plan.along] = emitter.constantIndex(0);
    AffineExpr lane = getAffineDimExpr(plan.along, builder.getContext());
    return emitter.loadLanes({access.tensor, index + lane}, shifted, plan.along,
                             {lanes.width, lanes.width});
  }
  return emitter.loadLanes(access, dims, plan.along, lanes);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `combiner` on other values; a fused multiply-add combines by addition.
Value RowEmitter::combine(Operation *combiner, Value lhs, Value rhs) {
  if (isa<math::FmaOp>(combiner))
    return arith::AddFOp::create(builder, emitter.loc, lhs, rhs);
  OperationState state(emitter.loc, combiner->getName().getIdentifier(),
                       {lhs, rhs}, {lhs.getType()}, combiner->getAttrs());
  return builder.create(state)->getResult(0);
}

Value RowEmitter::getNeutral(const Statement &statement, unsigned output,
                             Lanes lanes) {
  Operation *combiner = getCombiner(statement, output);
  Type type = combiner->getResult(0).getType();
  TypedAttr neutral = builder.getZeroAttr(type);
  if (!isa<math::FmaOp>(combiner))
    if (std::optional<TypedAttr> known = arith::getNeutralElement(combiner))
      neutral = *known;
  return emitter.broadcast(
      arith::ConstantOp::create(builder, emitter.loc, neutral), lanes);
}

/// Combines lanes pairwise: lane l with lane l + width / 2, and so on.
Value RowEmitter::reduceLanes(Operation *combiner, Value sums) {
  for (int64_t half = plan.lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(lane + half);
    }
    Value first =
        vector::ShuffleOp::create(builder, emitter.loc, sums, sums, low);
    Value second =
        vector::ShuffleOp::create(builder, emitter.loc, sums, sums, high);
    sums = combine(combiner, first, second);
  }
  return vector::ExtractOp::create(builder, emitter.loc, sums, 0);
}

/// What a sum starts from.
Value RowEmitter::readFirst(const Access &output, ValueRange outer,
                            Group &group) {
  Lanes lanes = plan.isColumns ? group.lanes : Lanes{};
  return emitter.broadcast(read(output, getDims(outer), group, lanes), lanes);
}

/// Makes row values of the sums of `pass`.
void RowEmitter::finishSums(int pass, ValueRange outer, Group &group,
                            ValueRange sums) {
  unsigned next = 0;
  for (unsigned number : getReductions(pass))
    for (auto [out, output] : llvm::enumerate(statements[number].outputs)) {
      Value sum = sums[next++];
      if (!plan.isColumns) {
        Operation *combiner = getCombiner(statements[number], out);
        Value first = readFirst(output, outer, group);
        sum = combine(combiner, first, reduceLanes(combiner, sum));
      }
      Value result = statements[number].op->getResult(out);
      group.rowValues[result] = sum;
      storeRow(result, output.index, outer, group);
    }
}

//===----------------------------------------------------------------------===//
// Values of rows
//===----------------------------------------------------------------------===//

/// Stores a row's value where it is returned.
void RowEmitter::storeRow(Value result, AffineExpr index, ValueRange outer,
                          Group &group) {
  OperandRange returned = emitter.kernel.getReturn().getValues();
  Lanes lanes = plan.isColumns ? group.lanes : Lanes{};
  for (auto [position, value] : llvm::enumerate(returned))
    if (value == result)
      emitter.storeLanes(group.rowValues[result],
                         {emitter.kernel.getDestination(position), index},
                         getDims(outer), plan.along, lanes);
}

void RowEmitter::emitRowStatements(int pass, ValueRange outer, Group &group) {
  Lanes lanes = plan.isColumns ? group.lanes : Lanes{};
  Values dims = getDims(outer);
  for (auto [number, statement] : llvm::enumerate(statements)) {
    if (plan.rows.roles[number] != Role::Row || plan.levels[number] != pass)
      continue;
    Values arguments;
    for (const Access &input : statement.inputs)
      arguments.push_back(read(input, dims, group, lanes));
    for (auto [out, output] : llvm::enumerate(statement.outputs))
      arguments.push_back(statement.readsOutput(out)
                              ? read(output, dims, group, lanes)
                              : Value());
    Values indices = emitter.getIndices(statement, dims, plan.along, lanes);
    Values results =
        emitter.emitRegion(statement.generic(), arguments, indices, lanes);
    for (auto [out, value] : llvm::enumerate(results)) {
      Value result = statement.op->getResult(out);
      group.rowValues[result] = value;
      storeRow(result, statement.outputs[out].index, outer, group);
    }
  }
}

//===----------------------------------------------------------------------===//
// Passes over the elements
//===----------------------------------------------------------------------===//

/// One vector of elements: maps and sums of `pass`; returns the new sums.
SmallVector<Value> RowEmitter::emitElements(int pass, ValueRange dims,
                                            Group &group, Lanes lanes,
                                            ValueRange sums) {
  forwarded.clear();
  Values next;
  for (auto [number, statement] : llvm::enumerate(statements)) {
    Role role = plan.rows.roles[number];
    if (role == Role::Row || plan.levels[number] != pass)
      continue;
    Values arguments;
    for (const Access &input : statement.inputs)
      arguments.push_back(read(input, dims, group, lanes));
    for (auto [out, output] : llvm::enumerate(statement.outputs)) {
      if (role == Role::Reduce)
        arguments.push_back(sums[next.size() + out]);
      else
        arguments.push_back(statement.readsOutput(out)
                                ? read(output, dims, group, lanes)
                                : Value());
    }
    Values indices = emitter.getIndices(statement, dims, plan.along, lanes);
    Values results =
        emitter.emitRegion(statement.generic(), arguments, indices, lanes);
    for (auto [out, value] : llvm::enumerate(results)) {
      if (role == Role::Map) {
        forwarded[statement.op->getResult(out)] = value;
        continue;
      }
      value = emitter.broadcast(value, lanes);
      // Lanes beyond the row's end keep their sums.
      if (lanes.isPartial() && !plan.isColumns)
        value = arith::SelectOp::create(builder, emitter.loc,
                                        emitter.createMask(lanes), value,
                                        sums[next.size()]);
      next.push_back(value);
    }
  }
  for (auto [number, statement] : llvm::enumerate(statements))
    if (plan.rows.roles[number] == Role::Map && plan.levels[number] == pass)
      storeElements(statement, number, dims, group, lanes);
  return next;
}

/// Stores elements that are returned, or that a later pass needs.
void RowEmitter::storeElements(const Statement &statement, unsigned number,
                               ValueRange dims, Group &group, Lanes lanes) {
  OperandRange returned = emitter.kernel.getReturn().getValues();
  for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
    Value element = forwarded.lookup(result);
    for (auto [position, value] : llvm::enumerate(returned))
      if (value == result)
        emitter.storeLanes(element,
                           {emitter.kernel.getDestination(position),
                            statement.outputs[out].index},
                           dims, plan.along, lanes);
    Value buffer = group.buffers.lookup(result);
    if (!buffer)
      continue;
    emitter.setBuffer(result, buffer);
    AffineExpr index = getScratchIndex(group);
    Values at(dims);
    if (plan.isColumns) {
      at[plan.along] = emitter.constantIndex(0);
      index = index + getAffineDimExpr(plan.along, builder.getContext());
      lanes.active = lanes.width;
    }
    emitter.storeLanes(element, {result, index}, at, plan.along, lanes);
  }
}

/// The elements at `dims` of all groups of a unit.
SmallVector<Value> RowEmitter::emitBody(int pass, ValueRange dims,
                                        MutableArrayRef<Group> groups,
                                        ValueRange sums) {
  Values next;
  unsigned each = sums.size() / groups.size();
  for (Group &group : groups) {
    Values at(dims);
    at[plan.along] =
        arith::AddIOp::create(builder, emitter.loc, dims[plan.along],
                              emitter.constantIndex(group.offset));
    next.append(emitElements(pass, at, group, group.lanes,
                             sums.slice(next.size(), each)));
  }
  return next;
}

/// One line of a row, by vectors; the tail is one partial vector, so that lane
/// l has the elements l, l + lanes, ... of the line.
SmallVector<Value> RowEmitter::emitLine(int pass, Values dims, Group &group,
                                        Values sums) {
  int64_t length = statements.front().extents.back();
  int64_t tail = length % plan.lanes;
  dims.push_back({});
  sums = emitter.emitCarryingLoop(
      {emitter.constantIndex(0), emitter.constantIndex(length - tail)},
      plan.lanes, sums, [&](Value position, ValueRange carried) {
        dims.back() = position;
        return emitElements(pass, dims, group, {plan.lanes, plan.lanes},
                            carried);
      });
  if (tail == 0)
    return sums;
  dims.back() = emitter.constantIndex(length - tail);
  return emitElements(pass, dims, group, {plan.lanes, tail}, sums);
}

/// Loops over the reduced dimensions from dims.size() on.
SmallVector<Value> RowEmitter::emitInner(int pass, Values dims,
                                         MutableArrayRef<Group> groups,
                                         Values sums) {
  ArrayRef<int64_t> extents = statements.front().extents;
  if (plan.isColumns && dims.size() == extents.size())
    return emitBody(pass, dims, groups, sums);
  if (!plan.isColumns && dims.size() + 1 == extents.size())
    return emitLine(pass, dims, groups.front(), sums);
  Value extent = emitter.constantIndex(extents[dims.size()]);
  return emitter.emitCarryingLoop({emitter.constantIndex(0), extent}, 1, sums,
                                  [&](Value position, ValueRange carried) {
                                    Values inner = dims;
                                    inner.push_back(position);
                                    return emitInner(pass, inner, groups,
                                                     carried);
                                  });
}

void RowEmitter::emitPass(int pass, ValueRange outer,
                          MutableArrayRef<Group> groups) {
  Values sums;
  for (Group &group : groups)
    for (unsigned number : getReductions(pass))
      for (auto [out, output] : llvm::enumerate(statements[number].outputs)) {
        Values at(outer);
        if (plan.isColumns)
          at.back() =
              arith::AddIOp::create(builder, emitter.loc, at.back(),
                                    emitter.constantIndex(group.offset));
        sums.push_back(plan.isColumns ? readFirst(output, at, group)
                                      : getNeutral(statements[number], out,
                                                   {plan.lanes, plan.lanes}));
      }
  unsigned each = sums.size() / groups.size();
  sums = emitInner(pass, Values(outer), groups, sums);
  forwarded.clear();
  for (auto [number, group] : llvm::enumerate(groups)) {
    Values at(outer);
    if (plan.isColumns)
      at.back() = arith::AddIOp::create(builder, emitter.loc, at.back(),
                                        emitter.constantIndex(group.offset));
    finishSums(pass, at, group, ArrayRef(sums).slice(number * each, each));
    emitRowStatements(pass, at, group);
  }
}

void RowEmitter::emitGroups(ValueRange outer, MutableArrayRef<Group> groups) {
  hoistLoads(outer);
  ArrayRef<int64_t> extents = statements.front().extents;
  int64_t elements = 1;
  for (int64_t extent : extents.drop_front(plan.rows.numOuter))
    elements *= extent;
  for (Group &group : groups)
    for (auto [number, statement] : llvm::enumerate(statements))
      for (Value result : statement.op->getResults())
        if (plan.rows.roles[number] == Role::Map &&
            isNeededLater(result, plan.levels[number]))
          group.buffers[result] = emitter.allocate(
              plan.isColumns ? elements * plan.lanes : elements,
              cast<RankedTensorType>(result.getType()).getElementType());
  for (Group &group : groups) {
    Values at(outer);
    if (plan.isColumns)
      at.back() = arith::AddIOp::create(builder, emitter.loc, at.back(),
                                        emitter.constantIndex(group.offset));
    emitRowStatements(-1, at, group);
  }
  for (int pass = 0; pass < plan.passes; ++pass)
    emitPass(pass, outer, groups);
}

/// The groups of a block of columns of which `count` exist.
static SmallVector<Group> makeGroups(int64_t count, int64_t lanes) {
  SmallVector<Group> groups;
  for (int64_t offset = 0; offset < count; offset += lanes) {
    Group group;
    group.lanes = {lanes, std::min(lanes, count - offset)};
    group.offset = offset;
    groups.push_back(std::move(group));
  }
  return groups;
}

void RowEmitter::emitUnit(Value unit) {
  Values outer = emitter.delinearize(unit, plan.unitExtents());
  if (!plan.isColumns) {
    Group group;
    return emitGroups(outer, group);
  }
  int64_t columns = statements.front().extents[plan.along];
  int64_t block = columnVectors * plan.lanes;
  int64_t whole = columns / block, tail = columns % block;
  Value isWhole =
      arith::CmpIOp::create(builder, emitter.loc, arith::CmpIPredicate::ult,
                            outer.back(), emitter.constantIndex(whole));
  outer.back() = arith::MulIOp::create(builder, emitter.loc, outer.back(),
                                       emitter.constantIndex(block));
  auto emitBlock = [&](Block *target, int64_t count) {
    OpBuilder::InsertionGuard guard(builder);
    if (target)
      builder.setInsertionPointToStart(target);
    SmallVector<Group> groups = makeGroups(count, plan.lanes);
    emitGroups(outer, groups);
  };
  if (whole == 0 || tail == 0)
    return emitBlock(nullptr, whole == 0 ? tail : block);
  auto branch = scf::IfOp::create(builder, emitter.loc, isWhole,
                                  /*withElseRegion=*/true);
  emitBlock(branch.thenBlock(), block);
  emitBlock(branch.elseBlock(), tail);
}

void RowEmitter::emit(int64_t chunks) {
  int64_t units = plan.countUnits();
  Value from = emitter.chunkStart(emitter.begin, units, chunks);
  Value to = emitter.chunkStart(emitter.end, units, chunks);
  emitter.emitLoop(from, to, 1, [&](Value unit) { emitUnit(unit); });
}

void mpc::cpu::emitRows(Emitter &emitter, const Body &body, int64_t chunks,
                        int64_t lanes) {
  RowPlan plan(*getRows(emitter.kernel, body), lanes);
  RowEmitter(emitter, body, std::move(plan)).emit(chunks);
}
