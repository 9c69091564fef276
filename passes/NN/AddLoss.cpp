// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-add-loss: makes @loss from @model and a loss function.
#include "passes/NN/Passes.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/BufferResults.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/Ranges.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/MetricSums.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

namespace mpc::nn {
#define GEN_PASS_DEF_ADDLOSSPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

static std::string resultName(func::FuncOp function, unsigned index) {
  if (auto name = getResultName(function, index))
    return name.str();
  return "#" + std::to_string(index);
}

static bool isFloating(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// Whether a result is the next value of a buffer. The next step reads it, and
/// no loss is computed from it.
static bool isStatistic(func::FuncOp function, unsigned index) {
  if (isBufferResult(function, index))
    return true;
  Operation *terminator = function.getBody().front().getTerminator();
  auto value = dyn_cast<OpResult>(terminator->getOperand(index));
  return value && isa<mpc::TrainingOpInterface>(value.getOwner()) &&
         value.getResultNumber() != 0;
}

/// The result named `wanted`, or, without a name, the only floating one.
static FailureOr<unsigned> findResult(func::FuncOp function, StringRef wanted) {
  SmallVector<std::string> names;
  SmallVector<unsigned> candidates;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    std::string name = resultName(function, i);
    if (isFloating(function.getResultTypes()[i])) {
      if (wanted == name)
        return i;
      if (isStatistic(function, i))
        continue;
      names.push_back("'" + name + "'");
      candidates.push_back(i);
    }
  }
  if (!wanted.empty())
    return function.emitError()
           << "the model has no floating output '" << wanted
           << "'; its floating outputs are " << llvm::join(names, ", ");
  if (candidates.empty())
    return function.emitError() << "the model has no floating output to take "
                                   "the loss of";
  if (candidates.size() > 1)
    return function.emitError()
           << "the model has more than one floating output: "
           << llvm::join(names, ", ")
           << "; name one, as in --loss=cross_entropy:NAME or "
              "--loss=output:NAME";
  return candidates.front();
}

/// The shape of labels for `logits` with classes on `axis`.
static SmallVector<int64_t> labelShape(RankedTensorType logits, int64_t axis) {
  SmallVector<int64_t> shape(logits.getShape());
  shape.erase(shape.begin() + axis);
  return shape;
}

/// The class axis where the shape of labels does not tell. Language models have
/// the classes last.
static int64_t usualClassAxis(RankedTensorType logits) {
  int64_t rank = logits.getRank();
  return rank == 3 ? 2 : std::min<int64_t>(1, rank - 1);
}

/// "[2x5]".
static std::string textOf(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream(text) << '[' << llvm::interleaved(shape, "x") << ']';
  return text;
}

/// Marks the ops between `last`, or the block's begin where it is null, and the
/// terminator as the loss'.
static void markLoss(Block &block, Operation *last) {
  for (Operation &op : llvm::make_range(
           last ? std::next(last->getIterator()) : block.begin(), block.end()))
    if (isa<mpc::PrecisionOpInterface>(op))
      op.setAttr(kLossAttr, UnitAttr::get(op.getContext()));
}

/// Stops the gradient through a result that is kept beside the loss.
static void detachResult(func::FuncOp function, unsigned index) {
  OpOperand &result =
      function.getBody().front().getTerminator()->getOpOperand(index);
  if (!isFloating(result.get().getType()))
    return;
  OpBuilder builder(result.getOwner());
  result.set(StopGradientOp::create(builder, function.getLoc(), result.get()));
}

/// Erases results of the model. New statistics stay, and with `outputs` all
/// results but the loss.
static LogicalResult eraseResults(func::FuncOp function, bool outputs,
                                  std::optional<unsigned> loss) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (unsigned i = function.getNumResults(); i-- > 0;) {
    if (isBufferResult(function, i))
      continue;
    if (outputs && i != loss) {
      detachResult(function, i);
      continue;
    }
    terminator->eraseOperand(i);
    if (failed(function.eraseResult(i)))
      return failure();
  }
  return success();
}

namespace {

struct AddLossPass : mpc::nn::impl::AddLossPassBase<AddLossPass> {
  using AddLossPassBase::AddLossPassBase;

  void runOnOperation() override {
    if (failed(addLoss()))
      signalPassFailure();
  }

private:
  LogicalResult addLoss() {
    ModuleOp module = getOperation();
    auto model = module.lookupSymbol<func::FuncOp>(kModelFunction);
    if (!model || model.isDeclaration() || !model.getBody().hasOneBlock())
      return module.emitError("has no function @model of one block");
    if (module.lookupSymbol(kLossFunction))
      return module.emitError(takenSymbol(kLossFunction));
    const LossFunction *rule = findLoss(loss);
    if (!rule)
      return module.emitError()
             << "unknown loss '" << loss << "'; known are " << knownLosses();
    FailureOr<unsigned> result = findResult(model, output);
    if (failed(result))
      return failure();
    if (measures && failed(addMeasure(model, *rule, *result)))
      return failure();
    func::FuncOp clone = cloneAs(kLossFunction, model);
    model.setPrivate();
    return finish(clone, *rule, *result);
  }

  static func::FuncOp cloneAs(StringRef name, func::FuncOp model) {
    auto clone = model.clone();
    clone.setName(name);
    clone.setPrivate();
    SymbolTable(model->getParentOfType<ModuleOp>()).insert(clone);
    return clone;
  }

  /// Adds @measure, whose results an evaluation over a file sums over batches.
  LogicalResult addMeasure(func::FuncOp model, const LossFunction &rule,
                           unsigned index) {
    if (getOperation().lookupSymbol(kMeasureFunction))
      return getOperation().emitError(takenSymbol(kMeasureFunction));
    func::FuncOp function = cloneAs(kMeasureFunction, model);
    Block &block = function.getBody().front();
    Operation *last = block.getTerminator()->getPrevNode();
    OpBuilder builder(block.getTerminator());
    GradientBuilder g(builder, NameLoc::get(builder.getStringAttr("loss")));
    FailureOr<LossOperands> operands =
        operandsOf(g, rule, function, block.getTerminator()->getOperand(index),
                   resultName(function, index));
    if (failed(operands))
      return failure();
    addMetricSums(g, function, rule, *operands, settings());
    markLoss(block, last);
    return success();
  }

  LogicalResult finish(func::FuncOp function, const LossFunction &rule,
                       unsigned index) {
    Block &block = function.getBody().front();
    Operation *terminator = block.getTerminator();
    Operation *last = terminator->getPrevNode();
    OpBuilder builder(terminator);
    GradientBuilder g(builder, NameLoc::get(builder.getStringAttr("loss")));
    std::string name = resultName(function, index);
    FailureOr<Value> made =
        build(g, rule, function, terminator->getOperand(index), name);
    if (failed(made))
      return failure();
    markLoss(block, last);
    std::optional<unsigned> taken;
    if (rule.target == LossTarget::None)
      taken = index;
    if (failed(eraseResults(function, outputs, taken)))
      return failure();
    terminator->insertOperands(0, *made);
    SmallVector<NamedAttribute> attributes = {nameAttribute(builder, "loss")};
    if (rule.target == LossTarget::None)
      attributes.push_back(
          builder.getNamedAttr(kLossOutput, builder.getStringAttr(name)));
    return function.insertResult(0, made->getType(),
                                 builder.getDictionaryAttr(attributes));
  }

  FailureOr<LossOperands> operandsOf(GradientBuilder &g,
                                     const LossFunction &rule,
                                     func::FuncOp function, Value value,
                                     StringRef name) {
    switch (rule.target) {
    case LossTarget::None:
      return scalarOutput(g, value, name);
    case LossTarget::Labels:
      return withLabels(g, function, value);
    case LossTarget::Classes:
      return withClasses(g, function, value);
    case LossTarget::Values:
      return withValues(g, function, value);
    }
    llvm_unreachable("covered switch");
  }

  FailureOr<Value> build(GradientBuilder &g, const LossFunction &rule,
                         func::FuncOp function, Value value, StringRef name) {
    FailureOr<LossOperands> operands =
        operandsOf(g, rule, function, value, name);
    if (failed(operands))
      return failure();
    Value made = rule.build(g, *operands, settings());
    if (operands->target && !isFloating(operands->target.getType()))
      stateLabels(*operands, made);
    return made;
  }

  LossSettings settings() {
    std::optional<int64_t> ignored;
    if (!ignoreIndex.empty())
      ignored = ignoreIndex.front();
    return {reduction, ignored, llvm::to_vector(classWeights), labelSmoothing,
            delta};
  }

  FailureOr<LossOperands> scalarOutput(GradientBuilder &g, Value value,
                                       StringRef name) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!isFloating(type) || type.getNumElements() != 1)
      return emitError(g.loc) << "output '" << name << "' is " << type
                              << ", but a loss is a floating scalar";
    return LossOperands{g.wide(g.reshape(value, {})), Value()};
  }

  FailureOr<LossOperands> withValues(GradientBuilder &g, func::FuncOp function,
                                     Value value) {
    Value wide = g.wide(value);
    FailureOr<Value> target =
        addTarget(function, cast<RankedTensorType>(wide.getType()));
    if (failed(target))
      return failure();
    return LossOperands{wide, *target};
  }

  FailureOr<LossOperands> withLabels(GradientBuilder &g, func::FuncOp function,
                                     Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(checkLogits(function, type)))
      return failure();
    FailureOr<int64_t> axis = labelsAxis(function, type);
    if (failed(axis) || failed(checkWeights(function, type, *axis)))
      return failure();
    Value wide = g.wide(value);
    FailureOr<Value> target =
        addTarget(function, RankedTensorType::get(labelShape(type, *axis),
                                                  g.b.getI64Type()));
    if (failed(target))
      return failure();
    return LossOperands{wide, *target, *axis};
  }

  /// The operands for labels, or for probabilities where the target is known to
  /// have the logits' shape.
  FailureOr<LossOperands> withClasses(GradientBuilder &g, func::FuncOp function,
                                      Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() < 1 || !llvm::equal(type.getShape(), targetShape))
      return withLabels(g, function, value);
    if (!ignoreIndex.empty() && ignoreIndex.front() >= 0)
      return function.emitError()
             << "target has probabilities, of which no class "
             << ignoreIndex.front() << " can be ignored";
    FailureOr<int64_t> axis = chancesAxis(function, type);
    if (failed(axis) || failed(checkWeights(function, type, *axis)))
      return failure();
    FailureOr<LossOperands> operands = withValues(g, function, value);
    if (succeeded(operands))
      operands->classAxis = *axis;
    return operands;
  }

  LogicalResult checkLogits(func::FuncOp function, RankedTensorType type) {
    if (type.getRank() < 1)
      return function.emitError() << loss
                                  << " needs logits with a class axis, "
                                     "not a scalar";
    return success();
  }

  LogicalResult checkWeights(func::FuncOp function, RankedTensorType type,
                             int64_t axis) {
    int64_t count = type.getDimSize(axis);
    if (classWeights.empty() ||
        static_cast<int64_t>(classWeights.size()) == count)
      return success();
    return function.emitError() << loss << " has " << classWeights.size()
                                << " class weights, but the model's output has "
                                << count << " classes";
  }

  /// Whether labels of the known shape fit classes on `axis`.
  bool fits(RankedTensorType logits, int64_t axis) {
    return llvm::equal(labelShape(logits, axis), targetShape);
  }

  FailureOr<int64_t> labelsAxis(func::FuncOp function,
                                RankedTensorType logits) {
    if (!classAxis.empty())
      return givenAxis(function, logits, /*ofLabels=*/true);
    return targetShape.empty() ? FailureOr<int64_t>(usualClassAxis(logits))
                               : fittingAxis(function, logits);
  }

  FailureOr<int64_t> fittingAxis(func::FuncOp function,
                                 RankedTensorType logits) {
    int64_t last = logits.getRank() - 1, second = std::min<int64_t>(1, last);
    bool fitsSecond = fits(logits, second), fitsLast = fits(logits, last);
    if (!fitsSecond && !fitsLast)
      return function.emitError()
             << "neither axis " << second << " of the logits " << logits
             << " nor the last can be the classes of labels of shape "
             << textOf(targetShape) << "; --class-axis=N names another";
    // With four axes and more, PyTorch's axis is taken where both fit.
    if (logits.getRank() == 3 && fitsSecond && fitsLast)
      return function.emitError()
             << "labels of shape " << textOf(targetShape)
             << " do not tell whether the classes of the logits " << logits
             << " are on axis 1, as PyTorch has them, or on the last, as "
                "language models do: say --class-axis=1 or --class-axis=2";
    return fitsSecond ? second : last;
  }

  FailureOr<int64_t> chancesAxis(func::FuncOp function,
                                 RankedTensorType logits) {
    if (!classAxis.empty())
      return givenAxis(function, logits, /*ofLabels=*/false);
    int64_t axis = usualClassAxis(logits);
    if (logits.getRank() == 3)
      function.emitWarning()
          << "the classes of the target's probabilities are taken to be on "
             "the last axis of the logits "
          << logits
          << ", where PyTorch's are on axis 1: --class-axis=1 or "
             "--class-axis=2 says which";
    return axis;
  }

  FailureOr<int64_t> givenAxis(func::FuncOp function, RankedTensorType logits,
                               bool ofLabels) {
    int64_t rank = logits.getRank(), given = classAxis.front();
    // PyTorch's axis 1 assumes a batch axis. A single sample has only its
    // classes.
    int64_t axis = rank == 1 && given == 1 ? 0 : given;
    if (axis < -rank || axis >= rank)
      return function.emitError()
             << "--class-axis=" << given << ": the logits are " << logits;
    axis += axis < 0 ? rank : 0;
    if (ofLabels && !targetShape.empty() && !fits(logits, axis))
      return function.emitError() << "--class-axis=" << given << ": the logits "
                                  << logits << " then take labels of shape "
                                  << textOf(labelShape(logits, axis))
                                  << ", not " << textOf(targetShape);
    return axis;
  }

  FailureOr<Value> addTarget(func::FuncOp function, RankedTensorType type) {
    unsigned index = function.getNumArguments();
    for (unsigned i = 0; i < index; ++i)
      if (StringAttr name = mpc::nn::getArgumentName(function, i))
        if (name == "target")
          return function.emitError()
                 << "the model has an input 'target' of its own; take its loss "
                    "with --loss=output:NAME";
    Builder b(&getContext());
    if (failed(function.insertArgument(
            index, type, b.getDictionaryAttr(nameAttribute(b, "target")),
            function.getLoc())))
      return failure();
    return Value(function.getArgument(index));
  }

  /// States on the argument which labels are valid. For an nn.cross_entropy
  /// without excluded labels nn-find-ranges finds them.
  void stateLabels(const LossOperands &operands, Value made) {
    if (ignoreIndex.empty() && made.getDefiningOp<CrossEntropyOp>())
      return;
    auto output = cast<RankedTensorType>(operands.output.getType());
    std::optional<int64_t> except;
    if (!ignoreIndex.empty())
      except = ignoreIndex.front();
    addRange(operands.target, 0, output.getDimSize(operands.classAxis), except);
  }
};

} // namespace
