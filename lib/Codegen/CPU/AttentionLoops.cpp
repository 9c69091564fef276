// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.attention by scalar loops: the order of sums of the blocks, element by
// element, as the reference for them.
#include "dialects/Kernel/Attention.h"
#include "lib/Codegen/CPU/AttentionDropout.h"
#include "lib/Codegen/CPU/AttentionRows.h"
#include "lib/Codegen/CPU/AttentionScores.h"
#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/UnitModel.h"
#include "lib/Codegen/CPU/Units.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

namespace {

/// A matrix of scratch memory.
struct Matrix {
  Value buffer;
  int64_t columns;
};

/// What both directions have in common.
class LoopsBase {
public:
  LoopsBase(Emitter &emitter, AttentionOpInterface op, AttentionAttr schedule)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), op_(op), schedule_(schedule),
        sizes_(mpc::kernel::getSizes(op)), one_(emitter, {}),
        scores_(emitter, op, one_, /*padding=*/1),
        dropout_(emitter, op, one_, schedule.getKeyBlock()),
        factor_(getFactorType(builder_.getContext(), schedule.getUnit())),
        f32_(builder_.getF32Type()), queries_(schedule.getQueryBlock()),
        keys_(schedule.getKeyBlock()) {}

protected:
  using Element = function_ref<Value(Value)>;

  Matrix allocate(int64_t rows, int64_t columns, Type element) {
    return {emitter_.allocate(rows * columns, element), columns};
  }
  Value at(const Matrix &matrix, Value row, Value column) {
    return math_.add(math_.mul(row, matrix.columns), column);
  }
  Value load(const Matrix &matrix, Value row, Value column) {
    return memref::LoadOp::create(builder_, loc_, matrix.buffer,
                                  at(matrix, row, column));
  }
  void store(Value value, const Matrix &matrix, Value row, Value column) {
    memref::StoreOp::create(builder_, loc_, value, matrix.buffer,
                            at(matrix, row, column));
  }
  void forEach(Value from, Value to, Emitter::LoopBody body) {
    emitter_.emitLoop(from, to, 1, body);
  }
  void forEach(int64_t count, Emitter::LoopBody body) {
    forEach(math_.constant(0), math_.constant(count), body);
  }
  void fill(const Matrix &matrix, int64_t rows, float value) {
    forEach(rows * matrix.columns, [&](Value place) {
      memref::StoreOp::create(builder_, loc_, one_.constant(value),
                              matrix.buffer, place);
    });
  }

  /// An element of an operand, as it is multiplied.
  Value read(OpOperand &operand, ValueRange dims) {
    Linear linear = getPlace(op_, operand);
    Value place = math_.constant(linear.offset);
    for (auto [dim, stride] : llvm::zip_equal(dims, linear.strides))
      place = math_.add(place, math_.mul(dim, stride));
    return memref::LoadOp::create(builder_, loc_,
                                  emitter_.getBuffer(operand.get()), place);
  }
  Value readFactor(OpOperand &operand, ValueRange dims) {
    return one_.convert(read(operand, dims), factor_);
  }

  /// The number of k in a chain of a product over up to `most`.
  static int64_t chainOf(int64_t most) { return getChains({most}).count; }
  Value emitChain(Value from, Value to, Element a, Element b);
  /// `sum` and the products of k from `from` to `to`, of at most `most`.
  Value emitSum(Value sum, std::pair<Value, Value> range, int64_t most,
                Element a, Element b);
  Value emitScore(OpOperand &rows, ValueRange row, OpOperand &columns,
                  ValueRange column, int64_t depth);

  /// The keys from `key` on, up to `end`, that some query of the group of `row`
  /// sees.
  Value keysOfGroup(Value firstRow, Value row, Value key, Value end) {
    int64_t group = schedule_.getMicroRows();
    Value last = math_.mul(math_.add(math_.div(row, group), 1), group);
    return scores_.emitKeyCount(math_.add(firstRow, last), key, end);
  }
  Value endOf(Value first, int64_t block, int64_t size) {
    return math_.min(math_.add(first, block), math_.constant(size));
  }

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  AttentionOpInterface op_;
  AttentionAttr schedule_;
  AttentionSizes sizes_;
  LaneMath one_;
  AttentionScores scores_;
  AttentionDropout dropout_;
  FloatType factor_;
  Type f32_;
  int64_t queries_, keys_;
};

} // namespace

/// The products of k from `from` to `to` as one chain from zero on. Behind the
/// last k a step of the unit has zeros.
Value LoopsBase::emitChain(Value from, Value to, Element a, Element b) {
  int64_t depth = getDepth(schedule_.getUnit());
  Value zero = one_.convert(one_.constant(0), factor_);
  auto step = [&](Value k, ValueRange sums) -> SmallVector<Value> {
    SmallVector<FactorPair> factors{{a(k), b(k)}};
    for (int64_t next = 1; next < depth; ++next) {
      Value other = math_.add(k, next);
      Value exists = arith::CmpIOp::create(
          builder_, loc_, arith::CmpIPredicate::ult, other, to);
      other = math_.min(other, math_.sub(to, math_.constant(1)));
      factors.push_back({one_.select(exists, a(other), zero),
                         one_.select(exists, b(other), zero)});
    }
    return {emitUnitStep(emitter_, schedule_.getUnit(), factors, sums[0])};
  };
  return emitter_.emitCarryingLoop({from, to}, depth, one_.constant(0),
                                   step)[0];
}

Value LoopsBase::emitSum(Value sum, std::pair<Value, Value> range, int64_t most,
                         Element a, Element b) {
  int64_t chain = chainOf(most);
  if (chain >= most)
    return one_.add(sum, emitChain(range.first, range.second, a, b));
  auto body = [&](Value from, ValueRange sums) -> SmallVector<Value> {
    Value to = math_.min(math_.add(from, chain), range.second);
    return {one_.add(sums[0], emitChain(from, to, a, b))};
  };
  return emitter_.emitCarryingLoop(range, chain, sum, body)[0];
}

/// The product of a row of one operand and of one of another.
Value LoopsBase::emitScore(OpOperand &rows, ValueRange row, OpOperand &columns,
                           ValueRange column, int64_t depth) {
  auto element = [this](OpOperand &operand, ValueRange dims) {
    return [this, &operand, dims = SmallVector<Value>(dims)](Value k) {
      SmallVector<Value> all = dims;
      all.push_back(k);
      return readFactor(operand, all);
    };
  };
  return emitSum(one_.constant(0), {math_.constant(0), math_.constant(depth)},
                 depth, element(rows, row), element(columns, column));
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

namespace {

class ForwardLoops : LoopsBase {
public:
  ForwardLoops(Emitter &emitter, AttentionOp op, AttentionAttr schedule)
      : LoopsBase(emitter, op, schedule), forward_(op),
        lanes_(schedule.getMicroColumns()) {
    logits_ = allocate(1, keys_, f32_);
    weights_ = allocate(1, keys_, factor_);
    results_ = allocate(1, sizes_.width, f32_);
    sums_ = allocate(1, lanes_, f32_);
    blockSums_ = allocate(1, lanes_, f32_);
    peak_ = allocate(1, 1, f32_);
  }

  void emit() {
    emitter_.emitLoop(emitter_.begin, emitter_.end, 1,
                      [&](Value chunk) { emitChunk(chunk); });
  }

private:
  struct Row {
    Value batch, head, group, firstRow, row;
  };
  void emitChunk(Value chunk);
  void emitRow(const Row &row, Value endRow);
  void emitBlock(const Row &row, Value key);
  void storeRow(const Row &row);
  Value zero() { return math_.constant(0); }

  AttentionOp forward_;
  int64_t lanes_;
  Matrix logits_, weights_, results_, sums_, blockSums_, peak_;
};

} // namespace

void ForwardLoops::emitChunk(Value chunk) {
  int64_t pieces = schedule_.getPieces();
  int64_t blocks = llvm::divideCeil(sizes_.queries, queries_);
  Value piece = math_.rem(chunk, pieces), number = math_.div(chunk, pieces);
  Value head = math_.rem(number, sizes_.heads);
  Value batch = math_.div(number, sizes_.heads);
  Value group = math_.div(head, sizes_.getShared());
  forEach(emitter_.chunkStart(piece, blocks, pieces),
          emitter_.chunkStart(math_.add(piece, 1), blocks, pieces),
          [&](Value block) {
            Value first = math_.mul(block, queries_);
            Value end = endOf(first, queries_, sizes_.queries);
            forEach(math_.constant(0), math_.sub(end, first), [&](Value row) {
              emitRow({batch, head, group, first, row}, end);
            });
          });
}

void ForwardLoops::emitRow(const Row &row, Value endRow) {
  fill(results_, 1, 0);
  fill(sums_, 1, 0);
  store(one_.lowest(), peak_, zero(), zero());
  auto [first, end] = scores_.emitKeys(row.firstRow, endRow);
  emitter_.emitLoop(math_.floor(first, keys_), end, keys_,
                    [&](Value key) { emitBlock(row, key); });
  storeRow(row);
}

void ForwardLoops::emitBlock(const Row &row, Value key) {
  Value query = math_.add(row.firstRow, row.row);
  Value count =
      keysOfGroup(row.firstRow, row.row, key, endOf(key, keys_, sizes_.keys));
  auto logit = [&](Value number, ValueRange peaks) -> SmallVector<Value> {
    Value other = math_.add(key, number);
    Value score = emitScore(op_.getQueryMutable(), {row.batch, row.head, query},
                            op_.getKeyMutable(), {row.batch, row.group, other},
                            sizes_.depth);
    ScorePlace place = {row.batch, row.head, query, other};
    Value logits = scores_.emitLogits(scores_.emitScores(score), place,
                                      scores_.emitSeen(place));
    store(logits, logits_, zero(), number);
    return {one_.max(logits, peaks[0])};
  };
  Value before = load(peak_, zero(), zero());
  Value peak = one_.max(
      emitter_.emitCarryingLoop({zero(), count}, 1, one_.lowest(), logit)[0],
      before);
  store(peak, peak_, zero(), zero());
  Value isEmpty = one_.compare(arith::CmpFPredicate::OEQ, peak, one_.lowest());
  Value shift = one_.select(isEmpty, one_.constant(0), peak);
  fill(blockSums_, 1, 0);
  DrawnKeys drawn = dropout_.emitDraw({row.batch, row.head, query, key}, count);
  forEach(zero(), count, [&](Value number) {
    Value weight = scores_.emitWeights(load(logits_, zero(), number), shift);
    Value lane = math_.rem(number, lanes_);
    store(one_.add(load(blockSums_, zero(), lane), weight), blockSums_, zero(),
          lane);
    weight = dropout_.emitKept(weight, drawn, number);
    store(emitUnitRounding(emitter_, schedule_.getUnit(), weight), weights_,
          zero(), number);
  });
  Value factor = scores_.emitWeights(before, shift);
  forEach(lanes_, [&](Value lane) {
    Value sum = one_.mul(load(sums_, zero(), lane), factor);
    store(one_.add(sum, load(blockSums_, zero(), lane)), sums_, zero(), lane);
  });
  forEach(sizes_.width, [&](Value element) {
    Value sum = emitSum(
        one_.mul(load(results_, zero(), element), factor), {zero(), count},
        keys_, [&](Value k) { return load(weights_, zero(), k); },
        [&](Value k) {
          return readFactor(op_.getValueMutable(),
                            {row.batch, row.group, math_.add(key, k), element});
        });
    store(sum, results_, zero(), element);
  });
}

void ForwardLoops::storeRow(const Row &row) {
  for (int64_t half = lanes_ / 2; half > 0; half /= 2)
    forEach(half, [&](Value lane) {
      Value other = load(sums_, zero(), math_.add(lane, half));
      store(one_.add(load(sums_, zero(), lane), other), sums_, zero(), lane);
    });
  Value total = load(sums_, zero(), zero());
  Value isEmpty =
      one_.compare(arith::CmpFPredicate::OEQ, total, one_.constant(0));
  Value query = math_.add(row.firstRow, row.row);
  RowResult(emitter_, op_, 1)
      .storeNumber(load(peak_, zero(), zero()), {row.batch, row.head, query});
  RowResult(emitter_, op_, 2).storeNumber(total, {row.batch, row.head, query});
  RowResult output(emitter_, op_, 0);
  forEach(sizes_.width, [&](Value element) {
    Value result =
        dropout_.emitScaled(one_.div(load(results_, zero(), element), total));
    output.storeNumber(one_.select(isEmpty, one_.constant(0), result),
                       {row.batch, row.head, query, element});
  });
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

namespace {

class GradientLoops : LoopsBase {
public:
  GradientLoops(Emitter &emitter, AttentionGradientOp op,
                AttentionAttr schedule)
      : LoopsBase(emitter, op, schedule), gradient_(op) {
    weights_ = allocate(queries_, keys_, factor_);
    logitGradients_ = allocate(queries_, keys_, factor_);
    querySums_ = allocate(sizes_.queries, sizes_.depth, f32_);
    keySums_ = allocate(sizes_.keys, sizes_.depth, f32_);
    valueSums_ = allocate(sizes_.keys, sizes_.width, f32_);
  }

  void emit() {
    emitter_.emitLoop(emitter_.begin, emitter_.end, 1,
                      [&](Value chunk) { emitChunk(chunk); });
  }

private:
  struct Block {
    Value batch, group, head, firstRow, endRow, firstKey, endKey;
  };
  void emitChunk(Value chunk);
  void emitHead(Value batch, Value group, Value head);
  void emitBlock(const Block &block);
  void emitPair(const Block &block, const DrawnKeys &drawn, Value row,
                Value key);
  void addToKeys(const Block &block, const Matrix &matrix, OpOperand &operand,
                 const Matrix &sums);
  void addToQueries(const Block &block);
  void storeRows(const Matrix &sums, unsigned result, int64_t rows, Value batch,
                 Value head);

  AttentionGradientOp gradient_;
  Matrix weights_, logitGradients_, querySums_, keySums_, valueSums_;
};

} // namespace

void GradientLoops::emitChunk(Value chunk) {
  Value batch = math_.div(chunk, sizes_.groups);
  Value group = math_.rem(chunk, sizes_.groups);
  fill(keySums_, sizes_.keys, 0);
  fill(valueSums_, sizes_.keys, 0);
  forEach(sizes_.getShared(), [&](Value number) {
    emitHead(batch, group,
             math_.add(math_.mul(group, sizes_.getShared()), number));
  });
  storeRows(keySums_, 1, sizes_.keys, batch, group);
  storeRows(valueSums_, 2, sizes_.keys, batch, group);
}

void GradientLoops::emitHead(Value batch, Value group, Value head) {
  fill(querySums_, sizes_.queries, 0);
  Value zero = math_.constant(0);
  emitter_.emitLoop(zero, math_.constant(sizes_.keys), keys_, [&](Value key) {
    Value endKey = endOf(key, keys_, sizes_.keys);
    auto [first, end] = scores_.emitQueries(key, endKey);
    emitter_.emitLoop(
        math_.floor(first, queries_), end, queries_, [&](Value row) {
          emitBlock({batch, group, head, row,
                     endOf(row, queries_, sizes_.queries), key, endKey});
        });
  });
  storeRows(querySums_, 0, sizes_.queries, batch, head);
}

void GradientLoops::emitBlock(const Block &block) {
  Value zero = math_.constant(0);
  Value keys = math_.sub(block.endKey, block.firstKey);
  forEach(zero, math_.sub(block.endRow, block.firstRow), [&](Value row) {
    DrawnKeys drawn =
        dropout_.emitDraw({block.batch, block.head,
                           math_.add(block.firstRow, row), block.firstKey},
                          keys);
    forEach(zero, keys, [&](Value key) { emitPair(block, drawn, row, key); });
  });
  addToKeys(block, weights_, gradient_.getDOutputMutable(), valueSums_);
  addToKeys(block, logitGradients_, op_.getQueryMutable(), keySums_);
  addToQueries(block);
}

/// The weight of a key for a query, and the gradient of the logit.
void GradientLoops::emitPair(const Block &block, const DrawnKeys &drawn,
                             Value row, Value key) {
  Value query = math_.add(block.firstRow, row);
  Value other = math_.add(block.firstKey, key);
  SmallVector<Value> ofQuery{block.batch, block.head, query};
  SmallVector<Value> ofKey{block.batch, block.group, other};
  Value score = emitScore(op_.getQueryMutable(), ofQuery, op_.getKeyMutable(),
                          ofKey, sizes_.depth);
  Value slope = emitScore(gradient_.getDOutputMutable(), ofQuery,
                          op_.getValueMutable(), ofKey, sizes_.width);
  score = scores_.emitScores(score);
  ScorePlace place = {block.batch, block.head, query, other};
  Value seen = scores_.emitSeen(place);
  Value delta = read(gradient_.getDeltaMutable(), ofQuery);
  auto [shift, factor] =
      emitShiftAndFactor(one_, read(gradient_.getRowMaxMutable(), ofQuery),
                         read(gradient_.getRowSumMutable(), ofQuery));
  Value weight = one_.mul(
      scores_.emitWeights(scores_.emitLogits(score, place, seen), shift),
      factor);
  slope = dropout_.emitScaled(dropout_.emitKept(slope, drawn, key));
  Value gradient = one_.mul(weight, one_.sub(slope, delta));
  gradient = scores_.emitGradient(score, gradient);
  weight = dropout_.emitKept(weight, drawn, key);
  store(emitUnitRounding(emitter_, schedule_.getUnit(), weight), weights_, row,
        key);
  store(emitUnitRounding(emitter_, schedule_.getUnit(), gradient),
        logitGradients_, row, key);
}

/// Adds the products of the block's columns and rows of `operand`.
void GradientLoops::addToKeys(const Block &block, const Matrix &matrix,
                              OpOperand &operand, const Matrix &sums) {
  Value zero = math_.constant(0);
  Value rows = math_.sub(block.endRow, block.firstRow);
  int64_t group = schedule_.getMicroRows();
  forEach(zero, math_.sub(block.endKey, block.firstKey), [&](Value key) {
    // The products begin where the first key of a group is seen.
    Value place = math_.add(block.firstKey, key);
    Value firstOfGroup = math_.add(block.firstKey, math_.floor(key, group));
    Value first = scores_.emitHiddenRows(firstOfGroup, block.firstRow);
    first = math_.floor(math_.min(first, rows), 2);
    forEach(sums.columns, [&](Value element) {
      Value sum = emitSum(
          load(sums, place, element), {first, rows}, queries_,
          [&](Value k) { return load(matrix, k, key); },
          [&](Value k) {
            return readFactor(operand, {block.batch, block.head,
                                        math_.add(block.firstRow, k), element});
          });
      store(sum, sums, place, element);
    });
  });
}

void GradientLoops::addToQueries(const Block &block) {
  Value zero = math_.constant(0);
  forEach(zero, math_.sub(block.endRow, block.firstRow), [&](Value row) {
    Value end = keysOfGroup(block.firstRow, row, block.firstKey, block.endKey);
    Value place = math_.add(block.firstRow, row);
    forEach(sizes_.depth, [&](Value element) {
      Value sum = emitSum(
          load(querySums_, place, element), {zero, end}, keys_,
          [&](Value k) { return load(logitGradients_, row, k); },
          [&](Value k) {
            return readFactor(op_.getKeyMutable(),
                              {block.batch, block.group,
                               math_.add(block.firstKey, k), element});
          });
      store(sum, querySums_, place, element);
    });
  });
}

void GradientLoops::storeRows(const Matrix &sums, unsigned result, int64_t rows,
                              Value batch, Value head) {
  RowResult destination(emitter_, op_, result);
  Value scale =
      one_.constant(static_cast<float>(op_.getScale().convertToDouble()));
  forEach(rows, [&](Value row) {
    forEach(sums.columns, [&](Value element) {
      Value sum = load(sums, row, element);
      sum = result == 2 ? dropout_.emitScaled(sum) : one_.mul(sum, scale);
      destination.storeNumber(sum, {batch, head, row, element});
    });
  });
}

void mpc::cpu::emitAttentionLoops(Emitter &emitter, AttentionOpInterface op,
                                  AttentionAttr schedule) {
  if (auto forward = dyn_cast<AttentionOp>(op.getOperation()))
    return ForwardLoops(emitter, forward, schedule).emit();
  GradientLoops(emitter, cast<AttentionGradientOp>(op.getOperation()), schedule)
      .emit();
}
