// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logits of attention: scale, masks, and which key is seen.
#include "lib/Codegen/CPU/AttentionScores.h"

#include "lib/Codegen/CPU/IndexMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

AttentionScores::AttentionScores(Emitter &emitter, AttentionOpInterface op,
                                 LaneMath math, int64_t padding)
    : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc), op_(op),
      math_(math), padding_(padding), sizes_(mpc::kernel::getSizes(op)),
      isCausal_(op.getCausal()) {
  if (std::optional<APFloat> cap = op.getSoftcap())
    cap_ = static_cast<float>(cap->convertToDouble());
  if (std::optional<uint64_t> window = op.getWindow())
    window_ = static_cast<int64_t>(*window);
}

Value AttentionScores::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder_, loc_, a, b);
}

/// The lanes whose number is less than `limit`, an index that may be negative.
Value AttentionScores::emitLanesBelow(Value limit) {
  if (math_.lanes().isScalar())
    return arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::sgt,
                                 limit, emitter_.constantIndex(0));
  SmallVector<int32_t> numbers(math_.lanes().width);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto type = cast<VectorType>(math_.type(builder_.getI32Type()));
  Value lanes = arith::ConstantOp::create(
      builder_, loc_, DenseElementsAttr::get(type, ArrayRef(numbers)));
  limit =
      arith::IndexCastOp::create(builder_, loc_, builder_.getI32Type(), limit);
  return arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::slt, lanes,
                               math_.all(limit));
}

Value AttentionScores::getMask() {
  MutableOperandRange mask = op_.getMaskMutable();
  return mask.empty() ? Value() : mask[0].get();
}

/// The mask's elements; in lanes beyond the last key zeros.
Value AttentionScores::loadMask(const ScorePlace &place) {
  Linear linear = getPlace(op_, op_.getMaskMutable()[0]);
  IndexMath index(emitter_);
  Value at = index.constant(linear.offset);
  Value dims[] = {place.batch, place.head, place.query, place.key};
  for (auto [dim, stride] : llvm::zip_equal(dims, linear.strides))
    at = index.add(at, index.mul(dim, stride));
  Value buffer = emitter_.getBuffer(getMask());
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  if (math_.lanes().isScalar() || linear.strides.back() == 0)
    return memref::LoadOp::create(builder_, loc_, buffer, at);
  auto type = cast<VectorType>(math_.type(element));
  if (!isPadded())
    return vector::LoadOp::create(builder_, loc_, type, buffer, at);
  Value exists =
      emitLanesBelow(index.sub(index.constant(sizes_.keys), place.key));
  Value zero =
      arith::ConstantOp::create(builder_, loc_, builder_.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder_, loc_, type, buffer, at, exists,
                                      zero);
}

Value AttentionScores::emitSeen(const ScorePlace &place) {
  IndexMath index(emitter_);
  Value seen;
  Value behind = index.sub(place.query, place.key);
  if (isCausal_)
    seen = emitLanesBelow(index.add(behind, 1));
  if (window_) {
    // A query sees key j if query - j < window, which is j >= query - window
    // + 1.
    Value tooOld = emitLanesBelow(index.add(behind, 1 - *window_));
    Value yes =
        arith::ConstantOp::create(builder_, loc_, builder_.getBoolAttr(true));
    seen = both(seen,
                arith::XOrIOp::create(builder_, loc_, tooOld, math_.all(yes)));
  }
  if (isPadded() && !math_.lanes().isScalar())
    seen =
        both(seen,
             emitLanesBelow(index.sub(index.constant(sizes_.keys), place.key)));
  Value mask = getMask();
  if (!mask || isa<FloatType>(getElementTypeOrSelf(mask.getType())))
    return seen;
  Value bytes = loadMask(place);
  Value zero = arith::ConstantOp::create(builder_, loc_,
                                         builder_.getZeroAttr(bytes.getType()));
  Value allowed = arith::CmpIOp::create(builder_, loc_,
                                        arith::CmpIPredicate::ne, bytes, zero);
  return both(seen, math_.all(allowed));
}

Value AttentionScores::emitScores(Value products) {
  auto scale = static_cast<float>(op_.getScale().convertToDouble());
  Value scores = math_.mul(products, math_.constant(scale));
  if (!cap_)
    return scores;
  Value part = math_.mul(scores, math_.constant(1 / *cap_));
  Value bounded = math::TanhOp::create(builder_, loc_, part);
  return math_.mul(bounded, math_.constant(*cap_));
}

// d (c tanh(x / c)) / dx = 1 - tanh(x / c)^2
Value AttentionScores::emitGradient(Value scores, Value dLogits) {
  if (!cap_)
    return dLogits;
  Value part = math_.mul(scores, math_.constant(1 / *cap_));
  Value slope = math_.sub(math_.constant(1), math_.mul(part, part));
  return math_.mul(dLogits, slope);
}

Value AttentionScores::emitLogits(Value scores, const ScorePlace &place,
                                  Value seen) {
  Value logits = scores;
  Value mask = getMask();
  if (mask && isa<FloatType>(getElementTypeOrSelf(mask.getType()))) {
    Value bias = math_.all(loadMask(place));
    logits = math_.add(logits, math_.convert(bias, builder_.getF32Type()));
  }
  return seen ? math_.select(seen, logits, math_.lowest()) : logits;
}

// exp(x) = 2^n 2^f with n = round(x log2(e)). The polynomial of 2^f, of |f| <=
// 1/2, has the least greatest relative error among those with 1 at f = 0, so
// that a row of one key has exactly its value: 9e-8.
static constexpr float kExp2[] = {0.693147f, 0.24022242f, 0.055507336f,
                                  0.009671513f, 0.0013264727f};
// log2(e), and what its rounding left out.
static constexpr float kLog2e = 1.44269502f, kLog2eRest = 1.92596303e-8f;
// Added to a small number, it leaves the nearest integer in the last bits.
static constexpr float kRounds = 12582912.0f;
// Below, the exponential is less than the least normal number.
static constexpr float kLeast = -87.3365402f;

Value AttentionScores::emitWeights(Value logits, Value shift) {
  auto fma = [&](Value a, Value b, Value c) -> Value {
    return math::FmaOp::create(builder_, loc_, a, b, c);
  };
  auto bitsOf = [&](Value x) -> Value {
    return arith::BitcastOp::create(builder_, loc_,
                                    math_.type(builder_.getI32Type()), x);
  };
  auto integer = [&](int32_t value) -> Value {
    return math_.all(arith::ConstantIntOp::create(
        builder_, loc_, builder_.getI32Type(), value));
  };
  Value x = math_.sub(logits, shift);
  Value rounded = fma(x, math_.constant(kLog2e), math_.constant(kRounds));
  Value n = math_.sub(rounded, math_.constant(kRounds));
  Value minusN = arith::NegFOp::create(builder_, loc_, n);
  Value f = fma(x, math_.constant(kLog2e), minusN);
  f = fma(x, math_.constant(kLog2eRest), f);
  Value power = math_.constant(std::end(kExp2)[-1]);
  for (float coefficient : llvm::drop_begin(llvm::reverse(kExp2)))
    power = fma(power, f, math_.constant(coefficient));
  power = fma(power, f, math_.constant(1));
  Value exponent =
      arith::ShLIOp::create(builder_, loc_, bitsOf(rounded), integer(23));
  exponent =
      arith::AddIOp::create(builder_, loc_, exponent, integer(0x3f800000));
  Value scale = arith::BitcastOp::create(builder_, loc_, math_.f32(), exponent);
  Value isLess =
      math_.compare(arith::CmpFPredicate::OLT, x, math_.constant(kLeast));
  return math_.select(isLess, math_.constant(0), math_.mul(power, scale));
}

std::pair<Value, Value>
mpc::cpu::emitShiftAndFactor(const LaneMath &math, Value rowMax, Value rowSum) {
  using arith::CmpFPredicate;
  Value one = math.constant(1), zero = math.constant(0);
  Value hasNoMax = math.compare(CmpFPredicate::OEQ, rowMax, math.lowest());
  Value hasNoSum = math.compare(CmpFPredicate::OEQ, rowSum, zero);
  return {math.select(hasNoMax, zero, rowMax),
          math.div(one, math.select(hasNoSum, one, rowSum))};
}

std::pair<Value, Value> AttentionScores::emitKeys(Value firstQuery,
                                                  Value endQuery) {
  IndexMath index(emitter_);
  Value first = index.constant(0), end = index.constant(sizes_.keys);
  if (isCausal_)
    end = index.min(end, endQuery);
  if (window_) {
    // max(firstQuery + 1 - window, 0), without numbers below zero.
    Value next = index.add(firstQuery, 1);
    first = index.sub(next, index.min(next, index.constant(*window_)));
  }
  return {first, end};
}

std::pair<Value, Value> AttentionScores::emitQueries(Value firstKey,
                                                     Value endKey) {
  IndexMath index(emitter_);
  Value first = index.constant(0), end = index.constant(sizes_.queries);
  if (isCausal_)
    first = index.min(end, firstKey);
  if (window_)
    end = index.min(end, index.add(endKey, *window_ - 1));
  return {first, end};
}

Value AttentionScores::emitKeyCount(Value endQuery, Value firstKey,
                                    Value endKey) {
  IndexMath index(emitter_);
  if (!isCausal_)
    return index.sub(endKey, firstKey);
  return index.sub(index.min(endQuery, endKey), index.min(endQuery, firstKey));
}

Value AttentionScores::emitHiddenRows(Value key, Value firstQuery) {
  IndexMath index(emitter_);
  if (!isCausal_)
    return index.constant(0);
  return index.sub(key, index.min(key, firstQuery));
}
