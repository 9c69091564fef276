// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of one pass over the elements of a row, and the row's sums.
#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/Reductions.h"
#include "lib/Codegen/CPU/RowValues.h"
#include "lib/Codegen/CPU/Space.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

using Values = SmallVector<Value>;

/// The accumulators of a sum whose order changes no bit. One alone would wait
/// for each of its combinations, which take some 10 cycles (a maximum and two
/// operations for NaN).
static constexpr size_t kAccumulators = 4;
/// The most statements of a pass that are emitted for each accumulator.
static constexpr unsigned kMostRepeated = 3;

/// Whether any order of combinations gives the same bits, and to combine with a
/// value twice is to combine with it once.
static bool isFreeOfOrder(Operation *combiner) {
  return isa_and_present<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
                         arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
                         arith::AndIOp, arith::OrIOp>(combiner);
}

namespace {

class RowSums {
public:
  RowSums(RowValues &values, int pass, MutableArrayRef<LaneGroup> groups)
      : emitter_(values.emitter), values_(values), plan_(values.plan),
        pass_(pass), computed_(values, pass), groups_(groups),
        extents_(values.statements.front().extents),
        reductions_(plan_.reductionsOf(pass)) {}

  void emit(ValueRange outer);

private:
  void start(ValueRange outer, LaneGroup &group, Values &sums);
  Values emitInner(Values dims, ValueRange sums);
  Values emitLine(Values dims, ValueRange sums);
  Values emitVectors(Values dims, IndexRange range, ValueRange sums);
  Values emitAccumulators(Values dims, IndexRange range, ValueRange sums);
  SmallVector<Operation *> getFreeCombiners();
  Values emitGroups(ValueRange dims, ValueRange sums);
  Values emitChains(size_t depth, int64_t extent, int64_t step, ValueRange sums,
                    SumRange sumRange);
  SmallVector<Operation *> getChainCombiners();
  Value getNeutral(Operation *combiner);
  void finish(ValueRange outer, LaneGroup &group, ValueRange sums);

  Emitter &emitter_;
  RowValues &values_;
  const RowPlan &plan_;
  int pass_;
  RowStatements computed_;
  MutableArrayRef<LaneGroup> groups_;
  ArrayRef<int64_t> extents_;
  SmallVector<unsigned> reductions_; ///< The numbers of the pass's reductions.
};

} // namespace

Value RowSums::getNeutral(Operation *combiner) {
  return emitter_.broadcast(createNeutral(emitter_, combiner),
                            {plan_.lanes, plan_.lanes});
}

/// Appends the first values of a group's sums. For rows the row's own first
/// value is combined at the end.
void RowSums::start(ValueRange outer, LaneGroup &group, Values &sums) {
  for (unsigned number : reductions_) {
    const Statement &statement = values_.statements[number];
    for (auto [out, output] : llvm::enumerate(statement.outputs)) {
      Values at = values_.getOuter(outer, group);
      sums.push_back(plan_.isColumns ? values_.readFirst(output, at, group)
                                     : getNeutral(getCombiner(statement, out)));
    }
  }
}

/// Turns a group's sums into row values.
void RowSums::finish(ValueRange outer, LaneGroup &group, ValueRange sums) {
  unsigned next = 0;
  for (unsigned number : reductions_) {
    const Statement &statement = values_.statements[number];
    for (auto [out, output] : llvm::enumerate(statement.outputs)) {
      Value sum = sums[next++];
      if (!plan_.isColumns) {
        Operation *combiner = getCombiner(statement, out);
        Value first = values_.readFirst(output, outer, group);
        sum = createCombined(emitter_, combiner, first,
                             reduceLanes(emitter_, combiner, sum, plan_.lanes));
      }
      values_.setRow(statement.op->getResult(out), sum, output.index, outer,
                     group);
    }
  }
}

/// For each sum the op that combines it, if it is cut into chains.
SmallVector<Operation *> RowSums::getChainCombiners() {
  SmallVector<Operation *> combiners;
  for (unsigned number : reductions_) {
    const Statement &statement = values_.statements[number];
    bool isCut = hasChains(statement);
    for (unsigned out = 0; out < statement.outputs.size(); ++out)
      combiners.push_back(isCut ? getCombiner(statement, out) : nullptr);
  }
  return combiners;
}

/// Sums over `extent` positions of dimension `depth`, `step` at a time, in
/// chains where the plan cuts that dimension.
SmallVector<Value> RowSums::emitChains(size_t depth, int64_t extent,
                                       int64_t step, ValueRange sums,
                                       SumRange sumRange) {
  ChainLoop loop{getChainCombiners(), {}, {}, extent, sumRange};
  if (llvm::any_of(loop.combiners, [](Operation *it) { return it; }))
    for (const Chains &chains : llvm::reverse(plan_.cuts))
      if (depth == plan_.rows.numOuter + chains.dim)
        loop.lengths.push_back(chains.count * step);
  if (!loop.lengths.empty())
    for (Operation *combiner : loop.combiners)
      loop.neutrals.push_back(combiner ? getNeutral(combiner) : Value());
  return sumChains(emitter_, loop, sums);
}

/// Emits the elements at `dims` of all groups of a unit.
SmallVector<Value> RowSums::emitGroups(ValueRange dims, ValueRange sums) {
  Values next;
  unsigned each = sums.size() / groups_.size();
  for (LaneGroup &group : groups_) {
    Values at(dims);
    at[plan_.along] =
        arith::AddIOp::create(emitter_.builder, emitter_.loc, dims[plan_.along],
                              emitter_.constantIndex(group.offset));
    next.append(computed_.emitElements(at, group, group.lanes,
                                       sums.slice(next.size(), each)));
  }
  return next;
}

/// The ops that combine the sums of the pass, if none of them has an order and
/// the pass has little else to do; otherwise none.
SmallVector<Operation *> RowSums::getFreeCombiners() {
  SmallVector<Operation *> combiners;
  for (unsigned number : reductions_) {
    const Statement &statement = values_.statements[number];
    for (unsigned out = 0; out < statement.outputs.size(); ++out)
      combiners.push_back(getCombiner(statement, out));
  }
  unsigned count = llvm::count_if(
      llvm::seq<unsigned>(0, values_.statements.size()),
      [&](unsigned number) { return plan_.runsIn(number, pass_); });
  bool isShort = extents_.back() < 2 * int64_t(kAccumulators) * plan_.lanes;
  if (isShort || count > kMostRepeated ||
      !llvm::all_of(combiners, isFreeOfOrder))
    return {};
  return combiners;
}

/// Emits whole vectors of a line to several accumulators in turn, and combines
/// those.
SmallVector<Value> RowSums::emitAccumulators(Values dims, IndexRange range,
                                             ValueRange sums) {
  IndexMath math(emitter_);
  size_t count = sums.size();
  Values all;
  for (size_t number = 0; number < kAccumulators; ++number)
    llvm::append_range(all, sums);
  auto body = [&](Value position, ValueRange before) {
    Values next;
    for (size_t number = 0; number < kAccumulators; ++number) {
      dims.back() = math.add(position, number * plan_.lanes);
      next.append(computed_.emitElements(dims, groups_.front(),
                                         {plan_.lanes, plan_.lanes},
                                         before.slice(number * count, count)));
    }
    return next;
  };
  all =
      emitter_.emitCarryingLoop(range, kAccumulators * plan_.lanes, all, body);
  SmallVector<Operation *> combiners = getFreeCombiners();
  for (size_t number = count; number < all.size(); ++number)
    all[number % count] = createCombined(emitter_, combiners[number % count],
                                         all[number % count], all[number]);
  all.resize(count);
  return all;
}

/// Emits whole vectors of a line, as many to an iteration as its step has.
SmallVector<Value> RowSums::emitVectors(Values dims, IndexRange range,
                                        ValueRange sums) {
  IndexMath math(emitter_);
  int64_t lanes = plan_.lanes;
  auto emitPart = [&](IndexRange part, int64_t step, ValueRange carried) {
    auto body = [&](Value position, ValueRange before) {
      Values next(before);
      for (int64_t vector = 0; vector < step; vector += lanes) {
        dims.back() = math.add(position, vector);
        next =
            computed_.emitElements(dims, groups_.front(), {lanes, lanes}, next);
      }
      return next;
    };
    return emitter_.emitCarryingLoop(part, step, carried, body);
  };
  int64_t step = chooseStep(values_.statements, lanes);
  bool isFree = step == lanes && !getFreeCombiners().empty();
  if (isFree)
    step *= kAccumulators;
  if (step == lanes)
    return emitPart(range, lanes, sums);
  Value count = math.sub(range.second, range.first);
  Value middle = math.add(range.first, math.floor(count, step));
  IndexRange first = {range.first, middle};
  Values next = isFree ? emitAccumulators(dims, first, sums)
                       : emitPart(first, step, sums);
  return emitPart({middle, range.second}, lanes, next);
}

/// Emits one line of a row, by vectors. The tail is one partial vector, so that
/// lane l has the elements l, l + lanes, ... of the line.
SmallVector<Value> RowSums::emitLine(Values dims, ValueRange sums) {
  LaneGroup &group = groups_.front();
  int64_t length = extents_.back();
  int64_t tail = length % plan_.lanes;
  size_t depth = dims.size();
  dims.push_back({});
  auto sumVectors = [&](IndexRange range, ValueRange carried) {
    return emitVectors(dims, range, carried);
  };
  Values whole =
      emitChains(depth, length - tail, plan_.lanes, sums, sumVectors);
  if (tail == 0)
    return whole;
  dims.back() = emitter_.constantIndex(length - tail);
  return computed_.emitElements(dims, group, {plan_.lanes, tail}, whole);
}

/// Loops over the reduced dimensions from dims.size() on.
SmallVector<Value> RowSums::emitInner(Values dims, ValueRange sums) {
  if (plan_.isColumns && dims.size() == extents_.size())
    return emitGroups(dims, sums);
  if (!plan_.isColumns && dims.size() + 1 == extents_.size())
    return emitLine(dims, sums);
  auto sumRange = [&](IndexRange range, ValueRange carried) {
    return emitter_.emitCarryingLoop(range, 1, carried,
                                     [&](Value position, ValueRange next) {
                                       Values inner = dims;
                                       inner.push_back(position);
                                       return emitInner(inner, next);
                                     });
  };
  return emitChains(dims.size(), extents_[dims.size()], 1, sums, sumRange);
}

void RowSums::emit(ValueRange outer) {
  Values sums;
  for (LaneGroup &group : groups_)
    start(outer, group, sums);
  unsigned each = sums.size() / groups_.size();
  sums = emitInner(Values(outer), sums);
  values_.clearElements();
  for (auto [number, group] : llvm::enumerate(groups_)) {
    Values at = values_.getOuter(outer, group);
    finish(at, group, ArrayRef(sums).slice(number * each, each));
    computed_.emitRow(at, group);
  }
}

void mpc::cpu::emitPass(RowValues &values, int pass, ValueRange outer,
                        MutableArrayRef<LaneGroup> groups) {
  RowSums(values, pass, groups).emit(outer);
}
