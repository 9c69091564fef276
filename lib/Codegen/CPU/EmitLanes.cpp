// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.lanes: loops of one statement, which compute several elements of the
// result at a time.
#include "lib/Codegen/CPU/Emitters.h"

#include "dialects/Kernel/Space.h"
#include "lib/Codegen/CPU/LoopUnits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

namespace {

class LaneEmitter {
public:
  LaneEmitter(Emitter &emitter, const Body &body, LanesAttr schedule);
  void emit();

private:
  void emitLine(ValueRange outer);
  void emitVector(ValueRange outer, Value first, Lanes lanes);
  SmallVector<Value> emitLoops(SmallVectorImpl<Value> &dims, ValueRange values,
                               Value first, Lanes lanes);
  SmallVector<Value> emitStatement(ValueRange dims, ValueRange values,
                                   Lanes lanes);
  unsigned along() const { return statement_.numDims() - 1; }

  Emitter &emitter_;
  LanesAttr schedule_;
  /// The statement, with dimensions in this order: lines, reduced dimensions,
  /// lanes.
  Statement statement_;
  SmallVector<int64_t> lines_;
  /// The destinations, which are arguments of the kernel.
  SmallVector<Value> destinations_;
};

} // namespace

/// The dimensions of `statement` in the order that LaneEmitter requires.
static SmallVector<unsigned> orderOf(const Statement &statement,
                                     unsigned lane) {
  unsigned next = 0;
  SmallVector<unsigned> order(statement.numDims(), statement.numDims() - 1);
  for (bool isReduced : {false, true})
    for (unsigned dim = 0; dim < statement.numDims(); ++dim)
      if (dim != lane && statement.reduced[dim] == isReduced)
        order[dim] = next++;
  return order;
}

LaneEmitter::LaneEmitter(Emitter &emitter, const Body &body, LanesAttr schedule)
    : emitter_(emitter), schedule_(schedule),
      statement_(body.statements.front()) {
  permuteDims(statement_,
              orderOf(statement_, *findLaneDim(emitter.kernel, body)));
  for (unsigned dim = 0; dim < along() && !statement_.reduced[dim]; ++dim)
    lines_.push_back(statement_.extents[dim]);
  OperandRange returned = emitter.kernel.getReturn().getValues();
  for (Value result : statement_.op->getResults())
    destinations_.push_back(emitter.kernel.getDestination(
        llvm::find(returned, result) - returned.begin()));
}

SmallVector<Value> LaneEmitter::emitStatement(ValueRange dims,
                                              ValueRange values, Lanes lanes) {
  SmallVector<Value> arguments;
  for (const Access &input : statement_.inputs)
    arguments.push_back(emitter_.loadLanes(input, dims, along(), lanes));
  llvm::append_range(arguments, values);
  SmallVector<Value> results = emitter_.emitRegion(
      statement_.generic(), arguments,
      emitter_.getIndices(statement_, dims, along(), lanes), lanes);
  for (Value &result : results)
    result = emitter_.broadcast(result, lanes);
  return results;
}

/// The reduction loops after the dimensions whose indices are in `dims`.
SmallVector<Value> LaneEmitter::emitLoops(SmallVectorImpl<Value> &dims,
                                          ValueRange values, Value first,
                                          Lanes lanes) {
  if (dims.size() == along()) {
    SmallVector<Value> at(dims.begin(), dims.end());
    at.push_back(first);
    return emitStatement(at, values, lanes);
  }
  Value extent = emitter_.constantIndex(statement_.extents[dims.size()]);
  return emitter_.emitCarryingLoop(
      {emitter_.constantIndex(0), extent}, 1, values,
      [&](Value index, ValueRange carried) {
        dims.push_back(index);
        SmallVector<Value> next = emitLoops(dims, carried, first, lanes);
        dims.pop_back();
        return next;
      });
}

void LaneEmitter::emitVector(ValueRange outer, Value first, Lanes lanes) {
  SmallVector<Value> at(outer), values;
  at.resize(along(), emitter_.constantIndex(0));
  at.push_back(first);
  for (const Access &output : statement_.outputs)
    values.push_back(emitter_.broadcast(
        emitter_.loadLanes(output, at, along(), lanes), lanes));
  SmallVector<Value> dims(outer);
  values = emitLoops(dims, values, first, lanes);
  for (auto [value, output, destination] :
       llvm::zip(values, statement_.outputs, destinations_))
    emitter_.storeLanes(value, {destination, output.index}, at, along(), lanes);
}

/// A rest that does not fill a vector is a partial vector of the smallest width
/// that holds it.
void LaneEmitter::emitLine(ValueRange outer) {
  int64_t length = statement_.extents[along()], lanes = schedule_.getLanes();
  int64_t tail = length % lanes;
  emitter_.emitLoop(
      emitter_.constantIndex(0), emitter_.constantIndex(length - tail), lanes,
      [&](Value first) { emitVector(outer, first, {lanes, lanes}); });
  if (tail == 0)
    return;
  int64_t width = static_cast<int64_t>(llvm::PowerOf2Ceil(tail));
  Lanes rest = tail == 1 ? Lanes{} : Lanes{width, tail};
  emitVector(outer, emitter_.constantIndex(length - tail), rest);
}

void LaneEmitter::emit() {
  int64_t units = llvm::product_of(lines_);
  Value from =
      emitter_.chunkStart(emitter_.begin, units, schedule_.getChunks());
  Value to = emitter_.chunkStart(emitter_.end, units, schedule_.getChunks());
  emitter_.emitLoop(from, to, 1, [&](Value line) {
    emitLine(emitter_.delinearize(line, lines_));
  });
}

void mpc::cpu::emitLanes(Emitter &emitter, const Body &body,
                         LanesAttr schedule) {
  LaneEmitter(emitter, body, schedule).emit();
}
