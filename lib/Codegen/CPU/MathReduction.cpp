// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction of an argument by pi/2: in floats where few quarters are
// subtracted, else in integers by the relevant digits of 2/pi (Payne and
// Hanek).
#include "lib/Codegen/CPU/MathReduction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>
#include <cstdint>

using namespace mlir;
using namespace mpc;
using namespace mpc::cpu;

static constexpr double kPi = 3.14159265358979323846;
/// Below this magnitude the products of `reduceSmall` are exact.
static constexpr double kLarge = 1 << 30;

// x = n pi/2 + r with pi/2 in three parts, each product exact in its fma.
static Quarters reduceSmall(Fp x) {
  Rounded n = roundToInteger(x * (2 / kPi));
  Fp r = fma(n.whole, x.constant(-1.57079632679489655800e+00), x);
  r = fma(n.whole, x.constant(-6.12323399573676603587e-17), r);
  r = fma(n.whole, x.constant(1.49738490485916983e-33), r);
  return {r, n.number};
}

//===----------------------------------------------------------------------===//
// Large arguments
//===----------------------------------------------------------------------===//

namespace {
/// An unsigned i64, or a vector of them.
struct Word {
  ImplicitLocOpBuilder *b;
  Value value;

  template <typename Op>
  Word make(Word other) const {
    return {b, Op::create(*b, value, other.value)};
  }
  Word constant(uint64_t number) const {
    Type type = value.getType();
    TypedAttr attr = b->getI64IntegerAttr(static_cast<int64_t>(number));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return {b, arith::ConstantOp::create(*b, attr)};
  }
};

Word operator+(Word a, Word b) { return a.make<arith::AddIOp>(b); }
Word operator-(Word a, Word b) { return a.make<arith::SubIOp>(b); }
Word operator*(Word a, Word b) { return a.make<arith::MulIOp>(b); }
Word operator&(Word a, Word b) { return a.make<arith::AndIOp>(b); }
Word operator|(Word a, Word b) { return a.make<arith::OrIOp>(b); }
Word operator<<(Word a, Word b) { return a.make<arith::ShLIOp>(b); }
Word operator>>(Word a, Word b) { return a.make<arith::ShRUIOp>(b); }
Word operator&(Word a, uint64_t b) { return a & a.constant(b); }
Word operator<<(Word a, uint64_t b) { return a << a.constant(b); }
Word operator>>(Word a, uint64_t b) { return a >> a.constant(b); }

Word select(Condition condition, Word a, Word b) {
  return {a.b, arith::SelectOp::create(*a.b, condition, a.value, b.value)};
}
Condition compare(arith::CmpIPredicate predicate, Word a, Word b) {
  return arith::CmpIOp::create(*a.b, predicate, a.value, b.value);
}
Fp toFloat(Fp like, Word word) {
  return like.make<arith::SIToFPOp>(like.value.getType(), word.value);
}
} // namespace

/// The upper half of a 128-bit product, from products of half words.
static Word multiplyHigh(Word a, Word b) {
  constexpr uint64_t kLow = 0xffffffff;
  Word ah = a >> 32, al = a & kLow, bh = b >> 32, bl = b & kLow;
  Word first = ah * bl, second = al * bh;
  Word carry = (first & kLow) + (second & kLow) + (al * bl >> 32);
  return ah * bh + (first >> 32) + (second >> 32) + (carry >> 32);
}

/// The digits of 2/pi, after a word of zeros.
static constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// Three words of kTwoOverPi from bit `start`, which is below 64 * `words`.
static std::array<Word, 3> digitsFrom(Word start, unsigned words) {
  Word index = start >> 6, shift = start & 63;
  Word rest = start.constant(63) - shift;
  auto word = [&](unsigned offset) {
    Word found = start.constant(kTwoOverPi[words - 1 + offset]);
    for (unsigned i = words - 1; i-- > 0;)
      found =
          select(compare(arith::CmpIPredicate::eq, index, start.constant(i)),
                 start.constant(kTwoOverPi[i + offset]), found);
    return found;
  };
  Word a = word(0), b = word(1), c = word(2), d = word(3);
  // The shift is done in two steps, since a shift by 64 is undefined.
  auto join = [&](Word high, Word low) {
    return (high << shift) | (low >> 1 >> rest);
  };
  return {join(a, b), join(b, c), join(c, d)};
}

/// The number of words of kTwoOverPi in which the windows for the exponents of
/// x begin. A former f32 is below 2^128.
static unsigned countWords(Fp x) {
  auto extend = x.value.getDefiningOp<arith::ExtFOp>();
  bool isNarrow =
      extend && getElementTypeOrSelf(extend.getIn().getType()).isF32();
  return isNarrow ? 3 : 17;
}

/// |x| = m 2^e with an integer m of 53 bits. The digits of 2/pi before bit e -
/// 2 give multiples of 4 quarters. In the product with the next 192 digits, the
/// upper 128 bits are the quarters in units of 2^-126, up to an error of one
/// unit.
static Quarters reduceLarge(Fp x) {
  Word bits{x.b, toBits(x)};
  Word m = (bits & ((uint64_t{1} << 52) - 1)) | bits.constant(1ull << 52);
  Word exponent = (bits >> 52) & 0x7ff;
  // The offset consists of the bias, the width of m, 2 and the leading zeros.
  Word start = exponent - bits.constant(1075 + 2 - 64);
  auto [high, middle, low] = digitsFrom(start, countWords(x));
  Word part = m * middle;
  Word fraction = part + multiplyHigh(m, low);
  Condition carries = compare(arith::CmpIPredicate::ult, fraction, part);
  Word sum = m * high + multiplyHigh(m, middle) +
             select(carries, bits.constant(1), bits.constant(0));
  Word number = (sum + bits.constant(1ull << 61)) >> 62;
  Fp turns = toFloat(x, sum - (number << 62)) * 0x1p-62 +
             toFloat(x, fraction >> 1) * 0x1p-125;
  Fp rest = fma(turns, x.constant(kPi / 2), turns * 6.12323399573676603587e-17);
  // Infinities become NaN here, and so do NaNs that share a vector with large
  // numbers.
  rest = rest + (x - x);
  Condition negative = less(x, 0);
  return {select(negative, -rest, rest),
          select(negative, bits.constant(0) - number, number).value};
}

/// One bool: whether the condition holds in any lane.
static Value any(Fp like, Condition condition) {
  if (!isa<VectorType>(condition.getType()))
    return condition;
  return vector::ReductionOp::create(*like.b, vector::CombiningKind::OR,
                                     condition);
}

Quarters mpc::cpu::reduceByQuarters(Fp x) {
  ImplicitLocOpBuilder &b = *x.b;
  Quarters small = reduceSmall(x);
  Condition isLarge =
      compare(arith::CmpFPredicate::OGE, abs(x), x.constant(kLarge));
  auto branch = scf::IfOp::create(
      b, any(x, isLarge),
      [&](OpBuilder &inner, Location loc) {
        ImplicitLocOpBuilder body(loc, inner);
        Fp here{&body, x.value};
        Quarters large = reduceLarge(here);
        Fp kept = here.with(small.rest.value);
        Value rest = select(isLarge, large.rest, kept).value;
        Value number = arith::SelectOp::create(inner, loc, isLarge,
                                               large.number, small.number);
        scf::YieldOp::create(inner, loc, {rest, number});
      },
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, {small.rest.value, small.number});
      });
  return {x.with(branch.getResult(0)), branch.getResult(1)};
}
