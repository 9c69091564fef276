// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel.cumsum: sums up to each element, a block at a time.
//
// Vectors have as many lanes as a block has elements, on every processor: the
// bits do not depend on its vectors, and scalar loops run this code too.
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/LaneMath.h"
#include "lib/Codegen/CPU/LoopUnits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

static constexpr int64_t kBlock = CumsumOp::kBlock;

namespace {

/// Emits the lines of one outer slice: one line, whose neighbours are lanes, or
/// `lanes.active` neighbouring lines from `column` on.
class CumsumEmitter {
public:
  CumsumEmitter(Emitter &emitter, CumsumOp cumsum, Value outer, Value column,
                Lanes lanes);
  void emit();

private:
  Value emitRun(int64_t span, Value begin, Value base);
  Value emitBlock(Value begin, Value base);
  Value emitNeighbours(Value begin, Value base, int64_t count);
  Value emitInOrder(Value begin, Value base);
  Value sumBlock(Value values);
  Value reversed(Value values, int64_t count);
  Value shift(Value values, int64_t distance);
  Value add(Value a, Value b);
  Value load(Value place, Lanes lanes);
  void store(Value sums, Value place, Lanes lanes);
  Value zero();
  bool isLine() const { return inner_ == 1; }
  Access access(Value tensor);
  /// The index along the axis of a position in the order of sums.
  Value placeOf(Value position, int64_t count = 1);
  Lanes sumLanes() const { return isLine() ? Lanes{} : lanes_; }

  Emitter &emitter_;
  OpBuilder &b_;
  Location loc_;
  CumsumOp cumsum_;
  Value outer_, column_;
  Lanes lanes_;
  int64_t size_, inner_;
  Type element_, sum_; ///< In memory, and of the sums.
};

} // namespace

CumsumEmitter::CumsumEmitter(Emitter &emitter, CumsumOp cumsum, Value outer,
                             Value column, Lanes lanes)
    : emitter_(emitter), b_(emitter.builder), loc_(emitter.loc),
      cumsum_(cumsum), outer_(outer), column_(column), lanes_(lanes) {
  auto type = cast<RankedTensorType>(cumsum.getInput().getType());
  size_ = type.getDimSize(1);
  inner_ = type.getDimSize(2);
  element_ = sum_ = type.getElementType();
  if (isa<FloatType>(sum_) && sum_.getIntOrFloatBitWidth() < 32)
    sum_ = b_.getF32Type();
}

Value CumsumEmitter::add(Value a, Value b) {
  Lanes lanes{kBlock, kBlock};
  if (isa<VectorType>(a.getType()) || isa<VectorType>(b.getType())) {
    a = emitter_.broadcast(a, lanes);
    b = emitter_.broadcast(b, lanes);
  }
  if (isa<FloatType>(sum_))
    return arith::AddFOp::create(b_, loc_, a, b);
  return arith::AddIOp::create(b_, loc_, a, b);
}

Value CumsumEmitter::zero() {
  Value zero = arith::ConstantOp::create(b_, loc_, b_.getZeroAttr(sum_));
  return isLine() ? zero : emitter_.broadcast(zero, sumLanes());
}

/// The elements of a tensor, of outer, the place along the axis and the column.
Access CumsumEmitter::access(Value tensor) {
  auto dim = [&](unsigned number) { return b_.getAffineDimExpr(number); };
  return {tensor, (dim(0) * size_ + dim(1)) * inner_ + dim(2)};
}

Value CumsumEmitter::placeOf(Value position, int64_t count) {
  if (!cumsum_.getReverse())
    return position;
  IndexMath math(emitter_);
  return math.sub(math.constant(size_ - count), position);
}

Value CumsumEmitter::load(Value place, Lanes lanes) {
  Value values =
      emitter_.loadLanes(access(cumsum_.getInput()), {outer_, place, column_},
                         isLine() ? 1 : 2, lanes);
  values = emitter_.broadcast(values, lanes);
  return isa<FloatType>(sum_) ? LaneMath(emitter_, lanes).convert(values, sum_)
                              : values;
}

void CumsumEmitter::store(Value sums, Value place, Lanes lanes) {
  if (isa<FloatType>(sum_))
    sums = LaneMath(emitter_, lanes).convert(sums, element_);
  emitter_.storeLanes(sums, access(cumsum_.getResult()),
                      {outer_, place, column_}, isLine() ? 1 : 2, lanes);
}

/// The first `count` lanes from the last to the first.
Value CumsumEmitter::reversed(Value values, int64_t count) {
  if (!cumsum_.getReverse())
    return values;
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < kBlock; ++lane)
    lanes.push_back(lane < count ? count - 1 - lane : lane);
  return vector::ShuffleOp::create(b_, loc_, values, values, lanes);
}

/// The lanes `distance` in front, and behind the first ones what changes no
/// sum: of floats -0.
Value CumsumEmitter::shift(Value values, int64_t distance) {
  auto type = cast<VectorType>(values.getType());
  TypedAttr none = b_.getZeroAttr(sum_);
  if (isa<FloatType>(sum_))
    none = b_.getFloatAttr(sum_, -0.0);
  Value neutral = arith::ConstantOp::create(
      b_, loc_, DenseElementsAttr::get(type, cast<Attribute>(none)));
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < kBlock; ++lane)
    lanes.push_back(lane < distance ? kBlock + lane : lane - distance);
  return vector::ShuffleOp::create(b_, loc_, values, neutral, lanes);
}

Value CumsumEmitter::sumBlock(Value values) {
  for (int64_t distance = 1; distance < kBlock; distance *= 2)
    values = add(values, shift(values, distance));
  return values;
}

/// `count` elements of a line; yields their sum, if they are a whole block.
Value CumsumEmitter::emitNeighbours(Value begin, Value base, int64_t count) {
  Lanes lanes{kBlock, count};
  Value place = placeOf(begin, count);
  Value sums = sumBlock(reversed(load(place, lanes), count));
  store(reversed(add(base, sums), count), place, lanes);
  return vector::ExtractOp::create(b_, loc_, sums, kBlock - 1);
}

/// A block of several lines.
Value CumsumEmitter::emitInOrder(Value begin, Value base) {
  IndexMath math(emitter_);
  Value end = math.min(math.add(begin, kBlock), math.constant(size_));
  return emitter_.emitCarryingLoop(
      {begin, end}, 1, zero(),
      [&](Value position, ValueRange sum) -> SmallVector<Value> {
        Value place = placeOf(position);
        Value next = add(sum[0], load(place, lanes_));
        store(add(base, next), place, lanes_);
        return {next};
      })[0];
}

Value CumsumEmitter::emitBlock(Value begin, Value base) {
  if (!isLine())
    return emitInOrder(begin, base);
  int64_t tail = size_ % kBlock;
  if (tail == 0)
    return emitNeighbours(begin, base, kBlock);
  Value last = emitter_.constantIndex(size_ - tail);
  Value isWhole =
      arith::CmpIOp::create(b_, loc_, arith::CmpIPredicate::ult, begin, last);
  auto branch = scf::IfOp::create(b_, loc_, TypeRange(sum_), isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b_);
  for (auto [block, count] :
       {std::pair(branch.thenBlock(), kBlock), {branch.elseBlock(), tail}}) {
    b_.setInsertionPointToStart(block);
    scf::YieldOp::create(b_, loc_, emitNeighbours(begin, base, count));
  }
  return branch.getResult(0);
}

/// The sums of a run of `span` elements from `begin` on, in front of which is
/// the sum `base`; yields the run's own sum.
Value CumsumEmitter::emitRun(int64_t span, Value begin, Value base) {
  if (span == kBlock)
    return emitBlock(begin, base);
  IndexMath math(emitter_);
  Value end = math.min(math.add(begin, span), math.constant(size_));
  int64_t part = span / kBlock;
  return emitter_.emitCarryingLoop(
      {begin, end}, part, zero(),
      [&](Value position, ValueRange sum) -> SmallVector<Value> {
        Value own = emitRun(part, position, add(base, sum[0]));
        return {add(sum[0], own)};
      })[0];
}

void CumsumEmitter::emit() {
  int64_t span = kBlock;
  while (span < size_)
    span *= kBlock;
  if (size_ > 0)
    emitRun(span, emitter_.constantIndex(0), zero());
}

/// Neighbouring lines of a slice, as many as a vector has lanes.
static void emitColumns(Emitter &emitter, CumsumOp cumsum, Value unit,
                        int64_t inner) {
  int64_t blocks = llvm::divideCeil(inner, kBlock), tail = inner % kBlock;
  auto shape = cast<RankedTensorType>(cumsum.getInput().getType()).getShape();
  SmallVector<Value> at = emitter.delinearize(unit, {shape[0], blocks});
  IndexMath math(emitter);
  Value column = math.mul(at[1], kBlock);
  Value whole = math.constant(inner - tail);
  // Loops of one turn or of none.
  emitter.emitLoop(
      column, math.min(math.add(column, kBlock), whole), kBlock,
      [&](Value first) {
        CumsumEmitter(emitter, cumsum, at[0], first, {kBlock, kBlock}).emit();
      });
  if (tail != 0)
    emitter.emitLoop(
        math.max(column, whole), math.constant(inner), kBlock,
        [&](Value first) {
          CumsumEmitter(emitter, cumsum, at[0], first, {kBlock, tail}).emit();
        });
}

void mpc::cpu::emitCumsum(Emitter &emitter, CumsumOp cumsum,
                          std::pair<Value, Value> units) {
  int64_t inner =
      cast<RankedTensorType>(cumsum.getInput().getType()).getDimSize(2);
  Value zero = emitter.constantIndex(0);
  emitter.emitLoop(units.first, units.second, 1, [&](Value unit) {
    if (inner == 1)
      CumsumEmitter(emitter, cumsum, unit, zero, {kBlock, kBlock}).emit();
    else
      emitColumns(emitter, cumsum, unit, inner);
  });
}
