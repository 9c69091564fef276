// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns for ops that read state, and for loss scalers.
#include "dialects/AMP/RandomState.h"
#include "dialects/NN/Gradient.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/AMP/PolicyEmitter.h"
#include "passes/AMP/StatePatterns.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// A builder for bodies to which the conversion does not listen. Dead ops of a
/// body are erased at once, which a dialect conversion does not allow.
static OpBuilder unwatched(Operation *op) { return OpBuilder(op); }

namespace {

/// Lowers a read of a parameter. A read that is cast to 16 bits becomes a read
/// of the 16-bit copy.
struct LowerGet : StatePattern<nn::GetOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(nn::GetOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    SlabBuilder s = slabs(op, b);
    auto [group, offset] = layout().lookup(op.getParameterAttr().getAttr());
    auto type = cast<RankedTensorType>(op.getType());
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (auto cast = dyn_cast<nn::CastOp>(user);
          cast && group->lowType &&
          getElementTypeOrSelf(cast.getType()) == group->lowType)
        b.replaceOp(cast, s.view(s.load(group->lowSlab), offset,
                                 type.clone(group->lowType)));
    b.replaceOp(op, s.view(s.load(group->slab), offset, type));
    return success();
  }
};

struct LowerGetScale : StatePattern<GetScaleOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(GetScaleOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    SlabOp slab = layout().scaler(op.getScalerAttr().getAttr()).slab;
    Value scale =
        slabs(op, b).element(slab, static_cast<int64_t>(rt::StateSlot::Scale));
    b.replaceOp(op, nn::GradientBuilder(b, op.getLoc())
                        .cast(scale, getElementTypeOrSelf(op.getType())));
    return success();
  }
};

struct LowerGetRate : StatePattern<GetRateOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(GetRateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SlabOp slab = layout().scaler(op.getScalerAttr().getAttr()).slab;
    Value inARow = slabs(op, b).element(
        slab, static_cast<int64_t>(rt::StateSlot::SkippedInARow));
    nn::GradientBuilder g(b, op.getLoc());
    Value wasApplied =
        g.compare(nn::CompareKind::EQ, inARow, g.splat(inARow, 0.0));
    b.replaceOp(
        op, g.select(wasApplied, adaptor.getApplied(), adaptor.getSkipped()));
    return success();
  }
};

struct LowerGetHyper : StatePattern<GetHyperOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(GetHyperOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, slabs(op, b).number(op.getOptimizerAttr().getAttr(),
                                        op.getHyper()));
    return success();
  }
};

struct LowerRandomState : StatePattern<RandomStateOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(RandomStateOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    SlabBuilder s = slabs(op, b);
    StringAttr name = op.getOptimizerAttr().getAttr();
    const OptimizerState &optimizer = layout().optimizer(name);
    nn::GradientBuilder g(b, op.getLoc());
    auto count = [&](SlabOp slab, int64_t index) -> Value {
      if (!slab) // Without a counter each batch is the first.
        return g.splat(op.getStep(), 0.0);
      return g.cast(s.element(slab, index), b.getI64Type());
    };
    b.replaceOp(
        op, {g.cast(s.number(name, kRandomSeed), b.getI64Type()),
             count(optimizer.scalars, optimizer.trainer().getAppliedIndex()),
             count(optimizer.batches, 0)});
    return success();
  }
};

struct LowerInverseScale : StatePattern<InverseScaleOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(InverseScaleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    OpBuilder body = unwatched(op);
    b.replaceOp(op, buildInverseScale(body, op.getLoc(), adaptor.getScale(),
                                      op.getFlushed()));
    return success();
  }
};

struct LowerUpdateScale : StatePattern<UpdateScaleOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(UpdateScaleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SlabBuilder s = slabs(op, b);
    StringAttr name = op.getScalerAttr().getAttr();
    const ScalerState &scaler = layout().scaler(name);
    PolicyOperands operands = readScaler(s, scaler, name);
    operands.found = adaptor.getFound();
    operands.maxAbs = adaptor.getMaxAbs();
    OpBuilder body = unwatched(op);
    auto next = buildPolicyStep(body, op.getLoc(), scaler.policy, operands);
    if (Value skip = adaptor.getSkip())
      for (auto [value, old] : llvm::zip_equal(next, operands.state))
        value = nn::GradientBuilder(b, op.getLoc()).select(skip, old, value);
    s.storeElements(scaler.slab, ValueRange(next));
    b.replaceOp(op, {next[static_cast<size_t>(rt::StateSlot::Counter)],
                     next[static_cast<size_t>(rt::StateSlot::Error)]});
    return success();
  }

private:
  static PolicyOperands readScaler(SlabBuilder &s, const ScalerState &scaler,
                                   StringAttr name) {
    PolicyOperands operands;
    for (size_t i = 0; i != rt::kNumStateSlots; ++i)
      operands.state[i] = s.element(scaler.slab, i);
    for (size_t i = 0; i != rt::kNumSettings; ++i) {
      auto setting = static_cast<rt::Setting>(i);
      // The initial scale is read only when the state is created.
      if (setting != rt::Setting::InitScale &&
          rt::policyInfo(scaler.policy).reads(setting))
        operands.settings[i] =
            s.number(name, StringRef(rt::settingKey(setting)));
    }
    return operands;
  }
};

} // namespace

void mpc::amp::addScalarPatterns(RewritePatternSet &patterns,
                                 const TypeConverter &types,
                                 const StateContext &state) {
  patterns.add<LowerGet, LowerGetScale, LowerGetRate, LowerGetHyper,
               LowerRandomState, LowerInverseScale, LowerUpdateScale>(
      types, patterns.getContext(), state);
}
