// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.attention, forward: blocks of queries over blocks of keys, with the
// softmax of the keys so far.
#include "lib/Codegen/CPU/AttentionEmitter.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/Reductions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

class ForwardEmitter : AttentionEmitter {
public:
  ForwardEmitter(Emitter &emitter, AttentionOp op, AttentionAttr schedule)
      : AttentionEmitter(emitter, op, schedule), op_(op),
        pieces_(schedule.getPieces()) {}

  void emit();

private:
  /// A block of queries of one head.
  struct Rows : Range {
    Value batch, head;
  };

  void allocate();
  void emitChunk(Value chunk);
  void packKeys(Value batch, Value group);
  void emitRows(const Rows &rows);
  void emitBlock(const Rows &rows, const Range &keys);
  void emitScores(const Rows &rows, const Range &keys);
  void emitWeights(const Rows &rows, const Range &keys);
  void emitRowWeights(const Rows &rows, const Range &keys, Value row);
  Value emitPeak(const Rows &rows, const Range &keys, Value row, Value panels);
  void emitSum(const DrawnKeys &drawn, Value row, Value panels, Value shift);
  void rescale(const Rows &rows);
  void emitValues(const Rows &rows, const Range &keys);
  void finishSums();
  void storeRows(const Rows &rows);

  Value loadNumber(Value buffer, Value index) {
    return memref::LoadOp::create(builder_, loc_, buffer, index);
  }
  Value loadVector(Value buffer, Value index) {
    return vector::LoadOp::create(
        builder_, loc_, cast<VectorType>(lanes_.f32()), buffer, index);
  }
  void storeVector(Value value, Value buffer, Value index) {
    vector::StoreOp::create(builder_, loc_, value, buffer, index);
  }
  /// Calls `body` with the places of all vectors of numbers of rows.
  void forRowVectors(Emitter::LoopBody body) {
    emitter_.emitLoop(math_.constant(0),
                      math_.constant(alignTo(queries_, width_)), width_, body);
  }

  AttentionOp op_;
  int64_t pieces_; ///< Of a head's queries.

  PackedRows queryRows_, weightRows_;
  PackedPanels keyPanels_, valuePanels_;
  Tiles scoreTiles_, resultTiles_;
  /// For each row: the greatest logit so far, the factor of what there is so
  /// far, the sum; and partial sums for a panel's columns, of the block and in
  /// all.
  Value peaks_, factors_, totals_, blockSums_, sums_;
};

} // namespace

void ForwardEmitter::allocate() {
  queryRows_ = blocks_.allocateRows(queries_, sizes_.depth);
  weightRows_ = blocks_.allocateRows(queries_, keys_);
  keyPanels_ = blocks_.allocatePanels(sizes_.keys, sizes_.depth);
  valuePanels_ = blocks_.allocatePanels(sizes_.width, sizes_.keys);
  scoreTiles_ = blocks_.allocateTiles(queries_, keys_);
  resultTiles_ = blocks_.allocateTiles(queries_, sizes_.width);
  int64_t rows = alignTo(queries_, width_);
  Type f32 = builder_.getF32Type();
  for (Value *numbers : {&peaks_, &factors_, &totals_})
    *numbers = emitter_.allocate(rows, f32);
  for (Value *numbers : {&blockSums_, &sums_})
    *numbers = emitter_.allocate(rows * nr_, f32);
}

void ForwardEmitter::emit() {
  allocate();
  emitter_.emitLoop(emitter_.begin, emitter_.end, 1,
                    [&](Value chunk) { emitChunk(chunk); });
}

/// A chunk is a piece of the queries of a head.
void ForwardEmitter::emitChunk(Value chunk) {
  int64_t blocks = divideCeil(sizes_.queries, queries_);
  Value piece = math_.rem(chunk, pieces_);
  Value number = math_.div(chunk, pieces_);
  Value head = math_.rem(number, sizes_.heads);
  Value batch = math_.div(number, sizes_.heads);
  packKeys(batch, math_.div(head, sizes_.getShared()));
  Value from = emitter_.chunkStart(piece, blocks, pieces_);
  Value to = emitter_.chunkStart(math_.add(piece, 1), blocks, pieces_);
  emitter_.emitLoop(from, to, 1, [&](Value block) {
    Range rows = blockAt(math_.mul(block, queries_), queries_, sizes_.queries);
    emitRows({rows, batch, head});
  });
}

void ForwardEmitter::packKeys(Value batch, Value group) {
  Value zero = math_.constant(0), keys = math_.constant(sizes_.keys);
  Factor key =
      blocks_.getFactor(op_.getKeyMutable(), batch, group, /*alongRows=*/false);
  blocks_.packPanels(keyPanels_, key,
                     {zero, keys, zero, math_.constant(sizes_.depth)});
  Factor value = blocks_.getFactor(op_.getValueMutable(), batch, group,
                                   /*alongRows=*/true);
  blocks_.packPanels(valuePanels_, value,
                     {zero, math_.constant(sizes_.width), zero, keys});
}

void ForwardEmitter::emitRows(const Rows &rows) {
  Factor query = blocks_.getFactor(op_.getQueryMutable(), rows.batch, rows.head,
                                   /*alongRows=*/false);
  blocks_.packRows(queryRows_, query, rows.first, rows.count);
  blocks_.emitZeros(resultTiles_, sizes_.width);
  forRowVectors([&](Value row) { storeVector(lanes_.lowest(), peaks_, row); });
  int64_t sums = alignTo(queries_, width_) * nr_;
  emitter_.emitLoop(
      math_.constant(0), math_.constant(sums), width_,
      [&](Value place) { storeVector(lanes_.constant(0), sums_, place); });
  auto [first, end] = scores_.emitKeys(rows.first, endOf(rows));
  emitter_.emitLoop(math_.floor(first, keys_), end, keys_, [&](Value block) {
    emitBlock(rows, blockAt(block, keys_, sizes_.keys));
  });
  finishSums();
  storeRows(rows);
}

void ForwardEmitter::emitBlock(const Rows &rows, const Range &keys) {
  emitScores(rows, keys);
  emitWeights(rows, keys);
  rescale(rows);
  emitValues(rows, keys);
}

void ForwardEmitter::emitScores(const Rows &rows, const Range &keys) {
  BlockProduct product = scoresOf(rows, keys);
  product.rows = queryRows_;
  product.columns = keyPanels_;
  product.firstColumn = keys.first;
  product.result = scoreTiles_;
  product.k = math_.constant(sizes_.depth);
  product.mostK = sizes_.depth;
  blocks_.emitProduct(product);
}

void ForwardEmitter::emitWeights(const Rows &rows, const Range &keys) {
  emitter_.emitLoop(math_.constant(0), rows.count, 1,
                    [&](Value row) { emitRowWeights(rows, keys, row); });
}

/// Writes the logits of a row over its scores, and returns the greatest one_.
Value ForwardEmitter::emitPeak(const Rows &rows, const Range &keys, Value row,
                               Value panels) {
  VectorRows scores = rowsOf(scoreTiles_, keys_);
  auto body = [&](Value panel, ValueRange before) -> SmallVector<Value> {
    SmallVector<Value> peaks(before);
    Value place = scores.at(row, panel);
    for (auto [number, peak] : llvm::enumerate(peaks)) {
      Value key = math_.add(keys.first, math_.mul(panel, nr_));
      ScorePlace at = {rows.batch, rows.head, math_.add(rows.first, row),
                       math_.add(key, number * width_)};
      Value score = scores_.emitScores(scores.load(place, number));
      Value logits = scores_.emitLogits(score, at, scores_.emitSeen(at));
      scores.store(logits, place, number);
      peak = lanes_.max(logits, peak);
    }
    return peaks;
  };
  SmallVector<Value> peaks(nr_ / width_, lanes_.lowest());
  peaks =
      emitter_.emitCarryingLoop({math_.constant(0), panels}, 1, peaks, body);
  Value peak = peaks.front();
  for (Value other : llvm::drop_begin(peaks))
    peak = lanes_.max(other, peak);
  return vector::ReductionOp::create(builder_, loc_,
                                     vector::CombiningKind::MAXNUMF, peak);
}

/// Writes the exponentials of a row's logits as weights, but for those that are
/// dropped, and the partial sums of all.
void ForwardEmitter::emitSum(const DrawnKeys &drawn, Value row, Value panels,
                             Value shift) {
  VectorRows scores = rowsOf(scoreTiles_, keys_);
  auto body = [&](Value panel, ValueRange before) -> SmallVector<Value> {
    SmallVector<Value> sums(before);
    Value place = scores.at(row, panel);
    Value to =
        math_.add(math_.mul(row, weightRows_.rowStride), math_.mul(panel, nr_));
    for (auto [number, sum] : llvm::enumerate(sums)) {
      Value weight = scores_.emitWeights(scores.load(place, number), shift);
      sum = lanes_.add(sum, weight);
      Value key = math_.add(math_.mul(panel, nr_), number * width_);
      storeFactor(dropout_.emitKept(weight, drawn, key), weightRows_.buffer,
                  math_.add(to, number * width_));
    }
    return sums;
  };
  SmallVector<Value> sums(nr_ / width_, lanes_.constant(0));
  sums = emitter_.emitCarryingLoop({math_.constant(0), panels}, 1, sums, body);
  for (auto [number, sum] : llvm::enumerate(sums))
    storeVector(sum, blockSums_,
                math_.add(math_.mul(row, nr_), number * width_));
}

void ForwardEmitter::emitRowWeights(const Rows &rows, const Range &keys,
                                    Value row) {
  Value end = keysOfGroup(rows, keys, math_.div(row, mr_));
  Value panels = math_.ceilDiv(end, nr_);
  Value before = loadNumber(peaks_, row);
  Value peak = one_.max(emitPeak(rows, keys, row, panels), before);
  // Without a key so far, the difference of two infinities would be NaN.
  Value isEmpty = one_.compare(arith::CmpFPredicate::OEQ, peak, one_.lowest());
  Value shift = one_.select(isEmpty, one_.constant(0), peak);
  memref::StoreOp::create(builder_, loc_, peak, peaks_, row);
  memref::StoreOp::create(builder_, loc_, one_.sub(before, shift), factors_,
                          row);
  DrawnKeys drawn = dropout_.emitDraw(
      {rows.batch, rows.head, math_.add(rows.first, row), keys.first}, end);
  emitSum(drawn, row, panels, shift);
}

/// Multiplies sums and results so far by what the greater peaks make of them.
void ForwardEmitter::rescale(const Rows &rows) {
  forRowVectors([&](Value row) {
    Value factor =
        scores_.emitWeights(loadVector(factors_, row), lanes_.constant(0));
    storeVector(factor, factors_, row);
  });
  VectorRows results = rowsOf(resultTiles_, sizes_.width);
  emitter_.emitLoop(math_.constant(0), rows.count, 1, [&](Value row) {
    Value factor = loadNumber(factors_, row);
    for (int64_t number = 0; number < nr_ / width_; ++number) {
      Value place = math_.add(math_.mul(row, nr_), number * width_);
      Value sum = lanes_.mul(loadVector(sums_, place), factor);
      storeVector(lanes_.add(sum, loadVector(blockSums_, place)), sums_, place);
    }
    int64_t panels = divideCeil(sizes_.width, nr_);
    for (int64_t panel = 0; panel < panels; ++panel)
      for (int64_t number = 0; number < nr_ / width_; ++number) {
        Value at = results.at(row, math_.constant(panel));
        results.store(lanes_.mul(results.load(at, number), factor), at, number);
      }
  });
}

void ForwardEmitter::emitValues(const Rows &rows, const Range &keys) {
  BlockProduct product;
  product.rows = weightRows_;
  product.groups = groupsOf(rows);
  product.columns = valuePanels_;
  product.panels = math_.constant(divideCeil(sizes_.width, nr_));
  product.firstK = keys.first;
  product.result = resultTiles_;
  product.k = keys.count;
  product.mostK = keys_;
  product.adds = true;
  product.range = [&](Value group) -> ValueRangePair {
    return {math_.constant(0), keysOfGroup(rows, keys, group)};
  };
  blocks_.emitProduct(product);
}

/// Combines the partial sums.
void ForwardEmitter::finishSums() {
  Value one = lanes_.constant(1);
  Operation *add = lanes_.add(one, one).getDefiningOp();
  emitter_.emitLoop(
      math_.constant(0), math_.constant(queries_), 1, [&](Value row) {
        Value place = math_.mul(row, nr_);
        Value sums = loadVector(sums_, place);
        for (int64_t at = width_; at < nr_; at += width_)
          sums = lanes_.add(sums, loadVector(sums_, math_.add(place, at)));
        Value sum = reduceLanes(emitter_, add, sums, width_);
        memref::StoreOp::create(builder_, loc_, sum, totals_, row);
      });
}

void ForwardEmitter::storeRows(const Rows &rows) {
  VectorRows results = rowsOf(resultTiles_, sizes_.width);
  RowResult output(emitter_, op_, 0);
  RowResult peaks(emitter_, op_, 1), sums(emitter_, op_, 2);
  emitter_.emitLoop(math_.constant(0), rows.count, 1, [&](Value row) {
    Value total = loadNumber(totals_, row);
    Value isEmpty =
        one_.compare(arith::CmpFPredicate::OEQ, total, one_.constant(0));
    Value query = math_.add(rows.first, row);
    peaks.storeNumber(loadNumber(peaks_, row), {rows.batch, rows.head, query});
    sums.storeNumber(total, {rows.batch, rows.head, query});
    output.storeRow(results, row, {rows.batch, rows.head, query},
                    [&](Value sum) {
                      Value mean = dropout_.emitScaled(lanes_.div(sum, total));
                      return lanes_.select(isEmpty, lanes_.constant(0), mean);
                    });
  });
}

void mpc::cpu::emitAttention(Emitter &emitter, const Body &body,
                             AttentionAttr schedule) {
  Operation *op = body.statements.front().op;
  if (schedule.getScalar())
    return emitAttentionLoops(emitter, cast<AttentionOpInterface>(op),
                              schedule);
  if (auto forward = dyn_cast<AttentionOp>(op))
    return ForwardEmitter(emitter, forward, schedule).emit();
  emitAttentionGradient(emitter, cast<AttentionGradientOp>(op), schedule);
}
