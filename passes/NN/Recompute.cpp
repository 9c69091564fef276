// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-recompute: recomputes values for which that is cheaper than keeping them.
#include "passes/NN/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/OpInterfaces.h"
#include "dialects/Kernel/Peak.h"
#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::nn {
#define GEN_PASS_DEF_RECOMPUTEPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

static bool hasRule(Operation *op, PrecisionRule rule) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  return precision && precision.getPrecisionRule() == rule;
}

/// Whether an op takes a few operations an element: it computes elements one by
/// one, moves them, or goes over the rows of a tensor of its result's type.
static bool isCheap(Operation *op) {
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isPure(op))
    return false;
  if (isa<ScalarBodyOpInterface, CastOp>(op) ||
      hasRule(op, PrecisionRule::Clear))
    return true;
  return hasRule(op, PrecisionRule::KeepF32) && op->getNumOperands() > 0 &&
         op->getOperand(0).getType() == op->getResult(0).getType();
}

/// Whether a value is available at any time without memory of its own: state,
/// an argument, or a value computed from nothing.
static bool isFree(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || op->getNumOperands() == 0;
}

/// The most ops of a chain. That is enough for the normalization or the
/// attention between two contractions, each of which is repeated.
static constexpr size_t kMaxOps = 32;

namespace {

/// A value that can be recomputed: the ops that compute it, in order, and the
/// value from which they start.
struct Chain {
  SetVector<Operation *> ops;
  Value base; ///< The start; null where the ops read only free values.
};

class Recomputation {
public:
  Recomputation(Block &block, int64_t minBytes)
      : block_(block), minBytes_(minBytes) {}

  /// Returns the number of values that are no longer kept.
  unsigned run();

private:
  bool isUsedLater(Value value) const;
  bool extend(Value value, Chain &chain) const;
  bool pays(Value value, const Chain &chain) const;
  void rewrite(Value value, const Chain &chain);
  Value cloneBefore(Value value, Operation *place, const Chain &chain);

  Block &block_;
  int64_t minBytes_;
  Operation *peak_ = nullptr;
  DenseMap<Operation *, Operation *> clones_; ///< The clone of each op.
};

} // namespace

/// Ops that move elements mostly need no memory of their own.
static int64_t weigh(Value value) {
  Operation *op = value.getDefiningOp();
  return isFree(value) || hasRule(op, PrecisionRule::Clear)
             ? 0
             : kernel::bytesOf(value);
}

bool Recomputation::isUsedLater(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = block_.findAncestorOpInBlock(*user);
    return ancestor && peak_->isBeforeInBlock(ancestor);
  });
}

/// Adds to `chain` the ops that compute `value` from at most one other value.
bool Recomputation::extend(Value value, Chain &chain) const {
  Operation *op = value.getDefiningOp();
  if (!isCheap(op) || chain.ops.size() >= kMaxOps)
    return false;
  for (Value operand : op->getOperands()) {
    if (isFree(operand) || operand == chain.base ||
        chain.ops.contains(operand.getDefiningOp()))
      continue;
    // A value computed from nothing, as a mask, is recomputed even where it is
    // kept.
    Chain longer = chain;
    bool extends = extend(operand, longer);
    if (extends && (longer.base == chain.base || !isUsedLater(operand))) {
      chain = std::move(longer);
      continue;
    }
    if (chain.base)
      return false;
    chain.base = operand;
  }
  chain.ops.insert(op);
  return true;
}

/// Whether keeping the base takes less memory, where it is not kept anyway.
bool Recomputation::pays(Value value, const Chain &chain) const {
  bool isKept = !chain.base || isUsedLater(chain.base);
  return kernel::bytesOf(value) - (isKept ? 0 : kernel::bytesOf(chain.base)) >=
         minBytes_;
}

/// Recomputes the value before `place`. Existing clones serve all readers, and
/// move up to the first of them.
Value Recomputation::cloneBefore(Value value, Operation *place,
                                 const Chain &chain) {
  Operation *op = value.getDefiningOp();
  if (!op || !chain.ops.contains(op))
    return value;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, cloneBefore(operand, place, chain));
  Operation *&clone = clones_[op];
  if (clone && place->isBeforeInBlock(clone))
    clone->moveBefore(place);
  if (!clone) {
    clone = OpBuilder(place).clone(*op, mapping);
    clone->removeAttr(kHiddenInfinity); // The original's mark counts for both.
  }
  return clone->getResult(0);
}

void Recomputation::rewrite(Value value, const Chain &chain) {
  Operation *first = nullptr;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses()) {
    Operation *user = block_.findAncestorOpInBlock(*use.getOwner());
    if (!user || !peak_->isBeforeInBlock(user))
      continue;
    uses.push_back(&use);
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  Value again = cloneBefore(value, first, chain);
  for (OpOperand *use : uses)
    use->set(again);
}

unsigned Recomputation::run() {
  peak_ = kernel::findExcess(block_, weigh);
  if (!peak_)
    return 0;
  SmallVector<Value> kept;
  for (Operation &op : block_) {
    if (&op == peak_)
      break;
    for (Value result : op.getResults())
      if (!isFree(result) && kernel::bytesOf(result) >= minBytes_ &&
          isUsedLater(result))
        kept.push_back(result);
  }
  unsigned count = 0;
  for (Value value : kept) {
    Chain chain;
    if (!isUsedLater(value) || !extend(value, chain) || !pays(value, chain))
      continue;
    rewrite(value, chain);
    ++count;
  }
  return count;
}

namespace {

struct RecomputePass : mpc::nn::impl::RecomputePassBase<RecomputePass> {
  using RecomputePassBase::RecomputePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // An evaluation keeps no values for a backward pass.
    if (amp::isEvaluation(function))
      return;
    if (function.getBody().hasOneBlock())
      numRecomputed +=
          Recomputation(function.getBody().front(), minBytes).run();
  }
};

} // namespace
