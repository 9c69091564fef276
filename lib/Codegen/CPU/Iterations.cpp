// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of scalar loops over a statement's iterations, and long sums in them.
#include "lib/Codegen/CPU/Iterations.h"

#include "dialects/Kernel/Classify.h"
#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/Reductions.h"

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
  /// Adds an element to sums. The element is named by its number in the order
  /// of the loops.
  using Element = llvm::function_ref<Values(Value, ValueRange)>;

  LongSumEmitter(Emitter &emitter, const LongSum &sum,
                 ArrayRef<Operation *> combiners, Element element)
      : emitter_(emitter), math_(emitter), sum_(sum), combiners_(combiners),
        element_(element) {}

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
      return emitter_.emitCarryingLoop(range, 1, sums, body);
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
  Element element_;
};

} // namespace

/// Runs iteration `number` of the reduction loops, in their order.
static SmallVector<Value> emitElement(Emitter &emitter,
                                      const Statement &statement,
                                      ValueRange dims, Value number,
                                      ValueRange sums) {
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
  SmallVector<Value> arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(
        emitter.load(input.tensor, emitter.evaluate(input.index, at)));
  llvm::append_range(arguments, sums);
  return emitter.emitRegion(statement.generic(), arguments,
                            emitter.getIndices(statement, at, 0, {}), {});
}

/// Computes the outputs' elements at `dims`: the chains of `sum` are added to
/// their first values.
static void emitLongSum(Emitter &emitter, const Statement &statement,
                        const LongSum &sum, ValueRange dims) {
  SmallVector<Value> buffers, places, totals;
  SmallVector<Operation *> combiners;
  for (auto [number, output] : llvm::enumerate(statement.outputs)) {
    Value result = statement.op->getResult(number);
    buffers.push_back(emitter.getBuffer(result));
    places.push_back(emitter.evaluate(output.index, dims));
    totals.push_back(emitter.load(result, places.back()));
    combiners.push_back(getCombiner(statement, number));
  }
  auto element = [&](Value number, ValueRange sums) {
    return emitElement(emitter, statement, dims, number, sums);
  };
  totals = LongSumEmitter(emitter, sum, combiners, element)
               .emit(0, emitter.constantIndex(0), totals);
  for (auto [total, buffer, place] : llvm::zip(totals, buffers, places))
    emitter.store(total, buffer, place);
}

void mpc::cpu::emitIterations(Emitter &emitter, const Statement &statement,
                              ValueRange outer) {
  LongSum sum;
  if (statement.generic() && !statement.isParallel())
    sum = getLongSum(statement);
  if (!sum.cuts.empty())
    return emitResults(emitter, statement, outer, [&](ValueRange dims) {
      emitLongSum(emitter, statement, sum, dims);
    });
  emitter.emitNest(ArrayRef(statement.extents).drop_front(outer.size()),
                   [&](ValueRange inner) {
                     SmallVector<Value> dims(outer);
                     llvm::append_range(dims, inner);
                     emitIteration(emitter, statement, dims);
                   });
}
