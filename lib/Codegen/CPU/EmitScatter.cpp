// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel.scatter: combines slices with positions given by index, in index
// order.
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/ScatterPlan.h"
#include "lib/Codegen/CPU/Storage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

// A row's position. A negative index counts from the end; then it is clamped.
static Value getRow(Emitter &emitter, Value index, int64_t size) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  index =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
  Value zero = emitter.constantIndex(0);
  Value negative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, index, zero);
  Value wrapped =
      arith::AddIOp::create(builder, loc, index, emitter.constantIndex(size));
  index = arith::SelectOp::create(builder, loc, negative, wrapped, index);
  index = arith::MaxSIOp::create(builder, loc, index, zero);
  return arith::MinSIOp::create(builder, loc, index,
                                emitter.constantIndex(size - 1));
}

static Value widen(Emitter &emitter, Value value, Type element, Lanes lanes) {
  Type type =
      lanes.isScalar() ? element : VectorType::get({lanes.width}, element);
  if (value.getType() == type)
    return value;
  return arith::ExtFOp::create(emitter.builder, emitter.loc, type, value);
}

template <typename FloatOp, typename IntOp>
static Value joinBy(Emitter &emitter, Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return FloatOp::create(emitter.builder, emitter.loc, x, y);
  return IntOp::create(emitter.builder, emitter.loc, x, y);
}

static Value join(Emitter &emitter, CombineKind by, Value x, Value y) {
  switch (by) {
  case CombineKind::Sum:
    return joinBy<arith::AddFOp, arith::AddIOp>(emitter, x, y);
  case CombineKind::Product:
    return joinBy<arith::MulFOp, arith::MulIOp>(emitter, x, y);
  case CombineKind::Maximum:
    return joinBy<arith::MaximumFOp, arith::MaxSIOp>(emitter, x, y);
  case CombineKind::Minimum:
    return joinBy<arith::MinimumFOp, arith::MinSIOp>(emitter, x, y);
  }
  llvm_unreachable("all kinds are above");
}

namespace {

/// A part of a slice: its number, and ranges of its rows and columns.
struct ScatterPart {
  Value outer;
  std::pair<Value, Value> rows, columns;
};

class ScatterEmitter {
public:
  ScatterEmitter(Emitter &emitter, ScatterOp scatter)
      : emitter_(emitter), scatter_(scatter), space_(spaceOf(scatter)) {}

  /// Joins the updates of `part`, in index order. Without `checksRows` it has
  /// all rows.
  void emitUpdates(const ScatterPart &part, int64_t lanes, bool checksRows);
  /// Writes the first values of `part`.
  void emitFirst(const ScatterPart &part, int64_t lanes);
  /// The same of a part with all columns, which lies in one piece.
  void emitFirstOfRows(const ScatterPart &part, int64_t lanes);

private:
  using VectorBody = function_ref<void(Value, Lanes)>;
  void emitVectors(std::pair<Value, Value> columns, int64_t lanes,
                   VectorBody body);
  void emitJoin(ArrayRef<Value> at, Lanes lanes);
  void copyFirst(ArrayRef<Value> at, AffineExpr place, unsigned along,
                 Lanes lanes);
  Value loadIndex(Value outer, Value step);
  AffineExpr dim(unsigned number) {
    return emitter_.builder.getAffineDimExpr(number);
  }
  /// The place of an element of the result, of outer, column and row.
  AffineExpr placeOf(unsigned row) {
    return (dim(0) * space_.size + dim(row)) * space_.inner + dim(1);
  }

  Emitter &emitter_;
  ScatterOp scatter_;
  ScatterSpace space_;
};

} // namespace

/// Vectors of columns, and a last one that is not full.
void ScatterEmitter::emitVectors(std::pair<Value, Value> columns, int64_t lanes,
                                 VectorBody body) {
  auto [from, to] = columns;
  int64_t tail = space_.inner % lanes;
  Value whole = emitter_.constantIndex(space_.inner - tail);
  Lanes full = lanes == 1 ? Lanes{} : Lanes{lanes, lanes};
  Value end = arith::MinSIOp::create(emitter_.builder, emitter_.loc, to, whole);
  emitter_.emitLoop(from, end, lanes,
                    [&](Value column) { body(column, full); });
  if (tail != 0)
    emitter_.emitLoop(whole, to, tail,
                      [&](Value column) { body(column, {lanes, tail}); });
}

Value ScatterEmitter::loadIndex(Value outer, Value step) {
  auto indices = cast<RankedTensorType>(scatter_.getIndices().getType());
  AffineExpr place =
      indices.getRank() == 2 ? dim(0) * space_.count + dim(1) : dim(1);
  Value index = emitter_.load(scatter_.getIndices(),
                              emitter_.evaluate(place, {outer, step}));
  return getRow(emitter_, index, space_.size);
}

/// `at`: outer, column, step and row.
void ScatterEmitter::emitJoin(ArrayRef<Value> at, Lanes lanes) {
  auto load = [&](Value tensor, AffineExpr place) {
    Value value = emitter_.loadLanes({tensor, place}, at, 1, lanes);
    return emitter_.broadcast(value, lanes);
  };
  Type element = getElementTypeOrSelf(scatter_.getInit().getType());
  AffineExpr from = (dim(0) * space_.count + dim(2)) * space_.inner + dim(1);
  Value update =
      widen(emitter_, load(scatter_.getUpdates(), from), element, lanes);
  Value present = load(scatter_.getResult(), placeOf(3));
  emitter_.storeLanes(join(emitter_, scatter_.getBy(), present, update),
                      {scatter_.getResult(), placeOf(3)}, at, 1, lanes);
}

void ScatterEmitter::emitUpdates(const ScatterPart &part, int64_t lanes,
                                 bool checksRows) {
  OpBuilder &builder = emitter_.builder;
  Location loc = emitter_.loc;
  Value count = emitter_.constantIndex(space_.count);
  emitter_.emitLoop(emitter_.constantIndex(0), count, 1, [&](Value step) {
    Value row = loadIndex(part.outer, step);
    OpBuilder::InsertionGuard guard(builder);
    if (checksRows) {
      auto compare = [&](arith::CmpIPredicate by, Value bound) -> Value {
        return arith::CmpIOp::create(builder, loc, by, row, bound);
      };
      Value isHere = arith::AndIOp::create(
          builder, loc, compare(arith::CmpIPredicate::sge, part.rows.first),
          compare(arith::CmpIPredicate::slt, part.rows.second));
      auto branch =
          scf::IfOp::create(builder, loc, isHere, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    emitVectors(part.columns, lanes, [&](Value column, Lanes vector) {
      emitJoin({part.outer, column, step, row}, vector);
    });
  });
}

void ScatterEmitter::copyFirst(ArrayRef<Value> at, AffineExpr place,
                               unsigned along, Lanes lanes) {
  Value value =
      emitter_.loadLanes({scatter_.getInit(), place}, at, along, lanes);
  emitter_.storeLanes(value, {scatter_.getResult(), place}, at, along, lanes);
}

void ScatterEmitter::emitFirst(const ScatterPart &part, int64_t lanes) {
  emitter_.emitLoop(part.rows.first, part.rows.second, 1, [&](Value row) {
    emitVectors(part.columns, lanes, [&](Value column, Lanes vector) {
      copyFirst({part.outer, column, row}, placeOf(2), /*along=*/1, vector);
    });
  });
}

void ScatterEmitter::emitFirstOfRows(const ScatterPart &part, int64_t lanes) {
  IndexMath math(emitter_);
  auto placeOfRow = [&](Value row) {
    Value number = math.add(math.mul(part.outer, space_.size), row);
    return math.mul(number, space_.inner);
  };
  Value from = placeOfRow(part.rows.first), to = placeOfRow(part.rows.second);
  Value whole = math.add(from, math.floor(math.sub(to, from), lanes));
  emitter_.emitLoop(from, whole, lanes, [&](Value place) {
    copyFirst({place}, dim(0), /*along=*/0, {lanes, lanes});
  });
  emitter_.emitLoop(whole, to, 1, [&](Value place) {
    copyFirst({place}, dim(0), /*along=*/0, {});
  });
}

// Each unit is one column of one outer slice, to which no other unit writes.
void mpc::cpu::emitScatter(Emitter &emitter, ScatterOp scatter,
                           std::pair<Value, Value> units) {
  ScatterSpace space = spaceOf(scatter);
  ScatterEmitter columns(emitter, scatter);
  emitter.emitLoop(units.first, units.second, 1, [&](Value unit) {
    SmallVector<Value> at =
        emitter.delinearize(unit, {space.outer, space.inner});
    Value next = arith::AddIOp::create(emitter.builder, emitter.loc, at[1],
                                       emitter.constantIndex(1));
    columns.emitUpdates({at[0], {}, {at[1], next}}, /*lanes=*/1,
                        /*checksRows=*/false);
  });
}

void mpc::cpu::emitScatterBlocks(Emitter &emitter, const Body &body,
                                 ScatterAttr schedule) {
  auto scatter = cast<ScatterOp>(body.statements.front().op);
  ScatterBlocks blocks(scatter, schedule);
  OutputPlace place = Storage(emitter.kernel, body).getPlace(0, 0);
  emitter.setBuffer(scatter.getResult(),
                    emitter.getBuffer(emitter.kernel.getDestination(0)));
  ScatterEmitter parts(emitter, scatter);
  int64_t units = blocks.countUnits();
  Value from = emitter.chunkStart(emitter.begin, units, schedule.getChunks());
  Value to = emitter.chunkStart(emitter.end, units, schedule.getChunks());
  IndexMath math(emitter);
  auto rangeOf = [&](Value number, int64_t each, int64_t all) {
    Value first = math.mul(number, each);
    Value last = math.min(math.add(first, each), math.constant(all));
    return std::pair(first, last);
  };
  emitter.emitLoop(from, to, 1, [&](Value unit) {
    SmallVector<Value> at = emitter.delinearize(unit, blocks.unitExtents());
    ScatterPart part{at[0], rangeOf(at[1], blocks.rows, blocks.space.size),
                     rangeOf(at[2], blocks.columns, blocks.space.inner)};
    if (!place.inPlace && blocks.hasAllColumns())
      parts.emitFirstOfRows(part, schedule.getLanes());
    else if (!place.inPlace)
      parts.emitFirst(part, schedule.getColumnLanes());
    parts.emitUpdates(part, schedule.getColumnLanes(),
                      /*checksRows=*/!blocks.hasAllRows());
  });
}
