// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout of attention's weights.
#include "lib/Codegen/CPU/AttentionDropout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;

static RandomRows getRows(const AttentionSizes &sizes) {
  return getRandomRows({sizes.batch, sizes.heads, sizes.queries, sizes.keys});
}

AttentionDropout::AttentionDropout(Emitter &emitter, AttentionOpInterface op,
                                   LaneMath math, int64_t keys)
    : emitter_(emitter), index_(emitter), op_(op), math_(math),
      sizes_(mpc::kernel::getSizes(op)), rows_(getRows(sizes_)) {
  std::optional<APFloat> ratio = op_.getDropout();
  if (!ratio)
    return;
  kept_ = 1.0 - ratio->convertToDouble();
  // A row's first key may be anywhere in a run.
  buffer_ = emitter_.allocate(alignTo(keys, kRunLength) + kRunLength,
                              emitter_.builder.getI32Type());
  loadKey();
}

Value AttentionDropout::loadScalar(unsigned number) {
  Value buffer = emitter_.getBuffer(op_.getRandomMutable()[number].get());
  return memref::LoadOp::create(emitter_.builder, emitter_.loc, buffer,
                                index_.constant(0));
}

/// The lower or the upper word of an i64.
Value AttentionDropout::halfOf(Value wide, bool isUpper) {
  OpBuilder &b = emitter_.builder;
  if (isUpper) {
    Value bits = arith::ConstantIntOp::create(b, emitter_.loc, 32, 64);
    wide = arith::ShRUIOp::create(b, emitter_.loc, wide, bits);
  }
  return arith::TruncIOp::create(b, emitter_.loc, b.getI32Type(), wide);
}

void AttentionDropout::loadKey() {
  Value key = loadScalar(0), counter = loadScalar(1), batch = loadScalar(2);
  key_ = {math_.all(halfOf(key, false)), math_.all(halfOf(key, true))};
  stream_ = math_.all(halfOf(counter, true));
  step_ = math_.all(halfOf(counter, false));
  Value number = arith::IndexCastOp::create(
      emitter_.builder, emitter_.loc, emitter_.builder.getIndexType(), batch);
  firstRow_ = index_.mul(number, rows_.rows);
}

AttentionDropout::RunPlace AttentionDropout::placeOf(const ScorePlace &place) {
  Value row = index_.add(index_.mul(place.batch, sizes_.heads), place.head);
  row = index_.add(index_.mul(row, sizes_.queries), place.query);
  // Rows of few keys are joined.
  int64_t joined = rows_.length / sizes_.keys;
  Value column = index_.mul(index_.rem(row, joined), sizes_.keys);
  return {index_.div(row, joined), index_.add(column, place.key)};
}

DrawnKeys AttentionDropout::emitDraw(const ScorePlace &place, Value count) {
  if (!isActive())
    return {};
  auto [row, column] = placeOf(place);
  Value rowsRun =
      index_.mul(index_.add(firstRow_, row), countRuns({1, rows_.length}));
  Value first = index_.div(column, kRunLength);
  Value end = index_.ceilDiv(index_.add(column, count), kRunLength);
  emitter_.emitLoop(first, end, 1, [&](Value number) {
    emitRun(index_.add(rowsRun, number),
            index_.mul(index_.sub(number, first), kRunLength));
  });
  return {index_.rem(column, kRunLength)};
}

/// Writes the bits of a run from `to` on.
void AttentionDropout::emitRun(Value run, Value to) {
  Value counter = index_.mul(run, kRunLanes);
  int64_t width = std::max<int64_t>(math_.lanes().width, 1);
  for (int64_t lane = 0; lane < kRunLanes; lane += width)
    emitLanes(index_.add(counter, lane), index_.add(to, lane));
}

/// Writes what the blocks of neighbouring counters have for their lanes.
void AttentionDropout::emitLanes(Value counter, Value to) {
  ImplicitLocOpBuilder b(emitter_.loc, emitter_.builder);
  Value wide = arith::IndexCastOp::create(b, b.getI64Type(), counter);
  Value low = math_.all(halfOf(wide, false));
  Type type = low.getType();
  if (auto vector = dyn_cast<VectorType>(type)) {
    // A run's counters differ in their last bits alone.
    SmallVector<int32_t> lanes(vector.getNumElements());
    std::iota(lanes.begin(), lanes.end(), 0);
    low = arith::AddIOp::create(
        b, low,
        arith::ConstantOp::create(
            b, DenseElementsAttr::get(vector, ArrayRef(lanes))));
  }
  PhiloxWords words = buildPhilox(
      b, {low, math_.all(halfOf(wide, true)), stream_, step_}, key_);
  for (auto [number, bits] : llvm::enumerate(words)) {
    Value place = index_.add(to, static_cast<int64_t>(number) * kRunLanes);
    if (isa<VectorType>(type))
      vector::StoreOp::create(b, bits, buffer_, place);
    else
      memref::StoreOp::create(b, bits, buffer_, place);
  }
}

Value AttentionDropout::emitKept(Value value, const DrawnKeys &keys,
                                 Value number) {
  if (!keys.first)
    return value;
  ImplicitLocOpBuilder b(emitter_.loc, emitter_.builder);
  Value place = index_.add(keys.first, number);
  Type type = math_.type(b.getI32Type());
  Value bits;
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector::LoadOp::create(b, vector, buffer_, place);
  else
    bits = memref::LoadOp::create(b, buffer_, place);
  auto integer = [&](int64_t number) {
    return math_.all(arith::ConstantIntOp::create(b, number, 32));
  };
  auto least =
      static_cast<int64_t>(std::nearbyint(std::ldexp(kept_, kUniformBits)));
  Value units = arith::ShRUIOp::create(b, bits, integer(32 - kUniformBits));
  Value isKept = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, units,
                                       integer(least));
  return math_.select(isKept, value, math_.constant(0));
}

Value AttentionDropout::emitScaled(Value value) {
  if (!isActive())
    return value;
  auto factor = static_cast<float>(kept_ > 0.0 ? 1.0 / kept_ : 0.0);
  return math_.mul(value, math_.constant(factor));
}
