// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.attention, forward: blocks of queries over blocks of keys, with the
// softmax of the keys so far.
#include "lib/Codegen/CPU/AttentionBlocks.h"
#include "lib/Codegen/CPU/AttentionRows.h"
#include "lib/Codegen/CPU/AttentionScores.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/Reductions.h"
#include "lib/Codegen/CPU/UnitModel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

class AttentionEmitter {
public:
  AttentionEmitter(Emitter &emitter, AttentionOp op, AttentionAttr schedule)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), op_(op), schedule_(schedule),
        sizes_(mpc::kernel::getSizes(op)),
        lanes_(emitter, {schedule.getLanes(), schedule.getLanes()}),
        unit_(schedule.getUnit()), blocks_(emitter, op, schedule),
        scores_(emitter, op, lanes_, schedule.getMicroColumns()),
        width_(schedule.getLanes()), mr_(schedule.getMicroRows()),
        nr_(schedule.getMicroColumns()), queries_(schedule.getQueryBlock()),
        keys_(schedule.getKeyBlock()) {}

  void emit();

private:
  /// A block of queries of one head; and of its keys, one block.
  struct Rows {
    Value batch, head, first, count;
  };
  struct Keys {
    Value first, count;
  };

  void allocate();
  void emitChunk(Value chunk);
  void packKeys(Value batch, Value group);
  void emitRows(const Rows &rows);
  void emitBlock(const Rows &rows, const Keys &keys);
  void emitScores(const Rows &rows, const Keys &keys);
  void emitWeights(const Rows &rows, const Keys &keys);
  void emitRowWeights(const Rows &rows, const Keys &keys, Value row);
  Value emitPeak(const Rows &rows, const Keys &keys, Value row, Value panels);
  void emitSum(Value row, Value panels, Value shift);
  void rescale(const Rows &rows);
  void emitValues(const Rows &rows, const Keys &keys);
  void finishSums();
  void storeRows(const Rows &rows);

  Value countGroups(const Rows &rows) { return math_.ceilDiv(rows.count, mr_); }
  Value endOfGroup(const Rows &rows, const Keys &keys, Value group);
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

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  AttentionOp op_;
  AttentionAttr schedule_;
  AttentionSizes sizes_;
  LaneMath lanes_;
  Unit unit_;
  AttentionBlocks blocks_;
  AttentionScores scores_;
  int64_t width_, mr_, nr_, queries_, keys_;

  PackedRows queryRows_, weightRows_;
  PackedPanels keyPanels_, valuePanels_;
  Tiles scoreTiles_, resultTiles_;
  /// For each row: the greatest logit so far, the factor of what there is so
  /// far, the sum; and partial sums for a panel's columns, of the block and in
  /// all.
  Value peaks_, factors_, totals_, blockSums_, sums_;
};

} // namespace

void AttentionEmitter::allocate() {
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

void AttentionEmitter::emit() {
  allocate();
  emitter_.emitLoop(emitter_.begin, emitter_.end, 1,
                    [&](Value chunk) { emitChunk(chunk); });
}

/// A chunk is a piece of the queries of a head.
void AttentionEmitter::emitChunk(Value chunk) {
  int64_t pieces = schedule_.getPieces();
  int64_t blocks = divideCeil(sizes_.queries, queries_);
  Value piece = math_.rem(chunk, pieces);
  Value number = math_.div(chunk, pieces);
  Value head = math_.rem(number, sizes_.heads);
  Value batch = math_.div(number, sizes_.heads);
  packKeys(batch, math_.div(head, sizes_.getShared()));
  Value from = emitter_.chunkStart(piece, blocks, pieces);
  Value to = emitter_.chunkStart(math_.add(piece, 1), blocks, pieces);
  emitter_.emitLoop(from, to, 1, [&](Value block) {
    Value first = math_.mul(block, queries_);
    Value count = math_.min(math_.constant(queries_),
                            math_.sub(math_.constant(sizes_.queries), first));
    emitRows({batch, head, first, count});
  });
}

void AttentionEmitter::packKeys(Value batch, Value group) {
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

void AttentionEmitter::emitRows(const Rows &rows) {
  Factor query = blocks_.getFactor(op_.getQueryMutable(), rows.batch, rows.head,
                                   /*alongRows=*/false);
  blocks_.packRows(queryRows_, query, rows.first, rows.count);
  blocks_.emitZeros(resultTiles_, sizes_.width);
  forRowVectors([&](Value row) { storeVector(lanes_.lowest(), peaks_, row); });
  int64_t sums = alignTo(queries_, width_) * nr_;
  emitter_.emitLoop(
      math_.constant(0), math_.constant(sums), width_,
      [&](Value place) { storeVector(lanes_.constant(0), sums_, place); });
  auto [first, end] =
      scores_.emitKeys(rows.first, math_.add(rows.first, rows.count));
  emitter_.emitLoop(math_.floor(first, keys_), end, keys_, [&](Value block) {
    Value count = math_.min(math_.constant(keys_),
                            math_.sub(math_.constant(sizes_.keys), block));
    emitBlock(rows, {block, count});
  });
  finishSums();
  storeRows(rows);
}

void AttentionEmitter::emitBlock(const Rows &rows, const Keys &keys) {
  emitScores(rows, keys);
  emitWeights(rows, keys);
  rescale(rows);
  emitValues(rows, keys);
}

/// The keys of the block, from its first one on, that some query of a group
/// sees.
Value AttentionEmitter::endOfGroup(const Rows &rows, const Keys &keys,
                                   Value group) {
  if (!op_.getCausal())
    return keys.count;
  Value end = math_.add(rows.first, math_.mul(math_.add(group, 1), mr_));
  return math_.sub(math_.min(end, math_.add(keys.first, keys.count)),
                   math_.min(end, keys.first));
}

void AttentionEmitter::emitScores(const Rows &rows, const Keys &keys) {
  BlockProduct product;
  product.rows = queryRows_;
  product.groups = countGroups(rows);
  product.columns = keyPanels_;
  product.firstColumn = keys.first;
  product.panels = math_.ceilDiv(keys.count, nr_);
  product.result = scoreTiles_;
  product.k = math_.constant(sizes_.depth);
  product.mostK = sizes_.depth;
  if (op_.getCausal())
    product.firstGroup = [&](Value panel) {
      // The first group whose last query sees the panel's first key.
      Value key = math_.add(keys.first, math_.mul(panel, nr_));
      Value row = math_.sub(key, math_.min(key, rows.first));
      return math_.div(row, mr_);
    };
  blocks_.emitProduct(product);
}

void AttentionEmitter::emitWeights(const Rows &rows, const Keys &keys) {
  emitter_.emitLoop(math_.constant(0), rows.count, 1,
                    [&](Value row) { emitRowWeights(rows, keys, row); });
}

/// Writes the logits of a row over its scores, and returns the greatest one.
Value AttentionEmitter::emitPeak(const Rows &rows, const Keys &keys, Value row,
                                 Value panels) {
  VectorRows scores(emitter_, lanes_, scoreTiles_, {nr_, keys_});
  auto body = [&](Value panel, ValueRange before) -> SmallVector<Value> {
    SmallVector<Value> peaks(before);
    Value place = scores.at(row, panel);
    for (auto [number, peak] : llvm::enumerate(peaks)) {
      Value key = math_.add(keys.first, math_.mul(panel, nr_));
      ScorePlace at = {rows.batch, rows.head, math_.add(rows.first, row),
                       math_.add(key, number * width_)};
      Value logits = scores_.emitLogits(scores.load(place, number), at,
                                        scores_.emitSeen(at));
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

/// Writes the exponentials of a row's logits as weights, and their partial
/// sums.
void AttentionEmitter::emitSum(Value row, Value panels, Value shift) {
  VectorRows scores(emitter_, lanes_, scoreTiles_, {nr_, keys_});
  auto body = [&](Value panel, ValueRange before) -> SmallVector<Value> {
    SmallVector<Value> sums(before);
    Value place = scores.at(row, panel);
    Value to =
        math_.add(math_.mul(row, weightRows_.rowStride), math_.mul(panel, nr_));
    for (auto [number, sum] : llvm::enumerate(sums)) {
      Value weight = scores_.emitWeights(scores.load(place, number), shift);
      sum = lanes_.add(sum, weight);
      storeVector(emitUnitRounding(emitter_, unit_, weight), weightRows_.buffer,
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

void AttentionEmitter::emitRowWeights(const Rows &rows, const Keys &keys,
                                      Value row) {
  LaneMath one(emitter_, {});
  Value end = endOfGroup(rows, keys, math_.div(row, mr_));
  Value panels = math_.ceilDiv(end, nr_);
  Value before = loadNumber(peaks_, row);
  Value peak = one.max(emitPeak(rows, keys, row, panels), before);
  // Without a key so far, the difference of two infinities would be NaN.
  Value isEmpty = one.compare(arith::CmpFPredicate::OEQ, peak, one.lowest());
  Value shift = one.select(isEmpty, one.constant(0), peak);
  memref::StoreOp::create(builder_, loc_, peak, peaks_, row);
  memref::StoreOp::create(builder_, loc_, one.sub(before, shift), factors_,
                          row);
  emitSum(row, panels, shift);
}

/// Multiplies sums and results so far by what the greater peaks make of them.
void AttentionEmitter::rescale(const Rows &rows) {
  forRowVectors([&](Value row) {
    Value factor =
        scores_.emitWeights(loadVector(factors_, row), lanes_.constant(0));
    storeVector(factor, factors_, row);
  });
  VectorRows results(emitter_, lanes_, resultTiles_, {nr_, sizes_.width});
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

void AttentionEmitter::emitValues(const Rows &rows, const Keys &keys) {
  BlockProduct product;
  product.rows = weightRows_;
  product.groups = countGroups(rows);
  product.columns = valuePanels_;
  product.panels = math_.constant(divideCeil(sizes_.width, nr_));
  product.firstK = keys.first;
  product.result = resultTiles_;
  product.k = keys.count;
  product.mostK = keys_;
  product.adds = true;
  if (op_.getCausal())
    product.range = [&](Value group) -> ValueRangePair {
      return {math_.constant(0), endOfGroup(rows, keys, group)};
    };
  blocks_.emitProduct(product);
}

/// Combines the partial sums, and turns peaks into logarithms of sums.
void AttentionEmitter::finishSums() {
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
  forRowVectors([&](Value row) {
    Value log = lanes_.log(loadVector(totals_, row));
    storeVector(lanes_.add(loadVector(peaks_, row), log), peaks_, row);
  });
}

void AttentionEmitter::storeRows(const Rows &rows) {
  VectorRows results(emitter_, lanes_, resultTiles_, {nr_, sizes_.width});
  RowResult output(emitter_, op_, 0);
  RowResult logarithms(emitter_, op_, 1);
  LaneMath one(emitter_, {});
  emitter_.emitLoop(math_.constant(0), rows.count, 1, [&](Value row) {
    Value total = loadNumber(totals_, row);
    Value isEmpty =
        one.compare(arith::CmpFPredicate::OEQ, total, one.constant(0));
    Value query = math_.add(rows.first, row);
    logarithms.storeNumber(
        one.select(isEmpty, one.lowest(), loadNumber(peaks_, row)),
        {rows.batch, rows.head, query});
    output.storeRow(results, row, {rows.batch, rows.head, query},
                    [&](Value sum) {
                      return lanes_.select(isEmpty, lanes_.constant(0),
                                           lanes_.div(sum, total));
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
    return AttentionEmitter(emitter, forward, schedule).emit();
  emitAttentionGradient(emitter, cast<AttentionGradientOp>(op), schedule);
}
