// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel.scatter: combines slices with positions given by index, in index
// order.
#include "lib/Codegen/CPU/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cpu;
using mpc::kernel::CombineKind;

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

static Value widen(Emitter &emitter, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::ExtFOp::create(emitter.builder, emitter.loc, type, value);
}

template <typename FloatOp, typename IntOp>
static Value joinBy(Emitter &emitter, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
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

void mpc::cpu::emitScatter(Emitter &emitter, kernel::ScatterOp scatter,
                           Value buffer, std::pair<Value, Value> units) {
  auto updates = cast<RankedTensorType>(scatter.getUpdates().getType());
  auto indices = cast<RankedTensorType>(scatter.getIndices().getType());
  auto init = cast<RankedTensorType>(scatter.getInit().getType());
  int64_t count = updates.getDimSize(1), size = init.getDimSize(1);
  int64_t inner = updates.getDimSize(2);
  OpBuilder &builder = emitter.builder;
  MLIRContext *context = builder.getContext();
  AffineExpr o, k, n, row;
  bindDims(context, o, n, k, row);
  AffineExpr indexPlace = indices.getRank() == 2 ? o * count + k : k;
  Value zero = emitter.constantIndex(0);
  // Each unit is one column of one outer slice, to which no other unit writes.
  emitter.emitLoop(units.first, units.second, 1, [&](Value unit) {
    SmallVector<Value> dims =
        emitter.delinearize(unit, {updates.getDimSize(0), inner});
    emitter.emitLoop(zero, emitter.constantIndex(count), 1, [&](Value step) {
      SmallVector<Value> at = {dims[0], dims[1], step};
      Value index =
          emitter.load(scatter.getIndices(), emitter.evaluate(indexPlace, at));
      at.push_back(getRow(emitter, index, size));
      Value place = emitter.evaluate((o * size + row) * inner + n, at);
      Value update =
          emitter.load(scatter.getUpdates(),
                       emitter.evaluate((o * count + k) * inner + n, at));
      update = widen(emitter, update, init.getElementType());
      Value joined = emitter.load(scatter.getResult(), place);
      emitter.store(join(emitter, scatter.getBy(), joined, update), buffer,
                    place);
    });
  });
}
