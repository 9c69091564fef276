// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.rows and #cpu.columns: maps and reductions over one space. They run one
// row, or one block of columns, at a time.
//
// A row is computed in passes over its elements. A statement that needs the
// value of a reduction runs in a later pass than the reduction. Values of
// elements that a later pass needs are kept in scratch memory, values of rows
// in registers.
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/Gemm.h"
#include "lib/Codegen/CPU/Reductions.h"
#include "lib/Codegen/CPU/RowPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

/// Lanes that are computed together. For rows there is one group, whose row
/// values are scalars. For columns a unit has several groups, whose row values
/// are vectors.
struct LaneGroup {
  Lanes lanes;
  int64_t offset = 0;
  DenseMap<Value, Value> rowValues;
  DenseMap<Value, Value> buffers; ///< Scratch memory for later passes.
};

class RowEmitter {
public:
  RowEmitter(Emitter &emitter, const Body &body, RowPlan plan)
      : emitter_(emitter), builder_(emitter.builder), plan_(std::move(plan)),
        body_(body), statements_(this->plan_.rows.statements) {}
  void emit(int64_t chunks);

private:
  using Values = SmallVector<Value>;

  void emitUnit(Value unit);
  void emitGroups(ValueRange outer, MutableArrayRef<LaneGroup> groups);
  void emitPass(int pass, ValueRange outer, MutableArrayRef<LaneGroup> groups);
  void emitRowStatements(int pass, ValueRange outer, LaneGroup &group);
  /// Combines values with sums over a range of positions.
  using SumRange =
      llvm::function_ref<Values(std::pair<Value, Value>, ValueRange)>;
  Values emitInner(int pass, Values dims, MutableArrayRef<LaneGroup> groups,
                   Values sums);
  SmallVector<Operation *> getChainCombiners(int pass);
  Values emitChains(int pass, size_t depth, int64_t extent, int64_t step,
                    ValueRange sums, SumRange sumRange);
  /// A range of a loop that is cut into chains.
  struct CutRange {
    /// The op that combines each sum; null for sums that are not cut.
    SmallVector<Operation *> combiners;
    Values neutrals;
    SmallVector<int64_t> lengths; ///< The lengths, from the longest chains on.
    int64_t extent;
    SumRange sumRange;
  };
  Values emitCut(const CutRange &cut, ArrayRef<int64_t> lengths,
                 std::pair<Value, Value> range, ValueRange sums);
  Values emitLine(int pass, Values dims, LaneGroup &group, Values sums);
  Values emitBody(int pass, ValueRange dims, MutableArrayRef<LaneGroup> groups,
                  ValueRange sums);
  Values emitElements(int pass, ValueRange dims, LaneGroup &group, Lanes lanes,
                      ValueRange sums);
  void storeElements(const Statement &statement, unsigned number,
                     ValueRange dims, LaneGroup &group, Lanes lanes);
  Value read(const Access &access, ValueRange dims, LaneGroup &group,
             Lanes lanes);
  Value readFirst(const Access &output, ValueRange outer, LaneGroup &group);
  Value getNeutral(Operation *combiner);
  Value reduceLanes(Operation *combiner, Value sums);
  void finishSums(int pass, ValueRange outer, LaneGroup &group,
                  ValueRange sums);
  void storeRow(Value result, AffineExpr index, ValueRange outer,
                LaneGroup &group);
  void hoistLoads(ValueRange outer);
  bool isNeededLater(Value value, int pass);
  AffineExpr getScratchIndex(const LaneGroup &group);
  SmallVector<unsigned> getReductions(int pass) const;
  Values getDims(ValueRange outer) {
    Values dims(outer);
    dims.resize(statements_.front().numDims(), emitter_.constantIndex(0));
    return dims;
  }

  Emitter &emitter_;
  OpBuilder &builder_;
  RowPlan plan_;
  const Body &body_;
  std::vector<Statement> &statements_;
  DenseMap<std::pair<Value, AffineExpr>, Value> hoisted_;
  DenseMap<Value, Value> forwarded_; ///< The values of the current elements.
  Value column_; ///< For columns, the first column of the unit's block.
};

} // namespace

SmallVector<unsigned> RowEmitter::getReductions(int pass) const {
  SmallVector<unsigned> result;
  for (unsigned number = 0; number < statements_.size(); ++number)
    if (plan_.rows.roles[number] == Role::Reduce &&
        plan_.passes.levels[number] == pass)
      result.push_back(number);
  return result;
}

bool RowEmitter::isNeededLater(Value value, int pass) {
  for (auto [number, statement] : llvm::enumerate(statements_))
    if (plan_.passes.levels[number] > pass &&
        llvm::is_contained(statement.op->getOperands(), value))
      return true;
  return false;
}

/// The place of an element of the row in scratch memory.
AffineExpr RowEmitter::getScratchIndex(const LaneGroup &group) {
  ArrayRef<int64_t> extents = statements_.front().extents;
  MLIRContext *context = builder_.getContext();
  AffineExpr index = getAffineConstantExpr(0, context);
  for (unsigned dim = plan_.rows.numOuter; dim < extents.size(); ++dim)
    index = index * extents[dim] + getAffineDimExpr(dim, context);
  return plan_.isColumns ? index * group.lanes.width : index;
}

/// Loads the values that all elements of a row share, before the loops over the
/// row.
void RowEmitter::hoistLoads(ValueRange outer) {
  hoisted_.clear();
  Values dims = getDims(outer);
  for (const Statement &statement : statements_)
    for (const Access &input : statement.inputs) {
      bool shared = !getProducer(input.tensor, body_);
      for (unsigned dim = plan_.rows.numOuter; dim < dims.size(); ++dim)
        shared &= !input.index.isFunctionOfDim(dim);
      if (shared &&
          !(plan_.isColumns && input.index.isFunctionOfDim(plan_.along)))
        hoisted_[{input.tensor, input.index}] =
            emitter_.load(input.tensor, emitter_.evaluate(input.index, dims));
    }
}

Value RowEmitter::read(const Access &access, ValueRange dims, LaneGroup &group,
                       Lanes lanes) {
  if (Value value = group.rowValues.lookup(access.tensor))
    return value;
  if (Value value = forwarded_.lookup(access.tensor))
    return value;
  if (Value value = hoisted_.lookup({access.tensor, access.index}))
    return value;
  if (Value buffer = group.buffers.lookup(access.tensor)) {
    emitter_.setBuffer(access.tensor, buffer);
    AffineExpr index = getScratchIndex(group);
    if (!plan_.isColumns)
      return emitter_.loadLanes({access.tensor, index}, dims, plan_.along,
                                lanes);
    Values shifted(dims);
    shifted[plan_.along] = emitter_.constantIndex(0);
    AffineExpr lane = getAffineDimExpr(plan_.along, builder_.getContext());
    return emitter_.loadLanes({access.tensor, index + lane}, shifted,
                              plan_.along, {lanes.width, lanes.width});
  }
  return emitter_.loadLanes(access, dims, plan_.along, lanes);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value RowEmitter::getNeutral(Operation *combiner) {
  return emitter_.broadcast(createNeutral(emitter_, combiner),
                            {plan_.lanes, plan_.lanes});
}

/// Combines lanes pairwise: lane l with lane l + width / 2, and so on.
Value RowEmitter::reduceLanes(Operation *combiner, Value sums) {
  for (int64_t half = plan_.lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(lane + half);
    }
    Value first =
        vector::ShuffleOp::create(builder_, emitter_.loc, sums, sums, low);
    Value second =
        vector::ShuffleOp::create(builder_, emitter_.loc, sums, sums, high);
    sums = createCombined(emitter_, combiner, first, second);
  }
  return vector::ExtractOp::create(builder_, emitter_.loc, sums, 0);
}

/// Reads the first value of a reduction: the element of its output before the
/// kernel runs.
Value RowEmitter::readFirst(const Access &output, ValueRange outer,
                            LaneGroup &group) {
  Lanes lanes = plan_.isColumns ? group.lanes : Lanes{};
  return emitter_.broadcast(read(output, getDims(outer), group, lanes), lanes);
}

/// Turns the sums of `pass` into row values.
void RowEmitter::finishSums(int pass, ValueRange outer, LaneGroup &group,
                            ValueRange sums) {
  unsigned next = 0;
  for (unsigned number : getReductions(pass))
    for (auto [out, output] : llvm::enumerate(statements_[number].outputs)) {
      Value sum = sums[next++];
      if (!plan_.isColumns) {
        Operation *combiner = getCombiner(statements_[number], out);
        Value first = readFirst(output, outer, group);
        sum = createCombined(emitter_, combiner, first,
                             reduceLanes(combiner, sum));
      }
      Value result = statements_[number].op->getResult(out);
      group.rowValues[result] = sum;
      storeRow(result, output.index, outer, group);
    }
}

//===----------------------------------------------------------------------===//
// Values of rows
//===----------------------------------------------------------------------===//

/// Stores a row's value in the destinations of the results that return it.
void RowEmitter::storeRow(Value result, AffineExpr index, ValueRange outer,
                          LaneGroup &group) {
  OperandRange returned = emitter_.kernel.getReturn().getValues();
  Lanes lanes = plan_.isColumns ? group.lanes : Lanes{};
  for (auto [position, value] : llvm::enumerate(returned))
    if (value == result)
      emitter_.storeLanes(group.rowValues[result],
                          {emitter_.kernel.getDestination(position), index},
                          getDims(outer), plan_.along, lanes);
}

void RowEmitter::emitRowStatements(int pass, ValueRange outer,
                                   LaneGroup &group) {
  Lanes lanes = plan_.isColumns ? group.lanes : Lanes{};
  Values dims = getDims(outer);
  for (auto [number, statement] : llvm::enumerate(statements_)) {
    if (plan_.rows.roles[number] != Role::Row ||
        plan_.passes.levels[number] != pass)
      continue;
    Values arguments;
    for (const Access &input : statement.inputs)
      arguments.push_back(read(input, dims, group, lanes));
    for (auto [out, output] : llvm::enumerate(statement.outputs))
      arguments.push_back(statement.readsOutput(out)
                              ? read(output, dims, group, lanes)
                              : Value());
    Values indices = emitter_.getIndices(statement, dims, plan_.along, lanes);
    Values results =
        emitter_.emitRegion(statement.generic(), arguments, indices, lanes);
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

/// Emits maps and sums of `pass` for one vector of elements; returns the new
/// sums.
SmallVector<Value> RowEmitter::emitElements(int pass, ValueRange dims,
                                            LaneGroup &group, Lanes lanes,
                                            ValueRange sums) {
  forwarded_.clear();
  Values next;
  for (auto [number, statement] : llvm::enumerate(statements_)) {
    Role role = plan_.rows.roles[number];
    if (role == Role::Row || plan_.passes.levels[number] != pass)
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
    Values indices = emitter_.getIndices(statement, dims, plan_.along, lanes);
    Values results =
        emitter_.emitRegion(statement.generic(), arguments, indices, lanes);
    for (auto [out, value] : llvm::enumerate(results)) {
      if (role == Role::Map) {
        forwarded_[statement.op->getResult(out)] = value;
        continue;
      }
      value = emitter_.broadcast(value, lanes);
      // The sums in lanes beyond the row's end stay unchanged.
      if (lanes.isPartial() && !plan_.isColumns)
        value = arith::SelectOp::create(builder_, emitter_.loc,
                                        emitter_.createMask(lanes), value,
                                        sums[next.size()]);
      next.push_back(value);
    }
  }
  for (auto [number, statement] : llvm::enumerate(statements_))
    if (plan_.rows.roles[number] == Role::Map &&
        plan_.passes.levels[number] == pass)
      storeElements(statement, number, dims, group, lanes);
  return next;
}

/// Stores elements that the kernel returns or that a later pass needs.
void RowEmitter::storeElements(const Statement &statement, unsigned number,
                               ValueRange dims, LaneGroup &group, Lanes lanes) {
  OperandRange returned = emitter_.kernel.getReturn().getValues();
  for (auto [out, result] : llvm::enumerate(statement.op->getResults())) {
    Value element = forwarded_.lookup(result);
    for (auto [position, value] : llvm::enumerate(returned))
      if (value == result)
        emitter_.storeLanes(element,
                            {emitter_.kernel.getDestination(position),
                             statement.outputs[out].index},
                            dims, plan_.along, lanes);
    Value buffer = group.buffers.lookup(result);
    if (!buffer)
      continue;
    emitter_.setBuffer(result, buffer);
    AffineExpr index = getScratchIndex(group);
    Values at(dims);
    if (plan_.isColumns) {
      at[plan_.along] = emitter_.constantIndex(0);
      index = index + getAffineDimExpr(plan_.along, builder_.getContext());
      lanes.active = lanes.width;
    }
    emitter_.storeLanes(element, {result, index}, at, plan_.along, lanes);
  }
}

/// Emits the elements at `dims` of all groups of a unit.
SmallVector<Value> RowEmitter::emitBody(int pass, ValueRange dims,
                                        MutableArrayRef<LaneGroup> groups,
                                        ValueRange sums) {
  Values next;
  unsigned each = sums.size() / groups.size();
  for (LaneGroup &group : groups) {
    Values at(dims);
    at[plan_.along] =
        arith::AddIOp::create(builder_, emitter_.loc, dims[plan_.along],
                              emitter_.constantIndex(group.offset));
    next.append(emitElements(pass, at, group, group.lanes,
                             sums.slice(next.size(), each)));
  }
  return next;
}

/// For each sum of `pass` the op that combines it, if it is cut into chains.
SmallVector<Operation *> RowEmitter::getChainCombiners(int pass) {
  SmallVector<Operation *> combiners;
  for (unsigned number : getReductions(pass)) {
    const Statement &statement = statements_[number];
    bool isCut = hasChains(statement);
    for (unsigned out = 0; out < statement.outputs.size(); ++out)
      combiners.push_back(isCut ? getCombiner(statement, out) : nullptr);
  }
  return combiners;
}

/// Sums over `extent` positions of dimension `depth`, `step` at a time. Where
/// chains are cut, each sum with chains starts at zero for each chain, and is
/// then added.
SmallVector<Value> RowEmitter::emitChains(int pass, size_t depth,
                                          int64_t extent, int64_t step,
                                          ValueRange sums, SumRange sumRange) {
  CutRange range{getChainCombiners(pass), {}, {}, extent, sumRange};
  if (llvm::any_of(range.combiners, [](Operation *it) { return it; }))
    for (const Chains &chains : llvm::reverse(plan_.cuts))
      if (depth == plan_.rows.numOuter + chains.dim)
        range.lengths.push_back(chains.count * step);
  if (!range.lengths.empty())
    for (Operation *combiner : range.combiners)
      range.neutrals.push_back(combiner ? getNeutral(combiner) : Value());
  IndexMath math(emitter_);
  return emitCut(range, range.lengths,
                 {math.constant(0), math.constant(extent)}, sums);
}

/// Sums some positions of `cut`, in chains of `lengths`. The longest chains are
/// cut into the shorter ones.
SmallVector<Value> RowEmitter::emitCut(const CutRange &cut,
                                       ArrayRef<int64_t> lengths,
                                       std::pair<Value, Value> range,
                                       ValueRange sums) {
  if (lengths.empty())
    return cut.sumRange(range, sums);
  IndexMath math(emitter_);
  int64_t length = lengths.front();
  size_t count = cut.combiners.size();
  auto addChain = [&](Value from, ValueRange totals) {
    Values next(totals);
    for (auto [number, value] : llvm::enumerate(next))
      if (Value neutral = cut.neutrals[number % count])
        value = neutral;
    Value to = math.add(from, length);
    if (cut.extent % length != 0)
      to = math.min(to, range.second);
    next = emitCut(cut, lengths.drop_front(), {from, to}, next);
    for (auto [number, value] : llvm::enumerate(next))
      if (Operation *combiner = cut.combiners[number % count])
        value = createCombined(emitter_, combiner, totals[number], value);
    return next;
  };
  return emitter_.emitCarryingLoop(range, length, sums, addChain);
}

/// Emits one line of a row, by vectors. The tail is one partial vector, so that
/// lane l has the elements l, l + lanes, ... of the line.
SmallVector<Value> RowEmitter::emitLine(int pass, Values dims, LaneGroup &group,
                                        Values sums) {
  int64_t length = statements_.front().extents.back();
  int64_t tail = length % plan_.lanes;
  size_t depth = dims.size();
  dims.push_back({});
  auto sumVectors = [&](std::pair<Value, Value> range, ValueRange carried) {
    return emitter_.emitCarryingLoop(
        range, plan_.lanes, carried, [&](Value position, ValueRange next) {
          dims.back() = position;
          return emitElements(pass, dims, group, {plan_.lanes, plan_.lanes},
                              next);
        });
  };
  sums = emitChains(pass, depth, length - tail, plan_.lanes, sums, sumVectors);
  if (tail == 0)
    return sums;
  dims.back() = emitter_.constantIndex(length - tail);
  return emitElements(pass, dims, group, {plan_.lanes, tail}, sums);
}

/// Loops over the reduced dimensions from dims.size() on.
SmallVector<Value> RowEmitter::emitInner(int pass, Values dims,
                                         MutableArrayRef<LaneGroup> groups,
                                         Values sums) {
  ArrayRef<int64_t> extents = statements_.front().extents;
  if (plan_.isColumns && dims.size() == extents.size())
    return emitBody(pass, dims, groups, sums);
  if (!plan_.isColumns && dims.size() + 1 == extents.size())
    return emitLine(pass, dims, groups.front(), sums);
  auto sumRange = [&](std::pair<Value, Value> range, ValueRange carried) {
    return emitter_.emitCarryingLoop(
        range, 1, carried, [&](Value position, ValueRange next) {
          Values inner = dims;
          inner.push_back(position);
          return emitInner(pass, inner, groups, next);
        });
  };
  return emitChains(pass, dims.size(), extents[dims.size()], 1, sums, sumRange);
}

void RowEmitter::emitPass(int pass, ValueRange outer,
                          MutableArrayRef<LaneGroup> groups) {
  Values sums;
  for (LaneGroup &group : groups)
    for (unsigned number : getReductions(pass))
      for (auto [out, output] : llvm::enumerate(statements_[number].outputs)) {
        Values at(outer);
        if (plan_.isColumns)
          at.back() =
              arith::AddIOp::create(builder_, emitter_.loc, at.back(),
                                    emitter_.constantIndex(group.offset));
        sums.push_back(plan_.isColumns
                           ? readFirst(output, at, group)
                           : getNeutral(getCombiner(statements_[number], out)));
      }
  unsigned each = sums.size() / groups.size();
  sums = emitInner(pass, Values(outer), groups, sums);
  forwarded_.clear();
  for (auto [number, group] : llvm::enumerate(groups)) {
    Values at(outer);
    if (plan_.isColumns)
      at.back() = arith::AddIOp::create(builder_, emitter_.loc, at.back(),
                                        emitter_.constantIndex(group.offset));
    finishSums(pass, at, group, ArrayRef(sums).slice(number * each, each));
    emitRowStatements(pass, at, group);
  }
}

void RowEmitter::emitGroups(ValueRange outer,
                            MutableArrayRef<LaneGroup> groups) {
  hoistLoads(outer);
  ArrayRef<int64_t> extents = statements_.front().extents;
  int64_t elements = 1;
  for (int64_t extent : extents.drop_front(plan_.rows.numOuter))
    elements *= extent;
  for (LaneGroup &group : groups)
    for (auto [number, statement] : llvm::enumerate(statements_))
      for (Value result : statement.op->getResults())
        if (plan_.rows.roles[number] == Role::Map &&
            isNeededLater(result, plan_.passes.levels[number]))
          group.buffers[result] = emitter_.allocate(
              plan_.isColumns ? elements * plan_.lanes : elements,
              cast<RankedTensorType>(result.getType()).getElementType());
  for (LaneGroup &group : groups) {
    Values at(outer);
    if (plan_.isColumns)
      at.back() = arith::AddIOp::create(builder_, emitter_.loc, at.back(),
                                        emitter_.constantIndex(group.offset));
    emitRowStatements(-1, at, group);
  }
  for (int pass = 0; pass < plan_.passes.count; ++pass)
    emitPass(pass, outer, groups);
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

void RowEmitter::emitUnit(Value unit) {
  Values outer = emitter_.delinearize(unit, plan_.unitExtents());
  if (!plan_.isColumns) {
    LaneGroup group;
    return emitGroups(outer, group);
  }
  int64_t columns = statements_.front().extents[plan_.along];
  int64_t block = kColumnVectors * plan_.lanes;
  int64_t whole = columns / block, tail = columns % block;
  Value isWhole =
      arith::CmpIOp::create(builder_, emitter_.loc, arith::CmpIPredicate::ult,
                            outer.back(), emitter_.constantIndex(whole));
  outer.back() = arith::MulIOp::create(builder_, emitter_.loc, outer.back(),
                                       emitter_.constantIndex(block));
  auto emitBlock = [&](Block *target, int64_t count) {
    OpBuilder::InsertionGuard guard(builder_);
    if (target)
      builder_.setInsertionPointToStart(target);
    SmallVector<LaneGroup> groups = makeGroups(count, plan_.lanes);
    emitGroups(outer, groups);
  };
  if (whole == 0 || tail == 0)
    return emitBlock(nullptr, whole == 0 ? tail : block);
  auto branch = scf::IfOp::create(builder_, emitter_.loc, isWhole,
                                  /*withElseRegion=*/true);
  emitBlock(branch.thenBlock(), block);
  emitBlock(branch.elseBlock(), tail);
}

void RowEmitter::emit(int64_t chunks) {
  int64_t units = plan_.countUnits();
  Value from = emitter_.chunkStart(emitter_.begin, units, chunks);
  Value to = emitter_.chunkStart(emitter_.end, units, chunks);
  emitter_.emitLoop(from, to, 1, [&](Value unit) { emitUnit(unit); });
}

void mpc::cpu::emitRows(Emitter &emitter, const Body &body, int64_t chunks,
                        int64_t lanes) {
  RowPlan plan(*getRows(emitter.kernel, body), lanes);
  RowEmitter(emitter, body, std::move(plan)).emit(chunks);
}
