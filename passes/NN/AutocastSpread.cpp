// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// grappler's colouring: taint behind denied ops, spread between lowered ones
// (auto_mixed_precision.cc, passes 2 to 4).
#include "passes/NN/AutocastDecisions.h"

#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

static bool isCastableOf(Operation *op, Value value) {
  return isCastable(getElementTypeOrSelf(value.getType())) &&
         !hasOwnType(op, value);
}

/// The op that produces `value`, inside of the region that yields it.
static Operation *producerOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (auto region = dyn_cast_or_null<AutocastOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    value = region.getBody().front().getTerminator()->getOperand(index);
    op = value.getDefiningOp();
  }
  return op;
}

static void collectUsers(Value value, SmallVectorImpl<Operation *> &users) {
  for (OpOperand &use : value.getUses()) {
    if (isa<YieldOp>(use.getOwner()))
      collectUsers(
          use.getOwner()->getParentOp()->getResult(use.getOperandNumber()),
          users);
    else
      users.push_back(use.getOwner());
  }
}

namespace {

/// Walks from op to op along values that may be cast.
class Coloring {
public:
  explicit Coloring(Decisions &decisions) : decisions_(decisions) {}

  void taint();
  void spread();

private:
  using OpSet = llvm::SetVector<Operation *>;
  using Test = llvm::function_ref<bool(Operation *)>;
  enum Direction { Inputs = 1, Outputs = 2, Both = 3 };

  SmallVector<Operation *> neighbours(Operation *op, Direction direction) {
    SmallVector<Operation *> result;
    if (direction & Inputs)
      for (Value operand : op->getOperands())
        if (isCastableOf(op, operand))
          if (Operation *producer = producerOf(operand))
            result.push_back(producer);
    if (direction & Outputs)
      for (Value value : op->getResults())
        if (isCastableOf(op, value))
          collectUsers(value, result);
    return result;
  }

  /// Adds `root` and all ops reachable from it through ops that may be entered.
  void flood(Operation *root, Direction direction, OpSet &reached,
             Test mayEnter) {
    SmallVector<Operation *> stack = {root};
    reached.insert(root);
    while (!stack.empty())
      for (Operation *next : neighbours(stack.pop_back_val(), direction))
        if (takesPart(next) && !reached.contains(next) && mayEnter(next)) {
          reached.insert(next);
          stack.push_back(next);
        }
  }

  /// Whether the op belongs to the graph. Islands and ops without a castable
  /// value do not.
  bool takesPart(Operation *op) {
    auto it = decisions_.find(op);
    auto isCast = [&](Value value) { return isCastableOf(op, value); };
    return it != decisions_.end() && it->second.low &&
           (llvm::any_of(op->getOperands(), isCast) ||
            llvm::any_of(op->getResults(), isCast));
  }

  PrecisionRule ruleOf(Operation *op) { return decisions_[op].rule.rule; }
  bool isAllow(Operation *op) { return ruleOf(op) == PrecisionRule::Lower; }
  bool isDeny(Operation *op) { return decisions_[op].rule.taints; }
  bool isClear(Operation *op) { return ruleOf(op) == PrecisionRule::Clear; }
  bool isInfer(Operation *op) {
    return ruleOf(op) == PrecisionRule::Infer ||
           ruleOf(op) == PrecisionRule::Promote;
  }

  SmallVector<Operation *> opsWhere(Test test) {
    SmallVector<Operation *> result;
    for (Operation *op : llvm::make_first_range(decisions_))
      if (takesPart(op) && test(op))
        result.push_back(op);
    return result;
  }

  void set(Operation *op, PrecisionRule rule, StringRef source,
           const Twine &why) {
    Decision &decision = decisions_[op];
    decision.rule = {rule, decision.rule.taints,
                     (why + " (" + decision.rule.why + ")").str()};
    decision.source = source.str();
  }

  Decisions &decisions_;
};

} // namespace

static std::string describe(Operation *op) {
  StringRef node = getNodeName(op->getLoc());
  std::string text = op->getName().stripDialect().str();
  return node.empty() ? text : "'" + node.str() + "' (" + text + ")";
}

/// Clear ops from which no deny or infer op can be reached end the path. They
/// stay free.
void Coloring::taint() {
  OpSet upstream;
  for (Operation *root :
       opsWhere([&](Operation *op) { return isDeny(op) || isInfer(op); }))
    flood(root, Inputs, upstream, [&](Operation *op) { return isClear(op); });
  SmallVector<std::pair<Operation *, Operation *>> tainted;
  OpSet denied;
  for (Operation *root : opsWhere([&](Operation *op) { return isDeny(op); })) {
    size_t before = denied.size();
    flood(root, Outputs, denied,
          [&](Operation *op) { return upstream.contains(op) && !isDeny(op); });
    for (Operation *op : denied.getArrayRef().drop_front(before))
      if (!isDeny(op))
        tainted.push_back({op, root});
  }
  for (auto [op, root] : tainted)
    set(op, PrecisionRule::KeepF32, "taint",
        "it is behind " + describe(root) + ", which stays in f32");
}

void Coloring::spread() {
  SmallVector<Operation *> allows =
      opsWhere([&](Operation *op) { return isAllow(op); });
  OpSet downstream, between;
  for (Operation *root : allows)
    flood(root, Outputs, downstream,
          [&](Operation *op) { return isClear(op) || isInfer(op); });
  for (Operation *root : allows)
    flood(root, Inputs, between, [&](Operation *op) {
      return !isAllow(op) && downstream.contains(op);
    });
  OpSet beside;
  for (Operation *root : between)
    flood(root, Both, beside,
          [&](Operation *op) { return !between.contains(op) && isClear(op); });
  for (Operation *op :
       opsWhere([&](Operation *op) { return isClear(op) || isInfer(op); })) {
    if (between.contains(op))
      set(op, PrecisionRule::Lower, "spread",
          "it is between ops that run in the low type");
    else if (beside.contains(op))
      set(op, PrecisionRule::Lower, "spread",
          "it moves data beside an op that runs in the low type");
    else
      set(op, PrecisionRule::KeepF32, "spread",
          "it is not between ops that run in the low type");
  }
}

void mpc::nn::colorDecisions(Decisions &decisions, bool taint, bool spread) {
  Coloring coloring(decisions);
  if (taint)
    coloring.taint();
  if (spread)
    coloring.spread();
}
