// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.loops: runs the statements in order, each as a nest of scalar loops.
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/Iterations.h"
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
  LoopEmitter(Emitter &emitter, const Body &body, LoopsAttr schedule)
      : emitter_(emitter), body_(body), storage_(emitter.kernel, body),
        schedule_(schedule) {}

  /// Emits all statements in order, for a kernel of one chunk.
  void emitWhole();
  /// Emits the only statement for a range of chunks.
  void emitChunks();

private:
  void emitStatement(unsigned number);
  void emitOpaque(const Statement &statement, std::pair<Value, Value> units);
  void placeOutput(unsigned number, unsigned output);
  void emitFill(Value tensor, Value buffer);
  void emitInit(const Statement &statement, ValueRange outer);
  void copyResults();
  Value getDestination(int result) {
    return emitter_.getBuffer(emitter_.kernel.getDestination(result));
  }

  Emitter &emitter_;
  const Body &body_;
  Storage storage_;
  LoopsAttr schedule_;
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

/// Runs units [from, to) of an op without accesses.
void LoopEmitter::emitOpaque(const Statement &statement,
                             std::pair<Value, Value> units) {
  if (auto rank = dyn_cast<RankOp>(statement.op))
    return emitRank(emitter_, rank, emitter_.getBuffer(rank.getResult()),
                    units);
  if (auto cumsum = dyn_cast<CumsumOp>(statement.op))
    return emitCumsum(emitter_, cumsum, units);
  emitScatter(emitter_, cast<ScatterOp>(statement.op), units);
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
                       emitter_.constantIndex(countUnits(statement))});
  emitIterations(emitter_, statement, {}, schedule_);
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
    emitResults(emitter_, statement, outer, [&](ValueRange dims) {
      Value place = emitter_.evaluate(output.index, dims);
      emitter_.store(emitter_.load(output.tensor, place), buffer, place);
    });
  }
}

void LoopEmitter::emitChunks() {
  const Statement &statement = body_.statements.front();
  int64_t units = countLoopUnits(emitter_.kernel, body_);
  int64_t chunks = schedule_.getChunks();
  Value from = emitter_.chunkStart(emitter_.begin, units, chunks);
  Value to = emitter_.chunkStart(emitter_.end, units, chunks);
  for (unsigned out = 0; out < statement.op->getNumResults(); ++out)
    placeOutput(0, out);
  if (!statement.generic())
    return emitOpaque(statement, {from, to});
  ArrayRef<int64_t> outerExtents = getChunkDims(statement);
  emitter_.emitLoop(from, to, 1, [&](Value unit) {
    SmallVector<Value> outer = emitter_.delinearize(unit, outerExtents);
    emitInit(statement, outer);
    emitIterations(emitter_, statement, outer, schedule_);
  });
}

void mpc::cpu::emitLoops(Emitter &emitter, const Body &body,
                         LoopsAttr schedule) {
  LoopEmitter loops(emitter, body, schedule);
  if (schedule.getChunks() == 1)
    loops.emitWhole();
  else
    loops.emitChunks();
}
