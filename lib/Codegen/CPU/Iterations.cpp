// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of scalar loops over a statement's iterations, and long sums in them.
#include "lib/Codegen/CPU/Iterations.h"

#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/Factor.h"
#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/Reductions.h"
#include "lib/Codegen/CPU/UnitModel.h"
#include "lib/Codegen/CPU/Units.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

/// One iteration of `statement` at `dims`.
static void emitIteration(Emitter &emitter, const Statement &statement,
                          ValueRange dims) {
  linalg::GenericOp op = statement.generic();
  SmallVector<Value> arguments, places;
  for (const Access &input : statement.inputs)
    arguments.push_back(
        emitter.load(input.tensor, emitter.evaluate(input.index, dims)));
  for (auto [number, output] : llvm::enumerate(statement.outputs)) {
    places.push_back(emitter.evaluate(output.index, dims));
    arguments.push_back(statement.readsOutput(number)
                            ? emitter.load(op.getResult(number), places.back())
                            : Value());
  }
  SmallVector<Value> indices = emitter.getIndices(statement, dims, 0, {});
  SmallVector<Value> results = emitter.emitRegion(op, arguments, indices, {});
  for (auto [number, value] : llvm::enumerate(results))
    emitter.store(value, emitter.getBuffer(op.getResult(number)),
                  places[number]);
}

void mpc::cpu::emitResults(Emitter &emitter, const Statement &statement,
                           ValueRange outer, Emitter::NestBody body) {
  SmallVector<int64_t> inner;
  for (unsigned dim = outer.size(); dim < statement.numDims(); ++dim)
    inner.push_back(statement.reduced[dim] ? 1 : statement.extents[dim]);
  emitter.emitNest(inner, [&](ValueRange rest) {
    SmallVector<Value> dims(outer);
    llvm::append_range(dims, rest);
    body(dims);
  });
}

namespace {

/// The loops of one long sum.
class LongSumEmitter {
public:
  using Values = SmallVector<Value>;
  /// Adds to sums the elements of one step of the innermost loop. The first of
  /// them is named by its number in the order of the loops.
  using Element = llvm::function_ref<Values(Value, ValueRange)>;

  LongSumEmitter(Emitter &emitter, const LongSum &sum,
                 ArrayRef<Operation *> combiners, int64_t step, Element element,
                 Value lane = {})
      : emitter_(emitter), math_(emitter), sum_(sum), combiners_(combiners),
        step_(step), element_(element), lane_(lane) {}

  /// Adds to `sums` all elements inside of iteration `number` of the loops
  /// before `dim`.
  Values emit(unsigned dim, Value number, ValueRange sums) {
    if (dim == sum_.extents.size())
      return element_(number, sums);
    SmallVector<int64_t> lengths; // The lengths, from the longest chains on.
    for (const Chains &chains : llvm::reverse(sum_.cuts))
      if (chains.dim == dim)
        lengths.push_back(chains.count);
    int64_t extent = sum_.extents[dim];
    bool isLine = lane_ && dim + 1 == sum_.extents.size();
    auto body = [&](Value index, ValueRange carried) {
      return emit(dim + 1,
                  isLine ? numberInLine(number, index)
                         : math_.add(math_.mul(number, extent), index),
                  carried);
    };
    Values whole = emitRange(
        lengths, {math_.constant(0), math_.constant(extent)}, sums, body);
    return isLine ? addTail(number, whole) : whole;
  }

private:
  /// The lane's element of vector `index` of line `line`.
  Value numberInLine(Value line, Value index) {
    return math_.add(math_.mul(line, sum_.length),
                     math_.add(math_.mul(index, sum_.lanes), lane_));
  }

  /// Adds what is left of line `line` for the lane.
  Values addTail(Value line, ValueRange sums) {
    int64_t tail = sum_.length % sum_.lanes;
    if (tail == 0)
      return Values(sums);
    Value exists = arith::CmpIOp::create(emitter_.builder, emitter_.loc,
                                         arith::CmpIPredicate::ult, lane_,
                                         math_.constant(tail));
    Value last = math_.add(math_.mul(line, sum_.length),
                           math_.constant(sum_.length - 1));
    Value number = math_.min(
        numberInLine(line, math_.constant(sum_.extents.back())), last);
    Values next = element_(number, sums);
    for (auto [value, sum] : llvm::zip(next, sums))
      value = arith::SelectOp::create(emitter_.builder, emitter_.loc, exists,
                                      value, sum);
    return next;
  }

  Values emitRange(ArrayRef<int64_t> lengths, std::pair<Value, Value> range,
                   ValueRange sums, Emitter::CarryBody body) {
    if (lengths.empty())
      return emitter_.emitCarryingLoop(range, step_, sums, body);
    auto addChain = [&](Value from, ValueRange totals) {
      Value to = math_.min(math_.add(from, lengths.front()), range.second);
      Values next;
      for (Operation *combiner : combiners_)
        next.push_back(createNeutral(emitter_, combiner));
      next = emitRange(lengths.drop_front(), {from, to}, next, body);
      for (auto [total, chain, combiner] : llvm::zip(totals, next, combiners_))
        chain = createCombined(emitter_, combiner, total, chain);
      return next;
    };
    return emitter_.emitCarryingLoop(range, lengths.front(), sums, addChain);
  }

  Emitter &emitter_;
  IndexMath math_;
  const LongSum &sum_;
  ArrayRef<Operation *> combiners_;
  /// The number of elements in a step. A contraction has one loop.
  int64_t step_;
  Element element_;
  Value lane_; ///< The number of the partial sum, if there are several.
};

} // namespace

/// The indices of iteration `number` of the reduction loops, in their order, at
/// `dims`.
static SmallVector<Value> getIteration(Emitter &emitter,
                                       const Statement &statement,
                                       ValueRange dims, Value number) {
  SmallVector<unsigned> reduced;
  SmallVector<int64_t> extents;
  for (unsigned dim = 0; dim < statement.numDims(); ++dim)
    if (statement.reduced[dim]) {
      reduced.push_back(dim);
      extents.push_back(statement.extents[dim]);
    }
  SmallVector<Value> at(dims);
  for (auto [dim, index] :
       llvm::zip(reduced, emitter.delinearize(number, extents)))
    at[dim] = index;
  return at;
}

/// Runs iteration `number` of the reduction loops.
static SmallVector<Value> emitElement(Emitter &emitter,
                                      const Statement &statement,
                                      ValueRange dims, Value number,
                                      ValueRange sums) {
  SmallVector<Value> at = getIteration(emitter, statement, dims, number);
  SmallVector<Value> arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(
        emitter.load(input.tensor, emitter.evaluate(input.index, at)));
  llvm::append_range(arguments, sums);
  return emitter.emitRegion(statement.generic(), arguments,
                            emitter.getIndices(statement, at, 0, {}), {});
}

namespace {

/// Runs a contraction as `unit` would, whose steps take several k.
class UnitSteps {
public:
  UnitSteps(Emitter &emitter, const Contraction &contraction, Unit unit,
            ValueRange dims)
      : emitter_(emitter), math_(emitter), contraction_(contraction),
        unit_(unit), dims_(dims) {}

  /// Adds the products of the step that begins with k number `first`.
  Value emit(Value first, Value sum) {
    SmallVector<FactorPair> factors;
    for (int64_t next = 0; next < getDepth(unit_); ++next)
      factors.push_back(readFactors(math_.add(first, next)));
    return emitUnitStep(emitter_, unit_, factors, sum);
  }

private:
  /// The factors of number `k`; zeros beyond the last.
  FactorPair readFactors(Value k) {
    Value count = math_.constant(contraction_.sizes[Contraction::K]);
    Value exists = arith::CmpIOp::create(emitter_.builder, emitter_.loc,
                                         arith::CmpIPredicate::ult, k, count);
    SmallVector<Value> at =
        getIteration(emitter_, contraction_.statement, dims_,
                     math_.min(k, math_.add(count, -1)));
    return {readFactor(0, at, exists), readFactor(1, at, exists)};
  }
  Value readFactor(unsigned operand, ValueRange at, Value exists) {
    const Access &access = contraction_.getOperand(operand);
    Value element =
        emitter_.load(access.tensor, emitter_.evaluate(access.index, at));
    Value factor = emitFactor(emitter_, getFactor(contraction_, operand, unit_),
                              contraction_.getArgument(operand), element);
    Value zero = arith::ConstantOp::create(
        emitter_.builder, emitter_.loc,
        emitter_.builder.getZeroAttr(factor.getType()));
    return arith::SelectOp::create(emitter_.builder, emitter_.loc, exists,
                                   factor, zero);
  }

  Emitter &emitter_;
  IndexMath math_;
  const Contraction &contraction_;
  Unit unit_;
  ValueRange dims_;
};

} // namespace

/// Combines the partial sums in `buffer` pairwise, the first half of them with
/// the second, and returns the last one.
static Value combineLanes(Emitter &emitter, Operation *combiner, Value buffer,
                          int64_t lanes) {
  IndexMath math(emitter);
  Type type = combiner->getResult(0).getType();
  auto load = [&](Value lane) -> Value {
    Value value =
        memref::LoadOp::create(emitter.builder, emitter.loc, buffer, lane);
    if (value.getType() == type)
      return value;
    return arith::TruncIOp::create(emitter.builder, emitter.loc, type, value);
  };
  for (int64_t half = lanes / 2; half >= 1; half /= 2)
    emitter.emitLoop(math.constant(0), math.constant(half), 1, [&](Value lane) {
      Value low = load(lane), high = load(math.add(lane, half));
      emitter.store(createCombined(emitter, combiner, low, high), buffer, lane);
    });
  return load(math.constant(0));
}

namespace {

/// Computes the elements of a reduction's outputs.
class ResultEmitter {
public:
  ResultEmitter(Emitter &emitter, const Statement &statement,
                const LongSum &sum, Unit bf16)
      : emitter_(emitter), statement_(statement), sum_(sum),
        contraction_(matchContraction(statement)),
        unit_(contraction_ ? chooseUnit(*contraction_, bf16) : Unit::FMA) {
    for (unsigned number = 0; number < statement.outputs.size(); ++number)
      combiners_.push_back(getCombiner(statement, number));
  }

  /// Adds the sums at `dims` to their first values.
  void emit(ValueRange dims);

private:
  SmallVector<Value> addAll(ValueRange dims, ValueRange first, Value lane = {});
  SmallVector<Value> addLanes(ValueRange dims, ValueRange first);

  Emitter &emitter_;
  const Statement &statement_;
  const LongSum &sum_;
  std::optional<Contraction> contraction_;
  Unit unit_;
  SmallVector<Operation *> combiners_;
};

} // namespace

/// Adds all elements, or those of `lane`, to `first`.
SmallVector<Value> ResultEmitter::addAll(ValueRange dims, ValueRange first,
                                         Value lane) {
  auto element = [&](Value number, ValueRange sums) -> SmallVector<Value> {
    if (unit_ == Unit::FMA)
      return emitElement(emitter_, statement_, dims, number, sums);
    return {UnitSteps(emitter_, *contraction_, unit_, dims)
                .emit(number, sums.front())};
  };
  return LongSumEmitter(emitter_, sum_, combiners_, getDepth(unit_), element,
                        lane)
      .emit(0, emitter_.constantIndex(0), first);
}

/// The same by partial sums, which begin with the neutral element and are
/// combined with `first` at last.
SmallVector<Value> ResultEmitter::addLanes(ValueRange dims, ValueRange first) {
  SmallVector<Value> neutrals, buffers;
  for (Operation *combiner : combiners_) {
    neutrals.push_back(createNeutral(emitter_, combiner));
    buffers.push_back(emitter_.allocate(sum_.lanes, neutrals.back().getType()));
  }
  emitter_.emitLoop(emitter_.constantIndex(0),
                    emitter_.constantIndex(sum_.lanes), 1, [&](Value lane) {
                      for (auto [sum, buffer] :
                           llvm::zip(addAll(dims, neutrals, lane), buffers))
                        emitter_.store(sum, buffer, lane);
                    });
  SmallVector<Value> totals;
  for (auto [value, buffer, combiner] : llvm::zip(first, buffers, combiners_)) {
    Value sum = combineLanes(emitter_, combiner, buffer, sum_.lanes);
    totals.push_back(createCombined(emitter_, combiner, value, sum));
  }
  return totals;
}

void ResultEmitter::emit(ValueRange dims) {
  SmallVector<Value> buffers, places, totals;
  for (auto [number, output] : llvm::enumerate(statement_.outputs)) {
    Value result = statement_.op->getResult(number);
    buffers.push_back(emitter_.getBuffer(result));
    places.push_back(emitter_.evaluate(output.index, dims));
    totals.push_back(emitter_.load(result, places.back()));
  }
  totals = sum_.lanes > 1 ? addLanes(dims, totals) : addAll(dims, totals);
  for (auto [total, buffer, place] : llvm::zip(totals, buffers, places))
    emitter_.store(total, buffer, place);
}

void mpc::cpu::emitIterations(Emitter &emitter, const Statement &statement,
                              ValueRange outer, LoopsAttr schedule) {
  LongSum sum;
  if (statement.generic() && !statement.isParallel())
    sum = getLongSum(statement, schedule.getBf16(), schedule.getLanes());
  if (!sum.cuts.empty() || sum.lanes > 1) {
    ResultEmitter result(emitter, statement, sum, schedule.getBf16());
    return emitResults(emitter, statement, outer,
                       [&](ValueRange dims) { result.emit(dims); });
  }
  emitter.emitNest(ArrayRef(statement.extents).drop_front(outer.size()),
                   [&](ValueRange inner) {
                     SmallVector<Value> dims(outer);
                     llvm::append_range(dims, inner);
                     emitIteration(emitter, statement, dims);
                   });
}
