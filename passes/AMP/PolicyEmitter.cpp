// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loss-scale policies, instantiated with a builder that emits ops.
#include "passes/AMP/PolicyEmitter.h"

#include "dialects/AMP/MapBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "runtime/LossScale/Policies.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"

#include <limits>

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

/// Emits one op for each operation of a policy.
class IRBuilder {
public:
  // Numbers and truth values are distinct types, so that the compiler tells
  // them apart when a policy is compiled.
  struct Value {
    mlir::Value ir;
  };
  struct Bool {
    mlir::Value ir;
  };

  explicit IRBuilder(ImplicitLocOpBuilder &b) : b_(b) {}

  Value constant(double c) {
    mlir::Value &known = constants_[llvm::bit_cast<uint64_t>(c)];
    if (!known) {
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(b_.getBlock());
      known = arith::ConstantOp::create(b_, b_.getF64FloatAttr(c));
    }
    return {known};
  }
  Value add(Value x, Value y) {
    return {arith::AddFOp::create(b_, x.ir, y.ir)};
  }
  Value sub(Value x, Value y) {
    return {arith::SubFOp::create(b_, x.ir, y.ir)};
  }
  Value mul(Value x, Value y) {
    return {arith::MulFOp::create(b_, x.ir, y.ir)};
  }
  Value div(Value x, Value y) {
    return {arith::DivFOp::create(b_, x.ir, y.ir)};
  }
  Value sqrt(Value x) { return {math::SqrtOp::create(b_, x.ir)}; }
  Value roundToF32(Value x) {
    mlir::Value rounded = arith::TruncFOp::create(b_, b_.getF32Type(), x.ir);
    return {arith::ExtFOp::create(b_, b_.getF64Type(), rounded)};
  }
  Bool lessThan(Value x, Value y) {
    return compare(arith::CmpFPredicate::OLT, x, y);
  }
  Bool lessEqual(Value x, Value y) {
    return compare(arith::CmpFPredicate::OLE, x, y);
  }
  Bool equal(Value x, Value y) {
    return compare(arith::CmpFPredicate::OEQ, x, y);
  }
  Bool logicalAnd(Bool x, Bool y) {
    return {arith::AndIOp::create(b_, x.ir, y.ir)};
  }
  Bool logicalOr(Bool x, Bool y) {
    return {arith::OrIOp::create(b_, x.ir, y.ir)};
  }
  Bool logicalNot(Bool x) {
    mlir::Value one = arith::ConstantIntOp::create(b_, 1, 1);
    return {arith::XOrIOp::create(b_, x.ir, one)};
  }
  Value select(Bool condition, Value x, Value y) {
    return {arith::SelectOp::create(b_, condition.ir, x.ir, y.ir)};
  }

private:
  Bool compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return {arith::CmpFOp::create(b_, predicate, x.ir, y.ir)};
  }

  ImplicitLocOpBuilder &b_;
  DenseMap<uint64_t, mlir::Value> constants_;
};
static_assert(rt::ScalarBuilder<IRBuilder>);

} // namespace

/// Pairs each operand of the body, in order, with its scalar.
static SmallVector<Value> emitStep(ImplicitLocOpBuilder &b, ValueRange scalars,
                                   rt::PolicyKind kind,
                                   const PolicyOperands &operands) {
  IRBuilder ir(b);
  auto next = [&] {
    Value scalar = scalars.front();
    scalars = scalars.drop_front();
    return scalar;
  };
  rt::StateValues<IRBuilder> state;
  for (auto &slot : state)
    slot = {next()};
  rt::SettingValues<IRBuilder> settings;
  for (auto [value, operand] : llvm::zip_equal(settings, operands.settings))
    value = operand ? IRBuilder::Value{next()}
                    : ir.constant(std::numeric_limits<double>::quiet_NaN());
  rt::ScaleEvent<IRBuilder> event;
  event.foundInf = {next()};
  event.gradMaxAbs =
      operands.maxAbs
          ? IRBuilder::Value{arith::ExtFOp::create(b, b.getF64Type(), next())}
          : ir.constant(0.0);
  SmallVector<Value> results;
  for (auto slot : rt::stepPolicy(kind, ir, state, settings, event))
    results.push_back(slot.ir);
  return results;
}

std::array<Value, rt::kNumStateSlots>
mpc::amp::buildPolicyStep(OpBuilder &builder, Location loc, rt::PolicyKind kind,
                          const PolicyOperands &operands) {
  SmallVector<Value> inputs(operands.state.begin(), operands.state.end());
  for (Value setting : operands.settings)
    if (setting)
      inputs.push_back(setting);
  inputs.push_back(operands.found);
  if (operands.maxAbs)
    inputs.push_back(operands.maxAbs);
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(operands.found.getType()).getShape();
  SmallVector<Value> inits;
  for (size_t slot = 0; slot != rt::kNumStateSlots; ++slot)
    inits.push_back(
        tensor::EmptyOp::create(builder, loc, shape, builder.getF64Type()));
  SmallVector<Value> results =
      buildMapInto(builder, loc, shape, inputs, inits,
                   [&](ImplicitLocOpBuilder &b, ValueRange s) {
                     return emitStep(b, s, kind, operands);
                   });
  std::array<Value, rt::kNumStateSlots> state;
  llvm::copy(results, state.begin());
  return state;
}

Value mpc::amp::buildInverseScale(OpBuilder &builder, Location loc, Value scale,
                                  bool flushed) {
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange s) -> SmallVector<Value> {
    IRBuilder ir(b);
    IRBuilder::Value wide{Fp{&b, s.front()}.as(b.getF64Type()).value};
    Value inverse = rt::inverseScale(ir, wide, flushed).ir;
    return {Fp{&b, inverse}.as(b.getF32Type()).value};
  };
  return buildScalars(builder, loc, scale, builder.getF32Type(), body).front();
}
