// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.attention, backward in one pass: blocks of keys, and for each the blocks
// of queries that see it. Logits are computed again.
#include "lib/Codegen/CPU/AttentionEmitter.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

class GradientEmitter : AttentionEmitter {
public:
  GradientEmitter(Emitter &emitter, AttentionGradientOp op,
                  AttentionAttr schedule)
      : AttentionEmitter(emitter, op, schedule), op_(op) {}

  void emit();

private:
  struct Head {
    Value batch, group, head;
  };

  void allocate();
  void emitChunk(Value chunk);
  void emitHead(const Head &head);
  void packQueries(const Head &head);
  void packKeys(const Head &head, const Range &keys);
  void emitBlock(const Head &head, const Range &keys, const Range &rows);
  void emitScores(const Range &keys, const Range &rows);
  void emitWeights(const Head &head, const Range &keys, const Range &rows);
  void emitRow(const Head &head, const Range &keys, const Range &rows,
               Value row);
  void emitKeySums(const Range &keys, const Range &rows);
  void emitQuerySums(const Range &keys, const Range &rows);
  void storeRows(const Tiles &sums, unsigned result, int64_t rows,
                 int64_t elements, Value batch, Value head);
  Value emitFinished(unsigned result, Value sum);
  Value loadNumber(OpOperand &operand, const Head &head, Value query);
  Factor factorOf(OpOperand &operand, const Head &head, bool alongRows) {
    bool isKey =
        &operand == &op_.getKeyMutable() || &operand == &op_.getValueMutable();
    return blocks_.getFactor(operand, head.batch,
                             isKey ? head.group : head.head, alongRows);
  }

  AttentionGradientOp op_;

  /// Of a head: queries and gradients of results, by rows and for products
  /// along the rows.
  PackedRows queryRows_, outputRows_;
  PackedPanels queryPanels_, outputPanels_;
  /// Of a block of keys: keys and values for scores, and keys for the gradient
  /// of queries.
  PackedPanels keyColumns_, valueColumns_, keyPanels_;
  /// Of a block: products, weights, gradients of logits; and their transposes.
  Tiles scoreTiles_, weightGradients_;
  PackedRows weights_, logitGradients_, weightsOfKeys_, logitGradientsOfKeys_;
  /// Sums of a head, and of a group.
  Tiles querySums_, keySums_, valueSums_;
};

} // namespace

void GradientEmitter::allocate() {
  int64_t depth = sizes_.depth, width = sizes_.width;
  queryRows_ = blocks_.allocateRows(sizes_.queries, depth);
  outputRows_ = blocks_.allocateRows(sizes_.queries, width);
  queryPanels_ = blocks_.allocatePanels(depth, sizes_.queries);
  outputPanels_ = blocks_.allocatePanels(width, sizes_.queries);
  keyColumns_ = blocks_.allocatePanels(keys_, depth);
  valueColumns_ = blocks_.allocatePanels(keys_, width);
  keyPanels_ = blocks_.allocatePanels(depth, keys_);
  scoreTiles_ = blocks_.allocateTiles(queries_, keys_);
  weightGradients_ = blocks_.allocateTiles(queries_, keys_);
  weights_ = blocks_.allocateRows(queries_, keys_);
  logitGradients_ = blocks_.allocateRows(queries_, keys_);
  weightsOfKeys_ = blocks_.allocateRowPanels(keys_, queries_);
  logitGradientsOfKeys_ = blocks_.allocateRowPanels(keys_, queries_);
  int64_t keys = alignTo(sizes_.keys, keys_);
  int64_t queries = alignTo(sizes_.queries, queries_);
  querySums_ = blocks_.allocateTiles(queries, depth);
  keySums_ = blocks_.allocateTiles(keys, depth);
  valueSums_ = blocks_.allocateTiles(keys, width);
}

void GradientEmitter::emit() {
  allocate();
  emitter_.emitLoop(emitter_.begin, emitter_.end, 1,
                    [&](Value chunk) { emitChunk(chunk); });
}

/// A chunk is a group of heads, whose gradients of keys and values are sums
/// over the heads.
void GradientEmitter::emitChunk(Value chunk) {
  Value batch = math_.div(chunk, sizes_.groups);
  Value group = math_.rem(chunk, sizes_.groups);
  blocks_.emitZeros(keySums_, sizes_.depth);
  blocks_.emitZeros(valueSums_, sizes_.width);
  int64_t shared = sizes_.getShared();
  emitter_.emitLoop(
      math_.constant(0), math_.constant(shared), 1, [&](Value number) {
        emitHead({batch, group, math_.add(math_.mul(group, shared), number)});
      });
  storeRows(keySums_, 1, sizes_.keys, sizes_.depth, batch, group);
  storeRows(valueSums_, 2, sizes_.keys, sizes_.width, batch, group);
}

void GradientEmitter::emitHead(const Head &head) {
  blocks_.emitZeros(querySums_, sizes_.depth);
  packQueries(head);
  emitter_.emitLoop(
      math_.constant(0), math_.constant(sizes_.keys), keys_, [&](Value key) {
        Range keys = blockAt(key, keys_, sizes_.keys);
        packKeys(head, keys);
        auto [first, end] = scores_.emitQueries(keys.first, endOf(keys));
        emitter_.emitLoop(
            math_.floor(first, queries_), end, queries_, [&](Value query) {
              emitBlock(head, keys, blockAt(query, queries_, sizes_.queries));
            });
      });
  storeRows(querySums_, 0, sizes_.queries, sizes_.depth, head.batch, head.head);
}

void GradientEmitter::packQueries(const Head &head) {
  Value zero = math_.constant(0), queries = math_.constant(sizes_.queries);
  OpOperand &query = op_.getQueryMutable(), &output = op_.getDOutputMutable();
  blocks_.packRows(queryRows_, factorOf(query, head, false), zero, queries);
  blocks_.packRows(outputRows_, factorOf(output, head, false), zero, queries);
  blocks_.packPanels(queryPanels_, factorOf(query, head, true),
                     {zero, math_.constant(sizes_.depth), zero, queries});
  blocks_.packPanels(outputPanels_, factorOf(output, head, true),
                     {zero, math_.constant(sizes_.width), zero, queries});
}

void GradientEmitter::packKeys(const Head &head, const Range &keys) {
  Value zero = math_.constant(0), depth = math_.constant(sizes_.depth);
  OpOperand &key = op_.getKeyMutable(), &value = op_.getValueMutable();
  blocks_.packPanels(keyColumns_, factorOf(key, head, false),
                     {keys.first, keys.count, zero, depth});
  blocks_.packPanels(
      valueColumns_, factorOf(value, head, false),
      {keys.first, keys.count, zero, math_.constant(sizes_.width)});
  blocks_.packPanels(keyPanels_, factorOf(key, head, true),
                     {zero, depth, keys.first, keys.count});
}

void GradientEmitter::emitBlock(const Head &head, const Range &keys,
                                const Range &rows) {
  emitScores(keys, rows);
  emitWeights(head, keys, rows);
  emitKeySums(keys, rows);
  emitQuerySums(keys, rows);
}

/// The products of queries and keys, and of gradients of results and values.
void GradientEmitter::emitScores(const Range &keys, const Range &rows) {
  auto emit = [&](PackedRows a, const PackedPanels &b, const Tiles &to,
                  int64_t k) {
    a.offset = math_.mul(rows.first, a.rowStride);
    BlockProduct product = scoresOf(rows, keys);
    product.rows = a;
    product.columns = b;
    product.result = to;
    product.k = math_.constant(k);
    product.mostK = k;
    blocks_.emitProduct(product);
  };
  emit(queryRows_, keyColumns_, scoreTiles_, sizes_.depth);
  emit(outputRows_, valueColumns_, weightGradients_, sizes_.width);
}

Value GradientEmitter::loadNumber(OpOperand &operand, const Head &head,
                                  Value query) {
  Linear linear = getPlace(op_, operand);
  Value place = math_.constant(linear.offset);
  Value dims[] = {head.batch, head.head, query};
  for (auto [dim, stride] : llvm::zip_equal(dims, linear.strides))
    place = math_.add(place, math_.mul(dim, stride));
  return memref::LoadOp::create(builder_, loc_,
                                emitter_.getBuffer(operand.get()), place);
}

void GradientEmitter::emitWeights(const Head &head, const Range &keys,
                                  const Range &rows) {
  emitter_.emitLoop(math_.constant(0), rows.count, 1,
                    [&](Value row) { emitRow(head, keys, rows, row); });
}

/// Writes the weights of a row and the gradients of its logits.
void GradientEmitter::emitRow(const Head &head, const Range &keys,
                              const Range &rows, Value row) {
  VectorRows scores = rowsOf(scoreTiles_, keys_);
  VectorRows gradients = rowsOf(weightGradients_, keys_);
  Value query = math_.add(rows.first, row);
  Value delta = loadNumber(op_.getDeltaMutable(), head, query);
  auto [shift, factor] =
      emitShiftAndFactor(one_, loadNumber(op_.getRowMaxMutable(), head, query),
                         loadNumber(op_.getRowSumMutable(), head, query));
  auto store = [&](Value value, const PackedRows &to, Value key) {
    Value place = math_.add(math_.mul(row, to.rowStride), key);
    storeFactor(value, to.buffer, place);
  };
  Value panels = math_.ceilDiv(keys.count, nr_);
  DrawnKeys drawn =
      dropout_.emitDraw({head.batch, head.head, query, keys.first}, keys.count);
  emitter_.emitLoop(math_.constant(0), panels, 1, [&](Value panel) {
    Value place = scores.at(row, panel);
    for (int64_t number = 0; number < nr_ / width_; ++number) {
      Value key = math_.add(math_.mul(panel, nr_), number * width_);
      ScorePlace at = {head.batch, head.head, query,
                       math_.add(keys.first, key)};
      Value seen = scores_.emitSeen(at);
      Value score = scores_.emitScores(scores.load(place, number));
      Value logits = scores_.emitLogits(score, at, seen);
      Value weight = lanes_.mul(scores_.emitWeights(logits, shift), factor);
      Value slope = dropout_.emitScaled(
          dropout_.emitKept(gradients.load(place, number), drawn, key));
      Value gradient = lanes_.mul(weight, lanes_.sub(slope, delta));
      store(dropout_.emitKept(weight, drawn, key), weights_, key);
      store(scores_.emitGradient(score, gradient), logitGradients_, key);
    }
  });
}

/// Adds to the gradients of the block's keys and values.
void GradientEmitter::emitKeySums(const Range &keys, const Range &rows) {
  auto emit = [&](const PackedRows &block, const PackedRows &transposed,
                  const PackedPanels &columns, const Tiles &to,
                  int64_t elements) {
    Factor factor = blocks_.getTransposed(block, sizes_.queries, keys_);
    Value count = math_.mul(math_.ceilDiv(keys.count, mr_), mr_);
    blocks_.packTransposed(transposed, factor, count, rows.count);
    BlockProduct product;
    product.rows = transposed;
    product.groups = groupsOf(keys);
    product.columns = columns;
    product.panels = math_.constant(divideCeil(elements, nr_));
    product.firstK = rows.first;
    product.result = to;
    product.firstRow = keys.first;
    product.k = rows.count;
    product.mostK = queries_;
    product.adds = true;
    product.range = [&](Value group) -> ValueRangePair {
      // Queries before the group's first key do not see it. Steps of a unit
      // begin at even queries.
      Value key = math_.add(keys.first, math_.mul(group, mr_));
      Value first = scores_.emitHiddenRows(key, rows.first);
      return {math_.floor(math_.min(first, rows.count), 2), rows.count};
    };
    blocks_.emitProduct(product);
  };
  emit(weights_, weightsOfKeys_, outputPanels_, valueSums_, sizes_.width);
  emit(logitGradients_, logitGradientsOfKeys_, queryPanels_, keySums_,
       sizes_.depth);
}

/// Adds to the gradients of the block's queries.
void GradientEmitter::emitQuerySums(const Range &keys, const Range &rows) {
  BlockProduct product;
  product.rows = logitGradients_;
  product.groups = groupsOf(rows);
  product.columns = keyPanels_;
  product.panels = math_.constant(divideCeil(sizes_.depth, nr_));
  product.result = querySums_;
  product.firstRow = rows.first;
  product.k = keys.count;
  product.mostK = keys_;
  product.adds = true;
  product.range = [&](Value group) -> ValueRangePair {
    return {math_.constant(0), keysOfGroup(rows, keys, group)};
  };
  blocks_.emitProduct(product);
}

/// What a result is of its sum: the scale of logits, or of kept weights, counts
/// once.
Value GradientEmitter::emitFinished(unsigned result, Value sum) {
  if (result == 2)
    return dropout_.emitScaled(sum);
  auto scale = static_cast<float>(op_.getScale().convertToDouble());
  return lanes_.mul(sum, lanes_.constant(scale));
}

void GradientEmitter::storeRows(const Tiles &sums, unsigned result,
                                int64_t rows, int64_t elements, Value batch,
                                Value head) {
  RowResult destination(emitter_, op_, result);
  VectorRows vectors = rowsOf(sums, elements);
  emitter_.emitLoop(math_.constant(0), math_.constant(rows), 1, [&](Value row) {
    destination.storeRow(vectors, row, {batch, head, row},
                         [&](Value sum) { return emitFinished(result, sum); });
  });
}

void mpc::cpu::emitAttentionGradient(Emitter &emitter, AttentionGradientOp op,
                                     AttentionAttr schedule) {
  GradientEmitter(emitter, op, schedule).emit();
}
