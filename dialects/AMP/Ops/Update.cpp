// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer's ops on slabs.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/MapBuilder.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/AMP/StochasticRounding.h"
#include "dialects/NN/BodyBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

using Values = SmallVector<Value>;

static FailureOr<const Optimizer *> findRule(Operation *op, StringRef kind) {
  if (const Optimizer *optimizer = findOptimizer(kind))
    return optimizer;
  return op->emitOpError() << "has no rule for kind '" << kind
                           << "'; known are " << knownOptimizers();
}

/// A parameter of bf16 needs a key for its rounding, and no other parameter has
/// one.
static LogicalResult verifyRounding(Operation *op, RankedTensorType parameter,
                                    bool hasKey) {
  Type type = parameter.getElementType();
  if (type.isF32() || (type.isBF16() && hasKey))
    return success();
  return op->emitOpError() << "cannot update a parameter of " << type
                           << (type.isBF16() ? " without a key" : "");
}

/// Selects `old` where `skip` is true, else `next`; `skip` may be null.
static Value keepIf(ImplicitLocOpBuilder &b, Value skip, Value old,
                    Value next) {
  return skip ? arith::SelectOp::create(b, skip, old, next).getResult() : next;
}

//===----------------------------------------------------------------------===//
// PrepareOp
//===----------------------------------------------------------------------===//

LogicalResult PrepareOp::verify() {
  FailureOr<const Optimizer *> rule = findRule(*this, getKind());
  if (failed(rule))
    return failure();
  size_t numStates = (*rule)->state.size() + (getCountsSkips() ? 1 : 0);
  if (getState().size() != numStates ||
      getHyper().size() != (*rule)->hypers.size())
    return emitOpError("of kind '")
           << getKind() << "' takes " << numStates << " state scalars and "
           << (*rule)->hypers.size() << " hyper-parameters";
  SmallVector<Type> expected(getState().getTypes());
  auto f32 = RankedTensorType::get({}, Float32Type::get(getContext()));
  expected.append((*rule)->scalars.size(), f32);
  if (getResultTypes() != TypeRange(expected))
    return emitOpError("of kind '")
           << getKind() << "' must yield its state, then "
           << (*rule)->scalars.size() << " scalars of f32";
  return success();
}

FailureOr<Values> PrepareOp::buildBody(OpBuilder &builder,
                                       ValueRange operands) {
  const Optimizer &rule = *findOptimizer(getKind());
  size_t numStates = getState().size();
  SmallVector<Type> types(numStates, builder.getF64Type());
  types.append(rule.scalars.size(), builder.getF32Type());
  bool hasSkip = getSkip() != nullptr;
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    Scalars scalars{Flags(getFlags())};
    scalars["lr"] = Fp{&b, s.front()}.as(b.getF64Type());
    s = s.drop_front();
    Value skip = hasSkip ? s.front() : Value();
    s = s.drop_front(hasSkip ? 1 : 0);
    ValueRange old = s.take_front(numStates);
    for (auto [entry, value] : llvm::zip_first(rule.state, old))
      scalars[entry.name] = Fp{&b, value};
    Fp applied = getCountsSkips() ? Fp{&b, old.back()} : Fp(scalars["step"]);
    scalars["applied"] = applied;
    for (auto [entry, value] :
         llvm::zip_first(rule.hypers, s.drop_front(numStates)))
      scalars[entry.name] = Fp{&b, value};
    rule.prepare(scalars);
    Values results;
    for (auto [entry, value] : llvm::zip_first(rule.state, old))
      results.push_back(keepIf(b, getCountsSkips() ? Value() : skip, value,
                               scalars[entry.name].value));
    if (getCountsSkips())
      results.push_back(keepIf(b, skip, applied.value, (applied + 1.0).value));
    for (StringRef name : rule.scalars)
      results.push_back(scalars[name].as(b.getF32Type()).value);
    return results;
  };
  return buildScalars(builder, getLoc(), operands, types, body);
}

//===----------------------------------------------------------------------===//
// UpdateOp
//===----------------------------------------------------------------------===//

static LogicalResult verifySlots(UpdateOp op, ArrayRef<int64_t> shape) {
  bool hasKeys = !op.getSlotKeys().empty();
  if (hasKeys && op.getSlotKeys().size() != op.getSlots().size())
    return op.emitOpError("has ") << op.getSlotKeys().size() << " keys for "
                                  << op.getSlots().size() << " slots";
  for (Value slot : op.getSlots()) {
    auto type = cast<RankedTensorType>(slot.getType());
    if (type.getShape() != shape)
      return op.emitOpError("mixes shapes");
    if (type.getElementType().isF32() == hasKeys)
      return op.emitOpError("has a slot of ")
             << type.getElementType() << (hasKeys ? " with" : " without")
             << " a key";
  }
  return success();
}

LogicalResult UpdateOp::verify() {
  FailureOr<const Optimizer *> rule = findRule(*this, getKind());
  if (failed(rule))
    return failure();
  if ((*rule)->isCallback())
    return emitOpError("of kind '")
           << getKind()
           << "' has no rule: the caller of the step updates the parameters";
  size_t numSlots = (*rule)->slotsFor(Flags(getFlags())).size();
  if (getSlots().size() != numSlots ||
      getScalars().size() != (*rule)->scalars.size())
    return emitOpError("of kind '")
           << getKind() << "' takes " << (*rule)->scalars.size()
           << " scalars and " << numSlots << " slots";
  auto parameterType = cast<RankedTensorType>(getParameter().getType());
  auto f32 = parameterType.clone(Float32Type::get(getContext()));
  SmallVector<Type> expected = {(*rule)->trustRatio ? f32 : parameterType};
  llvm::append_range(expected, getSlots().getTypes());
  if (failed(verifyRounding(*this, parameterType,
                            getKey() || (*rule)->trustRatio)))
    return failure();
  if (getLow() && (*rule)->trustRatio)
    return emitOpError("of kind '")
           << getKind() << "' yields a direction, which has no copy";
  if (getLow())
    expected.push_back(getLow().getType());
  if (getResultTypes() != TypeRange(expected))
    return emitOpError("must yield the parameter, its slots and its "
                       "low-precision copy, in their types");
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getParameter().getType()).getShape();
  for (Value value : {Value(getGradient()), Value(getLow())})
    if (value && cast<RankedTensorType>(value.getType()).getShape() != shape)
      return emitOpError("mixes shapes");
  return verifySlots(*this, shape);
}

namespace {

/// The elements that the body of an update works on, in operand order.
struct UpdateElements {
  UpdateElements(UpdateOp op, ValueRange s) {
    auto take = [&](size_t count) {
      ValueRange taken = s.take_front(count);
      s = s.drop_front(count);
      return taken;
    };
    gradient = take(1).front();
    if (op.getSkip())
      skip = take(1).front();
    if (op.getKey())
      key = take(1).front();
    slotKeys = take(op.getSlotKeys().size());
    scalars = take(op.getScalars().size());
    parameter = take(1).front();
    slots = take(op.getSlots().size());
  }
  Value gradient, skip, key, parameter;
  ValueRange slotKeys, scalars, slots;
};

} // namespace

/// Casts `next` to the type of `old`. A type of 16 bits is rounded by the
/// random bits of its key.
static Value roundByKey(ImplicitLocOpBuilder &b, Value next, Value old,
                        Value key) {
  return key ? emitStochasticRounding(b, next, old.getType(), key) : next;
}

/// Applies the rule to one element. Yields its first result and then the slots.
static Values emitRule(UpdateOp op, const Optimizer &rule,
                       ImplicitLocOpBuilder &b, const UpdateElements &old) {
  Flags flags(op.getFlags());
  SmallVector<OptimizerSlot> slots = rule.slotsFor(flags);
  Scalars scalars(flags);
  scalars["gradient"] = Fp{&b, old.gradient}.as(b.getF32Type());
  scalars["parameter"] = Fp{&b, old.parameter}.as(b.getF32Type());
  for (auto [name, value] : llvm::zip_equal(rule.scalars, old.scalars))
    scalars[name] = Fp{&b, value};
  for (auto [slot, value] : llvm::zip_equal(slots, old.slots))
    scalars[slot.name] = Fp{&b, value}.as(b.getF32Type());
  rule.update(scalars, op.getDecay());
  Values results;
  if (rule.trustRatio)
    results.push_back(scalars["direction"].value);
  else
    results.push_back(keepIf(
        b, old.skip, old.parameter,
        roundByKey(b, scalars["parameter"].value, old.parameter, old.key)));
  for (auto [index, slot] : llvm::enumerate(slots)) {
    Value key = old.slotKeys.empty() ? Value() : old.slotKeys[index];
    Value next = roundByKey(b, scalars[slot.name].value, old.slots[index], key);
    results.push_back(keepIf(b, old.skip, old.slots[index], next));
  }
  return results;
}

/// The weight copy: a weight rounded to a type of 16 bits. With `saturate`,
/// finite weights stay finite. In a skipped step the copy is the old parameter,
/// rounded.
static Value narrowWeight(ImplicitLocOpBuilder &b, Value weight, Type type,
                          bool saturate) {
  if (saturate) {
    Fp x{&b, weight};
    double largest =
        APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
            .convertToDouble();
    Fp clamped = minimum(maximum(x, x.constant(-largest)), x.constant(largest));
    weight = select(equal(x - x, 0.0), clamped, x).value;
  }
  return nn::narrow(b, b.getLoc(), weight, type);
}

FailureOr<Values> UpdateOp::buildBody(OpBuilder &builder, ValueRange operands) {
  const Optimizer &rule = *findOptimizer(getKind());
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getParameter().getType()).getShape();
  size_t numInits = getSlots().size() + (getLow() ? 1 : 0);
  Values inits;
  // A direction is a new tensor; every other result overwrites the operand that
  // it updates.
  if (rule.trustRatio)
    inits.push_back(tensor::EmptyOp::create(builder, getLoc(), shape,
                                            builder.getF32Type()));
  else
    ++numInits;
  llvm::append_range(inits, operands.take_back(numInits));
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    Values elements = llvm::to_vector_of<Value>(s);
    // The element of the new direction lies between the inputs and the slots.
    // It is undefined.
    if (rule.trustRatio)
      elements.erase(elements.begin() + (operands.size() - numInits));
    Values results = emitRule(*this, rule, b, UpdateElements(*this, elements));
    if (getLow())
      results.push_back(narrowWeight(
          b, results.front(), getElementTypeOrSelf(getLow()), getSaturate()));
    return results;
  };
  return buildMapInto(builder, getLoc(), shape, operands.drop_back(numInits),
                      inits, body);
}

//===----------------------------------------------------------------------===//
// DescendOp
//===----------------------------------------------------------------------===//

LogicalResult DescendOp::verify() {
  auto parameter = cast<RankedTensorType>(getParameter().getType());
  if (cast<RankedTensorType>(getDirection().getType()).getShape() !=
      parameter.getShape())
    return emitOpError("mixes shapes");
  return verifyRounding(*this, parameter, getKey() != nullptr);
}

FailureOr<Values> DescendOp::buildBody(OpBuilder &builder,
                                       ValueRange operands) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getParameter().getType()).getShape();
  size_t numInits = getLow() ? 2 : 1;
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    Fp direction{&b, s[0]}, lr{&b, s[1]};
    Value skip = getSkip() ? s[2] : Value();
    Value key = getKey() ? s[getSkip() ? 3 : 2] : Value();
    Value old = s[s.size() - numInits];
    Fp next = Fp{&b, old}.as(b.getF32Type()) - lr * direction;
    Values results = {
        keepIf(b, skip, old, roundByKey(b, next.value, old, key))};
    if (getLow())
      results.push_back(narrowWeight(
          b, results.front(), getElementTypeOrSelf(getLow()), getSaturate()));
    return results;
  };
  return buildMapInto(builder, getLoc(), shape, operands.drop_back(numInits),
                      operands.take_back(numInits), body);
}

//===----------------------------------------------------------------------===//
// SaturateCastOp
//===----------------------------------------------------------------------===//

FailureOr<Values> SaturateCastOp::buildBody(OpBuilder &builder,
                                            ValueRange operands) {
  auto type = cast<RankedTensorType>(getOutput().getType());
  Value empty = tensor::EmptyOp::create(builder, getLoc(), type.getShape(),
                                        type.getElementType());
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    return {narrowWeight(b, s[0], type.getElementType(), /*saturate=*/true)};
  };
  return buildMapInto(builder, getLoc(), type.getShape(), operands, empty,
                      body);
}

//===----------------------------------------------------------------------===//
// AddGradientOp
//===----------------------------------------------------------------------===//

FailureOr<Values> AddGradientOp::buildBody(OpBuilder &builder,
                                           ValueRange operands) {
  auto body = [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    Fp sum{&b, s[1]};
    return {(sum + Fp{&b, s[0]}.as(b.getF32Type())).value};
  };
  return buildMapInto(builder, getLoc(),
                      cast<RankedTensorType>(getSum().getType()).getShape(),
                      operands.take_front(), operands.drop_front(), body);
}

//===----------------------------------------------------------------------===//
// AddPairsOp
//===----------------------------------------------------------------------===//

LogicalResult AddPairsOp::verify() {
  auto shape = cast<RankedTensorType>(getGradient().getType()).getShape();
  for (Type part : getParts().getTypes())
    if (cast<RankedTensorType>(part).getShape() != shape)
      return emitOpError("adds ") << getGradient().getType() << " to " << part;
  return getParts().getTypes() == getOutputs().getTypes()
             ? success()
             : emitOpError("must yield each part");
}

/// Whether the low bits of `count` are all set, up to bit `level`, which is
/// not.
static Value buildIsFirstFree(ImplicitLocOpBuilder &b, Value count,
                              unsigned level) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  int64_t below = (int64_t(1) << level) - 1;
  Value low = arith::AndIOp::create(b, count, number(2 * below + 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, low, number(below));
}

FailureOr<Values> AddPairsOp::buildBody(OpBuilder &builder,
                                        ValueRange operands) {
  auto body = [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    Values outputs;
    Value count = arith::FPToSIOp::create(b, b.getI64Type(), s[1]);
    Fp sum = Fp{&b, s[0]}.as(b.getF32Type());
    for (auto [level, part] : llvm::enumerate(s.drop_front(2))) {
      outputs.push_back(arith::SelectOp::create(
          b, buildIsFirstFree(b, count, level), sum.value, part));
      sum = Fp{&b, part} + sum;
    }
    return outputs;
  };
  return buildMapInto(
      builder, getLoc(),
      cast<RankedTensorType>(getGradient().getType()).getShape(),
      operands.take_front(2), operands.drop_front(2), body);
}
