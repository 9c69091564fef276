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
      : slabs_(slabs), b_(builder), apply_(apply), skip_(skip),
        optimizer_(slabs.layout.optimizer(apply.getGradients().getType())),
        applied_(countApplied()) {}

  /// By a rule of the table. `gradients` has one range for each group.
  void applyKnown(ValueRange gradients) {
    SmallVector<Value> scalars = prepare();
    if (optimizer_.rule()->isCallback())
      return;
    for (auto [group, gradient] :
         llvm::zip_equal(slabs_.layout.groupsOf(optimizer_), gradients)) {
      update(*group, gradient, scalars);
      average(*group);
    }
  }

  /// By a function of the module.
  void applyRule(CustomOptimizerOp custom, ValueRange gradients) {
    nn::GradientBuilder g(b_, apply_.getLoc());
    Value step = g.add(applied_, g.splat(applied_, 1.0));
    llvm::StringMap<Value> scalars = {{"lr", apply_.getLr()}, {"step", step}};
    for (const NamedNumber &number : optimizer_.hypers())
      scalars[number.name] = slabs_.number(optimizer_.name(), number.name);
    slabs_.storeElements(optimizer_.scalars,
                         skip_ ? g.select(skip_, applied_, step) : step);
    for (auto [group, gradient] :
         llvm::zip_equal(slabs_.layout.groupsOf(optimizer_), gradients)) {
      scalars["decay"] = g.splat(apply_.getLr(), group->decay ? 1.0 : 0.0);
      updateByRule(custom, *group, gradient, scalars);
    }
  }

private:
  Location loc() { return apply_.getLoc(); }

  Value countApplied() {
    return slabs_.element(optimizer_.scalars, optimizer_.appliedIndex());
  }

  /// The f32 scalars of the step; advances the optimizer's scalar state.
  SmallVector<Value> prepare() {
    const Optimizer &rule = *optimizer_.rule();
    auto op = cast<OptimizerOp>(optimizer_.op.getOperation());
    SmallVector<Value> state, hyper;
    for (size_t i = 0; i != optimizer_.state().size(); ++i)
      state.push_back(slabs_.element(optimizer_.scalars, i));
    for (const NamedNumber &number : rule.hypers)
      hyper.push_back(slabs_.number(optimizer_.name(), number.name));
    SmallVector<Type> types(state.size(),
                            RankedTensorType::get({}, b_.getF64Type()));
    types.append(rule.scalars.size(),
                 RankedTensorType::get({}, b_.getF32Type()));
    auto prepared = PrepareOp::create(b_, loc(), types, rule.name,
                                      op.getFlags(), apply_.getLr(), skip_,
                                      state, hyper, op.getCountsSkips());
    slabs_.storeElements(optimizer_.scalars,
                         prepared.getOutputs().take_front(state.size()));
    return llvm::to_vector_of<Value>(
        prepared.getOutputs().drop_front(state.size()));
  }

  void update(ParameterGroup &group, Value gradient, ValueRange scalars) {
    const Optimizer &rule = *optimizer_.rule();
    auto op = cast<OptimizerOp>(optimizer_.op.getOperation());
    SmallVector<SlabOp> changed = {group.slab};
    llvm::append_range(changed, group.slotSlabs);
    // A direction has no copy: that is made when the parameters move.
    SlabOp lowSlab = rule.trustRatio ? SlabOp() : group.lowSlab;
    if (lowSlab)
      changed.push_back(lowSlab);
    SmallVector<Value> old =
        llvm::map_to_vector(changed, [&](SlabOp s) { return slabs_.load(s); });
    SmallVector<Type> types =
        llvm::map_to_vector(old, [](Value v) { return v.getType(); });
    if (rule.trustRatio)
      types.front() = RankedTensorType::get({group.size}, b_.getF32Type());
    ValueRange slots = ValueRange(old).slice(1, group.slotSlabs.size());
    auto updated = UpdateOp::create(
        b_, loc(), types, rule.name, op.getFlags(), group.decay, gradient,
        skip_, rule.trustRatio ? Value() : roundingKey(group), slotKeys(group),
        scalars, old.front(), slots, lowSlab ? old.back() : Value(),
        lowSlab && slabs_.saturates);
    for (auto [slab, value] : llvm::zip(changed, updated.getOutputs()))
      if (slab != group.slab || !rule.trustRatio)
        slabs_.store(slab, value);
    if (rule.trustRatio)
      descend(group, updated.getOutputs().front());
  }

  /// Moves a group against its direction, by the trust ratio of each tensor.
  void descend(ParameterGroup &group, Value direction) {
    Value parameter = slabs_.load(group.slab);
    SmallVector<int64_t> blocks = group.blocks();
    Value norms = buildNorms(b_, loc(), parameter, blocks);
    auto type = cast<RankedTensorType>(norms.getType());
    Value ratio =
        TrustRatioOp::create(b_, loc(), type.clone(b_.getF32Type()), norms,
                             buildNorms(b_, loc(), direction, blocks));
    Value move = buildScaled(b_, loc(), direction, ratio, blocks);
    Value low = group.lowSlab ? slabs_.load(group.lowSlab) : Value();
    SmallVector<Type> types = {parameter.getType()};
    if (low)
      types.push_back(low.getType());
    auto moved = DescendOp::create(
        b_, loc(), types, move,
        nn::GradientBuilder(b_, loc()).cast(apply_.getLr(), b_.getF32Type()),
        skip_, roundingKey(group), parameter, low, low && slabs_.saturates);
    slabs_.store(group.slab, moved.getOutputs().front());
    if (low)
      slabs_.store(group.lowSlab, moved.getOutputs().back());
  }

  void updateByRule(CustomOptimizerOp custom, ParameterGroup &group,
                    Value gradient, const llvm::StringMap<Value> &scalars) {
    llvm::StringMap<Value> elements = {{"parameter", slabs_.load(group.slab)},
                                       {"gradient", gradient}};
    llvm::StringMap<SlabOp> targets;
    for (auto [slot, slab] :
         llvm::zip_equal(custom.getSlots(), group.slotSlabs)) {
      elements[slot.getName()] = slabs_.load(slab);
      targets[slot.getName()] = slab;
    }
    for (auto &[name, value] :
         emitCustomRule(b_, apply_, custom, elements, scalars))
      if (name == "parameter")
        slabs_.storeParameters(group, value);
      else
        slabs_.store(targets.lookup(name), value);
  }

  /// The key of the random bits by which a group is rounded: its parameters
  /// (`index` 0) or one of its slots (from 1 on).
  Value keyFor(ParameterGroup &group, size_t index) {
    // A bound on the number of groups, so that every pair of group and index
    // has a salt of its own.
    constexpr size_t kGroups = 1 << 16;
    size_t salt =
        (&group - slabs_.layout.parameterGroups().data()) + index * kGroups;
    return RoundingKeyOp::create(
        b_, loc(), slabs_.number(optimizer_.name(), "rounding_seed"), applied_,
        static_cast<int32_t>(salt));
  }

  /// The key for the parameters of `group`; null where they are f32, which are
  /// not rounded stochastically.
  Value roundingKey(ParameterGroup &group) {
    return group.elementType.isBF16() ? keyFor(group, 0) : Value();
  }

  /// The keys for the slots of `group` that are kept in 16 bits.
  SmallVector<Value> slotKeys(ParameterGroup &group) {
    SmallVector<Value> keys;
    for (auto [index, slab] : llvm::enumerate(group.slotSlabs))
      if (!getElementTypeOrSelf(slab.getType()).isF32())
        keys.push_back(keyFor(group, index + 1));
    return keys;
  }

  /// Moves the average of the weights towards the parameters after this step.
  void average(ParameterGroup &group) {
    if (!group.averageSlab)
      return;
    Value weight = AverageWeightOp::create(
        b_, loc(), slabs_.number(optimizer_.name(), "ema_decay"), applied_);
    slabs_.store(group.averageSlab,
                 AverageOp::create(b_, loc(), slabs_.load(group.slab), weight,
                                   slabs_.load(group.averageSlab), skip_));
  }

  SlabBuilder slabs_;
  OpBuilder &b_;
  ApplyOp apply_;
  Value skip_; ///< May be null.
  OptimizerState &optimizer_;
  Value applied_; ///< How many steps were applied before this one.
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
