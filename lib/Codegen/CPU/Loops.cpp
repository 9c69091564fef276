// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.loops: statements in order, each a nest of scalar loops.
#include "dialects/Kernel/Classify.h"
#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/Gemm.h"
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
  void emitChains(const Statement &statement, int64_t length, ValueRange dims);
  SmallVector<Value> emitChain(const Statement &statement, ValueRange dims,
                               std::pair<Value, Value> range);
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

/// Calls `body` for each place of the outputs at `outer`, indices of the first
/// dimensions; reduction dimensions do not appear in it, their indices are 0.
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

/// All iterations at `outer`, indices of the first dimensions.
void LoopEmitter::emitIterations(const Statement &statement, ValueRange outer) {
  if (std::optional<int64_t> chain = getChainLength(statement))
    return emitResults(statement, outer, [&](ValueRange dims) {
      emitChains(statement, *chain, dims);
    });
  emitter_.emitNest(ArrayRef(statement.extents).drop_front(outer.size()),
                    [&](ValueRange inner) {
                      SmallVector<Value> dims(outer);
                      llvm::append_range(dims, inner);
                      emitGeneric(statement, dims);
                    });
}

/// The outputs' elements at `dims`: first values, and the chains of `length`
/// iterations that are added to them.
void LoopEmitter::emitChains(const Statement &statement, int64_t length,
                             ValueRange dims) {
  IndexMath math(emitter_);
  SmallVector<Value> buffers, places, totals;
  for (auto [number, output] : llvm::enumerate(statement.outputs)) {
    Value result = statement.op->getResult(number);
    buffers.push_back(emitter_.getBuffer(result));
    places.push_back(emitter_.evaluate(output.index, dims));
    totals.push_back(emitter_.load(result, places.back()));
  }
  Value count =
      math.constant(statement.numIterations() / statement.numParallel());
  auto addChain = [&](Value from, ValueRange sums) {
    Value to = math.min(math.add(from, length), count);
    SmallVector<Value> chain = emitChain(statement, dims, {from, to}), next;
    for (auto [number, sum] : llvm::enumerate(sums))
      next.push_back(createCombined(emitter_, getCombiner(statement, number),
                                    sum, chain[number]));
    return next;
  };
  totals = emitter_.emitCarryingLoop({math.constant(0), count}, length, totals,
                                     addChain);
  for (auto [total, buffer, place] : llvm::zip(totals, buffers, places))
    emitter_.store(total, buffer, place);
}

/// A range of the iterations of the reduction loops, counted in their order.
SmallVector<Value> LoopEmitter::emitChain(const Statement &statement,
                                          ValueRange dims,
                                          std::pair<Value, Value> range) {
  SmallVector<unsigned> reduced;
  SmallVector<int64_t> extents;
  for (unsigned dim = 0; dim < statement.numDims(); ++dim)
    if (statement.reduced[dim]) {
      reduced.push_back(dim);
      extents.push_back(statement.extents[dim]);
    }
  SmallVector<Value> start;
  for (unsigned output = 0; output < statement.outputs.size(); ++output)
    start.push_back(createNeutral(emitter_, getCombiner(statement, output)));
  auto iterate = [&](Value number, ValueRange sums) {
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
  };
  return emitter_.emitCarryingLoop(range, 1, start, iterate);
}

/// Iterations [from, to) of the parallel dimensions of an op without accesses.
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

/// Values that are returned but do not lie in their destination.
void LoopEmitter::copyResults() {
  OperandRange values = emitter_.kernel.getReturn().getValues();
  for (auto [result, value] : llvm::enumerate(values))
    if (storage_.getDestination(value) != static_cast<int>(result))
      emitFill(value, getDestination(result));
}

void LoopEmitter::emitWhole() {
  // A loop, because the range of chunks may be empty.
  emitter_.emitLoop(emitter_.begin, emitter_.end, 1, [&](Value) {
    for (unsigned number = 0; number < body_.statements.size(); ++number)
      emitStatement(number);
    copyResults();
  });
}

/// Gives the outputs that iterations of `outer` write their first values.
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
