// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar models of multiply units; Units.h says what they compute.
#include "lib/Codegen/CPU/UnitModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mpc::cpu;

namespace {

/// f32 as bits.
constexpr int64_t kSign = 0x80000000, kExponent = 0x7f800000,
                  kLeastNormal = 0x00800000, kQuiet = 0x00400000,
                  kNewNaN = 0xffc00000;
/// A power of two by which sums next to the least normal number are scaled, so
/// that they are rounded as if exponents had no end.
constexpr int64_t kScale = 64;

/// Arithmetic of a unit that flushes subnormal numbers, on scalars in f32.
class FlushingMath {
public:
  explicit FlushingMath(Emitter &emitter)
      : b_(emitter.builder), loc_(emitter.loc) {}

  /// a * b + c, as Units.h defines it.
  Value fma(Value a, Value b, Value c);
  /// `x`, or zero of its sign where it is subnormal.
  Value flush(Value x);

private:
  Value constant(int64_t bits) {
    return arith::ConstantOp::create(
        b_, loc_, b_.getI32IntegerAttr(static_cast<int32_t>(bits)));
  }
  Value power(int64_t exponent) {
    return arith::ConstantOp::create(
        b_, loc_, b_.getF32FloatAttr(std::ldexp(1.0f, exponent)));
  }
  Value toBits(Value x) {
    return arith::BitcastOp::create(b_, loc_, b_.getI32Type(), x);
  }
  Value toFloat(Value x) {
    return arith::BitcastOp::create(b_, loc_, b_.getF32Type(), x);
  }
  Value land(Value bits, int64_t mask) {
    return arith::AndIOp::create(b_, loc_, bits, constant(mask));
  }
  Value compare(arith::CmpIPredicate predicate, Value bits, int64_t other) {
    return arith::CmpIOp::create(b_, loc_, predicate, bits, constant(other));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b_, loc_, condition, x, y);
  }
  Value isNaN(Value x) {
    return arith::CmpFOp::create(b_, loc_, arith::CmpFPredicate::UNO, x, x);
  }
  Value isSubnormal(Value bits) {
    return compare(arith::CmpIPredicate::eq, land(bits, kExponent), 0);
  }
  Value isTiny(Value a, Value b, Value c, Value bits);

  OpBuilder &b_;
  Location loc_;
};

} // namespace

Value FlushingMath::flush(Value x) {
  Value bits = toBits(x);
  return toFloat(select(isSubnormal(bits), land(bits, kSign), bits));
}

/// Whether the sum that was rounded to `bits` is below the least normal number
/// before its exponent is bounded.
Value FlushingMath::isTiny(Value a, Value b, Value c, Value bits) {
  Value scaled = math::FmaOp::create(
      b_, loc_, arith::MulFOp::create(b_, loc_, a, power(kScale)), b,
      arith::MulFOp::create(b_, loc_, c, power(kScale)));
  Value isLess =
      compare(arith::CmpIPredicate::ult, land(toBits(scaled), ~kSign),
              kLeastNormal + (kScale << 23));
  Value isLeast =
      compare(arith::CmpIPredicate::eq, land(bits, ~kSign), kLeastNormal);
  return arith::OrIOp::create(b_, loc_, isSubnormal(bits),
                              arith::AndIOp::create(b_, loc_, isLeast, isLess));
}

Value FlushingMath::fma(Value a, Value b, Value c) {
  Value x = flush(a), y = flush(b), z = flush(c);
  Value sum = math::FmaOp::create(b_, loc_, x, y, z);
  Value bits = toBits(sum);
  bits = select(isTiny(x, y, z, bits), land(bits, kSign), bits);
  bits = select(isNaN(sum), constant(kNewNaN), bits);
  for (Value operand : {c, b, a})
    bits = select(
        isNaN(operand),
        arith::OrIOp::create(b_, loc_, toBits(operand), constant(kQuiet)),
        bits);
  return toFloat(bits);
}

static Value widen(Emitter &emitter, Value x) {
  return arith::ExtFOp::create(emitter.builder, emitter.loc,
                               emitter.builder.getF32Type(), x);
}

/// `value` in bf16, as vcvtneps2bf16 rounds it.
static Value roundToBF16(Emitter &emitter, Value value) {
  Type bf16 = emitter.builder.getBF16Type();
  if (auto type = dyn_cast<VectorType>(value.getType()))
    return x86vector::CvtPackedF32ToBF16Op::create(emitter.builder, emitter.loc,
                                                   type.clone(bf16), value);
  return arith::TruncFOp::create(emitter.builder, emitter.loc, bf16,
                                 FlushingMath(emitter).flush(value));
}

Value mpc::cpu::emitUnitRounding(Emitter &emitter, Unit unit, Value value) {
  switch (unit) {
  case Unit::FMA:
    return value;
  case Unit::AVX512BF16:
    return roundToBF16(emitter, value);
  }
  llvm_unreachable("a unit without a rounding");
}

Value mpc::cpu::emitUnitStep(Emitter &emitter, Unit unit,
                             ArrayRef<FactorPair> factors, Value sum) {
  switch (unit) {
  case Unit::FMA:
    return math::FmaOp::create(emitter.builder, emitter.loc, factors[0].a,
                               factors[0].b, sum);
  case Unit::AVX512BF16:
    for (const FactorPair &pair : llvm::reverse(factors))
      sum = FlushingMath(emitter).fma(widen(emitter, pair.a),
                                      widen(emitter, pair.b), sum);
    return sum;
  }
  llvm_unreachable("a unit without a model");
}
