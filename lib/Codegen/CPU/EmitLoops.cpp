// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.loops: runs the statements in order, each as a nest of scalar loops.
#include "dialects/Kernel/Classify.h"
#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/LoopUnits.h"
#include "lib/Codegen/CPU/Reductions.h"
#include "lib/Codegen/CPU/Storage.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

namespace {

class LoopEmitter {
public:
  LoopEmitter(Emitter &emitter, const Body &body, int64_t chunks)
      : emitter_(emitter), body_(body), storage_(emitter.kernel, body),
        chunks_(chunks) {}

  /// Emits all statements in order, for a kernel of one chunk.
  void emitWhole();
  /// Emits the only statement for a range of chunks.
  void emitChunks();

private:
  void emitStatement(unsigned number);
  void emitOpaque(const Statement &statement, std::pair<Value, Value> units);
  void placeOutput(unsigned number, unsigned output);
  void emitFill(Value tensor, Value buffer);
  void emitIterations(const Statement &statement, ValueRange outer);
  void emitGeneric(const Statement &statement, ValueRange dims);
  void emitLongSum(const Statement &statement, const LongSum &sum,
                   ValueRange dims);
  SmallVector<Value> emitElement(const Statement &statement, ValueRange dims,
                                 Value number, ValueRange sums);
  void emitInit(const Statement &statement, ValueRange outer);
  void emitResults(const Statement &statement, ValueRange outer,
                   Emitter::NestBody body);
  void copyResults();
  Value getDestination(int result) {
    return emitter_.getBuffer(emitter_.kernel.getDestination(result));
  }

  Emitter &emitter_;
  const Body &body_;
  Storage storage_;
  int64_t chunks_;
};

} // namespace

/// Copies every element of `tensor` to `buffer`.
void LoopEmitter::emitFill(Value tensor, Value buffer) {
  int64_t count = cast<RankedTensorType>(tensor.getType()).getNumElements();
  emitter_.emitLoop(emitter_.constantIndex(0), emitter_.constantIndex(count), 1,
                    [&](Value index) {
                      Value value = emitter_.load(tensor, index);
                      emitter_.store(value, buffer, index);
                    });
}

void LoopEmitter::placeOutput(unsigned number, unsigned output) {
  const Statement &statement = body_.statements[number];
  Value init = statement.getInit(output);
  Value result = statement.op->getResult(output);
  const OutputPlace &place = storage_.getPlace(number, output);
  if (place.inPlace)
    return emitter_.setBuffer(result, emitter_.getBuffer(init));
  auto type = cast<RankedTensorType>(result.getType());
  Value buffer =
      place.destination >= 0
          ? getDestination(place.destination)
          : emitter_.allocate(type.getNumElements(), type.getElementType());
  emitter_.setBuffer(result, buffer);
}

/// One iteration of `statement` at `dims`.
void LoopEmitter::emitGeneric(const Statement &statement, ValueRange dims) {
  linalg::GenericOp op = statement.generic();
  SmallVector<Value> arguments, places;
  for (const Access &input : statement.inputs)
    arguments.push_back(
        emitter_.load(input.tensor, emitter_.evaluate(input.index, dims)));
  for (auto [number, output] : llvm::enumerate(statement.outputs)) {
    places.push_back(emitter_.evaluate(output.index, dims));
    arguments.push_back(statement.readsOutput(number)
                            ? emitter_.load(op.getResult(number), places.back())
                            : Value());
  }
  SmallVector<Value> indices = emitter_.getIndices(statement, dims, 0, {});
  SmallVector<Value> results = emitter_.emitRegion(op, arguments, indices, {});
  for (auto [number, value] : llvm::enumerate(results))
    emitter_.store(value, emitter_.getBuffer(op.getResult(number)),
                   places[number]);
}

/// Calls `body` for each element of the outputs at `outer`, indices of the
/// first dimensions. The outputs do not depend on reduction dimensions, whose
/// indices are 0.
void LoopEmitter::emitResults(const Statement &statement, ValueRange outer,
                              Emitter::NestBody body) {
  SmallVector<int64_t> inner;
  for (unsigned dim = outer.size(); dim < statement.numDims(); ++dim)
    inner.push_back(statement.reduced[dim] ? 1 : statement.extents[dim]);
  emitter_.emitNest(inner, [&](ValueRange rest) {
    SmallVector<Value> dims(outer);
    llvm::append_range(dims, rest);
    body(dims);
  });
}

/// Runs all iterations at `outer`, indices of the first dimensions.
void LoopEmitter::emitIterations(const Statement &statement, ValueRange outer) {
  LongSum sum;
  if (statement.generic() && !statement.isParallel())
    sum = getLongSum(statement);
  if (!sum.cuts.empty())
    return emitResults(statement, outer, [&](ValueRange dims) {
      emitLongSum(statement, sum, dims);
    });
  emitter_.emitNest(ArrayRef(statement.extents).drop_front(outer.size()),
                    [&](ValueRange inner) {
                      SmallVector<Value> dims(outer);
                      llvm::append_range(dims, inner);
                      emitGeneric(statement, dims);
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

/// Computes the outputs' elements at `dims`: the chains of `sum` are added to
/// their first values.
void LoopEmitter::emitLongSum(const Statement &statement, const LongSum &sum,
                              ValueRange dims) {
  SmallVector<Value> buffers, places, totals;
  SmallVector<Operation *> combiners;
  for (auto [number, output] : llvm::enumerate(statement.outputs)) {
    Value result = statement.op->getResult(number);
    buffers.push_back(emitter_.getBuffer(result));
    places.push_back(emitter_.evaluate(output.index, dims));
    totals.push_back(emitter_.load(result, places.back()));
    combiners.push_back(getCombiner(statement, number));
  }
  auto element = [&](Value number, ValueRange sums) {
    return emitElement(statement, dims, number, sums);
  };
  totals = LongSumEmitter(emitter_, sum, combiners, element)
               .emit(0, emitter_.constantIndex(0), totals);
  for (auto [total, buffer, place] : llvm::zip(totals, buffers, places))
    emitter_.store(total, buffer, place);
}

/// Runs iteration `number` of the reduction loops, in their order.
SmallVector<Value> LoopEmitter::emitElement(const Statement &statement,
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
       llvm::zip(reduced, emitter_.delinearize(number, extents)))
    at[dim] = index;
  SmallVector<Value> arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(
        emitter_.load(input.tensor, emitter_.evaluate(input.index, at)));
  llvm::append_range(arguments, sums);
  return emitter_.emitRegion(statement.generic(), arguments,
                             emitter_.getIndices(statement, at, 0, {}), {});
}

/// Runs iterations [from, to) of the parallel dimensions of an op without
/// accesses.
void LoopEmitter::emitOpaque(const Statement &statement,
                             std::pair<Value, Value> units) {
  if (auto rank = dyn_cast<RankOp>(statement.op))
    return emitRank(emitter_, rank, emitter_.getBuffer(rank.getResult()),
                    units);
  auto scatter = cast<ScatterOp>(statement.op);
  emitScatter(emitter_, scatter, emitter_.getBuffer(scatter.getResult()),
              units);
}

void LoopEmitter::emitStatement(unsigned number) {
  const Statement &statement = body_.statements[number];
  for (unsigned out = 0; out < statement.op->getNumResults(); ++out) {
    placeOutput(number, out);
    Value init = statement.getInit(out);
    if (storage_.getPlace(number, out).inPlace || isUndefined(init) ||
        (statement.coversOutput(out) && !statement.readsOutput(out)))
      continue;
    emitFill(init, emitter_.getBuffer(statement.op->getResult(out)));
  }
  if (!statement.generic())
    return emitOpaque(statement,
                      {emitter_.constantIndex(0),
                       emitter_.constantIndex(statement.numParallel())});
  emitIterations(statement, {});
}

/// Copies returned values that do not lie in their destination.
void LoopEmitter::copyResults() {
  OperandRange values = emitter_.kernel.getReturn().getValues();
  for (auto [result, value] : llvm::enumerate(values))
    if (storage_.getDestination(value) != static_cast<int>(result))
      emitFill(value, getDestination(result));
}

void LoopEmitter::emitWhole() {
  // The code is in a loop, because the range of chunks may be empty.
  emitter_.emitLoop(emitter_.begin, emitter_.end, 1, [&](Value) {
    for (unsigned number = 0; number < body_.statements.size(); ++number)
      emitStatement(number);
    copyResults();
  });
}

/// Writes the first values of the outputs that iterations of `outer` update.
void LoopEmitter::emitInit(const Statement &statement, ValueRange outer) {
  for (auto [number, output] : llvm::enumerate(statement.outputs)) {
    if (storage_.getPlace(0, number).inPlace || isUndefined(output.tensor) ||
        !statement.readsOutput(number))
      continue;
    Value buffer = emitter_.getBuffer(statement.op->getResult(number));
    emitResults(statement, outer, [&](ValueRange dims) {
      Value place = emitter_.evaluate(output.index, dims);
      emitter_.store(emitter_.load(output.tensor, place), buffer, place);
    });
  }
}

void LoopEmitter::emitChunks() {
  const Statement &statement = body_.statements.front();
  int64_t units = countLoopUnits(emitter_.kernel, body_);
  Value from = emitter_.chunkStart(emitter_.begin, units, chunks_);
  Value to = emitter_.chunkStart(emitter_.end, units, chunks_);
  for (unsigned out = 0; out < statement.op->getNumResults(); ++out)
    placeOutput(0, out);
  if (!statement.generic())
    return emitOpaque(statement, {from, to});
  ArrayRef<int64_t> outerExtents = getChunkDims(statement);
  emitter_.emitLoop(from, to, 1, [&](Value unit) {
    SmallVector<Value> outer = emitter_.delinearize(unit, outerExtents);
    emitInit(statement, outer);
    emitIterations(statement, outer);
  });
}

void mpc::cpu::emitLoops(Emitter &emitter, const Body &body, int64_t chunks) {
  LoopEmitter loops(emitter, body, chunks);
  if (chunks == 1)
    loops.emitWhole();
  else
    loops.emitChunks();
}
