// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.map: statements fused into one loop, with vectors along one dimension,
// or in blocks of two, where inputs are transposed.
#include "lib/Codegen/CPU/Emitters.h"

#include "dialects/Kernel/Space.h"
#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/Space.h"
#include "lib/Codegen/CPU/Transpose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

// The number of elements of a long line that are one unit of work; a multiple
// of any number of lanes.
static constexpr int64_t kBlockLength = 4096;
/// The lines that are one unit of work where they are cut into blocks, and the
/// elements of them for which their blocks come one after another, so that what
/// a cache line has is used while it is there.
static constexpr int64_t kBand = 32;
/// The elements of a line in such a unit, a multiple of kBand.
static constexpr int64_t kBandLength = 1024;

namespace {

class MapEmitter {
public:
  MapEmitter(Emitter &emitter, const Body &body, int64_t lanes);
  void emit(int64_t chunks);
  int64_t countUnits() const;

private:
  void emitUnit(Value unit);
  void emitBand(Value unit);
  void emitBlock(MutableArrayRef<Value> dims, Value line, Value position);
  SmallVector<Value> loadTransposed(const Access &input, ValueRange dims);
  void emitLine(MutableArrayRef<Value> dims, Value from, Value whole, Value to);
  void emitVectors(MutableArrayRef<Value> dims, Value from, Value to,
                   int64_t length);
  void emitVector(ValueRange dims, Lanes lanes);
  SmallVector<Value> emitStatement(const Statement &statement, ValueRange dims,
                                   Lanes lanes);
  Value read(const Access &access, ValueRange dims, Lanes lanes);
  void hoistLoads(ValueRange outer, bool constant);
  int64_t countBlocks() const {
    return llvm::divideCeil(length_, kBlockLength);
  }

  Emitter &emitter_;
  const Body &body_;
  std::vector<Statement> statements_;
  int64_t lanes_;
  bool hasBlocks_;             ///< Whether some inputs are transposed.
  SmallVector<int64_t> outer_; ///< The extents of all dimensions but the last.
  int64_t length_;             ///< The extent of the last dimension.
  /// The elements of an iteration. Random bits of a run share blocks, which
  /// LLVM finds where one iteration has the whole run.
  int64_t step_;
  /// Loads that do not depend on the vector's dimension, by the element that
  /// they read.
  DenseMap<std::pair<Value, AffineExpr>, Value> hoisted_;
  DenseMap<Value, Value> forwarded_;
};

} // namespace

/// Moves the dimension along which vectors run behind the others, and before it
/// the one along which transposed inputs are contiguous. Says whether there are
/// such inputs.
static bool reshapeMap(std::vector<Statement> &statements, int64_t lanes) {
  mergeDims(statements, 0, statements.front().numDims());
  SmallVector<unsigned> dims(
      llvm::reverse(llvm::seq(statements.front().numDims())));
  if (dims.empty())
    return false;
  moveDimLast(statements, chooseVectorDim(statements, lanes, dims));
  std::optional<unsigned> across = findAcross(statements);
  if (!across)
    return false;
  moveDimLast(statements, *across);
  moveDimLast(statements, dims.size() - 2);
  return true;
}

/// The units of each dimension where lines are cut into blocks.
static SmallVector<int64_t> getBands(ArrayRef<int64_t> extents) {
  SmallVector<int64_t> bands(extents);
  bands.end()[-2] = llvm::divideCeil(extents.end()[-2], kBand);
  bands.back() = llvm::divideCeil(extents.back(), kBandLength);
  return bands;
}

static int64_t countUnitsOf(ArrayRef<int64_t> extents, bool hasBlocks) {
  if (extents.empty())
    return 1;
  if (hasBlocks)
    return llvm::product_of(getBands(extents));
  return llvm::divideCeil(extents.back(), kBlockLength) *
         llvm::product_of(extents.drop_back());
}

int64_t mpc::cpu::countMapUnits(const Body &body, int64_t lanes) {
  std::vector<Statement> statements = body.statements;
  bool hasBlocks = reshapeMap(statements, lanes);
  return countUnitsOf(statements.front().extents, hasBlocks);
}

MapEmitter::MapEmitter(Emitter &emitter, const Body &body, int64_t lanes)
    : emitter_(emitter), body_(body), statements_(body.statements),
      lanes_(lanes), hasBlocks_(reshapeMap(statements_, lanes)) {
  ArrayRef<int64_t> extents = statements_.front().extents;
  length_ = extents.empty() ? 1 : extents.back();
  if (!extents.empty())
    outer_.assign(extents.begin(), extents.end() - 1);
  step_ = chooseStep(statements_, lanes_);
}

int64_t MapEmitter::countUnits() const {
  return countUnitsOf(statements_.front().extents, hasBlocks_);
}

/// Loads ahead the elements that are the same for a whole line, or (`constant`)
/// for the whole kernel. LLVM cannot know that no store changes them.
void MapEmitter::hoistLoads(ValueRange dims, bool constant) {
  auto hoist = [&](const Access &access, unsigned numDims) {
    bool isConstant = access.index.isSymbolicOrConstant();
    if (isConstant != constant || getProducer(access.tensor, body_) ||
        (numDims != 0 && access.index.isFunctionOfDim(numDims - 1)))
      return;
    Value &slot = hoisted_[{access.tensor, access.index}];
    slot = emitter_.load(access.tensor, emitter_.evaluate(access.index, dims));
  };
  for (const Statement &statement : statements_)
    for (const Access &input : statement.inputs)
      hoist(input, statement.numDims());
}

Value MapEmitter::read(const Access &access, ValueRange dims, Lanes lanes) {
  if (Value value = forwarded_.lookup(access.tensor))
    return value;
  if (Value value = hoisted_.lookup({access.tensor, access.index}))
    return value;
  return emitter_.loadLanes(access, dims, dims.size() - 1, lanes);
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
      emitter_.getIndices(statement, dims, along, lanes);
  return emitter_.emitRegion(statement.generic(), arguments, indices, lanes);
}

// Stores come last. A destination may be the memory of an input, whose element
// is then read before it is overwritten.
void MapEmitter::emitVector(ValueRange dims, Lanes lanes) {
  forwarded_.clear();
  for (const Statement &statement : statements_) {
    SmallVector<Value> results = emitStatement(statement, dims, lanes);
    for (auto [result, value] : llvm::zip(statement.op->getResults(), results))
      forwarded_[result] = value;
  }
  OperandRange values = emitter_.kernel.getReturn().getValues();
  for (auto [result, value] : llvm::enumerate(values)) {
    Producer producer = *getProducer(value, body_);
    AffineExpr index =
        statements_[producer.statement].outputs[producer.output].index;
    emitter_.storeLanes(forwarded_.lookup(value),
                        {emitter_.kernel.getDestination(result), index}, dims,
                        dims.empty() ? 0 : dims.size() - 1, lanes);
  }
}

/// Whole vectors of a line from `from` on to `to`, which is a multiple of a
/// block or `length`.
void MapEmitter::emitVectors(MutableArrayRef<Value> dims, Value from, Value to,
                             int64_t length) {
  IndexMath math(emitter_);
  Value middle = length % step_ == 0 ? to : math.floor(to, step_);
  emitter_.emitLoop(from, middle, step_, [&](Value position) {
    for (int64_t vector = 0; vector < step_; vector += lanes_) {
      dims.back() = math.add(position, vector);
      emitVector(dims, {lanes_, lanes_});
    }
  });
  if (length % step_ == 0)
    return;
  emitter_.emitLoop(middle, to, lanes_, [&](Value position) {
    dims.back() = position;
    emitVector(dims, {lanes_, lanes_});
  });
}

/// One block of one line.
void MapEmitter::emitUnit(Value unit) {
  if (statements_.front().extents.empty())
    return emitVector({}, {});
  OpBuilder &builder = emitter_.builder;
  int64_t tail = length_ % lanes_, blocks = countBlocks();
  SmallVector<int64_t> space = outer_;
  space.push_back(blocks);
  SmallVector<Value> dims = emitter_.delinearize(unit, space);
  Value from = emitter_.constantIndex(0);
  Value to = emitter_.constantIndex(length_ - tail);
  Value block = dims.pop_back_val();
  hoistLoads(dims, /*constant=*/false);
  if (blocks > 1) {
    Value step = emitter_.constantIndex(kBlockLength);
    from = arith::MulIOp::create(builder, emitter_.loc, block, step);
    Value next = arith::AddIOp::create(builder, emitter_.loc, from, step);
    to = arith::MinSIOp::create(builder, emitter_.loc, next, to);
  }
  dims.emplace_back();
  emitVectors(dims, from, to, length_ - tail);
  dims.pop_back();
  if (tail == 0)
    return;
  OpBuilder::InsertionGuard guard(builder);
  if (blocks > 1) {
    Value isLast =
        arith::CmpIOp::create(builder, emitter_.loc, arith::CmpIPredicate::eq,
                              block, emitter_.constantIndex(blocks - 1));
    auto branch = scf::IfOp::create(builder, emitter_.loc, isLast);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  dims.push_back(emitter_.constantIndex(length_ - tail));
  emitVector(dims, {lanes_, tail});
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// For each of kBlockSide lines from `dims` on the elements of `input`.
SmallVector<Value> MapEmitter::loadTransposed(const Access &input,
                                              ValueRange dims) {
  IndexMath math(emitter_);
  SmallVector<Value> at(dims), rows;
  for (int64_t row = 0; row < kBlockSide; ++row) {
    at.back() = math.add(dims.back(), row);
    rows.push_back(emitter_.loadLanes(input, at, dims.size() - 2,
                                      {kBlockSide, kBlockSide}));
  }
  return transposeEights(emitter_, rows);
}

/// The block of kBlockSide lines from `line` on, of as many elements from
/// `position` on.
void MapEmitter::emitBlock(MutableArrayRef<Value> dims, Value line,
                           Value position) {
  IndexMath math(emitter_);
  dims[dims.size() - 2] = line;
  dims.back() = position;
  SmallVector<std::pair<Access, SmallVector<Value>>> inputs;
  for (const Statement &statement : statements_)
    for (const Access &input : statement.inputs)
      if (isTransposed(input, dims.size()))
        inputs.emplace_back(input, loadTransposed(input, dims));
  for (int64_t number = 0; number < kBlockSide; ++number) {
    for (auto &[input, lines] : inputs)
      hoisted_[{input.tensor, input.index}] = lines[number];
    dims[dims.size() - 2] = math.add(line, number);
    emitVector(dims, {kBlockSide, kBlockSide});
  }
  for (auto &[input, lines] : inputs)
    hoisted_.erase({input.tensor, input.index});
}

/// The line of `dims` from `from` on: whole vectors up to `whole`, and what is
/// left of them up to `to`, which is nothing but at the line's end.
void MapEmitter::emitLine(MutableArrayRef<Value> dims, Value from, Value whole,
                          Value to) {
  auto emit = [&](Value from, Value to, int64_t active) {
    emitter_.emitLoop(from, to, kBlockSide, [&](Value position) {
      dims.back() = position;
      emitVector(dims, {kBlockSide, active});
    });
  };
  emit(from, whole, kBlockSide);
  if (int64_t tail = length_ % kBlockSide)
    emit(whole, to, tail);
}

/// Some neighbouring lines, or parts of them, in blocks; what is left over of
/// them one by one.
void MapEmitter::emitBand(Value unit) {
  IndexMath math(emitter_);
  ArrayRef<int64_t> extents = statements_.front().extents;
  SmallVector<Value> dims = emitter_.delinearize(unit, getBands(extents));
  auto cut = [&](Value number, int64_t size, int64_t extent) {
    Value first = math.mul(number, size);
    return std::pair(first,
                     math.min(math.add(first, size), math.constant(extent)));
  };
  auto [firstLine, endLine] = cut(dims.end()[-2], kBand, extents.end()[-2]);
  auto [first, end] = cut(dims.back(), kBandLength, length_);
  auto floor = [&](Value from, Value to) {
    return math.add(from, math.floor(math.sub(to, from), kBlockSide));
  };
  Value lines = floor(firstLine, endLine), whole = floor(first, end);
  emitter_.emitLoop(first, whole, kBand, [&](Value from) {
    Value to = math.min(math.add(from, kBand), whole);
    emitter_.emitLoop(from, to, kBlockSide, [&](Value position) {
      emitter_.emitLoop(firstLine, lines, kBlockSide,
                        [&](Value line) { emitBlock(dims, line, position); });
    });
  });
  auto finish = [&](Value from, Value to, Value position) {
    emitter_.emitLoop(from, to, 1, [&](Value line) {
      dims.end()[-2] = line;
      emitLine(dims, position, whole, end);
    });
  };
  if (length_ % kBlockSide != 0)
    finish(firstLine, lines, whole);
  finish(lines, endLine, first);
}

void MapEmitter::emit(int64_t chunks) {
  hoistLoads({}, /*constant=*/true);
  int64_t units = countUnits();
  Value from = emitter_.chunkStart(emitter_.begin, units, chunks);
  Value to = emitter_.chunkStart(emitter_.end, units, chunks);
  emitter_.emitLoop(from, to, 1, [&](Value unit) {
    hasBlocks_ ? emitBand(unit) : emitUnit(unit);
  });
}

void mpc::cpu::emitMap(Emitter &emitter, const Body &body, MapAttr schedule) {
  MapEmitter(emitter, body, schedule.getLanes()).emit(schedule.getChunks());
}
