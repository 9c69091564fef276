// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-check-scaling: warns of steps that scale, clip and unscale in an order by
// which a training would use wrong numbers.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/NN/NNDialect.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mpc::amp {
#define GEN_PASS_DEF_CHECKSCALINGPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

/// The scaling of a value, as far as it is known.
enum class Scaling {
  Free,   ///< The value does not depend on a scale.
  Factor, ///< A scale, or a number made from one: its inverse, a scaled bound.
  Scaled, ///< A gradient, or a norm of gradients, times a scale.
  Unknown ///< Any value: an input, or a gradient combined with a factor.
};

/// The scaling of the sum of gradients over a window, by the type of the
/// gradients, which names the optimizer.
using Sums = DenseMap<Type, Scaling>;

/// Walks a function in program order.
class ScalingChecker {
public:
  explicit ScalingChecker(Sums &sums) : sums_(sums) {}

  void run(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      scaling_[argument] = Scaling::Unknown;
    for (Operation &op : function.getBody().front())
      llvm::TypeSwitch<Operation *>(&op)
          .Case<GetScaleOp, InverseScaleOp>(
              [&](auto factor) { setAll(factor, Scaling::Factor); })
          .Case<nn::VJPOp, UnscaleOp, GradientTransformInterface,
                ClipCoefficientOp, ApplyOp, AccumulateOp, TakeGradientsOp>(
              [&](auto known) { visit(known); })
          .Default([&](Operation *other) {
            setAll(other, combine(other->getOperands()));
          });
  }

private:
  void setAll(Operation *op, Scaling value) {
    for (Value result : op->getResults())
      scaling_[result] = value;
  }

  Scaling combine(ValueRange operands) {
    bool any[4] = {};
    for (Value operand : operands)
      any[static_cast<int>(scaling_.lookup(operand))] = true;
    auto has = [&](Scaling s) { return any[static_cast<int>(s)]; };
    // A program may unscale by its own arithmetic, which is no mistake.
    if (has(Scaling::Unknown) || (has(Scaling::Scaled) && has(Scaling::Factor)))
      return Scaling::Unknown;
    if (has(Scaling::Scaled))
      return Scaling::Scaled;
    return has(Scaling::Factor) ? Scaling::Factor : Scaling::Free;
  }

  void visit(nn::VJPOp op) {
    Scaling seed = combine(op.getSeeds());
    size_t numGradients = op.getWrt().size() + op.getArgs().size();
    Scaling value = combine(op.getInputs());
    for (Value output : op.getOutputs().drop_back(numGradients))
      scaling_[output] =
          value == Scaling::Free ? Scaling::Free : Scaling::Unknown;
    for (Value gradient : op.getOutputs().take_back(numGradients))
      scaling_[gradient] = seed == Scaling::Factor ? Scaling::Scaled : seed;
  }

  void visit(UnscaleOp op) {
    if (scaling_.lookup(op.getInput()) == Scaling::Free)
      op.emitWarning("unscales a gradient that has no scale in it: no seed of "
                     "its nn.vjp depends on amp.get_scale");
    scaling_[op.getOutput()] = Scaling::Free;
  }

  void visit(GradientTransformInterface op) {
    Value source = op->getOperand(0);
    if (Value bound = op.getBound())
      checkBound(op, source, bound);
    scaling_[op->getResult(0)] = scaling_.lookup(source);
  }

  void visit(ClipCoefficientOp op) {
    if (!op.getScale())
      checkBound(op, op.getNorm(), op.getMax());
    scaling_[op.getCoefficient()] = Scaling::Free;
  }

  void checkBound(Operation *op, Value gradient, Value bound) {
    if (scaling_.lookup(gradient) == Scaling::Scaled &&
        scaling_.lookup(bound) == Scaling::Free)
      op->emitWarning("takes gradients that are still scaled, and numbers that "
                      "are not: unscale first, or multiply the numbers by the "
                      "scale");
  }

  void visit(ApplyOp op) {
    if (scaling_.lookup(op.getGradients()) == Scaling::Scaled)
      op.emitWarning("updates parameters by gradients that are still scaled: "
                     "nothing unscales them");
  }

  void visit(AccumulateOp op) {
    Scaling value = scaling_.lookup(op.getGradients());
    auto [it, isNew] = sums_.try_emplace(op.getGradients().getType(), value);
    if (!isNew && it->second != value)
      it->second = Scaling::Unknown;
  }

  void visit(TakeGradientsOp op) {
    auto it = sums_.find(op.getType());
    scaling_[op.getResult()] =
        it == sums_.end() ? Scaling::Unknown : it->second;
  }

  DenseMap<Value, Scaling> scaling_;
  Sums &sums_;
};

struct CheckScalingPass
    : mpc::amp::impl::CheckScalingPassBase<CheckScalingPass> {
  using CheckScalingPassBase::CheckScalingPassBase;

  void runOnOperation() override {
    Sums sums;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (isEntry(function))
        ScalingChecker(sums).run(function);
    markAllAnalysesPreserved();
  }
};

} // namespace
