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
                 ArrayRef<Operation *> combiners, int64_t step, Element element)
      : emitter_(emitter), math_(emitter), sum_(sum), combiners_(combiners),
        step_(step), element_(element) {}

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
    auto body = [&](Value index, ValueRange carried) {
      Value inner = math_.add(math_.mul(number, extent), index);
      return emit(dim + 1, inner, carried);
    };
    return emitRange(lengths, {math_.constant(0), math_.constant(extent)}, sums,
                     body);
  }

private:
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

/// Computes the outputs' elements at `dims`: the chains of `sum` are added to
/// their first values.
static void emitLongSum(Emitter &emitter, const Statement &statement,
                        const LongSum &sum, ValueRange dims, Unit bf16) {
  SmallVector<Value> buffers, places, totals;
  SmallVector<Operation *> combiners;
  for (auto [number, output] : llvm::enumerate(statement.outputs)) {
    Value result = statement.op->getResult(number);
    buffers.push_back(emitter.getBuffer(result));
    places.push_back(emitter.evaluate(output.index, dims));
    totals.push_back(emitter.load(result, places.back()));
    combiners.push_back(getCombiner(statement, number));
  }
  std::optional<Contraction> contraction = matchContraction(statement);
  Unit unit = contraction ? chooseUnit(*contraction, bf16) : Unit::FMA;
  auto element = [&](Value number, ValueRange sums) -> SmallVector<Value> {
    if (unit == Unit::FMA)
      return emitElement(emitter, statement, dims, number, sums);
    return {UnitSteps(emitter, *contraction, unit, dims)
                .emit(number, sums.front())};
  };
  totals = LongSumEmitter(emitter, sum, combiners, getDepth(unit), element)
               .emit(0, emitter.constantIndex(0), totals);
  for (auto [total, buffer, place] : llvm::zip(totals, buffers, places))
    emitter.store(total, buffer, place);
}

void mpc::cpu::emitIterations(Emitter &emitter, const Statement &statement,
                              ValueRange outer, Unit bf16) {
  LongSum sum;
  if (statement.generic() && !statement.isParallel())
    sum = getLongSum(statement, bf16);
  if (!sum.cuts.empty())
    return emitResults(emitter, statement, outer, [&](ValueRange dims) {
      emitLongSum(emitter, statement, sum, dims, bf16);
    });
  emitter.emitNest(ArrayRef(statement.extents).drop_front(outer.size()),
                   [&](ValueRange inner) {
                     SmallVector<Value> dims(outer);
                     llvm::append_range(dims, inner);
                     emitIteration(emitter, statement, dims);
                   });
}
