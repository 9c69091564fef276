// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-data-parallel: sums gradients over the ranks of a training.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/RandomState.h"
#include "dialects/AMP/Recipe.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/Gradient.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "runtime/Program/StepNames.h"

namespace mpc::amp {
#define GEN_PASS_DEF_DATAPARALLELPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// Whether `gradients` are those of one batch of several.
static bool isAccumulated(Value gradients) {
  return llvm::any_of(gradients.getUsers(), llvm::IsaPred<AccumulateOp>);
}

/// The gradients of `entry` that are complete but for those of other ranks.
static SmallVector<Value> findOwnGradients(func::FuncOp entry) {
  SmallVector<Value> found;
  entry.walk([&](Operation *op) {
    bool isTaken = isa<TakeGradientsOp>(op);
    bool isGathered = isa<GatherOp>(op) && !isAccumulated(op->getResult(0));
    if (isTaken || isGathered)
      found.push_back(op->getResult(0));
  });
  return found;
}

static void exchange(Value gradients, int64_t ranks) {
  OpBuilder b(gradients.getContext());
  b.setInsertionPointAfterValue(gradients);
  auto sum = ExchangeOp::create(b, gradients.getLoc(), gradients.getType(),
                                gradients, ranks);
  gradients.replaceAllUsesExcept(sum, sum);
}

//===----------------------------------------------------------------------===//
// Parts of the state
//===----------------------------------------------------------------------===//

/// Whether `op`, which takes gradients, can work on a rank's part of them.
static bool worksOnParts(Operation *op) {
  if (auto transform = dyn_cast<GradientTransformInterface>(op))
    return !transform.needsTensors();
  return isa<CheckOp, MaxAbsOp, ApplyOp>(op);
}

namespace {

/// Divides the state of an optimizer among ranks, each of which then updates
/// the elements that it sums. A whole gradient is left where an op needs one.
class StateDivision {
public:
  explicit StateDivision(OptimizerInterface optimizer)
      : optimizer_(optimizer) {}

  /// Finds how the gradients of the optimizer are used in `entry`.
  void addUses(func::FuncOp entry) {
    for (auto exchange : entry.getOps<ExchangeOp>())
      if (isOwn(exchange.getOutput()))
        follow(exchange.getOutput());
    for (auto apply : entry.getOps<ApplyOp>())
      if (isOwn(apply.getGradients()) &&
          !llvm::is_contained(gradients_, apply.getGradients()))
        blocked_ = apply;
  }

  void divide(int64_t ranks) {
    if (gradients_.empty())
      return;
    if (std::string reason = findReason(); !reason.empty()) {
      optimizer_->emitRemark("the state is not divided among ranks: ")
          << reason;
      return;
    }
    for (Value gradients : gradients_)
      gradients.setType(GradientsType::get(
          cast<GradientsType>(gradients.getType()).getOptimizer(), ranks));
  }

private:
  bool isOwn(Value gradients) const {
    auto type = cast<GradientsType>(gradients.getType());
    return type.getOptimizer().getAttr() ==
           SymbolTable::getSymbolName(optimizer_);
  }

  void follow(Value gradients) {
    gradients_.push_back(gradients);
    for (Operation *user : gradients.getUsers()) {
      if (!worksOnParts(user))
        blocked_ = user;
      for (Value result : user->getResults())
        if (isa<GradientsType>(result.getType()))
          follow(result);
    }
  }

  /// Why each rank has the whole state; empty for no reason.
  std::string findReason() {
    if (blocked_)
      return ("'" + blocked_->getName().getStringRef() +
              "' needs the gradients of whole tensors")
          .str();
    if (optimizer_.needsTensors())
      return "its updates go by norms of whole tensors";
    auto isNarrow = [](Type type) { return !type.isF32(); };
    for (const SlotTensor &slot : optimizer_.getAllSlots())
      if (isNarrow(slot.elementType))
        return "slots of 16 bits are rounded by the place of an element";
    for (auto symbol : optimizer_.getTrains().getAsRange<FlatSymbolRefAttr>())
      if (auto parameter =
              SymbolTable::lookupNearestSymbolFrom<nn::ParameterOp>(optimizer_,
                                                                    symbol);
          parameter && isNarrow(getElementTypeOrSelf(parameter.getType())))
        return "weights of 16 bits are rounded by the place of an element";
    return "";
  }

  OptimizerInterface optimizer_;
  SmallVector<Value> gradients_;
  Operation *blocked_ = nullptr; ///< An op that cannot work on parts.
};

} // namespace

//===----------------------------------------------------------------------===//
// State of a rank
//===----------------------------------------------------------------------===//

/// Whether `op` reads or writes state that each rank has of its own batches.
template <typename OpT>
static bool isOfRank(OpT op) {
  Operation *parameter =
      SymbolTable::lookupNearestSymbolFrom(op, op.getParameterAttr());
  return parameter && getBatchesOf(parameter);
}

/// Whether `value`, which is an argument of an entry, is a number of the step
/// and no data of a batch.
static bool isNumberOfStep(BlockArgument value) {
  auto entry = dyn_cast<func::FuncOp>(value.getOwner()->getParentOp());
  StringAttr name = entry ? nn::getArgumentName(value) : StringAttr();
  return name && rt::step::isRate(name.str());
}

/// Whether all ranks have the same `value`: it follows from the state that they
/// share and from what they exchanged.
static bool isShared(Value value) {
  SetVector<Value> visited;
  visited.insert(value);
  for (size_t i = 0; i != visited.size(); ++i) {
    Operation *op = visited[i].getDefiningOp();
    auto get = dyn_cast_or_null<nn::GetOp>(op);
    if (isa_and_present<ExchangeOp, AllGatherOp>(op))
      continue;
    if (isa_and_present<RandomStateOp, TakeGradientsOp>(op) ||
        (!op && !isNumberOfStep(cast<BlockArgument>(visited[i]))) ||
        (get && isOfRank(get)))
      return false;
    if (!op)
      continue;
    visited.insert_range(op->getOperands());
    getUsedValuesDefinedAbove(op->getRegions(), visited);
  }
  return true;
}

/// Numbers the batches of `random` from the rank's first one on.
static void addFirstBatch(RandomStateOp random, func::FuncOp entry) {
  OpBuilder b(random->getContext());
  b.setInsertionPointAfter(random);
  unsigned index = entry.getNumArguments();
  Type type = random.getBatch().getType();
  (void)entry.insertArgument(
      index, type,
      b.getDictionaryAttr(nn::nameAttribute(b, rt::step::kFirstBatch)),
      random.getLoc());
  Value number = nn::AddOp::create(b, random.getLoc(), random.getBatch(),
                                   entry.getArgument(index));
  random.getBatch().replaceAllUsesExcept(number, number.getDefiningOp());
}

namespace {

struct DataParallelPass
    : mpc::amp::impl::DataParallelPassBase<DataParallelPass> {
  using DataParallelPassBase::DataParallelPassBase;

  void runOnOperation() override {
    RecipeOp recipe = findRecipe(getOperation());
    if (!recipe || recipe.getRanks() == 1)
      return;
    for (func::FuncOp entry : getOperation().getOps<func::FuncOp>())
      if (isEntry(entry) &&
          failed(share(entry, static_cast<int64_t>(recipe.getRanks()))))
        return signalPassFailure();
    if (!recipe.getReplicated())
      divideState(static_cast<int64_t>(recipe.getRanks()));
  }

private:
  void divideState(int64_t ranks) {
    for (auto optimizer : getOperation().getOps<OptimizerInterface>()) {
      StateDivision division(optimizer);
      for (auto entry : getOperation().getOps<func::FuncOp>())
        if (isEntry(entry))
          division.addUses(entry);
      division.divide(ranks);
    }
  }

  static LogicalResult share(func::FuncOp entry, int64_t ranks) {
    for (Value gradients : findOwnGradients(entry))
      exchange(gradients, ranks);
    for (auto assign : entry.getOps<AssignOp>())
      if (!isOfRank(assign) && !llvm::all_of(assign->getOperands(), isShared))
        return assign.emitError("'") << assign.getParameter()
                                     << "' follows from a batch, and ranks "
                                        "have batches of their own: "
                                        "train it on one rank";
    for (auto random :
         llvm::make_early_inc_range(entry.getOps<RandomStateOp>()))
      addFirstBatch(random, entry);
    return success();
  }
};

} // namespace
