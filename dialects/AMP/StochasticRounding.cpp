// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random bits, and rounding by them.
#include "dialects/AMP/StochasticRounding.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/MapBuilder.h"
#include "dialects/Interfaces/Fp.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

static Value constant(ImplicitLocOpBuilder &b, uint32_t value) {
  return arith::ConstantIntOp::create(b, static_cast<int32_t>(value), 32);
}

static Value shiftRight(ImplicitLocOpBuilder &b, Value x, uint32_t bits) {
  return arith::ShRUIOp::create(b, x, constant(b, bits));
}

// Two multiplications and three shifts mix 32 bits with little bias; the
// constants are those that Chris Wellons' search found (2018).
Value mpc::amp::emitHash(ImplicitLocOpBuilder &b, Value x) {
  struct Round {
    uint32_t shift, factor;
  };
  for (Round round : {Round{16, 0x7feb352d}, Round{15, 0x846ca68b}}) {
    x = arith::XOrIOp::create(b, x, shiftRight(b, x, round.shift));
    x = arith::MulIOp::create(b, x, constant(b, round.factor));
  }
  return arith::XOrIOp::create(b, x, shiftRight(b, x, 16));
}

/// 16 random bits for this element, in an i32.
static Value emitRandom(ImplicitLocOpBuilder &b, Value key) {
  Value index = arith::IndexCastOp::create(
      b, b.getI32Type(), linalg::IndexOp::create(b, uint64_t{0}));
  Value place = arith::AddIOp::create(
      b, key, arith::MulIOp::create(b, index, constant(b, 0x9e3779b9)));
  return shiftRight(b, emitHash(b, place), 16);
}

static Value isFinite(ImplicitLocOpBuilder &b, Value value) {
  Fp x{&b, value};
  return equal(x - x, 0.0);
}

static Value emitBF16(ImplicitLocOpBuilder &b, Value value, Value random) {
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
  Value sum = arith::AddIOp::create(b, bits, random);
  // Numbers that are not finite are excluded: the added bits would change their
  // values.
  Value chosen = arith::SelectOp::create(b, isFinite(b, value), sum, bits);
  Value high = arith::AndIOp::create(b, chosen, constant(b, 0xffff0000));
  // A NaN whose payload is in the lower half would become infinite.
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  Value quiet = arith::OrIOp::create(b, high, constant(b, 0x00400000));
  Value result = arith::SelectOp::create(b, isNaN, quiet, high);
  // The cast is exact, since the lower half is zero.
  return arith::TruncFOp::create(
      b, b.getBF16Type(), arith::BitcastOp::create(b, b.getF32Type(), result));
}

/// Rounds a magnitude that is normal in f16, by the 13 bits that f16 lacks.
static Fp roundNormal(ImplicitLocOpBuilder &b, Fp magnitude, Value random) {
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), magnitude.value);
  Value sum = arith::AddIOp::create(b, bits, shiftRight(b, random, 3));
  Value kept = arith::AndIOp::create(b, sum, constant(b, 0xffffe000));
  Fp result{&b, arith::BitcastOp::create(b, b.getF32Type(), kept)};
  return minimum(result, magnitude.constant(65504.0));
}

/// Rounds a magnitude that is subnormal in f16 to a whole number of 2^-24.
static Fp roundSubnormal(ImplicitLocOpBuilder &b, Fp magnitude, Value random) {
  Type f32 = b.getF32Type();
  Fp units = magnitude * 0x1p24;
  Value whole = arith::FPToSIOp::create(b, b.getI32Type(), units.value);
  Fp low{&b, arith::SIToFPOp::create(b, f32, whole)};
  Fp chance{&b, arith::SIToFPOp::create(b, f32, random)};
  Value up = less(chance * 0x1p-16, units - low);
  Fp rounded = low + select(up, low.constant(1.0), low.constant(0.0));
  return rounded * 0x1p-24;
}

static Value emitF16(ImplicitLocOpBuilder &b, Value value, Value random) {
  Fp magnitude = abs(Fp{&b, value});
  Value isSmall = less(magnitude, magnitude.constant(0x1p-14));
  // Both branches are computed. The branch that does not apply gets 0.
  Fp small = select(isSmall, magnitude, magnitude.constant(0.0));
  Fp rounded = select(isSmall, roundSubnormal(b, small, random),
                      roundNormal(b, magnitude, random));
  Value result = math::CopySignOp::create(b, rounded.value, value);
  Value kept = arith::SelectOp::create(b, isFinite(b, value), result, value);
  return arith::TruncFOp::create(b, b.getF16Type(), kept); // The cast is exact.
}

Value mpc::amp::emitStochasticRounding(ImplicitLocOpBuilder &b, Value value,
                                       Type type, Value key) {
  Value random = emitRandom(b, key);
  return type.isBF16() ? emitBF16(b, value, random) : emitF16(b, value, random);
}

//===----------------------------------------------------------------------===//
// RoundingKeyOp
//===----------------------------------------------------------------------===//

/// Mixes both halves of a count into `hash`.
static Value mixIn(ImplicitLocOpBuilder &b, Value hash, Value count) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value bits = arith::FPToUIOp::create(b, i64, count);
  Value shift = arith::ConstantIntOp::create(b, 32, 64);
  Value high = arith::ShRUIOp::create(b, bits, shift);
  for (Value half : {bits, high}) {
    Value word = arith::TruncIOp::create(b, i32, half);
    hash = emitHash(b, arith::AddIOp::create(b, emitHash(b, hash), word));
  }
  return hash;
}

FailureOr<SmallVector<Value>> RoundingKeyOp::buildBody(OpBuilder &builder,
                                                       ValueRange operands) {
  return buildScalars(
      builder, getLoc(), operands, builder.getI32Type(),
      [&](ImplicitLocOpBuilder &b, ValueRange s) -> SmallVector<Value> {
        Value salt = constant(b, getSalt());
        return {mixIn(b, mixIn(b, salt, s[0]), s[1])};
      });
}
