// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-add-loss: makes @loss from @model and a loss function.
#include "passes/NN/Passes.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/Losses.h"
#include "llvm/ADT/StringExtras.h"

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

/// New running statistics are results for the next step; no loss is computed
/// from them.
static bool isStatistic(func::FuncOp function, unsigned index) {
  Operation *terminator = function.getBody().front().getTerminator();
  auto value = dyn_cast<OpResult>(terminator->getOperand(index));
  return value && isa<mpc::TrainingOpInterface>(value.getOwner()) &&
         value.getResultNumber() != 0;
}

/// The result named `wanted`, or the only floating one.
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

namespace {

struct AddLossPass : mpc::nn::impl::AddLossPassBase<AddLossPass> {
  using AddLossPassBase::AddLossPassBase;

  void runOnOperation() override {
    auto model = getOperation().lookupSymbol<func::FuncOp>("model");
    if (!model || model.isDeclaration() || !model.getBody().hasOneBlock()) {
      getOperation().emitError("has no function @model of one block");
      return signalPassFailure();
    }
    if (getOperation().lookupSymbol("loss")) {
      getOperation().emitError("already has a symbol @loss");
      return signalPassFailure();
    }
    FailureOr<unsigned> result = findResult(model, output);
    if (failed(result))
      return signalPassFailure();
    auto clone = model.clone();
    clone.setName("loss");
    clone.setPrivate();
    model.setPrivate();
    SymbolTable(getOperation()).insert(clone);
    if (failed(finish(clone, *result)))
      signalPassFailure();
  }

private:
  LogicalResult finish(func::FuncOp function, unsigned index) {
    Block &block = function.getBody().front();
    Operation *terminator = block.getTerminator();
    Operation *last = terminator->getPrevNode();
    OpBuilder builder(terminator);
    Location loc = NameLoc::get(builder.getStringAttr("loss"));
    Value value = terminator->getOperand(index);
    std::string name = resultName(function, index);
    FailureOr<Value> made = loss == "output"
                                ? scalarOutput(builder, loc, value, name)
                                : lossOf(builder, loc, function, value);
    if (failed(made))
      return failure();
    for (Operation *op = last ? last->getNextNode() : &block.front();
         op != terminator; op = op->getNextNode())
      if (isa<mpc::PrecisionOpInterface>(op))
        op->setAttr(kLossAttr, builder.getUnitAttr());
    for (unsigned i = function.getNumResults(); i-- > 0;) {
      if (function.getResultAttr(i, kBuffer))
        continue;
      terminator->eraseOperand(i);
      if (failed(function.eraseResult(i)))
        return failure();
    }
    terminator->insertOperands(0, *made);
    SmallVector<NamedAttribute> attributes = {nameAttribute(builder, "loss")};
    if (loss == "output")
      attributes.push_back(
          builder.getNamedAttr(kLossOutput, builder.getStringAttr(name)));
    return function.insertResult(0, made->getType(),
                                 builder.getDictionaryAttr(attributes));
  }

  FailureOr<Value> unknownLoss() {
    return getOperation().emitError() << "unknown loss '" << loss
                                      << "'; known are cross_entropy, nll, "
                                         "mse, l1, huber, smooth_l1, bce, "
                                         "kl and output";
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

  FailureOr<int64_t> classAxis(func::FuncOp function, RankedTensorType type) {
    // Sequences have classes last, images on axis 1, as PyTorch has them.
    if (targetShape.empty())
      return type.getRank() == 4 ? 1 : type.getRank() - 1;
    SmallVector<int64_t> wanted(targetShape.begin(), targetShape.end());
    for (int64_t axis = type.getRank() - 1; axis >= 0; --axis)
      if (labelShape(type, axis) == wanted)
        return axis;
    return function.emitError()
           << "no axis of the logits " << type
           << " can be the classes of labels of shape ["
           << llvm::join(llvm::map_range(
                             wanted,
                             [](int64_t size) { return std::to_string(size); }),
                         "x")
           << "]";
  }

  LossSettings settings() {
    std::optional<int64_t> ignored;
    if (!ignoreIndex.empty())
      ignored = ignoreIndex.front();
    return {reduction, ignored, llvm::to_vector(classWeights), labelSmoothing,
            delta};
  }

  FailureOr<Value> lossOf(OpBuilder &b, Location loc, func::FuncOp function,
                          Value prediction) {
    const LossFunction *found = findLossFunction(loss);
    if (!found)
      return unknownLoss();
    GradientBuilder g(b, loc);
    Value wide = g.wide(prediction);
    if (found->takesLabels())
      return labelLoss(g, *found, function, prediction, wide);
    FailureOr<Value> target =
        addTarget(function, cast<RankedTensorType>(wide.getType()));
    if (failed(target))
      return failure();
    return buildElementLoss(g, *found, wide, *target, settings());
  }

  FailureOr<Value> labelLoss(GradientBuilder &g, const LossFunction &rule,
                             func::FuncOp function, Value scores, Value wide) {
    auto type = cast<RankedTensorType>(scores.getType());
    if (type.getRank() < 1)
      return function.emitError() << loss
                                  << " needs logits with a class axis, "
                                     "not a scalar";
    FailureOr<int64_t> axis = classAxis(function, type);
    if (failed(axis))
      return failure();
    int64_t count = type.getDimSize(*axis);
    if (!classWeights.empty() &&
        static_cast<int64_t>(classWeights.size()) != count)
      return function.emitError()
             << loss << " has " << classWeights.size()
             << " class weights, but the model's output has " << count
             << " classes";
    FailureOr<Value> target =
        addTarget(function, RankedTensorType::get(labelShape(type, *axis),
                                                  g.b.getI64Type()));
    if (failed(target))
      return failure();
    Value made = buildLabelLoss(g, rule, wide, *target, *axis, settings());
    SmallVector<int64_t> labels = {0, count};
    llvm::append_range(labels, ignoreIndex);
    // An nn.cross_entropy of all labels says itself what they may be.
    if (!ignoreIndex.empty() || !made.getDefiningOp<CrossEntropyOp>())
      function.setArgAttr(cast<BlockArgument>(*target).getArgNumber(), kLabels,
                          g.b.getDenseI64ArrayAttr(labels));
    return made;
  }

  FailureOr<Value> scalarOutput(OpBuilder &b, Location loc, Value value,
                                StringRef name) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!isFloating(type) || type.getNumElements() != 1)
      return emitError(loc) << "output '" << name << "' is " << type
                            << ", but a loss is a floating scalar";
    GradientBuilder g(b, loc);
    return g.wide(g.reshape(value, {}));
  }
};

} // namespace
