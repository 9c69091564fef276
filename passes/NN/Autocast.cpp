// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-autocast: gives every op a precision and inserts the casts.
#include "passes/NN/Passes.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/CastPlacement.h"

namespace mpc::nn {
#define GEN_PASS_DEF_AUTOCASTPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// f16, bf16 and f32 may be cast; f64 and integers are never touched.
static bool isCastable(Type elementType) {
  return elementType.isF16() || elementType.isBF16() || elementType.isF32();
}

static Type elementType(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// The widest castable type among the operands: f32 where two 16-bit types
/// meet. Null where no operand may be cast.
static Type widestType(Operation *op) {
  Type widest;
  for (Value operand : op->getOperands()) {
    Type type = elementType(operand);
    if (!isCastable(type))
      continue;
    if (!widest || widest == type)
      widest = type;
    else
      widest = Float32Type::get(op->getContext());
  }
  return widest;
}

namespace {

/// What a region says of precision. A null low type leaves ops as written.
struct Precision {
  Type low;
};

struct AutocastPass : mpc::nn::impl::AutocastPassBase<AutocastPass> {
  using AutocastPassBase::AutocastPassBase;

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
    keepPatterns = *keep;
    lowerPatterns = *down;
    return success();
  }

  void runOnOperation() override {
    FailureOr<Type> low = parsePrecision();
    if (failed(low))
      return signalPassFailure();
    DenseSet<StringAttr> models = findModels();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      bool isModel = models.empty() || models.contains(function.getNameAttr());
      if (failed(castFunction(function, Precision{isModel ? *low : Type()})))
        return signalPassFailure();
    }
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

  FailureOr<Type> parsePrecision() {
    MLIRContext *context = &getContext();
    if (precision == "fp32")
      return Type();
    if (precision == "bf16")
      return Type(BFloat16Type::get(context));
    if (precision == "fp16" || precision == "mixed")
      return Type(Float16Type::get(context));
    return getOperation().emitError()
           << "unknown precision '" << precision
           << "'; known are fp32, bf16, fp16 and mixed (fp16)";
  }

  LogicalResult castFunction(func::FuncOp function, Precision precision) {
    written.clear();
    function.walk([&](Operation *op) { written[op] = widestType(op); });
    for (Block &block : function.getBody()) {
      castBlock(block, precision);
      castResults(block.getTerminator(), function.getResultTypes());
    }
    return success();
  }

  /// Results of functions and regions keep their declared types.
  void castResults(Operation *terminator, TypeRange types) {
    OpBuilder builder(terminator);
    for (auto [operand, type] : llvm::zip(terminator->getOpOperands(), types))
      if (operand.get().getType() != type)
        operand.set(cast(builder, terminator->getLoc(), operand.get(),
                         getElementTypeOrSelf(type)));
  }

  void castBlock(Block &block, Precision precision) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto region = dyn_cast<AutocastOp>(op)) {
        inlineRegion(region, precision);
        continue;
      }
      if (auto rule = dyn_cast<PrecisionOpInterface>(op))
        castOp(&op, rule.getPrecisionRule(), precision);
    }
  }

  void inlineRegion(AutocastOp region, Precision outer) {
    Precision inner = outer;
    if (!region.getEnabled())
      inner.low = Type();
    else if (region.getDtype())
      inner.low = *region.getDtype();
    Block &body = region.getBody().front();
    castBlock(body, inner);
    Operation *yield = body.getTerminator();
    castResults(yield, region.getResultTypes());
    SmallVector<Value> results(yield->getOperands());
    yield->erase();
    region->getBlock()->getOperations().splice(region->getIterator(),
                                               body.getOperations());
    region->replaceAllUsesWith(results);
    region->erase();
  }

  std::optional<PrecisionRule> applyPatterns(Operation *op) const {
    StringRef node = getNodeName(op->getLoc());
    StringRef name = op->getName().stripDialect();
    if (keepPatterns.matches(node) || keepPatterns.matches(name))
      return PrecisionRule::KeepF32;
    if (lowerPatterns.matches(node) || lowerPatterns.matches(name))
      return PrecisionRule::Lower;
    return std::nullopt;
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

  void castOp(Operation *op, PrecisionRule rule, Precision precision) {
    Type target = widestType(op);
    if (!target)
      return;
    StringRef mark;
    if (!precision.low) {
      // What an outer region has lowered comes back to the type that the op
      // was written in.
      target = written.lookup(op);
    } else {
      std::optional<PrecisionRule> chosen = applyPatterns(op);
      if (leaveOpen && !chosen)
        mark = openAttr(rule);
      rule = chosen.value_or(rule);
      if (rule == PrecisionRule::Lower)
        target = precision.low;
      else if (rule == PrecisionRule::KeepF32)
        target = Float32Type::get(op->getContext());
    }
    if (!mark.empty())
      op->setAttr(mark, TypeAttr::get(precision.low));
    setPrecision(op, target);
  }

  /// Casts the operands of `op` to `target` and lets its results follow.
  void setPrecision(Operation *op, Type target) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isCastable(elementType(operand.get())))
        operand.set(cast(builder, op->getLoc(), operand.get(), target,
                         op->getAttr(kRefusableAttr)));
    for (Value result : op->getResults())
      if (isCastable(elementType(result)))
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

  NamePatterns keepPatterns, lowerPatterns;
  /// The widest operand of each op before any cast.
  DenseMap<Operation *, Type> written;
};

} // namespace
