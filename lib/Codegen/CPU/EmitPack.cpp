// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.pack: a factor of a contraction, packed once for all of its readers.
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/PackBlock.h"
#include "lib/Codegen/CPU/PieceRuns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

namespace {

/// Emits a kernel that packs one factor.
class PackEmitter {
public:
  PackEmitter(Emitter &emitter, const Statement &statement, PackAttr schedule)
      : emitter_(emitter), math_(emitter), statement_(statement),
        schedule_(schedule),
        source_(*getLinear(statement.inputs[0].index, statement.numDims())) {}

  void emit();

private:
  StridedIndex getStridedIndex(unsigned first, unsigned count, int64_t &size);
  void emitChunk(Value chunk);
  void emitRows(const Factor &factor, FactorBlock block, Value batch);
  void emitColumns(const Factor &factor, const FactorBlock &block, Value batch);

  Emitter &emitter_;
  IndexMath math_;
  const Statement &statement_;
  PackAttr schedule_;
  Linear source_;
  int64_t batchSize_ = 1, outerSize_ = 1, kSize_ = 1;
  StridedIndex batches_, outer_, k_;
  Value result_;
};

} // namespace

StridedIndex PackEmitter::getStridedIndex(unsigned first, unsigned count,
                                          int64_t &size) {
  StridedIndex strided;
  for (unsigned dim = first; dim < first + count; ++dim) {
    strided.append(statement_.extents[dim], source_.strides[dim]);
    size *= statement_.extents[dim];
  }
  return strided;
}

void PackEmitter::emit() {
  unsigned outer = schedule_.getBatch(), k = outer + schedule_.getOuter();
  batches_ = getStridedIndex(0, outer, batchSize_);
  outer_ = getStridedIndex(outer, schedule_.getOuter(), outerSize_);
  k_ = getStridedIndex(k, statement_.numDims() - k, kSize_);
  result_ = emitter_.getBuffer(emitter_.kernel.getDestination(0));
  emitter_.emitLoop(emitter_.begin, emitter_.end, 1,
                    [&](Value chunk) { emitChunk(chunk); });
}

void PackEmitter::emitChunk(Value chunk) {
  int64_t run = std::min(schedule_.getRun(), kSize_);
  Value kFirst = math_.constant(0), kCount = math_.constant(kSize_);
  if (schedule_.getPanel() != 0) {
    PieceMath pieces(emitter_);
    int64_t runs = llvm::divideCeil(kSize_, run);
    kFirst = pieces.mul(pieces.rem(chunk, runs), run);
    kCount = math_.min(emitter_.constantIndex(run), math_.sub(kCount, kFirst));
    chunk = pieces.div(chunk, runs);
  }
  int64_t tiles = llvm::divideCeil(outerSize_, schedule_.getTile());
  Value batch = math_.div(chunk, tiles);
  Value first = math_.mul(math_.rem(chunk, tiles), schedule_.getTile());
  Value rest = math_.sub(math_.constant(outerSize_), first);
  linalg::GenericOp op = statement_.generic();
  Value packed = op.getBody()->getTerminator()->getOperand(0);
  auto convert = [&](Value element) {
    return emitFactor(emitter_, packed, op.getBody()->getArgument(0), element);
  };
  Factor factor = {packed.getType(),
                   convert,
                   emitter_.getBuffer(statement_.inputs[0].tensor),
                   math_.add(math_.at(batches_, batch), source_.offset),
                   outer_,
                   k_};
  FactorBlock block = {first,
                       math_.min(rest, math_.constant(schedule_.getTile())),
                       kFirst,
                       kCount,
                       schedule_.getTile(),
                       run};
  if (schedule_.getPanel() == 0)
    emitRows(factor, block, batch);
  else
    emitColumns(factor, block, batch);
}

void PackEmitter::emitRows(const Factor &factor, FactorBlock block,
                           Value batch) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(emitter_.kernel.getResultTypes()[0]).getShape();
  int64_t blocks = shape[1], rows = shape[2] * shape[3], stride = shape[4];
  Value padded = math_.min(math_.constant(schedule_.getTile()),
                           math_.sub(math_.constant(rows), block.first));
  emitter_.emitLoop(math_.constant(0), math_.constant(blocks), 1, [&](Value k) {
    block.kFirst = math_.mul(k, schedule_.getBlock());
    block.kCount = math_.min(math_.constant(schedule_.getBlock()),
                             math_.sub(math_.constant(kSize_), block.kFirst));
    Value row = math_.add(
        math_.mul(math_.add(math_.mul(batch, blocks), k), rows), block.first);
    PackDestination destination = {result_, math_.mul(row, stride), stride};
    emitPackRows(emitter_, factor, block, destination, padded,
                 {schedule_.getLanes(), schedule_.getDepth()});
  });
}

void PackEmitter::emitColumns(const Factor &factor, const FactorBlock &block,
                              Value batch) {
  int64_t width = schedule_.getPanel();
  auto type = cast<RankedTensorType>(emitter_.kernel.getResultTypes()[0]);
  int64_t panels = type.getDimSize(1);
  int64_t stride = type.getNumElements() / (type.getDimSize(0) * panels);
  Value panel =
      math_.add(math_.mul(batch, panels), math_.div(block.first, width));
  Value place =
      math_.add(math_.mul(panel, stride), math_.mul(block.kFirst, width));
  PackDestination destination = {result_, place, stride};
  emitPackColumns(
      emitter_, factor, block, destination,
      {width, outerSize_, {schedule_.getLanes(), schedule_.getDepth()}});
}

void mpc::cpu::emitPack(Emitter &emitter, const Body &body, PackAttr schedule) {
  PackEmitter(emitter, body.statements.front(), schedule).emit();
}
