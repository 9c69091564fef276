// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds infinities that arise in 16 bits but not in f32, and that later ops
// hide.
#include "passes/NN/HiddenInfinities.h"

#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/FollowedType.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// Whether `type` has a smaller range than f32: f16, but not bf16.
static bool hasSmallRange(Type type) {
  auto real = dyn_cast_or_null<FloatType>(type);
  return real && APFloat::semanticsMaxExponent(real.getFloatSemantics()) <
                     APFloat::semanticsMaxExponent(APFloat::IEEEsingle());
}

static bool isReal(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

namespace {

/// The flow of infinities in one function. There are three walks: types;
/// infinities, forward; ops that hide them, backward.
class InfinityFlow {
public:
  InfinityFlow(func::FuncOp function, Numbers numbers,
               const Decisions &decisions)
      : numbers_(numbers), decisions_(decisions) {
    function.walk([&](Operation *op) { ops_.push_back(op); });
    for (Operation *op : ops_)
      follow(op);
    for (Operation *op : llvm::reverse(ops_))
      look(op);
  }

  /// Whether an infinity that `op` makes or passes on in a low type is hidden
  /// later.
  [[nodiscard]] bool isHidden(Operation *op) const {
    return runsLow(op) && carries_.contains(op) && hider(op);
  }

  /// Whether the readers of a hidden op's result hide it, or run in f32.
  [[nodiscard]] bool isLast(Operation *op) const {
    return llvm::none_of(op->getUsers(),
                         [&](Operation *user) { return isHidden(user); });
  }

  /// The op that hides the infinities that `op` makes; null where none does.
  [[nodiscard]] Operation *hider(Operation *op) const {
    return hiders_.lookup(op);
  }

  /// Whether `op` runs in f32 and its result may exceed the range of 16 bits.
  [[nodiscard]] bool mayBeLarge(Operation *op) const {
    return large_.contains(op) && !runsLow(op);
  }

private:
  [[nodiscard]] bool runsLow(Operation *op) const {
    return hasSmallRange(types_.lookup(op));
  }

  /// The type that `value` will have.
  [[nodiscard]] Type typeOf(Value value) const {
    Operation *op = value.getDefiningOp();
    Type type = op ? types_.lookup(op) : Type();
    bool follows = type && isCastable(getElementTypeOrSelf(value)) &&
                   !hasOwnType(op, value);
    return follows ? type : getElementTypeOrSelf(value);
  }

  Type targetOf(Operation *op, const Decision &decision) {
    SmallVector<Value> chosen;
    for (Value operand : op->getOperands())
      if (!hasOwnType(op, operand) && isCastable(getElementTypeOrSelf(operand)))
        chosen.push_back(operand);
    if (chosen.empty() || !decision.low)
      return {};
    if (decision.rule.rule == PrecisionRule::Lower)
      return decision.low;
    if (decision.rule.rule == PrecisionRule::KeepF32)
      return Float32Type::get(op->getContext());
    return Promotion(op, chosen, numbers_)
        .followedType([&](Value value) { return typeOf(value); })
        .type;
  }

  /// The ops that read `value`. For the terminator of a region these are the
  /// ops that read its result.
  template <typename Fn>
  static void forEachReader(Value value, Fn fn) {
    for (OpOperand &use : value.getUses())
      if (isa<YieldOp>(use.getOwner()))
        forEachReader(
            use.getOwner()->getParentOp()->getResult(use.getOperandNumber()),
            fn);
      else
        fn(use);
  }

  static InfinityFate fateOf(OpOperand &operand) {
    Operation *op = operand.getOwner();
    bool isPassedOn = isa<CastOp>(op) && isReal(op->getResult(0));
    if (auto rule = dyn_cast<PrecisionOpInterface>(op))
      return rule.getInfinityFate(operand);
    return isPassedOn ? InfinityFate::Passed : InfinityFate::Ended;
  }

  static bool mayOverflow(Operation *op) {
    auto rule = dyn_cast<PrecisionOpInterface>(op);
    return rule && rule.mayOverflow() && isReal(op->getResult(0));
  }

  void follow(Operation *op) {
    if (auto decision = decisions_.find(op); decision != decisions_.end())
      types_[op] = targetOf(op, decision->second);
    bool overflows = mayOverflow(op);
    if (overflows)
      large_.insert(op);
    if (overflows && runsLow(op))
      carries_.insert(op);
    for (auto *marked : {&large_, &carries_})
      if (marked->contains(op))
        for (Value result : op->getResults())
          pass(result, *marked);
  }

  /// Marks the readers of `value` that pass an infinity on. Walks in program
  /// order reach them later.
  static void pass(Value value, DenseSet<Operation *> &marked) {
    if (isReal(value))
      forEachReader(value, [&](OpOperand &use) {
        if (fateOf(use) == InfinityFate::Passed)
          marked.insert(use.getOwner());
      });
  }

  void look(Operation *op) {
    Operation *found = nullptr;
    for (Value result : op->getResults())
      if (isReal(result))
        forEachReader(result, [&](OpOperand &use) {
          InfinityFate fate = fateOf(use);
          if (fate == InfinityFate::Hidden)
            found = use.getOwner();
          else if (fate == InfinityFate::Passed && !found)
            found = hider(use.getOwner());
        });
    if (found)
      hiders_[op] = found;
  }

  Numbers numbers_;
  const Decisions &decisions_;
  SmallVector<Operation *> ops_;
  /// The type in which each decided op will run.
  DenseMap<Operation *, Type> types_;
  /// Ops whose results may be infinite because an infinity arose in a low type,
  /// and ops whose results would be if one arose.
  DenseSet<Operation *> carries_, large_;
  DenseMap<Operation *, Operation *> hiders_;
};

} // namespace

static void keepInF32(Operation *op, Operation *hider, Decision &decision) {
  std::string because = decision.rule.why;
  decision.rule.rule = PrecisionRule::KeepF32;
  decision.isOpen = false;
  decision.rule.why =
      "it may be infinite in 16 bits where it is finite in f32, and " +
      describeSource(hider->getResult(0)) + " would hide that (" + because +
      ")";
}

/// Whether nn-simplify-casts may lower an op, as sqrt, that computes with
/// numbers that may be too large for it.
static bool mayBeLowered(Operation *op, const Decision &decision) {
  return decision.isOpen && hasSmallRange(decision.low) &&
         decision.rule.rule == PrecisionRule::Infer &&
         !op->hasTrait<DataMovement>();
}

void mpc::nn::keepInfinitiesVisible(func::FuncOp function, Numbers numbers,
                                    Decisions &decisions) {
  if (llvm::none_of(decisions, [](const auto &entry) {
        return hasSmallRange(entry.second.low);
      }))
    return;
  InfinityFlow flow(function, numbers, decisions);
  for (auto &[op, decision] : decisions) {
    if (mayBeLowered(op, decision) && flow.mayBeLarge(op))
      decision.isOpen = false;
    if (!flow.isHidden(op))
      continue;
    if (decision.isOpen)
      keepInF32(op, flow.hider(op), decision);
    else if (flow.isLast(op))
      op->setAttr(
          kHiddenInfinity,
          StringAttr::get(op->getContext(),
                          describeSource(flow.hider(op)->getResult(0))));
  }
}
