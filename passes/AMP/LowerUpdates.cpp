// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns for ops that change parameters: optimizers and assignments.
#include "dialects/NN/Gradient.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/AMP/StatePatterns.h"
#include "runtime/LossScale/ScalarState.h"

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
        applied_(slabs_.element(optimizer_.scalars,
                                optimizer_.op.getAppliedIndex())) {}

  /// Runs the step; `gradients` has one range for each group.
  void run(ValueRange gradients) {
    for (size_t i = 0; i != optimizer_.op.getScalarState().size(); ++i)
      state_.push_back(slabs_.element(optimizer_.scalars, i));
    OptimizerStep step = prepare(0);
    slabs_.storeElements(optimizer_.scalars, step.state);
    for (auto [group, gradient] :
         llvm::zip_equal(slabs_.layout.groupsOf(optimizer_), gradients)) {
      update(*group, gradient,
             group->numbers == 0 ? step : prepare(group->numbers));
    }
    gatherParts();
    for (ParameterGroup *group : slabs_.layout.groupsOf(optimizer_))
      average(*group);
  }

private:
  Location loc() { return apply_.getLoc(); }

  Value number(StringRef name) {
    return slabs_.number(optimizer_.name(), name);
  }

  /// The scalars for parameters of group `index`, by its own numbers and the
  /// optimizer's others; of index 0 the optimizer's alone. The state after the
  /// step is the same for all groups.
  OptimizerStep prepare(size_t index) {
    DictionaryAttr own;
    if (index > 0)
      own = optimizer_.op.getAllGroups()[index - 1].getHyper();
    auto hyper = [&](StringRef name) {
      bool isOwn = own && own.contains(name);
      return number(isOwn ? rt::groupKey(index, name) : name.str());
    };
    OptimizerStep step{.loc = loc(),
                       .lr = apply_.getLr(),
                       .skip = skip_,
                       .applied = applied_,
                       .hyper = hyper,
                       .saturates = slabs_.saturates,
                       .state = state_};
    if (own && own.contains(StringRef(rt::kRateFactor)))
      step.lr = multiplied(step.lr, hyper(rt::kRateFactor));
    optimizer_.op.buildPrepare(b_, step);
    step.hyper = nullptr; // What it refers to ends here.
    return step;
  }

  /// A rate by an f64 factor, rounded once, to the rate's type. A factor of 1
  /// changes no bit.
  Value multiplied(Value rate, Value factor) {
    nn::GradientBuilder g(b_, loc());
    return g.cast(g.mul(g.cast(rate, b_.getF64Type()), factor),
                  getElementTypeOrSelf(rate));
  }

  void update(ParameterGroup &group, Value gradient,
              const OptimizerStep &step) {
    ParameterRange range = load(group, gradient);
    ParameterRange old = range;
    optimizer_.op.buildUpdate(b_, step, range);
    if (range.parameter != old.parameter)
      store(group, range.parameter, range.low);
    for (auto [slab, before, after] :
         llvm::zip_equal(group.slotSlabs, old.slots, range.slots))
      if (after != before)
        slabs_.store(slab, after);
  }

  /// Stores parameters and their copy, `low`, which may be null. Of a divided
  /// state the other ranks need what this one has updated: the copies where
  /// they alone are read, else the parameters.
  void store(ParameterGroup &group, Value parameter, Value low) {
    if (group.parts == 1 || group.dividesParameters)
      slabs_.store(group.slab, parameter);
    if (!low && group.lowSlab && (group.parts == 1 || group.dividesParameters))
      low = slabs_.copyOf(group, parameter);
    if (group.parts > 1)
      updated_.push_back({&group, group.dividesParameters ? low : parameter});
    else if (low)
      slabs_.store(group.lowSlab, low);
  }

  /// Gathers what all ranks have updated, and stores it.
  void gatherParts() {
    SmallVector<SlabBuilder::Part> parts;
    for (auto [group, part] : updated_)
      parts.push_back({part, group->size});
    auto ranks = updated_.empty() ? 1 : updated_.front().first->parts;
    for (auto [one, whole] :
         llvm::zip_equal(updated_, slabs_.gather(parts, ranks)))
      if (one.first->dividesParameters)
        slabs_.store(one.first->lowSlab, whole);
      else
        slabs_.storeParameters(*one.first, whole);
  }

  ParameterRange load(ParameterGroup &group, Value gradient) {
    ParameterRange range{.gradient = gradient,
                         .parameter = slabs_.loadPart(group, group.slab),
                         .decay = group.decay};
    for (SlabOp slab : group.slotSlabs)
      range.slots.push_back(slabs_.load(slab));
    if (group.lowSlab)
      range.low = slabs_.loadPart(group, group.lowSlab);
    if (optimizer_.op.needsTensors())
      range.blocks = group.blocks();
    if (group.elementType.isBF16())
      range.parameterKey = keyFor(group, 0);
    for (auto [index, slab] : llvm::enumerate(group.slotSlabs))
      if (!getElementTypeOrSelf(slab.getType()).isF32())
        range.slotKeys.push_back(keyFor(group, index + 1));
    return range;
  }

  /// The key of the random bits for the rounding of a group: of its parameters
  /// (`index` 0) or of one of its slots (from 1 on).
  Value keyFor(ParameterGroup &group, size_t index) {
    // A bound on the number of groups, by which every pair of group and index
    // has a salt of its own.
    constexpr size_t kGroups = 1 << 16;
    size_t salt =
        (&group - slabs_.layout.parameterGroups().data()) + index * kGroups;
    return RoundingKeyOp::create(b_, loc(), number("rounding_seed"), applied_,
                                 static_cast<int32_t>(salt));
  }

  /// Moves the average of the weights towards the parameters, after they were
  /// updated.
  void average(ParameterGroup &group) {
    if (!group.averageSlab)
      return;
    Value weight =
        AverageWeightOp::create(b_, loc(), number("ema_decay"), applied_);
    slabs_.store(group.averageSlab,
                 AverageOp::create(b_, loc(), slabs_.load(group.slab), weight,
                                   slabs_.load(group.averageSlab), skip_));
  }

  SlabBuilder slabs_;
  OpBuilder &b_;
  ApplyOp apply_;
  Value skip_; ///< Whether the step is skipped; may be null.
  OptimizerState &optimizer_;
  Value applied_; ///< The number of steps applied before this one.
  /// The optimizer's scalar state before the step.
  SmallVector<Value> state_;
  /// Groups of a divided state, and a rank's part of what all read.
  SmallVector<std::pair<ParameterGroup *, Value>> updated_;
};

struct LowerApply : StatePattern<ApplyOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(ApplyOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    UpdateWriter(slabs(op, b), b, op, valueOf(adaptor.getSkip()))
        .run(adaptor.getGradients());
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
