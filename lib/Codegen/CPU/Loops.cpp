// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.loops: statements in order, each a nest of scalar loops.
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/LoopUnits.h"
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
  void emitGeneric(const Statement &statement, ValueRange dims);
  void emitInit(const Statement &statement, ValueRange outer);
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

/// Iterations [from, to) of the parallel dimensions of an op without accesses.
void LoopEmitter::emitOpaque(const Statement &statement,
                             std::pair<Value, Value> units) {
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
  emitter_.emitNest(statement.extents,
                    [&](ValueRange dims) { emitGeneric(statement, dims); });
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
    // Reduction dimensions do not appear in an output's place.
    SmallVector<int64_t> inner;
    for (unsigned dim = outer.size(); dim < statement.numDims(); ++dim)
      inner.push_back(statement.reduced[dim] ? 1 : statement.extents[dim]);
    Value buffer = emitter_.getBuffer(statement.op->getResult(number));
    emitter_.emitNest(inner, [&](ValueRange rest) {
      SmallVector<Value> dims(outer);
      dims.append(rest.begin(), rest.end());
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
  auto innerExtents =
      ArrayRef(statement.extents).drop_front(outerExtents.size());
  emitter_.emitLoop(from, to, 1, [&](Value unit) {
    SmallVector<Value> outer = emitter_.delinearize(unit, outerExtents);
    emitInit(statement, outer);
    emitter_.emitNest(innerExtents, [&](ValueRange inner) {
      SmallVector<Value> dims = outer;
      dims.append(inner.begin(), inner.end());
      emitGeneric(statement, dims);
    });
  });
}

void mpc::cpu::emitLoops(Emitter &emitter, const Body &body, int64_t chunks) {
  LoopEmitter loops(emitter, body, chunks);
  if (chunks == 1)
    loops.emitWhole();
  else
    loops.emitChunks();
}
