// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-autocast: gives every op a precision and inserts the casts.
#include "passes/NN/Passes.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/AutocastDecisions.h"
#include "passes/NN/CastPlacement.h"
#include "passes/NN/FollowedType.h"
#include "passes/NN/PrecisionRecord.h"

namespace mpc::nn {
#define GEN_PASS_DEF_AUTOCASTPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

static Type elementType(Value value) {
  return getElementTypeOrSelf(value.getType());
}

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

namespace {

struct AutocastPass : mpc::nn::impl::AutocastPassBase<AutocastPass> {
  using AutocastPassBase::AutocastPassBase;

  AutocastPass(const AutocastPassOptions &options,
               std::shared_ptr<const AutocastPolicy> loaded)
      : AutocastPassBase(options), loaded_(std::move(loaded)) {}

  LogicalResult initialize(MLIRContext *context) override {
    auto report = [&](const std::string &message) {
      emitError(UnknownLoc::get(context), message);
    };
    auto keep = NamePatterns::compile(
        SmallVector<std::string>(keepF32.begin(), keepF32.end()), report);
    auto down = NamePatterns::compile(
        SmallVector<std::string>(lower.begin(), lower.end()), report);
    if (failed(keep) || failed(down))
      return failure();
    keepPatterns_ = *keep;
    lowerPatterns_ = *down;
    if (loaded_)
      return success();
    PolicyOrError found = loadAutocastPolicy(policy, *context);
    if (!found.first)
      return emitError(UnknownLoc::get(context), found.second.message);
    loaded_ = found.first;
    return success();
  }

  void runOnOperation() override {
    Type low = lowType();
    DecisionMaker maker(loaded_, keepPatterns_, lowerPatterns_);
    DenseSet<StringAttr> models = findModels();
    bool anyLow = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      bool isModel = models.empty() || models.contains(function.getNameAttr());
      FailureOr<Decisions> made =
          maker.decide(function, isModel ? low : Type());
      if (failed(made))
        return signalPassFailure();
      decisions_ = std::move(*made);
      anyLow |= llvm::any_of(decisions_,
                             [](auto &entry) { return entry.second.low; });
      castFunction(function);
    }
    if (anyLow)
      maker.warnOfUnused(&getContext());
  }

private:
  /// Where a step is written out, the functions that it calls are the models,
  /// and its own arithmetic stays as it is written. Empty where there is none.
  DenseSet<StringAttr> findModels() {
    DenseSet<StringAttr> models;
    getOperation().walk(
        [&](VJPOp op) { models.insert(op.getCalleeAttr().getAttr()); });
    return models;
  }

  /// The type that is cast to; null for fp32, which lowers nothing.
  Type lowType() {
    return precision == Precision::FP32 ? Type()
                                        : typeOf(precision, &getContext());
  }

  void castFunction(func::FuncOp function) {
    written_.clear();
    origins_.clear();
    function.walk([&](Operation *op) {
      Written &as = written_[op];
      for (Value operand : op->getOperands()) {
        as.types.push_back(operand.getType());
        as.isOwn.push_back(hasOwnType(op, operand));
      }
    });
    for (Block &block : function.getBody()) {
      castBlock(block);
      castOperands(block.getTerminator(), function.getResultTypes());
    }
  }

  /// Gives operands the declared types: results of functions and regions, and
  /// operands of ops that have no rule.
  void castOperands(Operation *op, TypeRange types) {
    OpBuilder builder(op);
    for (auto [operand, type] : llvm::zip(op->getOpOperands(), types))
      if (operand.get().getType() != type)
        operand.set(cast(builder, op->getLoc(), operand.get(),
                         getElementTypeOrSelf(type)));
  }

  void castBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto decision = decisions_.find(&op);
      if (auto region = dyn_cast<AutocastOp>(op))
        inlineRegion(region);
      else if (auto cast = dyn_cast<CastOp>(op))
        settleCast(cast);
      else if (decision != decisions_.end())
        castOp(&op, settle(&op, decision->second));
      else if (!op.hasTrait<OpTrait::IsTerminator>())
        castOperands(&op, written_[&op].types);
    }
  }

  /// A cast takes what it is given. One that was written and changes no type
  /// has said all that it says once what it reads has its type.
  void settleCast(CastOp cast) {
    cast->removeAttr(kWrittenAttr);
    if (cast.getInput().getType() != cast.getOutput().getType())
      return;
    cast.getOutput().replaceAllUsesWith(cast.getInput());
    cast.erase();
  }

  void inlineRegion(AutocastOp region) {
    Block &body = region.getBody().front();
    castBlock(body);
    Operation *yield = body.getTerminator();
    castOperands(yield, region.getResultTypes());
    SmallVector<Value> results(yield->getOperands());
    yield->erase();
    region->getBlock()->getOperations().splice(region->getIterator(),
                                               body.getOperations());
    region->replaceAllUsesWith(results);
    region->erase();
  }

  /// The mark that leaves an op of this rule to nn-simplify-casts, empty where
  /// the rule settles its type.
  static StringRef openAttr(PrecisionRule rule) {
    switch (rule) {
    case PrecisionRule::Infer:
    case PrecisionRule::Clear:
      return kFreeAttr;
    case PrecisionRule::Lower:
      return kRefusableAttr;
    case PrecisionRule::KeepF32:
    case PrecisionRule::Promote:
      return {};
    }
    llvm_unreachable("unknown rule");
  }

  /// A policy lowers no op into infinity: 0 * -3e38, as models mask with, would
  /// be NaN. Where a flag or a rule asks for it, it is done.
  Decision settle(Operation *op, Decision decision) {
    if (!decision.low || decision.isForced ||
        decision.rule.rule != PrecisionRule::Lower)
      return decision;
    if (Value constant = findOverflow(chosenValues(op),
                                      mlir::cast<FloatType>(decision.low))) {
      decision.rule.rule = PrecisionRule::KeepF32;
      decision.rule.why = describeSource(constant) + " is infinite in " +
                          typeName(decision.low) + " (" + decision.rule.why +
                          ")";
    }
    return decision;
  }

  static bool follows(const Decision &decision) {
    return decision.rule.rule != PrecisionRule::Lower &&
           decision.rule.rule != PrecisionRule::KeepF32;
  }

  /// The type that `op` runs in; null where nothing may be cast.
  FollowedType targetOf(Operation *op, const Decision &decision) {
    // What an outer region has lowered comes back to the type that the op was
    // written in.
    if (!decision.low)
      return {widestType(writtenTypes(op)), {}, {}};
    FollowedType followed = promotionOf(op).followedType();
    if (!followed.type || follows(decision))
      return followed;
    bool isLow = decision.rule.rule == PrecisionRule::Lower;
    return {isLow ? decision.low : Float32Type::get(op->getContext()), {}, {}};
  }

  void castOp(Operation *op, const Decision &decision) {
    FollowedType target = targetOf(op, decision);
    std::string why = explain ? whyIs(op, decision, target) : "";
    StringRef mark = leaveOpen && target.type && decision.isOpen
                         ? openAttr(decision.rule.rule)
                         : StringRef();
    if (!mark.empty())
      op->setAttr(mark, TypeAttr::get(decision.low));
    op->removeDiscardableAttr(kLossAttr);
    op->removeDiscardableAttr(kCallAttr);
    if (target.type)
      setPrecision(op, target.type, /*carry=*/static_cast<bool>(decision.low));
    if (explain)
      setPrecisionRecord(op, {decision.low && target.type
                                  ? stringifyPrecisionRule(decision.rule.rule)
                                  : "as-written",
                              decision.source,
                              target.type ? typeName(target.type) : "", why});
  }

  /// This runs before the operands are cast, since their types decide what an
  /// op follows.
  std::string whyIs(Operation *op, const Decision &decision,
                    const FollowedType &target) {
    std::string why = decision.rule.why;
    if (!target.type)
      return "it has no operand that could be cast: f64 and integers are left "
             "alone";
    if (!decision.low)
      return why + ": it runs as it was written";
    std::string carried = describeCarried(op, target.type);
    if (!follows(decision))
      return why + carried;
    return why + "; " + typeName(target.type) + " comes from " +
           describeFollowed(op, target, decision.low) + carried;
  }

  /// The numbers that `op` carries, for people; empty where there are none.
  std::string describeCarried(Operation *op, Type type) {
    Promotion promotion = promotionOf(op);
    std::string text;
    for (Value operand : chosenValues(op))
      if (promotion.readType(operand, type) != type)
        text += "; " + describeSource(operand) + " stays f32 within";
    return text;
  }

  /// Names the operand that brought the type of an op, and the value where that
  /// type arose.
  std::string describeFollowed(Operation *op, const FollowedType &target,
                               Type low) {
    if (!target.from)
      return "operands of two 16-bit types";
    std::string from = describeSource(target.from);
    auto known = origins_.find(target.from.getDefiningOp());
    bool follows = known != origins_.end();
    std::string origin = follows ? known->second : from;
    origins_[op] = origin;
    if (!target.loss.empty())
      return from + ", which is " + target.loss.str() + " in " + typeName(low);
    return follows && origin != from ? from + ", which has it from " + origin
                                     : from;
  }

  /// The types, as written, of the operands that have none of their own.
  SmallVector<Type> writtenTypes(Operation *op) {
    const Written &as = written_[op];
    SmallVector<Type> types;
    for (auto [type, isOwn] : llvm::zip_equal(as.types, as.isOwn))
      if (!isOwn)
        types.push_back(type);
    return types;
  }

  /// The operands of `op` that may be cast. Which have a type of their own says
  /// the op as it was written: what it reads may have been cast since.
  SmallVector<OpOperand *> chosenOperands(Operation *op) {
    SmallVector<OpOperand *> chosen;
    for (auto [operand, isOwn] :
         llvm::zip_equal(op->getOpOperands(), written_[op].isOwn))
      if (!isOwn && isCastable(elementType(operand.get())))
        chosen.push_back(&operand);
    return chosen;
  }

  SmallVector<Value> chosenValues(Operation *op) {
    return llvm::map_to_vector(
        chosenOperands(op), [](OpOperand *operand) { return operand->get(); });
  }

  Promotion promotionOf(Operation *op) {
    return {op, chosenValues(op), loaded_->base->numbers};
  }

  /// Casts the operands of `op` for `target` and lets its results follow.
  /// `carry` says whether it may carry numbers.
  void setPrecision(Operation *op, Type target, bool carry) {
    OpBuilder builder(op);
    Promotion promotion = promotionOf(op);
    for (OpOperand *operand : chosenOperands(op)) {
      Value value = operand->get();
      Type type = carry ? promotion.readType(value, target) : target;
      operand->set(cast(builder, op->getLoc(), value, type,
                        op->getAttr(kRefusableAttr)));
    }
    for (Value result : op->getResults())
      if (isCastable(elementType(result)) && !hasOwnType(op, result))
        result.setType(
            mlir::cast<RankedTensorType>(result.getType()).clone(target));
  }

  /// `mark` says that the cast goes where the op that it is for is refused.
  Value cast(OpBuilder &builder, Location loc, Value value, Type target,
             Attribute mark = {}) {
    auto type = mlir::cast<RankedTensorType>(value.getType());
    if (type.getElementType() == target)
      return value;
    ++numCasts;
    auto cast = CastOp::create(builder, loc, type.clone(target), value);
    if (mark)
      cast->setAttr(kRefusableAttr, mark);
    return cast;
  }

  std::shared_ptr<const AutocastPolicy> loaded_;
  NamePatterns keepPatterns_, lowerPatterns_;
  Decisions decisions_;
  /// The operands of an op before any cast: their types, and which of them have
  /// their own.
  struct Written {
    SmallVector<Type> types;
    SmallVector<bool> isOwn;
  };
  DenseMap<Operation *, Written> written_;
  /// Where an op that follows its operands has its type from at first.
  DenseMap<Operation *, std::string> origins_;
};

} // namespace

std::unique_ptr<Pass>
mpc::nn::createAutocastPass(const AutocastPassOptions &options,
                            std::shared_ptr<const AutocastPolicy> policy) {
  return std::make_unique<AutocastPass>(options, std::move(policy));
}
