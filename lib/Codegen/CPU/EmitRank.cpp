// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel.rank: sorts rows by digits of their keys, the last digit first.
#include "lib/Codegen/CPU/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;
using namespace mpc::cpu;

static constexpr int64_t kDigitBits = 8, kDigits = 1 << kDigitBits;

namespace {

/// Emits the sorting of a row. Each digit takes a pass. It reads the row's
/// elements in the order so far from one half of `order_`, and writes them to
/// the other half, those with smaller digits first.
class RankEmitter {
public:
  RankEmitter(Emitter &emitter, mpc::kernel::RankOp rank, Value ranks)
      : emitter_(emitter), b_(emitter.builder), loc_(emitter.loc),
        keys_(rank.getKeys()), ranks_(ranks) {
    auto type = llvm::cast<RankedTensorType>(keys_.getType());
    size_ = type.getDimSize(1);
    passes_ = type.getElementTypeBitWidth() / kDigitBits;
    bool isShort = size_ <= std::numeric_limits<int32_t>::max();
    number_ = b_.getIntegerType(isShort ? 32 : 64);
    order_ = emitter.allocate(2 * size_, number_);
    counts_ = emitter.allocate(kDigits, number_);
  }

  void emitRow(Value row);

private:
  /// Receives an element and its position in the order by the digits so far.
  using Sink = function_ref<void(Value element, Value place)>;
  void emitPass(Value first, Value pass, Sink sink);
  void emitPlaces(Value first, Value pass);
  Value digitOf(Value key, Value pass);
  Value halfOf(Value pass);

  void forEach(int64_t count, Emitter::LoopBody body) {
    emitter_.emitLoop(emitter_.constantIndex(0), emitter_.constantIndex(count),
                      1, body);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b_, loc_, x, y); }
  Value number(int64_t value) {
    return arith::ConstantIntOp::create(b_, loc_, number_, value);
  }
  Value cast(Value x, Type type) {
    return arith::IndexCastOp::create(b_, loc_, type, x);
  }
  Value load(Value buffer, Value index) {
    return memref::LoadOp::create(b_, loc_, buffer, index);
  }
  void store(Value value, Value buffer, Value index) {
    memref::StoreOp::create(b_, loc_, value, buffer, index);
  }

  Emitter &emitter_;
  OpBuilder &b_;
  Location loc_;
  Value keys_, ranks_, order_, counts_;
  int64_t size_, passes_;
  Type number_; ///< The type that counts the elements of a row.
};

} // namespace

/// Digit `pass` of a key, counted from the last one. A signed number with its
/// sign bit flipped has the order of an unsigned one.
Value RankEmitter::digitOf(Value key, Value pass) {
  Value bits = emitter_.load(keys_, key);
  Type type = bits.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value sign = arith::ConstantOp::create(
      b_, loc_, b_.getIntegerAttr(type, APInt::getSignMask(width)));
  bits = arith::XOrIOp::create(b_, loc_, bits, sign);
  Value behind =
      arith::MulIOp::create(b_, loc_, pass, emitter_.constantIndex(kDigitBits));
  bits = arith::ShRUIOp::create(b_, loc_, bits, cast(behind, type));
  if (width > kDigitBits)
    bits =
        arith::TruncIOp::create(b_, loc_, b_.getIntegerType(kDigitBits), bits);
  return arith::IndexCastUIOp::create(b_, loc_, b_.getIndexType(), bits);
}

/// The start of the half of `order_` that `pass` reads.
Value RankEmitter::halfOf(Value pass) {
  Value odd = arith::AndIOp::create(b_, loc_, pass, emitter_.constantIndex(1));
  return arith::MulIOp::create(b_, loc_, odd, emitter_.constantIndex(size_));
}

/// Turns `counts_` into the position of the first element with each digit.
void RankEmitter::emitPlaces(Value first, Value pass) {
  forEach(kDigits, [&](Value digit) { store(number(0), counts_, digit); });
  forEach(size_, [&](Value element) {
    Value digit = digitOf(add(first, element), pass);
    store(add(load(counts_, digit), number(1)), counts_, digit);
  });
  auto sum = [&](Value digit, ValueRange before) -> SmallVector<Value> {
    Value count = load(counts_, digit);
    store(before[0], counts_, digit);
    return {add(before[0], count)};
  };
  emitter_.emitCarryingLoop(
      {emitter_.constantIndex(0), emitter_.constantIndex(kDigits)}, 1,
      number(0), sum);
}

void RankEmitter::emitPass(Value first, Value pass, Sink sink) {
  emitPlaces(first, pass);
  Value from = halfOf(pass);
  forEach(size_, [&](Value at) {
    Value element = cast(load(order_, add(from, at)), b_.getIndexType());
    Value digit = digitOf(add(first, element), pass);
    Value place = load(counts_, digit);
    store(add(place, number(1)), counts_, digit);
    sink(element, cast(place, b_.getIndexType()));
  });
}

void RankEmitter::emitRow(Value row) {
  Value first =
      arith::MulIOp::create(b_, loc_, row, emitter_.constantIndex(size_));
  forEach(size_, [&](Value element) {
    store(cast(element, number_), order_, element);
  });
  Value last = emitter_.constantIndex(passes_ - 1);
  Value one = emitter_.constantIndex(1);
  emitter_.emitLoop(emitter_.constantIndex(0), last, 1, [&](Value pass) {
    Value to = halfOf(add(pass, one));
    emitPass(first, pass, [&](Value element, Value place) {
      store(cast(element, number_), order_, add(to, place));
    });
  });
  emitPass(first, last, [&](Value element, Value place) {
    store(cast(place, b_.getI64Type()), ranks_, add(first, element));
  });
}

void mpc::cpu::emitRank(Emitter &emitter, kernel::RankOp rank, Value buffer,
                        std::pair<Value, Value> rows) {
  RankEmitter ranks(emitter, rank, buffer);
  emitter.emitLoop(rows.first, rows.second, 1,
                   [&](Value row) { ranks.emitRow(row); });
}
