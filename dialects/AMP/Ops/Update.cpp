// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer's ops on slabs.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Body.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/NN/Body.h"

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

/// `old` where `skip` is true; `skip` may be null.
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
  if (getState().size() != (*rule)->state.size() ||
      getHyper().size() != (*rule)->hypers.size())
    return emitOpError("of kind '")
           << getKind() << "' takes " << (*rule)->state.size()
           << " state scalars and " << (*rule)->hypers.size()
           << " hyper-parameters";
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
  size_t numStates = rule.state.size();
  SmallVector<Type> types(numStates, builder.getF64Type());
  types.append(rule.scalars.size(), builder.getF32Type());
  bool hasSkip = getSkip() != nullptr;
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    Scalars scalars{Flags(getFlags())};
    scalars["lr"] = Scalar{&b, s.front()}.as(b.getF64Type());
    s = s.drop_front();
    Value skip = hasSkip ? s.front() : Value();
    s = s.drop_front(hasSkip ? 1 : 0);
    ValueRange old = s.take_front(numStates);
    for (auto [entry, value] : llvm::zip_first(rule.state, old))
      scalars[entry.name] = Scalar{&b, value};
    for (auto [entry, value] :
         llvm::zip_first(rule.hypers, s.drop_front(numStates)))
      scalars[entry.name] = Scalar{&b, value};
    rule.prepare(scalars);
    Values results;
    for (auto [entry, value] : llvm::zip_equal(rule.state, old))
      results.push_back(keepIf(b, skip, value, scalars[entry.name].value));
    for (StringRef name : rule.scalars)
      results.push_back(scalars[name].as(b.getF32Type()).value);
    return results;
  };
  return buildScalars(builder, getLoc(), operands, types, body);
}

//===----------------------------------------------------------------------===//
// UpdateOp
//===----------------------------------------------------------------------===//

LogicalResult UpdateOp::verify() {
  FailureOr<const Optimizer *> rule = findRule(*this, getKind());
  if (failed(rule))
    return failure();
  size_t numSlots = (*rule)->slotsFor(Flags(getFlags())).size();
  if (getSlots().size() != numSlots ||
      getScalars().size() != (*rule)->scalars.size())
    return emitOpError("of kind '")
           << getKind() << "' takes " << (*rule)->scalars.size()
           << " scalars and " << numSlots << " slots";
  SmallVector<Type> expected(1 + numSlots, getParameter().getType());
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
  for (Value slot : getSlots())
    if (slot.getType() != getParameter().getType())
      return emitOpError("mixes shapes");
  return success();
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
    scalars = take(op.getScalars().size());
    parameter = take(1).front();
    slots = take(op.getSlots().size());
  }
  Value gradient, skip, parameter;
  ValueRange scalars, slots;
};

} // namespace

FailureOr<Values> UpdateOp::buildBody(OpBuilder &builder, ValueRange operands) {
  const Optimizer &rule = *findOptimizer(getKind());
  SmallVector<OptimizerSlot> slots = rule.slotsFor(Flags(getFlags()));
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    UpdateElements old(*this, s);
    Scalars scalars{Flags(getFlags())};
    scalars["gradient"] = Scalar{&b, old.gradient}.as(b.getF32Type());
    scalars["parameter"] = Scalar{&b, old.parameter};
    for (auto [name, value] : llvm::zip_equal(rule.scalars, old.scalars))
      scalars[name] = Scalar{&b, value};
    for (auto [slot, value] : llvm::zip_equal(slots, old.slots))
      scalars[slot.name] = Scalar{&b, value};
    rule.update(scalars, getDecay());
    Values results = {
        keepIf(b, old.skip, old.parameter, scalars["parameter"].value)};
    for (auto [slot, value] : llvm::zip_equal(slots, old.slots))
      results.push_back(keepIf(b, old.skip, value, scalars[slot.name].value));
    // Of a skipped step it is the old copy: that is the old parameter, rounded.
    if (getLow())
      results.push_back(nn::narrow(
          b, b.getLoc(), results.front(),
          cast<RankedTensorType>(getLow().getType()).getElementType()));
    return results;
  };
  size_t numState = 1 + getSlots().size() + (getLow() ? 1 : 0);
  return buildMapInto(
      builder, getLoc(),
      cast<RankedTensorType>(getParameter().getType()).getShape(),
      operands.drop_back(numState), operands.take_back(numState), body);
}
