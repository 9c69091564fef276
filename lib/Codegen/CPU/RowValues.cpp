// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores the values of rows and of their elements.
#include "lib/Codegen/CPU/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

using Values = SmallVector<Value>;

SmallVector<Value> RowValues::getDims(ValueRange outer) {
  Values dims(outer);
  dims.resize(statements.front().numDims(), emitter.constantIndex(0));
  return dims;
}

SmallVector<Value> RowValues::getOuter(ValueRange outer,
                                       const LaneGroup &group) {
  Values at(outer);
  if (plan.isColumns)
    at.back() = arith::AddIOp::create(emitter.builder, emitter.loc, at.back(),
                                      emitter.constantIndex(group.offset));
  return at;
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

void RowValues::allocate(LaneGroup &group) {
  int64_t elements = 1;
  for (int64_t extent :
       ArrayRef(statements.front().extents).drop_front(plan.rows.numOuter))
    elements *= extent;
  for (auto [number, statement] : llvm::enumerate(statements))
    for (Value result : statement.op->getResults())
      if (plan.isKept(number, result))
        group.buffers[result] = emitter.allocate(
            plan.isColumns ? elements * plan.lanes : elements,
            cast<RankedTensorType>(result.getType()).getElementType());
}

/// The place of an element of the row in scratch memory.
AffineExpr RowValues::getScratchIndex(const LaneGroup &group) {
  ArrayRef<int64_t> extents = statements.front().extents;
  MLIRContext *context = emitter.builder.getContext();
  AffineExpr index = getAffineConstantExpr(0, context);
  for (unsigned dim = plan.rows.numOuter; dim < extents.size(); ++dim)
    index = index * extents[dim] + getAffineDimExpr(dim, context);
  return plan.isColumns ? index * group.lanes.width : index;
}

Value RowValues::loadScratch(Value tensor, ValueRange dims,
                             const LaneGroup &group, Lanes lanes) {
  AffineExpr index = getScratchIndex(group);
  if (!plan.isColumns)
    return emitter.loadLanes({tensor, index}, dims, plan.along, lanes);
  Values shifted(dims);
  shifted[plan.along] = emitter.constantIndex(0);
  AffineExpr lane = getAffineDimExpr(plan.along, emitter.builder.getContext());
  return emitter.loadLanes({tensor, index + lane}, shifted, plan.along,
                           {lanes.width, lanes.width});
}

void RowValues::storeScratch(Value result, Value value, ValueRange dims,
                             const LaneGroup &group, Lanes lanes) {
  AffineExpr index = getScratchIndex(group);
  Values at(dims);
  if (plan.isColumns) {
    at[plan.along] = emitter.constantIndex(0);
    index = index + getAffineDimExpr(plan.along, emitter.builder.getContext());
    lanes.active = lanes.width;
  }
  emitter.storeLanes(value, {result, index}, at, plan.along, lanes);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether all elements of a row read the same element of `input`, which the
/// kernel does not compute.
bool RowValues::isShared(const Access &input, unsigned numDims) const {
  bool shared = !getProducer(input.tensor, body_);
  for (unsigned dim = plan.rows.numOuter; dim < numDims; ++dim)
    shared &= !input.index.isFunctionOfDim(dim);
  return shared && !(plan.isColumns && input.index.isFunctionOfDim(plan.along));
}

void RowValues::hoistLoads(ValueRange outer) {
  hoisted_.clear();
  Values dims = getDims(outer);
  for (const Statement &statement : statements)
    for (const Access &input : statement.inputs)
      if (isShared(input, dims.size()))
        hoisted_[{input.tensor, input.index}] =
            emitter.load(input.tensor, emitter.evaluate(input.index, dims));
}

Value RowValues::read(const Access &access, ValueRange dims, LaneGroup &group,
                      Lanes lanes) {
  if (Value value = group.rowValues.lookup(access.tensor))
    return value;
  if (Value value = elements_.lookup(access.tensor))
    return value;
  if (Value value = hoisted_.lookup({access.tensor, access.index}))
    return value;
  if (Value buffer = group.buffers.lookup(access.tensor)) {
    emitter.setBuffer(access.tensor, buffer);
    return loadScratch(access.tensor, dims, group, lanes);
  }
  return emitter.loadLanes(access, dims, plan.along, lanes);
}

SmallVector<Value> RowValues::readArguments(const Statement &statement,
                                            ValueRange dims, LaneGroup &group,
                                            Lanes lanes) {
  Values arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(read(input, dims, group, lanes));
  for (auto [out, output] : llvm::enumerate(statement.outputs))
    arguments.push_back(statement.readsOutput(out)
                            ? read(output, dims, group, lanes)
                            : Value());
  return arguments;
}

Value RowValues::readFirst(const Access &output, ValueRange outer,
                           LaneGroup &group) {
  Lanes lanes = getRowLanes(group);
  return emitter.broadcast(read(output, getDims(outer), group, lanes), lanes);
}

//===----------------------------------------------------------------------===//
// Partial sums
//===----------------------------------------------------------------------===//

void RowValues::startPartials(ValueRange outer) {
  int64_t extent = statements.front().extents[plan.along];
  int64_t tail = extent % plan.lanes;
  Values dims = getDims(outer);
  auto start = [&](Value position, Lanes lanes) {
    dims[plan.along] = position;
    clearElements();
    for (auto [number, statement] : llvm::enumerate(statements)) {
      if (plan.rows.kinds[number] != StageKind::Partial)
        continue;
      LaneGroup group;
      for (auto [out, output] : llvm::enumerate(statement.outputs))
        setElement(statement.op->getResult(out),
                   read(output, dims, group, lanes));
      storeElements(statement, dims, group, lanes);
    }
  };
  emitter.emitLoop(
      emitter.constantIndex(0), emitter.constantIndex(extent - tail),
      plan.lanes,
      [&](Value position) { start(position, {plan.lanes, plan.lanes}); });
  if (tail != 0)
    start(emitter.constantIndex(extent - tail), {plan.lanes, tail});
}

SmallVector<Value> RowValues::readSums(const Statement &statement,
                                       ValueRange dims, Lanes lanes) {
  Values sums;
  for (auto [out, output] : llvm::enumerate(statement.outputs)) {
    Value destination = getDestinations(statement.op->getResult(out)).front();
    sums.push_back(emitter.loadLanes({destination, output.index}, dims,
                                     plan.along, lanes));
  }
  return sums;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// The destinations of the kernel's results that return `result`.
SmallVector<Value> RowValues::getDestinations(Value result) const {
  Values destinations;
  for (auto [position, value] :
       llvm::enumerate(emitter.kernel.getReturn().getValues()))
    if (value == result)
      destinations.push_back(emitter.kernel.getDestination(position));
  return destinations;
}

void RowValues::storeElements(const Statement &statement, ValueRange dims,
                              LaneGroup &group, Lanes lanes) {
  for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
    Value element = elements_.lookup(result);
    for (Value destination : getDestinations(result))
      emitter.storeLanes(element, {destination, statement.outputs[out].index},
                         dims, plan.along, lanes);
    if (Value buffer = group.buffers.lookup(result)) {
      emitter.setBuffer(result, buffer);
      storeScratch(result, element, dims, group, lanes);
    }
  }
}

void RowValues::setRow(Value result, Value value, AffineExpr index,
                       ValueRange outer, LaneGroup &group) {
  group.rowValues[result] = value;
  for (Value destination : getDestinations(result))
    emitter.storeLanes(value, {destination, index}, getDims(outer), plan.along,
                       getRowLanes(group));
}
