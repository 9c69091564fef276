// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over tiles, with those of their pieces that are among the chunks.
#include "lib/Codegen/CPU/PieceRuns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mpc::cpu;

using RunBody = llvm::function_ref<void(const PieceRun &)>;

Value PieceMath::mul(Value a, int64_t b) const {
  return arith::MulIOp::create(emitter_.builder, emitter_.loc, a,
                               emitter_.constantIndex(b));
}

Value PieceMath::div(Value a, int64_t b) const {
  return arith::DivUIOp::create(emitter_.builder, emitter_.loc, a,
                                emitter_.constantIndex(b));
}

Value PieceMath::rem(Value a, int64_t b) const {
  return arith::RemUIOp::create(emitter_.builder, emitter_.loc, a,
                                emitter_.constantIndex(b));
}

Value PieceMath::ceilDiv(Value a, int64_t b) const {
  return div(arith::AddIOp::create(emitter_.builder, emitter_.loc, a,
                                   emitter_.constantIndex(b - 1)),
             b);
}

/// Calls `body` for the pieces `range` of a tile, row by row of pieces, or all
/// rows at once where they are all pieces.
static void emitRows(Emitter &emitter, GemmAttr schedule, Value tile,
                     PieceRange range, RunBody body) {
  IndexMath math(emitter);
  OpBuilder &builder = emitter.builder;
  Value rows = emitter.constantIndex(schedule.getRowPieces());
  Value isWhole = arith::CmpIOp::create(
      builder, emitter.loc, arith::CmpIPredicate::eq, range.count,
      emitter.constantIndex(schedule.getPieces()));
  Value step = arith::SelectOp::create(builder, emitter.loc, isWhole, rows,
                                       math.constant(1));
  auto loop =
      scf::ForOp::create(builder, emitter.loc, math.constant(0), rows, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value start = PieceMath(emitter).mul(row, schedule.getColumnPieces());
  // A row has no more columns than the tile, whatever is behind them.
  auto columnsTo = [&](Value piece) {
    return math.sub(math.max(piece, start), start);
  };
  Value first = columnsTo(range.first);
  Value end = columnsTo(math.add(range.first, range.count));
  body({tile, {row, step}, {first, math.sub(end, first)}});
}

void mpc::cpu::emitPieceRuns(Emitter &emitter, GemmAttr schedule,
                             RunBody body) {
  IndexMath math(emitter);
  PieceMath pieces(emitter);
  int64_t count = schedule.getPieces();
  Value from = pieces.div(emitter.begin, count);
  Value to = pieces.ceilDiv(emitter.end, count);
  emitter.emitLoop(from, to, 1, [&](Value tile) {
    Value chunk = pieces.mul(tile, count);
    Value first = math.sub(math.max(emitter.begin, chunk), chunk);
    Value last =
        math.min(math.sub(emitter.end, chunk), emitter.constantIndex(count));
    emitRows(emitter, schedule, tile, {first, math.sub(last, first)}, body);
  });
}

void mpc::cpu::emitIfAny(Emitter &emitter, Value rows, Value columns,
                         llvm::function_ref<void()> body) {
  OpBuilder &builder = emitter.builder;
  Value least = IndexMath(emitter).min(rows, columns);
  Value any =
      arith::CmpIOp::create(builder, emitter.loc, arith::CmpIPredicate::ne,
                            least, emitter.constantIndex(0));
  auto ifOp = scf::IfOp::create(builder, emitter.loc, any,
                                /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

void mpc::cpu::takePieces(Emitter &emitter, const PieceRange &range,
                          int64_t size, Value &first, Value &count) {
  IndexMath math(emitter);
  PieceMath pieces(emitter);
  // All of a tile that has fewer pieces, so that nothing is left.
  Value skipped = math.min(pieces.mul(range.first, size), count);
  first = math.add(first, skipped);
  count = math.min(math.sub(count, skipped), pieces.mul(range.count, size));
}
