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
#include <cmath>

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

/// The operations of a contraction, about: twice the product of all extents. 0
/// for any other op.
static double estimateFlops(Operation *op) {
  if (!op || op->getNumResults() != 1 || op->getNumOperands() < 2 ||
      !isPure(op) || !hasRule(op, PrecisionRule::Lower))
    return 0;
  double elements = 1;
  for (Value tensor :
       {op->getOperand(0), op->getOperand(1), Value(op->getResult(0))})
    elements *= static_cast<double>(
        cast<RankedTensorType>(tensor.getType()).getNumElements());
  // Each extent of a product of matrices is there twice.
  return 2 * std::sqrt(elements);
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
  /// The start; null where the ops read only values that are free or kept
  /// anyway.
  Value base;
  double flops = 0; ///< Of its contractions.
};

class Recomputation {
public:
  Recomputation(Block &block, int64_t minBytes)
      : block_(block), minBytes_(minBytes) {}

  /// Each returns the number of values that are no longer kept.
  unsigned repeatCheapOps();
  unsigned repeatContractions();

private:
  bool findPeak();
  SmallVector<Value> findKept() const;
  bool repeatCheapestContraction();
  bool isUsedLater(Value value) const;
  bool extend(Value value, Chain &chain) const;
  bool pays(Value value, const Chain &chain) const;
  void rewrite(Value value, const Chain &chain);
  Value cloneBefore(Value value, Operation *place, const Chain &chain);

  Block &block_;
  int64_t minBytes_;
  bool contractions_ = false; ///< Whether chains have contractions.
  Operation *peak_ = nullptr;
  DenseMap<Operation *, Operation *> clones_; ///< The clone of each op.
  /// The ops that are repeated, and their clones. None is repeated again: peaks
  /// move as values are dropped, and could take turns.
  DenseSet<Operation *> repeated_;
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
  double flops = contractions_ ? estimateFlops(op) : 0;
  if ((!isCheap(op) && flops == 0) || chain.ops.size() >= kMaxOps)
    return false;
  for (Value operand : op->getOperands()) {
    if (isFree(operand) || operand == chain.base ||
        chain.ops.contains(operand.getDefiningOp()))
      continue;
    // A value computed from nothing, as a mask, is recomputed even where it is
    // kept.
    Chain longer = chain;
    bool extends = extend(operand, longer), isKept = isUsedLater(operand);
    bool repeatsKept = isKept && longer.flops > chain.flops;
    if (extends && (longer.base == chain.base || !isKept) && !repeatsKept) {
      chain = std::move(longer);
      continue;
    }
    // What is kept anyway costs nothing more.
    if (contractions_ && isKept)
      continue;
    if (chain.base)
      return false;
    chain.base = operand;
  }
  chain.ops.insert(op);
  chain.flops += flops;
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
    repeated_.insert(clone);
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
  repeated_.insert(value.getDefiningOp());
  Value again = cloneBefore(value, first, chain);
  for (OpOperand *use : uses)
    use->set(again);
}

/// Finds the op at which most bytes are live; false where they are few enough.
bool Recomputation::findPeak() {
  peak_ = kernel::findExcess(block_, weigh);
  return peak_ != nullptr;
}

/// The values that are kept across the peak.
SmallVector<Value> Recomputation::findKept() const {
  SmallVector<Value> kept;
  for (Operation &op : block_) {
    if (&op == peak_)
      break;
    for (Value result : op.getResults())
      if (!isFree(result) && kernel::bytesOf(result) >= minBytes_ &&
          !repeated_.contains(&op) && isUsedLater(result))
        kept.push_back(result);
  }
  return kept;
}

unsigned Recomputation::repeatCheapOps() {
  if (!findPeak())
    return 0;
  unsigned count = 0;
  for (Value value : findKept()) {
    Chain chain;
    if (!isUsedLater(value) || !extend(value, chain) || !pays(value, chain))
      continue;
    rewrite(value, chain);
    ++count;
    if (!kernel::findExcess(block_, weigh))
      break;
  }
  return count;
}

/// Repeats the contraction that takes the fewest operations for each byte that
/// it saves; false where none saves enough.
bool Recomputation::repeatCheapestContraction() {
  Value best;
  Chain bestChain;
  double leastCost = 0;
  for (Value value : findKept()) {
    Chain chain;
    if (!extend(value, chain) || chain.flops == 0 || !pays(value, chain))
      continue;
    double cost = chain.flops / static_cast<double>(kernel::bytesOf(value));
    if (best && cost >= leastCost)
      continue;
    best = value;
    bestChain = chain;
    leastCost = cost;
  }
  if (best)
    rewrite(best, bestChain);
  return best != nullptr;
}

unsigned Recomputation::repeatContractions() {
  contractions_ = true;
  unsigned count = 0;
  while (findPeak() && repeatCheapestContraction())
    ++count;
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
    if (!function.getBody().hasOneBlock())
      return;
    Recomputation recomputation(function.getBody().front(), minBytes);
    numRecomputed += recomputation.repeatCheapOps();
    if (contractions)
      numRecomputed += recomputation.repeatContractions();
  }
};

} // namespace
