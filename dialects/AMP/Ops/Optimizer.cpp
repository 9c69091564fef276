// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp.optimizer: the optimizers of the table in Optimizers.cpp.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Ops/Verification.h"
#include "dialects/NN/Gradient.h"
#include "runtime/LossScale/ScalarState.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

static const Optimizer &ruleOf(OptimizerOp op) {
  return *findOptimizer(op.getKind());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Checks the numbers of the group with that index, and that it has parameters
/// of the optimizer that no earlier group has.
static LogicalResult verifyGroup(OptimizerOp op, GroupAttr group, size_t index,
                                 DenseSet<Attribute> &taken) {
  if (failed(verifyNotNaN(op, "hyper-parameter", group.getHyper())))
    return failure();
  for (NamedAttribute entry : group.getHyper())
    if (entry.getName() != StringRef(rt::kRateFactor) &&
        !ruleOf(op).hasHyper(entry.getName()))
      return op.emitOpError("of kind '")
             << op.getKind() << "' has no hyper-parameter '"
             << entry.getName().getValue() << "', which group " << index
             << " sets";
  for (Attribute symbol : group.getTrains())
    if (!llvm::is_contained(op.getTrains(), symbol) ||
        !taken.insert(symbol).second)
      return op.emitOpError("group ")
             << index << " has " << symbol
             << ", which the optimizer does not train, or which another group "
                "has";
  return success();
}

LogicalResult OptimizerOp::verify() {
  const Optimizer *optimizer = findOptimizer(getKind());
  if (!optimizer)
    return emitOpError("has no rule for kind '")
           << getKind() << "'; known are " << knownOptimizers();
  if (failed(verifyNotNaN(*this, "hyper-parameter", getHyper())))
    return failure();
  for (NamedAttribute entry : getHyper()) {
    StringRef name = entry.getName().getValue();
    if (!llvm::is_contained(commonHypers(), name) && !optimizer->hasHyper(name))
      return emitOpError("of kind '")
             << getKind() << "' has no hyper-parameter '" << name << "'";
  }
  for (auto flag : getFlags().getAsRange<StringAttr>())
    if (!llvm::is_contained(optimizer->flags, flag.getValue()))
      return emitOpError("of kind '")
             << getKind() << "' has no flag '" << flag.getValue() << "'";
  if (std::optional<Type> type = getSlotType()) {
    std::string refusal = optimizer->refusal(*type, Flags(getFlags()));
    if (!refusal.empty())
      return emitOpError("cannot have slots of ") << *type << ": " << refusal;
    if (!type->isF32() && !getHyper().contains("rounding_seed"))
      return emitOpError("has slots of ") << *type << ", but no rounding_seed";
  }
  for (StringRef name : optimizer->flagsOf(getHyper()))
    if (!Flags(getFlags()).has(name))
      return emitOpError("has ") << name << " without the flag '" << name
                                 << "', which keeps its state";
  DenseSet<Attribute> taken;
  for (auto [index, group] : llvm::enumerate(getAllGroups()))
    if (failed(verifyGroup(*this, group, index + 1, taken)))
      return failure();
  return success();
}

LogicalResult OptimizerOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyTrains(*this, symbols, getHyper().contains("rounding_seed"));
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

SmallVector<NamedNumber> OptimizerOp::getAllHypers() {
  SmallVector<NamedNumber> numbers = numbersOf(getHyper());
  for (const NamedNumber &number : ruleOf(*this).hypers)
    if (!getHyper().contains(number.name))
      numbers.push_back(number);
  for (auto [index, group] : llvm::enumerate(getAllGroups()))
    for (const NamedNumber &number : numbersOf(group.getHyper())) {
      // The context keeps the name.
      std::string name = rt::groupKey(index + 1, number.name);
      numbers.push_back(
          {StringAttr::get(getContext(), name).getValue(), number.value});
    }
  return numbers;
}

SmallVector<GroupAttr> OptimizerOp::getAllGroups() {
  if (ArrayAttr groups = getGroupsAttr())
    return llvm::to_vector(groups.getAsRange<GroupAttr>());
  return {};
}

SmallVector<SlotTensor> OptimizerOp::getAllSlots() {
  SmallVector<NamedNumber> hypers = getAllHypers();
  Type type = getSlotType().value_or(Float32Type::get(getContext()));
  return llvm::map_to_vector(ruleOf(*this).slotsFor(Flags(getFlags())),
                             [&](const OptimizerSlot &slot) {
                               SlotTensor tensor{slot.name, type};
                               for (const NamedNumber &number : hypers)
                                 if (number.name == slot.initial)
                                   tensor.initial = number.value;
                               return tensor;
                             });
}

static constexpr StringLiteral kStep = "step", kApplied = "applied";

/// A rule whose state advances in skipped steps too has a second count of
/// steps.
SmallVector<NamedNumber> OptimizerOp::getScalarState() {
  SmallVector<NamedNumber> numbers(ruleOf(*this).state);
  if (getCountsSkips())
    numbers.push_back({kApplied, 0.0});
  return numbers;
}

int64_t OptimizerOp::getAppliedIndex() {
  SmallVector<NamedNumber> numbers = getScalarState();
  StringRef count = getCountsSkips() ? kApplied : kStep;
  return llvm::find_if(
             numbers,
             [&](const NamedNumber &number) { return number.name == count; }) -
         numbers.begin();
}

bool OptimizerOp::keepsAverage() { return getHyper().contains("ema_decay"); }

bool OptimizerOp::needsTensors() { return ruleOf(*this).trustRatio; }

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

void OptimizerOp::buildPrepare(OpBuilder &b, OptimizerStep &step) {
  const Optimizer &rule = ruleOf(*this);
  SmallVector<Value> hyper =
      llvm::map_to_vector(rule.hypers, [&](const NamedNumber &number) {
        return step.hyper(number.name);
      });
  size_t numStates = step.state.size();
  SmallVector<Type> types(numStates, RankedTensorType::get({}, b.getF64Type()));
  types.append(rule.scalars.size(), RankedTensorType::get({}, b.getF32Type()));
  auto prepared =
      PrepareOp::create(b, step.loc, types, rule.name, getFlags(), step.lr,
                        step.skip, step.state, hyper, getCountsSkips());
  step.state = prepared.getOutputs().take_front(numStates);
  step.scalars = prepared.getOutputs().drop_front(numStates);
}

/// Moves a range against its direction, scaled by the trust ratio of each
/// tensor.
static void descend(OpBuilder &b, const OptimizerStep &step,
                    ParameterRange &range, Value direction) {
  Location loc = step.loc;
  Value norms = buildNorms(b, loc, range.parameter, range.blocks);
  auto type = cast<RankedTensorType>(norms.getType());
  Value ratio =
      TrustRatioOp::create(b, loc, type.clone(b.getF32Type()), norms,
                           buildNorms(b, loc, direction, range.blocks));
  Value move = buildScaled(b, loc, direction, ratio, range.blocks);
  SmallVector<Type> types = {range.parameter.getType()};
  if (range.low)
    types.push_back(range.low.getType());
  auto moved = DescendOp::create(
      b, loc, types, move,
      nn::GradientBuilder(b, loc).cast(step.lr, b.getF32Type()), step.skip,
      range.parameterKey, range.parameter, range.low,
      range.low && step.saturates);
  range.parameter = moved.getOutputs().front();
  if (range.low)
    range.low = moved.getOutputs().back();
}

void OptimizerOp::buildUpdate(OpBuilder &b, const OptimizerStep &step,
                              ParameterRange &range) {
  const Optimizer &rule = ruleOf(*this);
  if (rule.isCallback())
    return;
  // A direction has neither key nor weight copy. Those belong to the
  // parameters, which move by it later.
  Value low = rule.trustRatio ? Value() : range.low;
  Value key = rule.trustRatio ? Value() : range.parameterKey;
  SmallVector<Type> types = {range.parameter.getType()};
  if (rule.trustRatio)
    types.front() = cast<RankedTensorType>(types.front()).clone(b.getF32Type());
  llvm::append_range(types, ValueRange(range.slots).getTypes());
  if (low)
    types.push_back(low.getType());
  auto updated = UpdateOp::create(b, step.loc, types, rule.name, getFlags(),
                                  range.decay, range.gradient, step.skip, key,
                                  range.slotKeys, step.scalars, range.parameter,
                                  range.slots, low, low && step.saturates);
  range.slots = updated.getOutputs().slice(1, range.slots.size());
  if (rule.trustRatio)
    return descend(b, step, range, updated.getOutputs().front());
  range.parameter = updated.getOutputs().front();
  if (low)
    range.low = updated.getOutputs().back();
}
