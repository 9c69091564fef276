// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an entry does to its state: optimizers, averages, assignments, scales.
#include "passes/AMP/EntryRewriter.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Gradient.h"
#include "passes/AMP/CustomRule.h"
#include "passes/AMP/PolicyEmitter.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

SmallVector<Value> EntryRewriter::prepare(ApplyOp apply,
                                          const OptimizerState &optimizer) {
  const Optimizer &rule = *optimizer.rule();
  auto op = cast<OptimizerOp>(optimizer.op);
  SmallVector<Value> state, hyper;
  for (size_t i = 0; i != optimizer.state().size(); ++i)
    state.push_back(element(optimizer.scalars, i));
  for (const NamedNumber &number : rule.hypers)
    hyper.push_back(hyperOf(optimizer.name(), number.name));
  SmallVector<Type> types(state.size(),
                          RankedTensorType::get({}, b.getF64Type()));
  types.append(rule.scalars.size(), RankedTensorType::get({}, b.getF32Type()));
  auto prepared = PrepareOp::create(b, apply.getLoc(), types, rule.name,
                                    op.getFlags(), apply.getLr(),
                                    apply.getSkip(), state, hyper,
                                    op.getCountsSkips());
  setElements(optimizer.scalars,
              prepared.getOutputs().take_front(state.size()));
  return llvm::to_vector_of<Value>(
      prepared.getOutputs().drop_front(state.size()));
}

void EntryRewriter::setElements(SlabOp slab, ValueRange elements) {
  auto offsets = llvm::to_vector(llvm::seq<int64_t>(0, elements.size()));
  slabs.set(slab, kernel::PackOp::create(b, loc(), slab.getType(), elements,
                                         offsets));
}

LogicalResult EntryRewriter::rewrite(ApplyOp op) {
  OptimizerState &optimizer = layout.optimizer(op.getOptimizerAttr().getAttr());
  SmallVector<GradientChain> chains = chainsOf(op.getGradients());
  if (!chains.empty() && failed(checkPenalties(op, chains.front())))
    return failure();
  LogicalResult result = success();
  stepsBefore = stepCount(optimizer);
  if (auto custom = dyn_cast<CustomOptimizerOp>(optimizer.op))
    result = applyRule(op, custom, optimizer, chains);
  else
    applyKnown(op, optimizer, chains);
  op.erase();
  return result;
}

void EntryRewriter::applyKnown(ApplyOp op, const OptimizerState &optimizer,
                               ArrayRef<GradientChain> chains) {
  SmallVector<Value> scalars = prepare(op, optimizer);
  for (ParameterGroup *group : layout.groupsOf(optimizer)) {
    update(op, optimizer, *group, chains, scalars);
    average(op, *group);
  }
}

LogicalResult EntryRewriter::applyRule(ApplyOp op, CustomOptimizerOp custom,
                                       OptimizerState &optimizer,
                                       ArrayRef<GradientChain> chains) {
  nn::GradientBuilder g(b, op.getLoc());
  Value step = g.add(stepsBefore, g.splat(stepsBefore, 1.0));
  llvm::StringMap<Value> scalars = {{"lr", op.getLr()}, {"step", step}};
  for (const NamedNumber &number : optimizer.hypers())
    scalars[number.name] = hyperOf(optimizer.name(), number.name);
  setElements(optimizer.scalars,
              op.getSkip() ? g.select(op.getSkip(), stepsBefore, step) : step);
  for (ParameterGroup *group : layout.groupsOf(optimizer)) {
    scalars["decay"] = g.splat(op.getLr(), group->decay ? 1.0 : 0.0);
    if (failed(updateByRule(op, custom, *group, chains, scalars)))
      return failure();
  }
  return success();
}

LogicalResult EntryRewriter::updateByRule(
    ApplyOp op, CustomOptimizerOp custom, ParameterGroup &group,
    ArrayRef<GradientChain> chains, const llvm::StringMap<Value> &scalars) {
  nn::GradientBuilder g(b, op.getLoc());
  Value gradient = emitMapsFlat(group, chains.front(), pack(group, chains));
  llvm::StringMap<Value> elements = {
      {"parameter", slabs.get(group.slab)},
      {"gradient", g.cast(gradient, b.getF32Type())}};
  llvm::StringMap<SlabOp> targets = {{"parameter", group.slab}};
  for (auto [slot, slab] :
       llvm::zip_equal(custom.getSlots(), group.slotSlabs)) {
    elements[slot.getName()] = slabs.get(slab);
    targets[slot.getName()] = slab;
  }
  auto results = emitCustomRule(b, op, custom, elements, scalars);
  if (failed(results))
    return failure();
  for (auto &[name, value] : *results)
    slabs.set(targets.lookup(name), value);
  roundLow(group);
  return success();
}

void EntryRewriter::roundLow(ParameterGroup &group) {
  if (group.lowSlab)
    slabs.set(group.lowSlab,
              layout.buildCopy(b, loc(), group, slabs.get(group.slab)));
}

LogicalResult EntryRewriter::rewrite(AssignOp op) {
  ParameterGroup &group = *layout.lookup(op.getParameterAttr().getAttr()).group;
  nn::GradientBuilder g(b, op.getLoc());
  Value value = op.getValue();
  auto type = cast<RankedTensorType>(value.getType());
  if (op.getSkip())
    value = g.select(g.broadcast(op.getSkip(), {}, type.getShape()),
                     view(slabs.get(group.slab), 0, type), value);
  slabs.set(group.slab, packAlike(group, {value}));
  roundLow(group);
  op.erase();
  return success();
}

LogicalResult EntryRewriter::checkPenalties(ApplyOp op,
                                            const GradientChain &chain) {
  auto holds = [](ArrayAttr symbols, Attribute symbol) {
    return symbols && llvm::is_contained(symbols, symbol);
  };
  auto decays = [](Operation *map) {
    auto larc = dyn_cast<LarcOp>(map);
    return isa<RegularizeOp>(map) || (larc && larc.getWeightDecay());
  };
  for (Operation *map : chain.maps)
    if (decays(map))
      for (Attribute symbol : op.getParameters())
        if (holds(map->getAttrOfType<ArrayAttr>("no_decay"), symbol) !=
            holds(op.getNoDecayAttr(), symbol))
          return map->emitOpError("must have the no_decay of amp.apply");
  return success();
}

Value EntryRewriter::stepCount(const OptimizerState &optimizer) {
  SmallVector<NamedNumber> state = optimizer.state();
  auto isCount = [&](const NamedNumber &s) {
    return s.name == (state.back().name == "applied" ? "applied" : "step");
  };
  return element(optimizer.scalars,
                 llvm::find_if(state, isCount) - state.begin());
}

Value EntryRewriter::hyperOf(StringAttr optimizer, StringRef name) {
  return element(layout.hyperSlab, layout.hyperIndex(optimizer, name));
}

Value EntryRewriter::keyFor(ApplyOp op, ParameterGroup &group, size_t index) {
  // Groups are far fewer than this.
  constexpr size_t kGroups = 1 << 16;
  size_t salt = (&group - layout.parameterGroups().data()) + index * kGroups;
  return RoundingKeyOp::create(
      b, op.getLoc(), hyperOf(op.getOptimizerAttr().getAttr(), "rounding_seed"),
      stepsBefore, static_cast<int32_t>(salt));
}

Value EntryRewriter::roundingKey(ApplyOp op, ParameterGroup &group) {
  return group.elementType.isBF16() ? keyFor(op, group, 0) : Value();
}

SmallVector<Value> EntryRewriter::slotKeys(ApplyOp op, ParameterGroup &group) {
  SmallVector<Value> keys;
  for (auto [index, slab] : llvm::enumerate(group.slotSlabs))
    if (!getElementTypeOrSelf(slab.getType()).isF32())
      keys.push_back(keyFor(op, group, index + 1));
  return keys;
}

void EntryRewriter::average(ApplyOp op, ParameterGroup &group) {
  if (!group.averageSlab)
    return;
  Value weight = AverageWeightOp::create(
      b, op.getLoc(), hyperOf(op.getOptimizerAttr().getAttr(), "ema_decay"),
      stepsBefore);
  slabs.set(group.averageSlab,
            AverageOp::create(b, op.getLoc(), slabs.get(group.slab), weight,
                              slabs.get(group.averageSlab), op.getSkip()));
}

void EntryRewriter::update(ApplyOp op, const OptimizerState &optimizer,
                           ParameterGroup &group,
                           ArrayRef<GradientChain> chains, ValueRange scalars) {
  const Optimizer &rule = *optimizer.rule();
  Value gradient = emitMapsFlat(group, chains.front(), pack(group, chains));
  SmallVector<SlabOp> changed = {group.slab};
  llvm::append_range(changed, group.slotSlabs);
  // A direction has no copy: that is made when the parameters move.
  SlabOp lowSlab = rule.trustRatio ? SlabOp() : group.lowSlab;
  if (lowSlab)
    changed.push_back(lowSlab);
  SmallVector<Value> old =
      llvm::map_to_vector(changed, [&](SlabOp s) { return slabs.get(s); });
  SmallVector<Type> types =
      llvm::map_to_vector(old, [](Value v) { return v.getType(); });
  if (rule.trustRatio)
    types.front() = RankedTensorType::get({group.size}, b.getF32Type());
  ValueRange slots = ValueRange(old).slice(1, group.slotSlabs.size());
  auto updated = UpdateOp::create(
      b, op.getLoc(), types, rule.name,
      cast<OptimizerOp>(optimizer.op).getFlags(), group.decay, gradient,
      op.getSkip(), rule.trustRatio ? Value() : roundingKey(op, group),
      slotKeys(op, group), scalars, old.front(), slots,
      lowSlab ? old.back() : Value(), lowSlab && layout.saturates);
  for (auto [slab, value] : llvm::zip(changed, updated.getOutputs()))
    if (slab != group.slab || !rule.trustRatio)
      slabs.set(slab, value);
  if (rule.trustRatio)
    descend(op, group, updated.getOutputs().front());
}

void EntryRewriter::descend(ApplyOp op, ParameterGroup &group,
                            Value direction) {
  Value parameter = slabs.get(group.slab);
  Value blocks = blocksOf(direction);
  Value norms = normsOf(group, blocksOf(parameter));
  auto type = cast<RankedTensorType>(norms.getType());
  Value ratio = TrustRatioOp::create(b, op.getLoc(), type.clone(b.getF32Type()),
                                     norms, normsOf(group, blocks));
  Value scaled = flatten(
      ScaleSegmentsOp::create(b, op.getLoc(), blocks, ratio, group.blocks()));
  SmallVector<Type> types = {parameter.getType()};
  Value low = group.lowSlab ? slabs.get(group.lowSlab) : Value();
  if (low)
    types.push_back(low.getType());
  auto moved = DescendOp::create(
      b, op.getLoc(), types, scaled,
      nn::GradientBuilder(b, op.getLoc()).cast(op.getLr(), b.getF32Type()),
      op.getSkip(), roundingKey(op, group), parameter, low,
      low && layout.saturates);
  slabs.set(group.slab, moved.getOutputs().front());
  if (low)
    slabs.set(group.lowSlab, moved.getOutputs().back());
}

LogicalResult EntryRewriter::rewrite(UpdateScaleOp op) {
  const ScalerState &scaler = layout.scaler(op.getScalerAttr().getAttr());
  PolicyOperands operands;
  for (size_t i = 0; i != rt::kNumStateSlots; ++i)
    operands.state[i] = element(scaler.slab, i);
  for (size_t i = 0; i != rt::kNumSettings; ++i) {
    auto setting = static_cast<rt::Setting>(i);
    // The initial scale is read when the state is made.
    if (setting != rt::Setting::InitScale &&
        rt::policyInfo(scaler.policy).reads(setting))
      operands.settings[i] =
          element(layout.hyperSlab,
                  layout.hyperIndex(op.getScalerAttr().getAttr(),
                                    StringRef(rt::settingKey(setting))));
  }
  operands.found = op.getFound();
  operands.maxAbs = op.getMaxAbs();
  auto state = buildPolicyStep(b, op.getLoc(), scaler.policy, operands);
  if (op.getSkip())
    for (auto [next, old] : llvm::zip_equal(state, operands.state))
      next =
          nn::GradientBuilder(b, op.getLoc()).select(op.getSkip(), old, next);
  setElements(scaler.slab, ValueRange(state));
  op.getCounter().replaceAllUsesWith(
      state[static_cast<size_t>(rt::StateSlot::Counter)]);
  op.getError().replaceAllUsesWith(
      state[static_cast<size_t>(rt::StateSlot::Error)]);
  op.erase();
  return success();
}
