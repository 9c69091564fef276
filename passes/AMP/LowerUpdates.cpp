// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns for what changes parameters: optimizers and assignments.
#include "dialects/NN/Gradient.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/AMP/CustomRule.h"
#include "passes/AMP/StatePatterns.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

/// One step of an optimizer, group by group.
class UpdateWriter {
public:
  UpdateWriter(SlabBuilder slabs, OpBuilder &builder, ApplyOp apply, Value skip)
      : slabs(slabs), b(builder), apply(apply), skip(skip),
        optimizer(slabs.layout.optimizer(apply.getGradients().getType())),
        applied(countApplied()) {}

  /// By a rule of the table. `gradients` has one range for each group.
  void applyKnown(ValueRange gradients) {
    SmallVector<Value> scalars = prepare();
    for (auto [group, gradient] :
         llvm::zip_equal(slabs.layout.groupsOf(optimizer), gradients)) {
      update(*group, gradient, scalars);
      average(*group);
    }
  }

  /// By a function of the module.
  void applyRule(CustomOptimizerOp custom, ValueRange gradients) {
    nn::GradientBuilder g(b, apply.getLoc());
    Value step = g.add(applied, g.splat(applied, 1.0));
    llvm::StringMap<Value> scalars = {{"lr", apply.getLr()}, {"step", step}};
    for (const NamedNumber &number : optimizer.hypers())
      scalars[number.name] = slabs.number(optimizer.name(), number.name);
    slabs.storeElements(optimizer.scalars,
                        skip ? g.select(skip, applied, step) : step);
    for (auto [group, gradient] :
         llvm::zip_equal(slabs.layout.groupsOf(optimizer), gradients)) {
      scalars["decay"] = g.splat(apply.getLr(), group->decay ? 1.0 : 0.0);
      updateByRule(custom, *group, gradient, scalars);
    }
  }

private:
  Location loc() { return apply.getLoc(); }

  Value countApplied() {
    SmallVector<NamedNumber> state = optimizer.state();
    auto isCount = [&](const NamedNumber &s) {
      return s.name == (state.back().name == "applied" ? "applied" : "step");
    };
    return slabs.element(optimizer.scalars,
                         llvm::find_if(state, isCount) - state.begin());
  }

  /// The f32 scalars of the step; advances the optimizer's scalar state.
  SmallVector<Value> prepare() {
    const Optimizer &rule = *optimizer.rule();
    auto op = cast<OptimizerOp>(optimizer.op.getOperation());
    SmallVector<Value> state, hyper;
    for (size_t i = 0; i != optimizer.state().size(); ++i)
      state.push_back(slabs.element(optimizer.scalars, i));
    for (const NamedNumber &number : rule.hypers)
      hyper.push_back(slabs.number(optimizer.name(), number.name));
    SmallVector<Type> types(state.size(),
                            RankedTensorType::get({}, b.getF64Type()));
    types.append(rule.scalars.size(),
                 RankedTensorType::get({}, b.getF32Type()));
    auto prepared = PrepareOp::create(b, loc(), types, rule.name, op.getFlags(),
                                      apply.getLr(), skip, state, hyper,
                                      op.getCountsSkips());
    slabs.storeElements(optimizer.scalars,
                        prepared.getOutputs().take_front(state.size()));
    return llvm::to_vector_of<Value>(
        prepared.getOutputs().drop_front(state.size()));
  }

  void update(ParameterGroup &group, Value gradient, ValueRange scalars) {
    const Optimizer &rule = *optimizer.rule();
    auto op = cast<OptimizerOp>(optimizer.op.getOperation());
    SmallVector<SlabOp> changed = {group.slab};
    llvm::append_range(changed, group.slotSlabs);
    // A direction has no copy: that is made when the parameters move.
    SlabOp lowSlab = rule.trustRatio ? SlabOp() : group.lowSlab;
    if (lowSlab)
      changed.push_back(lowSlab);
    SmallVector<Value> old =
        llvm::map_to_vector(changed, [&](SlabOp s) { return slabs.load(s); });
    SmallVector<Type> types =
        llvm::map_to_vector(old, [](Value v) { return v.getType(); });
    if (rule.trustRatio)
      types.front() = RankedTensorType::get({group.size}, b.getF32Type());
    ValueRange slots = ValueRange(old).slice(1, group.slotSlabs.size());
    auto updated = UpdateOp::create(
        b, loc(), types, rule.name, op.getFlags(), group.decay, gradient, skip,
        rule.trustRatio ? Value() : roundingKey(group), slotKeys(group),
        scalars, old.front(), slots, lowSlab ? old.back() : Value(),
        lowSlab && slabs.saturates);
    for (auto [slab, value] : llvm::zip(changed, updated.getOutputs()))
      if (slab != group.slab || !rule.trustRatio)
        slabs.store(slab, value);
    if (rule.trustRatio)
      descend(group, updated.getOutputs().front());
  }

  /// Moves a group against its direction, by the trust ratio of each tensor.
  void descend(ParameterGroup &group, Value direction) {
    Value parameter = slabs.load(group.slab);
    SmallVector<int64_t> blocks = group.blocks();
    Value norms = buildNorms(b, loc(), parameter, blocks);
    auto type = cast<RankedTensorType>(norms.getType());
    Value ratio =
        TrustRatioOp::create(b, loc(), type.clone(b.getF32Type()), norms,
                             buildNorms(b, loc(), direction, blocks));
    Value move = buildScaled(b, loc(), direction, ratio, blocks);
    Value low = group.lowSlab ? slabs.load(group.lowSlab) : Value();
    SmallVector<Type> types = {parameter.getType()};
    if (low)
      types.push_back(low.getType());
    auto moved = DescendOp::create(
        b, loc(), types, move,
        nn::GradientBuilder(b, loc()).cast(apply.getLr(), b.getF32Type()), skip,
        roundingKey(group), parameter, low, low && slabs.saturates);
    slabs.store(group.slab, moved.getOutputs().front());
    if (low)
      slabs.store(group.lowSlab, moved.getOutputs().back());
  }

  void updateByRule(CustomOptimizerOp custom, ParameterGroup &group,
                    Value gradient, const llvm::StringMap<Value> &scalars) {
    llvm::StringMap<Value> elements = {{"parameter", slabs.load(group.slab)},
                                       {"gradient", gradient}};
    llvm::StringMap<SlabOp> targets;
    for (auto [slot, slab] :
         llvm::zip_equal(custom.getSlots(), group.slotSlabs)) {
      elements[slot.getName()] = slabs.load(slab);
      targets[slot.getName()] = slab;
    }
    for (auto &[name, value] :
         emitCustomRule(b, apply, custom, elements, scalars))
      if (name == "parameter")
        slabs.storeParameters(group, value);
      else
        slabs.store(targets.lookup(name), value);
  }

  /// What rounds the parameters of a group, 0, or its slots, from 1 on.
  Value keyFor(ParameterGroup &group, size_t index) {
    // Groups are far fewer than this.
    constexpr size_t kGroups = 1 << 16;
    size_t salt =
        (&group - slabs.layout.parameterGroups().data()) + index * kGroups;
    return RoundingKeyOp::create(
        b, loc(), slabs.number(optimizer.name(), "rounding_seed"), applied,
        static_cast<int32_t>(salt));
  }

  /// Null where the parameters are of f32, which need none.
  Value roundingKey(ParameterGroup &group) {
    return group.elementType.isBF16() ? keyFor(group, 0) : Value();
  }

  /// One for each slot; none where slots are of f32.
  SmallVector<Value> slotKeys(ParameterGroup &group) {
    SmallVector<Value> keys;
    for (auto [index, slab] : llvm::enumerate(group.slotSlabs))
      if (!getElementTypeOrSelf(slab.getType()).isF32())
        keys.push_back(keyFor(group, index + 1));
    return keys;
  }

  /// Moves the average towards the parameters that the step has come to.
  void average(ParameterGroup &group) {
    if (!group.averageSlab)
      return;
    Value weight = AverageWeightOp::create(
        b, loc(), slabs.number(optimizer.name(), "ema_decay"), applied);
    slabs.store(group.averageSlab,
                AverageOp::create(b, loc(), slabs.load(group.slab), weight,
                                  slabs.load(group.averageSlab), skip));
  }

  SlabBuilder slabs;
  OpBuilder &b;
  ApplyOp apply;
  Value skip; ///< May be null.
  OptimizerState &optimizer;
  Value applied; ///< How many steps were applied before this one.
};

struct LowerApply : StatePattern<ApplyOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(ApplyOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    UpdateWriter writer(slabs(op, b), b, op, valueOf(adaptor.getSkip()));
    Operation *optimizer =
        layout().optimizer(op.getGradients().getType()).op.getOperation();
    if (auto custom = dyn_cast<CustomOptimizerOp>(optimizer))
      writer.applyRule(custom, adaptor.getGradients());
    else
      writer.applyKnown(adaptor.getGradients());
    b.eraseOp(op);
    return success();
  }
};

struct LowerAssign : StatePattern<AssignOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(AssignOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SlabBuilder s = slabs(op, b);
    ParameterGroup &group =
        *layout().lookup(op.getParameterAttr().getAttr()).group;
    nn::GradientBuilder g(b, op.getLoc());
    Value value = adaptor.getValue();
    auto type = cast<RankedTensorType>(value.getType());
    if (Value skip = adaptor.getSkip())
      value = g.select(g.broadcast(skip, {}, type.getShape()),
                       s.view(s.load(group.slab), 0, type), value);
    s.storeParameters(group, s.pack(group, {value}));
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void mpc::amp::addUpdatePatterns(RewritePatternSet &patterns,
                                 const TypeConverter &types,
                                 const StateContext &state) {
  patterns.add<LowerApply, LowerAssign>(types, patterns.getContext(), state);
}
