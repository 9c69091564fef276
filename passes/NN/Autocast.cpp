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
#include "llvm/ADT/SetVector.h"

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
    return loadIfMissing(loaded_, policy, *context);
  }

  void runOnOperation() override {
    Type low = lowType();
    DecisionMaker maker(loaded_, keepPatterns_, lowerPatterns_);
    DenseSet<StringAttr> models = findModels();
    bool anyLow = false;
    for (func::FuncOp function : findFunctions()) {
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
  /// The functions with a body. A loop's body comes after the function of the
  /// loop, which decides the types that it takes.
  SmallVector<func::FuncOp> findFunctions() {
    llvm::SetVector<func::FuncOp> bodies, others;
    numLoops_.clear();
    getOperation().walk([&](ScanOp scan) {
      if (auto body =
              getOperation().lookupSymbol<func::FuncOp>(scan.getBody())) {
        bodies.insert(body);
        ++numLoops_[body];
      }
    });
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && !bodies.contains(function))
        others.insert(function);
    // Loops in bodies of loops were found later than those around them.
    others.insert_range(bodies);
    return others.takeVector();
  }

  /// Where a module writes its step out, the models are the functions that the
  /// step calls, and the step's own arithmetic is not cast. Empty where it
  /// writes no step.
  DenseSet<StringAttr> findModels() {
    DenseSet<StringAttr> models;
    SmallVector<StringAttr> work;
    getOperation().walk(
        [&](VJPOp op) { work.push_back(op.getCalleeAttr().getAttr()); });
    while (!work.empty()) {
      StringAttr name = work.pop_back_val();
      auto model = getOperation().lookupSymbol<func::FuncOp>(name);
      if (models.insert(name).second && model)
        model.walk(
            [&](ScanOp scan) { work.push_back(scan.getBodyAttr().getAttr()); });
    }
    return models;
  }

  /// The type to which ops are lowered; null for fp32, which lowers none.
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

  /// Casts operands to declared types: for results of functions and regions,
  /// and for operands of ops without a precision rule.
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
      else if (auto scan = dyn_cast<ScanOp>(op))
        settleScan(scan);
      else if (!op.hasTrait<OpTrait::IsTerminator>())
        castOperands(&op, written_[&op].types);
    }
  }

  /// Lets the body of a loop take what is the same in all turns, and entries of
  /// stacks, in the types that these have now. What is carried keeps its type,
  /// and so does everything where several loops have the body.
  void settleScan(ScanOp scan) {
    OperandRange inits = scan.getInits();
    TypeRange types = written_[scan].types;
    auto body = getOperation().lookupSymbol<func::FuncOp>(scan.getBody());
    if (numLoops_.lookup(body) > 1)
      return castOperands(scan, types);
    castOperands(scan, types.take_front(inits.size()));
    for (BlockArgument argument :
         body.getArguments().drop_front(inits.size())) {
      Value operand = scan->getOperand(argument.getArgNumber());
      auto type = mlir::cast<RankedTensorType>(argument.getType());
      argument.setType(type.clone(elementType(operand)));
    }
    body.setFunctionType(FunctionType::get(&getContext(),
                                           body.getBody().getArgumentTypes(),
                                           body.getResultTypes()));
  }

  /// Settles a cast, which takes its operand in any type. A cast that the model
  /// wrote, and that changes no type, is done once its operand has that type.
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

  /// The mark that leaves an op of this rule to nn-simplify-casts; empty where
  /// the rule settles the op's type.
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

  /// A policy lowers no op into infinity: 0 * -3e38, with the number of a mask,
  /// would be NaN. A flag or a rule that asks for it is followed.
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

  /// The type in which `op` runs; null where nothing may be cast.
  FollowedType targetOf(Operation *op, const Decision &decision) {
    // A value that an outer region has lowered returns to the type in which the
    // op was written.
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

  /// Explains the decision. This runs before operands are cast, since an op
  /// follows its operands' types.
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

  /// The numbers that `op` keeps in f32, for people; empty where there are
  /// none.
  std::string describeCarried(Operation *op, Type type) {
    Promotion promotion = promotionOf(op);
    std::string text;
    for (Value operand : chosenValues(op))
      if (promotion.readType(operand, type) != type)
        text += "; " + describeSource(operand) + " stays f32 within";
    return text;
  }

  /// Names the operand from which an op takes its type, and the value where
  /// that type arose.
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

  /// The original types of the operands without a type of their own.
  SmallVector<Type> writtenTypes(Operation *op) {
    const Written &as = written_[op];
    SmallVector<Type> types;
    for (auto [type, isOwn] : llvm::zip_equal(as.types, as.isOwn))
      if (!isOwn)
        types.push_back(type);
    return types;
  }

  /// The operands of `op` that may be cast. Whether an operand has a type of
  /// its own depends on the op before any cast.
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
  /// `carry` says whether it may keep numbers in f32.
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

  /// Casts `value`. `mark` says that the cast is removed where the op it is for
  /// is refused.
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
  /// The operands of an op before any cast: their types, and whether each has a
  /// type of its own.
  struct Written {
    SmallVector<Type> types;
    SmallVector<bool> isOwn;
  };
  DenseMap<Operation *, Written> written_;
  DenseMap<Operation *, unsigned> numLoops_; ///< Of each body.
  /// The origin of the type of an op that follows its operands, before later
  /// passes.
  DenseMap<Operation *, std::string> origins_;
};

} // namespace

std::unique_ptr<Pass>
mpc::nn::createAutocastPass(const AutocastPassOptions &options,
                            std::shared_ptr<const AutocastPolicy> policy) {
  return std::make_unique<AutocastPass>(options, std::move(policy));
}
