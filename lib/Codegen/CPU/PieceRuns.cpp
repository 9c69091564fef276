// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over tiles, with those of their pieces that are among the chunks.
#include "lib/Codegen/CPU/PieceRuns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mpc::cpu;

using RunBody = llvm::function_ref<void(const PieceRun &)>;

/// Calls `body` for the pieces from `first` to `last` of a tile, row by row of
/// pieces, or all rows at once where they are all pieces.
static void emitRows(Emitter &emitter, GemmAttr schedule, Value tile,
                     PieceRange range, RunBody body) {
  IndexMath math(emitter);
  OpBuilder &builder = emitter.builder;
  int64_t rows = schedule.getRowPieces(), columns = schedule.getColumnPieces();
  Value last = math.add(range.first, range.count);
  Value isWhole =
      arith::CmpIOp::create(builder, emitter.loc, arith::CmpIPredicate::eq,
                            range.count, math.constant(rows * columns));
  Value step = arith::SelectOp::create(builder, emitter.loc, isWhole,
                                       math.constant(rows), math.constant(1));
  auto loop =
      scf::ForOp::create(builder, emitter.loc, math.div(range.first, columns),
                         math.ceilDiv(last, columns), step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar(), start = math.mul(row, columns);
  Value first = math.sub(math.max(range.first, start), start);
  Value end = math.min(math.sub(last, start), math.constant(columns));
  body({tile, {row, step}, {first, math.sub(end, first)}});
}

void mpc::cpu::emitPieceRuns(Emitter &emitter, GemmAttr schedule,
                             RunBody body) {
  IndexMath math(emitter);
  int64_t rows = schedule.getRowPieces(), columns = schedule.getColumnPieces();
  int64_t pieces = schedule.getPieces();
  PieceRange all = {math.constant(0), math.constant(1)};
  if (pieces == 1)
    return emitter.emitLoop(emitter.begin, emitter.end, 1,
                            [&](Value tile) { body({tile, all, all}); });
  Value from = math.div(emitter.begin, pieces);
  Value to = math.ceilDiv(emitter.end, pieces);
  emitter.emitLoop(from, to, 1, [&](Value tile) {
    Value chunk = math.mul(tile, pieces);
    Value first = math.sub(math.max(emitter.begin, chunk), chunk);
    Value last = math.min(math.sub(emitter.end, chunk), math.constant(pieces));
    PieceRange range = {first, math.sub(last, first)};
    if (columns == 1)
      body({tile, range, all});
    else if (rows == 1)
      body({tile, all, range});
    else
      emitRows(emitter, schedule, tile, range, body);
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

void mpc::cpu::takePieces(const IndexMath &math, const PieceRange &range,
                          int64_t size, Value &first, Value &count) {
  // All of a tile that has fewer pieces, so that nothing is left.
  Value skipped = math.min(math.mul(range.first, size), count);
  first = math.add(first, skipped);
  count = math.min(math.sub(count, skipped), math.mul(range.count, size));
}
