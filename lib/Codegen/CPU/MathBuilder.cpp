// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic helpers, and exp, log, erf and tanh for f32 and f64.
#include "lib/Codegen/CPU/MathBuilder.h"

#include "dialects/Kernel/KernelDialect.h"
#include "lib/Codegen/CPU/CPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::cpu;

Fp mpc::cpu::clamp(Fp a, double low, double high) {
  a = select(less(a, low), low, a);
  return select(greater(a, high), high, a);
}

Fp mpc::cpu::polynomial(Fp x, std::initializer_list<double> coefficients) {
  Fp sum = x.constant(*coefficients.begin());
  for (double next : llvm::drop_begin(coefficients))
    sum = fma(sum, x, next);
  return sum;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Type mpc::cpu::getIntegerType(Fp x) {
  Type integer = x.b->getIntegerType(x.isDouble() ? 64 : 32);
  if (auto vector = dyn_cast<VectorType>(x.value.getType()))
    return VectorType::get(vector.getShape(), integer);
  return integer;
}

Value mpc::cpu::toBits(Fp x) {
  return arith::BitcastOp::create(*x.b, getIntegerType(x), x.value);
}

Fp mpc::cpu::fromBits(Fp like, Value bits) {
  return like.make<arith::BitcastOp>(like.value.getType(), bits);
}

Value mpc::cpu::integer(Fp like, int64_t number) {
  Type type = getIntegerType(like);
  TypedAttr attr = like.b->getIntegerAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(*like.b, attr);
}

static int64_t getMantissaBits(Fp x) { return x.isDouble() ? 52 : 23; }
static int64_t getBias(Fp x) { return x.isDouble() ? 1023 : 127; }

static Fp powerOfTwo(Fp like, Value n) {
  ImplicitLocOpBuilder &b = *like.b;
  Value biased = arith::AddIOp::create(b, n, integer(like, getBias(like)));
  return fromBits(like, arith::ShLIOp::create(
                            b, biased, integer(like, getMantissaBits(like))));
}

/// Whether the target scales such vectors by powers of two: AVX-512's
/// vscalefps, which rounds as two multiplications do of which the first is
/// exact.
static bool hasScale(Fp x) {
  auto vector = dyn_cast<VectorType>(x.value.getType());
  if (!vector || x.isDouble() || vector.getShape() != ArrayRef<int64_t>(16))
    return false;
  Operation *around = x.b->getInsertionBlock()->getParentOp();
  auto target = dyn_cast_or_null<TargetAttr>(kernel::getTarget(around));
  return target && target.getLanes() == 16;
}

static Fp scaleByInstruction(Fp x, Fp n) {
  ImplicitLocOpBuilder &b = *x.b;
  Value all = LLVM::ConstantOp::create(b, b.getI16IntegerAttr(-1));
  // As the control register says, which is to nearest.
  Value rounding = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(4));
  auto call = LLVM::CallIntrinsicOp::create(
      b, x.value.getType(),
      b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
      ValueRange{x.value, n.value, x.value, all, rounding});
  return {x.b, call.getResult(0)};
}

// Scales in two steps elsewhere, since 2^n itself may be out of range.
Fp mpc::cpu::scaleByPower(Fp x, Rounded n) {
  if (hasScale(x))
    return scaleByInstruction(x, n.whole);
  ImplicitLocOpBuilder &b = *x.b;
  Value half = arith::ShRSIOp::create(b, n.number, integer(x, 1));
  Value rest = arith::SubIOp::create(b, n.number, half);
  return x * powerOfTwo(x, half) * powerOfTwo(x, rest);
}

// Adding 1.5 * 2^mantissa leaves the integer in the lowest bits. A conversion
// would be undefined for NaN.
Rounded mpc::cpu::roundToInteger(Fp x) {
  double magic = x.isDouble() ? 6755399441055744.0 : 12582912.0;
  int64_t magicBits = x.isDouble() ? 0x4338000000000000 : 0x4b400000;
  Fp sum = x + magic;
  Value number =
      arith::SubIOp::create(*x.b, toBits(sum), integer(x, magicBits));
  return {sum - magic, number};
}

//===----------------------------------------------------------------------===//
// exp
//===----------------------------------------------------------------------===//

// exp(r) for |r| <= ln(2)/2: Cephes' coefficients for f32; for f64 its rational
// function 1 + 2 r P / (Q - r P).
static Fp expReduced(Fp r) {
  if (!r.isDouble()) {
    Fp p = polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                          4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
    return fma(p, r * r, r) + 1;
  }
  Fp z = r * r;
  Fp p = r * polynomial(z, {1.26177193074810590878e-4,
                            3.02994407707441961300e-2, 1.0});
  Fp q = polynomial(z, {3.00198505138664455042e-6, 2.52448340349684104192e-3,
                        2.27265548208155028766e-1, 2.0});
  return fma(r.constant(2), p / (q - p), 1);
}

Fp mpc::cpu::exp(Fp x) {
  bool wide = x.isDouble();
  x = clamp(x, wide ? -746 : -104, wide ? 710 : 89);
  Rounded n = roundToInteger(x * 1.44269504088896340736);
  // ln(2) in two parts; the products are exact inside of the fma.
  Fp r = fma(n.whole,
             x.constant(wide ? -6.93147180369123816490e-1 : -6.93359375e-1), x);
  r = fma(n.whole,
          x.constant(wide ? -1.90821492927058770002e-10 : 2.12194440e-4), r);
  return scaleByPower(expReduced(r), n);
}

Fp mpc::cpu::exp2(Fp x) {
  bool wide = x.isDouble();
  x = clamp(x, wide ? -1080 : -152, wide ? 1030 : 130);
  Rounded n = roundToInteger(x);
  return scaleByPower(expReduced((x - n.whole) * 0.69314718055994530942), n);
}

//===----------------------------------------------------------------------===//
// log
//===----------------------------------------------------------------------===//

// log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))), s = f / (2 + f): the form and
// the coefficients of fdlibm and FreeBSD's logf.
static Fp logSeries(Fp z) {
  if (z.isDouble())
    return z * polynomial(z, {1.479819860511658591e-1, 1.531383769920937332e-1,
                              1.818357216161805012e-1, 2.222219843214978396e-1,
                              2.857142874366239149e-1, 3.999999999940941908e-1,
                              6.666666666666735130e-1});
  return z * polynomial(z, {0.24279078841, 0.28498786688, 0.40000972152,
                            0.66666662693});
}

namespace {
struct Split {
  Fp mantissa; ///< In [sqrt(1/2), sqrt(2)).
  Fp exponent;
};
} // namespace

/// x = mantissa * 2^exponent, for positive finite x.
static Split splitExponent(Fp x) {
  ImplicitLocOpBuilder &b = *x.b;
  bool wide = x.isDouble();
  Condition tiny =
      less(x, wide ? 2.2250738585072014e-308 : 1.1754943508222875e-38);
  double shift = wide ? 54 : 25;
  x = select(tiny, x * std::ldexp(1.0, static_cast<int>(shift)), x);
  Value half = integer(x, wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3);
  Value mantissa = integer(x, getMantissaBits(x));
  Value bits = arith::SubIOp::create(b, toBits(x), half);
  Value n = arith::ShRSIOp::create(b, bits, mantissa);
  Value low = arith::ShLIOp::create(b, n, mantissa);
  Value rest = arith::SubIOp::create(b, bits, low);
  Value whole = arith::AddIOp::create(b, rest, half);
  Fp exponent = x.make<arith::SIToFPOp>(x.value.getType(), n);
  exponent = select(tiny, exponent - shift, exponent);
  return {fromBits(x, whole), exponent};
}

/// log(mantissa * 2^k), where f is the mantissa less 1 and `more` is added to
/// it.
static Fp logOfParts(Fp f, Fp k, std::optional<Fp> more = std::nullopt) {
  bool wide = f.isDouble();
  Fp s = f / (f + 2);
  Fp half = f * f * 0.5;
  Fp r = logSeries(s * s);
  Fp ln2Low = f.constant(wide ? 1.90821492927058770002e-10 : 9.0580006145e-6);
  Fp ln2High = f.constant(wide ? 6.93147180369123816490e-1 : 6.9313812256e-1);
  Fp low = fma(k, ln2Low, s * (half + r));
  if (more)
    low = low + *more;
  return fma(k, ln2High, f - (half - low));
}

Fp mpc::cpu::log(Fp x) {
  auto [mantissa, k] = splitExponent(x);
  Fp y = logOfParts(mantissa - 1, k);
  double infinity = HUGE_VAL;
  y = select(equal(x, infinity), infinity, y);
  y = select(equal(x, 0), -infinity, y);
  // Negative numbers and NaN give NaN.
  Condition valid = compare(arith::CmpFPredicate::OGE, x, x.constant(0));
  return select(valid, y, x.constant(NAN));
}

// FreeBSD's log1pf: what 1 + x has lost is added again, by its part of the
// logarithm's slope. Where 1 + x has the exponent 0, x is the mantissa less 1.
Fp mpc::cpu::log1pOfSingle(Fp x) {
  Fp u = x + 1;
  auto [mantissa, k] = splitExponent(u);
  Fp lost = select(greater(x, 1), 1 - (u - x), x - (u - 1));
  Condition near = equal(k, 0);
  Fp f = select(near, x, mantissa - 1);
  Fp y = logOfParts(f, k, select(near, x.constant(0), lost / u));
  y = select(equal(u, HUGE_VAL), u, y);
  y = select(equal(u, 0), -HUGE_VAL, y);
  y = select(equal(x, 0), x, y);
  // Numbers below -1 and NaN give NaN.
  Condition valid = compare(arith::CmpFPredicate::OGE, u, u.constant(0));
  return select(valid, y, x.constant(NAN));
}

//===----------------------------------------------------------------------===//
// tanh
//===----------------------------------------------------------------------===//

// Cephes: an odd rational function or polynomial near 0, and exp elsewhere.
Fp mpc::cpu::tanh(Fp x) {
  Fp size = abs(x), z = x * x;
  Fp near = x;
  if (x.isDouble()) {
    Fp p = polynomial(z, {-9.64399179425052238628e-1, -9.92877231001918586564e1,
                          -1.61468768441708447952e3});
    Fp q = polynomial(z, {1, 1.12811678491632931402e2, 2.23548839060100448583e3,
                          4.84406305325125486048e3});
    near = fma(x * z, p / q, x);
  } else {
    Fp p =
        polynomial(z, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                       1.33314422036e-1, -3.33332819422e-1});
    near = fma(p * z, x, x);
  }
  Fp far = 1 - 2 / (exp(size + size) + 1);
  // The sign is restored for -0 too, which the sum has turned into 0.
  return copysign(select(less(size, 0.625), near, far), x);
}
