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

namespace {

/// What is repeated. Each kind contains the ones before it.
enum class Repeats {
  Elements, ///< Ops that compute elements one by one, or move them.
  Rows,     ///< Ops over the rows of a tensor of their result's type.
  Products, ///< Contractions.
};

} // namespace

static bool hasOneResultAlone(Operation *op) {
  return op && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isPure(op);
}

static bool isElementwise(Operation *op) {
  return hasOneResultAlone(op) && (isa<ScalarBodyOpInterface, CastOp>(op) ||
                                   hasRule(op, PrecisionRule::Clear));
}

static bool goesOverRows(Operation *op) {
  return hasOneResultAlone(op) && hasRule(op, PrecisionRule::KeepF32) &&
         op->getNumOperands() > 0 &&
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

  /// Repeats what takes no longer to compute than to read, whatever memory
  /// there is. This and the next return the number of values that are no longer
  /// kept.
  unsigned repeatElements();
  /// Repeats what saves memory, up to a kind of ops, until the block keeps to
  /// the target's budget.
  unsigned keepToBudget(Repeats most);

private:
  SmallVector<Value> findKept() const;
  unsigned repeatWherePays(llvm::function_ref<bool()> isEnough);
  bool repeatCheapestContraction();
  bool isUsedLater(Value value) const;
  bool isFactorLater(Value value) const;
  double costOf(Operation *op) const;
  bool isRepeatable(Operation *op) const;
  bool extend(Value value, Chain &chain) const;
  int64_t savedBytes(Value value, const Chain &chain) const;
  void rewrite(Value value, const Chain &chain);
  Value cloneBefore(Value value, Operation *place, const Chain &chain);

  Block &block_;
  int64_t minBytes_;
  Repeats repeats_ = Repeats::Elements;
  Operation *peak_ = nullptr;
  DenseMap<Operation *, Operation *> clones_; ///< The clone of each op.
  /// The ops that are repeated, and their clones. None is repeated again: peaks
  /// move as values are dropped, and could take turns.
  DenseSet<Operation *> repeated_;
};

} // namespace

/// Ops that move elements, and elements that one further op alone computes
/// with, mostly need no memory of their own.
static int64_t weigh(Value value) {
  Operation *op = value.getDefiningOp();
  if (isFree(value) || hasRule(op, PrecisionRule::Clear) ||
      (value.hasOneUse() && isElementwise(op) &&
       isElementwise(*value.user_begin())))
    return 0;
  return kernel::bytesOf(value);
}

bool Recomputation::isUsedLater(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = block_.findAncestorOpInBlock(*user);
    return ancestor && peak_->isBeforeInBlock(ancestor);
  });
}

/// Whether a contraction behind the peak reads `value`, or elements of it that
/// were moved. It would read a recomputed value from memory.
bool Recomputation::isFactorLater(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (hasRule(user, PrecisionRule::Clear))
      return llvm::any_of(user->getResults(),
                          [&](Value moved) { return isFactorLater(moved); });
    Operation *ancestor = block_.findAncestorOpInBlock(*user);
    return ancestor && peak_->isBeforeInBlock(ancestor) &&
           hasRule(user, PrecisionRule::Lower);
  });
}

/// The operations of a contraction; 0 where contractions are not repeated.
double Recomputation::costOf(Operation *op) const {
  return repeats_ == Repeats::Products ? estimateFlops(op) : 0;
}

bool Recomputation::isRepeatable(Operation *op) const {
  return isElementwise(op) || (repeats_ >= Repeats::Rows && goesOverRows(op)) ||
         costOf(op) != 0;
}

/// Adds to `chain` the ops that compute `value` from at most one other value.
bool Recomputation::extend(Value value, Chain &chain) const {
  Operation *op = value.getDefiningOp();
  if (!isRepeatable(op) || chain.ops.size() >= kMaxOps)
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
    if (repeats_ == Repeats::Products && isKept)
      continue;
    if (chain.base)
      return false;
    chain.base = operand;
  }
  chain.ops.insert(op);
  chain.flops += costOf(op);
  return true;
}

/// The bytes of `value`, less those of the base where that is not kept anyway.
int64_t Recomputation::savedBytes(Value value, const Chain &chain) const {
  bool isKept = !chain.base || isUsedLater(chain.base);
  return kernel::bytesOf(value) - (isKept ? 0 : kernel::bytesOf(chain.base));
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

/// Repeats values that are kept, each by itself or with others that follow from
/// the same base, until `isEnough`.
unsigned Recomputation::repeatWherePays(llvm::function_ref<bool()> isEnough) {
  unsigned count = 0;
  // The values that wait for others, since their base takes as much.
  DenseMap<Value, SmallVector<Value>> waiting;
  auto repeat = [&](Value value) {
    Chain chain;
    if (!isUsedLater(value) || !extend(value, chain))
      return;
    rewrite(value, chain);
    ++count;
  };
  for (Value value : findKept()) {
    Chain chain;
    if (!isUsedLater(value) || !extend(value, chain) ||
        (repeats_ == Repeats::Elements && isFactorLater(value)))
      continue;
    SmallVector<Value> &others = waiting[chain.base];
    int64_t saved = savedBytes(value, chain);
    for (Value other : others)
      saved += kernel::bytesOf(other);
    others.push_back(value);
    if (saved < minBytes_)
      continue;
    llvm::for_each(std::exchange(others, {}), repeat);
    if (isEnough())
      break;
  }
  return count;
}

unsigned Recomputation::repeatElements() {
  repeats_ = Repeats::Elements;
  peak_ = kernel::findPeak(block_, weigh).op;
  return peak_ ? repeatWherePays([] { return false; }) : 0;
}

/// Repeats the contraction that takes the fewest operations for each byte that
/// it saves; false where none saves enough.
bool Recomputation::repeatCheapestContraction() {
  Value best;
  Chain bestChain;
  double leastCost = 0;
  for (Value value : findKept()) {
    Chain chain;
    if (!extend(value, chain) || chain.flops == 0 ||
        savedBytes(value, chain) < minBytes_)
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

unsigned Recomputation::keepToBudget(Repeats most) {
  auto exceeds = [&] { return kernel::findExcess(block_, weigh); };
  repeats_ = Repeats::Rows;
  peak_ = exceeds();
  unsigned count = peak_ ? repeatWherePays([&] { return !exceeds(); }) : 0;
  repeats_ = most;
  while (most == Repeats::Products && (peak_ = exceeds()) &&
         repeatCheapestContraction())
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
    numRecomputed += recomputation.repeatElements();
    numRecomputed += recomputation.keepToBudget(contractions ? Repeats::Products
                                                             : Repeats::Rows);
  }
};

} // namespace
