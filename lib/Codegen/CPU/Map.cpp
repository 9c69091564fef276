// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.map: statements fused into one loop, vectors along one dimension.
#include "lib/Codegen/CPU/Emitters.h"

#include "dialects/Kernel/Classify.h"
#include "lib/Codegen/CPU/Space.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

// Elements of a long line that are one unit of work; a multiple of all lanes.
static constexpr int64_t blockLength = 4096;

namespace {

class MapEmitter {
public:
  MapEmitter(Emitter &emitter, const Body &body, int64_t lanes);
  void emit(int64_t chunks);
  int64_t countUnits() const;

private:
  void emitUnit(Value unit);
  void emitVector(ValueRange dims, Lanes lanes);
  SmallVector<Value> emitStatement(const Statement &statement, ValueRange dims,
                                   Lanes lanes);
  Value read(const Access &access, ValueRange dims, Lanes lanes);
  void hoistLoads(ValueRange outer, bool constant);
  int64_t countBlocks() const { return llvm::divideCeil(length, blockLength); }

  Emitter &emitter;
  const Body &body;
  std::vector<Statement> statements;
  int64_t lanes;
  SmallVector<int64_t> outer; ///< Extents of all dimensions but the last.
  int64_t length;             ///< Extent of the last.
  /// Loads that do not depend on the vector's dimension, by place.
  DenseMap<std::pair<Value, AffineExpr>, Value> hoisted;
  DenseMap<Value, Value> forwarded;
};

} // namespace

static void reshapeMap(std::vector<Statement> &statements, int64_t lanes) {
  mergeDims(statements, 0, statements.front().numDims());
  SmallVector<unsigned> dims(
      llvm::reverse(llvm::seq(statements.front().numDims())));
  if (!dims.empty())
    moveDimLast(statements, chooseVectorDim(statements, lanes, dims));
}

static int64_t countUnitsOf(ArrayRef<int64_t> extents) {
  if (extents.empty())
    return 1;
  int64_t units = llvm::divideCeil(extents.back(), blockLength);
  for (int64_t extent : extents.drop_back())
    units *= extent;
  return units;
}

int64_t mpc::cpu::countMapUnits(const Body &body, int64_t lanes) {
  std::vector<Statement> statements = body.statements;
  reshapeMap(statements, lanes);
  return countUnitsOf(statements.front().extents);
}

MapEmitter::MapEmitter(Emitter &emitter, const Body &body, int64_t lanes)
    : emitter(emitter), body(body), statements(body.statements), lanes(lanes) {
  reshapeMap(statements, lanes);
  ArrayRef<int64_t> extents = statements.front().extents;
  length = extents.empty() ? 1 : extents.back();
  if (!extents.empty())
    outer.assign(extents.begin(), extents.end() - 1);
}

int64_t MapEmitter::countUnits() const {
  return countUnitsOf(statements.front().extents);
}

/// Loads what is the same for all elements of a line, or (`constant`) of the
/// whole kernel, ahead: LLVM cannot know that no store changes it.
void MapEmitter::hoistLoads(ValueRange dims, bool constant) {
  auto hoist = [&](const Access &access, unsigned numDims) {
    bool isConstant = access.index.isSymbolicOrConstant();
    if (isConstant != constant || getProducer(access.tensor, body) ||
        (numDims != 0 && access.index.isFunctionOfDim(numDims - 1)))
      return;
    Value &slot = hoisted[{access.tensor, access.index}];
    slot = emitter.load(access.tensor, emitter.evaluate(access.index, dims));
  };
  for (const Statement &statement : statements)
    for (const Access &input : statement.inputs)
      hoist(input, statement.numDims());
}

Value MapEmitter::read(const Access &access, ValueRange dims, Lanes lanes) {
  if (Value value = forwarded.lookup(access.tensor))
    return value;
  if (Value value = hoisted.lookup({access.tensor, access.index}))
    return value;
  return emitter.loadLanes(access, dims, dims.size() - 1, lanes);
}

SmallVector<Value> MapEmitter::emitStatement(const Statement &statement,
                                             ValueRange dims, Lanes lanes) {
  SmallVector<Value> arguments;
  for (const Access &input : statement.inputs)
    arguments.push_back(read(input, dims, lanes));
  for (auto [number, output] : llvm::enumerate(statement.outputs))
    arguments.push_back(
        statement.readsOutput(number) ? read(output, dims, lanes) : Value());
  unsigned along = dims.empty() ? 0 : dims.size() - 1;
  SmallVector<Value> indices =
      emitter.getIndices(statement, dims, along, lanes);
  return emitter.emitRegion(statement.generic(), arguments, indices, lanes);
}

// Stores come last: a destination may be the memory of an input, of which this
// element is then read before.
void MapEmitter::emitVector(ValueRange dims, Lanes lanes) {
  forwarded.clear();
  for (const Statement &statement : statements) {
    SmallVector<Value> results = emitStatement(statement, dims, lanes);
    for (auto [result, value] : llvm::zip(statement.op->getResults(), results))
      forwarded[result] = value;
  }
  OperandRange values = emitter.kernel.getReturn().getValues();
  for (auto [result, value] : llvm::enumerate(values)) {
    Producer producer = *getProducer(value, body);
    AffineExpr index =
        statements[producer.statement].outputs[producer.output].index;
    emitter.storeLanes(forwarded.lookup(value),
                       {emitter.kernel.getDestination(result), index}, dims,
                       dims.empty() ? 0 : dims.size() - 1, lanes);
  }
}

/// One block of one line.
void MapEmitter::emitUnit(Value unit) {
  if (statements.front().extents.empty())
    return emitVector({}, {});
  OpBuilder &builder = emitter.builder;
  int64_t tail = length % lanes, blocks = countBlocks();
  SmallVector<int64_t> space = outer;
  space.push_back(blocks);
  SmallVector<Value> dims = emitter.delinearize(unit, space);
  Value from = emitter.constantIndex(0);
  Value to = emitter.constantIndex(length - tail);
  Value block = dims.pop_back_val();
  hoistLoads(dims, /*constant=*/false);
  if (blocks > 1) {
    Value step = emitter.constantIndex(blockLength);
    from = arith::MulIOp::create(builder, emitter.loc, block, step);
    Value next = arith::AddIOp::create(builder, emitter.loc, from, step);
    to = arith::MinSIOp::create(builder, emitter.loc, next, to);
  }
  emitter.emitLoop(from, to, lanes, [&](Value position) {
    dims.push_back(position);
    emitVector(dims, {lanes, lanes});
    dims.pop_back();
  });
  if (tail == 0)
    return;
  OpBuilder::InsertionGuard guard(builder);
  if (blocks > 1) {
    Value isLast =
        arith::CmpIOp::create(builder, emitter.loc, arith::CmpIPredicate::eq,
                              block, emitter.constantIndex(blocks - 1));
    auto branch = scf::IfOp::create(builder, emitter.loc, isLast);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  dims.push_back(emitter.constantIndex(length - tail));
  emitVector(dims, {lanes, tail});
}

void MapEmitter::emit(int64_t chunks) {
  hoistLoads({}, /*constant=*/true);
  int64_t units = countUnits();
  Value from = emitter.chunkStart(emitter.begin, units, chunks);
  Value to = emitter.chunkStart(emitter.end, units, chunks);
  emitter.emitLoop(from, to, 1, [&](Value unit) { emitUnit(unit); });
}

void mpc::cpu::emitMap(Emitter &emitter, const Body &body, MapAttr schedule) {
  MapEmitter(emitter, body, schedule.getLanes()).emit(schedule.getChunks());
}
