// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on 16-bit floats, conversions to them, and math functions.
#include "lib/Codegen/CPU/Expand.h"

#include "dialects/Interfaces/Precision.h"
#include "lib/Codegen/CPU/Math.h"
#include "lib/Codegen/CPU/MathBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "runtime/Support/FloatFormat.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::cpu;
using mpc::isLowPrecision;

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

static bool isElement(Value value, bool (*predicate)(Type)) {
  return predicate(getElementTypeOrSelf(value.getType()));
}

namespace {

/// Integer arithmetic on the bits of floats.
struct Bits {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(int64_t number) const {
    Attribute scalar = b.getIntegerAttr(getElementTypeOrSelf(type), number);
    TypedAttr attr = cast<TypedAttr>(scalar);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, scalar);
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value add(Value x, Value y) const {
    return arith::AddIOp::create(b, loc, x, y);
  }
  Value land(Value x, Value y) const {
    return arith::AndIOp::create(b, loc, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// bf16 is the upper half of f32.
static constexpr mpc::rt::FloatFormat kNarrow = mpc::rt::kFormatBF16;
static constexpr int kDropped =
    mpc::rt::kFormatF32.mantissaBits - kNarrow.mantissaBits;
static_assert(kNarrow.exponentBits == mpc::rt::kFormatF32.exponentBits);

// Rounds to nearest even: adds half a unit, less one where the last bit is
// even. NaN becomes the canonical NaN.
static Value truncateToBFloat(OpBuilder &b, Location loc, Value x) {
  Type bits32 = withElement(x.getType(), b.getI32Type());
  Type bits16 = withElement(x.getType(), b.getI16Type());
  Type result = withElement(x.getType(), b.getBF16Type());
  Bits bits{b, loc, bits32};
  Value raw = arith::BitcastOp::create(b, loc, bits32, x);
  Value high = arith::ShRUIOp::create(b, loc, raw, bits.constant(kDropped));
  Value odd = bits.land(high, bits.constant(1));
  Value sum =
      bits.add(raw, bits.add(odd, bits.constant((1 << (kDropped - 1)) - 1)));
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value nan =
      bits.constant(static_cast<int64_t>(kNarrow.nanCode() << kDropped));
  sum = bits.select(isNaN, nan, sum);
  high = arith::ShRUIOp::create(b, loc, sum, bits.constant(kDropped));
  high = arith::TruncIOp::create(b, loc, bits16, high);
  return arith::BitcastOp::create(b, loc, result, high);
}

static Value extendFromBFloat(OpBuilder &b, Location loc, Value x) {
  Type bits32 = withElement(x.getType(), b.getI32Type());
  Type bits16 = withElement(x.getType(), b.getI16Type());
  Bits bits{b, loc, bits32};
  Value raw = arith::BitcastOp::create(b, loc, bits16, x);
  raw = arith::ExtUIOp::create(b, loc, bits32, raw);
  raw = arith::ShLIOp::create(b, loc, raw, bits.constant(kDropped));
  return arith::BitcastOp::create(
      b, loc, withElement(x.getType(), b.getF32Type()), raw);
}

// Rounds f64 to f32, to odd: the last bit of an inexact result is set. Rounding
// that to 16 bits is then the only rounding that counts.
static Value truncateToOdd(OpBuilder &b, Location loc, Value x) {
  Type single = withElement(x.getType(), b.getF32Type());
  Type bits32 = withElement(x.getType(), b.getI32Type());
  Bits bits{b, loc, bits32};
  Value near = arith::TruncFOp::create(b, loc, single, x);
  Value back = arith::ExtFOp::create(b, loc, x.getType(), near);
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, x);
  Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                      math::AbsFOp::create(b, loc, back),
                                      math::AbsFOp::create(b, loc, x));
  Value raw = arith::BitcastOp::create(b, loc, bits32, near);
  Value even =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            bits.land(raw, bits.constant(1)), bits.constant(0));
  Value step = bits.select(above, bits.constant(-1), bits.constant(1));
  Value change = arith::AndIOp::create(b, loc, inexact, even);
  raw = bits.add(raw, bits.select(change, step, bits.constant(0)));
  return arith::BitcastOp::create(b, loc, single, raw);
}

static Value expandTruncate(OpBuilder &b, arith::TruncFOp op) {
  Value x = op.getIn();
  Type element = getElementTypeOrSelf(op.getType());
  if (!isLowPrecision(element))
    return {};
  bool wide = getElementTypeOrSelf(x.getType()).isF64();
  if (!wide && element.isF16())
    return {};
  if (wide)
    x = truncateToOdd(b, op.getLoc(), x);
  if (element.isBF16())
    return truncateToBFloat(b, op.getLoc(), x);
  return arith::TruncFOp::create(b, op.getLoc(), op.getType(), x);
}

static Value expandExtend(OpBuilder &b, arith::ExtFOp op) {
  if (!getElementTypeOrSelf(op.getIn().getType()).isBF16())
    return {};
  Value x = extendFromBFloat(b, op.getLoc(), op.getIn());
  if (x.getType() == op.getType())
    return x;
  return arith::ExtFOp::create(b, op.getLoc(), op.getType(), x);
}

// Constants of bf16 become their bits, since all ops that carry a bf16 are
// lowered to bits.
static Value expandConstant(OpBuilder &b, arith::ConstantOp op) {
  if (!getElementTypeOrSelf(op.getType()).isBF16())
    return {};
  Type bits = withElement(op.getType(), b.getI16Type());
  auto toBits = [](const APFloat &value) { return value.bitcastToAPInt(); };
  TypedAttr attr;
  if (auto scalar = dyn_cast<FloatAttr>(op.getValue()))
    attr = b.getIntegerAttr(bits, toBits(scalar.getValue()));
  else
    attr = cast<DenseFPElementsAttr>(op.getValue())
               .mapValues(b.getI16Type(), toBits);
  Value raw = arith::ConstantOp::create(b, op.getLoc(), attr);
  return arith::BitcastOp::create(b, op.getLoc(), op.getType(), raw);
}

static Value toSingle(OpBuilder &b, Location loc, Value x) {
  if (getElementTypeOrSelf(x.getType()).isBF16())
    return extendFromBFloat(b, loc, x);
  return arith::ExtFOp::create(b, loc, withElement(x.getType(), b.getF32Type()),
                               x);
}

static Value toNarrow(OpBuilder &b, Location loc, Value x, Type type) {
  if (getElementTypeOrSelf(x.getType()).isF64())
    x = truncateToOdd(b, loc, x);
  if (getElementTypeOrSelf(type).isBF16())
    return truncateToBFloat(b, loc, x);
  return arith::TruncFOp::create(b, loc, type, x);
}

/// An integer becomes a 16-bit float through f64, which holds it exactly.
template <typename Op>
static Value expandFromInteger(OpBuilder &b, Op op) {
  if (!isLowPrecision(getElementTypeOrSelf(op.getType())))
    return {};
  Value wide = Op::create(
      b, op.getLoc(), withElement(op.getType(), b.getF64Type()), op.getIn());
  return toNarrow(b, op.getLoc(), wide, op.getType());
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Value expandArithmetic(OpBuilder &b, Operation *op);

/// Computes in f32 in place of 16 bits. +, -, *, / and sqrt are then rounded as
/// if once: f32 has more than twice the bits.
static Value promote(OpBuilder &b, Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isElement(operand, isLowPrecision))
      mapping.map(operand, toSingle(b, op->getLoc(), operand));
  Operation *copy = b.clone(*op, mapping);
  Type type = op->getResult(0).getType();
  bool narrow = isLowPrecision(getElementTypeOrSelf(type));
  if (narrow)
    copy->getResult(0).setType(withElement(type, b.getF32Type()));
  Value result = copy->getResult(0);
  if (Value expanded = expandArithmetic(b, copy)) {
    copy->erase();
    result = expanded;
  }
  return narrow ? toNarrow(b, op->getLoc(), result, type) : result;
}

static bool isArithmetic(Operation *op) {
  if (isa<arith::SelectOp, arith::BitcastOp>(op))
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

static Value expandArithmetic(OpBuilder &builder, Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  if (isa<arith::RemFOp>(op))
    return expandRemainder(b, op);
  if (isa<math::MathDialect>(op->getDialect()) &&
      isa<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType())))
    return expandMath(b, op);
  return {};
}

static Value expand(OpBuilder &b, Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return expandConstant(b, constant);
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    return expandTruncate(b, truncate);
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    return expandExtend(b, extend);
  if (auto convert = dyn_cast<arith::SIToFPOp>(op))
    return expandFromInteger(b, convert);
  if (auto convert = dyn_cast<arith::UIToFPOp>(op))
    return expandFromInteger(b, convert);
  if (llvm::any_of(op->getOperands(), [](Value operand) {
        return isElement(operand, isLowPrecision);
      }))
    return promote(b, op);
  return expandArithmetic(b, op);
}

/// Selects the sign of an f64, or of a scalar. LLVM moves a rounding to f16
/// into a copysign, and then also rounds the number that has the sign from f64
/// to f16, by a call of a library function (seen with 22.1.8; `asin` of f16,
/// and `tanh` of a scalar f16 that is a sine).
static void expandCopySign(math::CopySignOp op) {
  if (isa<VectorType>(op.getType()) &&
      !getElementTypeOrSelf(op.getType()).isF64())
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  mpc::Fp size{&b, math::AbsFOp::create(b, op.getLhs())}, sign{&b, op.getRhs()};
  Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                           toBits(sign), integer(sign, 0));
  Value negative = arith::NegFOp::create(b, size.value);
  op.replaceAllUsesWith(
      arith::SelectOp::create(b, isNegative, negative, size.value).getResult());
  op.erase();
}

namespace {

struct ExpandPass : PassWrapper<ExpandPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandPass)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    // The ops are collected before any is replaced, since replacements are not
    // expanded again.
    SmallVector<Operation *> work;
    getOperation().walk([&](Operation *op) {
      if (isArithmetic(op))
        work.push_back(op);
    });
    for (Operation *op : work) {
      OpBuilder builder(op);
      Value value = expand(builder, op);
      if (!value)
        continue;
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
    getOperation().walk(expandCopySign);
    checkExpanded();
  }

private:
  /// Reports ops that are left. They would be lowered to a call of a library
  /// function, which an image cannot make.
  void checkExpanded() {
    getOperation().walk([&](Operation *op) {
      if (!isa<math::MathDialect>(op->getDialect()) || hasInstruction(op))
        return;
      op->emitOpError("has no code for CPUs");
      signalPassFailure();
    });
  }
};

} // namespace

std::unique_ptr<Pass> mpc::cpu::createExpandPass() {
  return std::make_unique<ExpandPass>();
}
