// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-build-eval: makes the entry @eval from @model and @loss.
#include "passes/NN/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/NN/Annotations.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/Random.h"
#include "mlir/IR/IRMapping.h"

namespace mpc::nn {
#define GEN_PASS_DEF_BUILDEVALPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// The key, or the number of the first step and batch.
static Value randomPart(OpBuilder &builder, Location loc, StringAttr part,
                        Type type, int64_t seed) {
  double value = part == kRandomParts[0] ? static_cast<double>(seed) : 0.0;
  return GradientBuilder(builder, loc)
      .splat(cast<RankedTensorType>(type), value);
}

namespace {

/// Builds @eval; results are collected with their names.
class EvalBuilder {
public:
  EvalBuilder(ModuleOp module, func::FuncOp model, func::FuncOp loss,
              int64_t seed)
      : module_(module), model_(model), loss_(loss), seed_(seed),
        builder_(OpBuilder::atBlockEnd(module.getBody())) {}

  LogicalResult build(bool gradients) {
    eval_ = func::FuncOp::create(builder_, model_.getLoc(),
                                 stringifyEntryKind(amp::EntryKind::Eval),
                                 builder_.getFunctionType({}, {}));
    builder_.setInsertionPointToStart(eval_.addEntryBlock());
    amp::setEntryKind(eval_, amp::EntryKind::Eval);
    if (Attribute mode = model_->getAttr(kMode))
      eval_->setAttr(kMode, mode);
    addInputs(loss_ ? loss_ : model_);
    addOutputs();
    if (loss_ && gradients)
      addGradients();
    else if (loss_)
      addLoss(inlineFunction(loss_).front());
    if (failed(clash_))
      return failure();
    finish();
    return success();
  }

private:
  /// Adds the arguments of the calls; the arguments of @model come first.
  void addInputs(func::FuncOp signature) {
    for (BlockArgument argument : signature.getArguments()) {
      unsigned index = argument.getArgNumber();
      auto part = signature.getArgAttrOfType<StringAttr>(index, kRandom);
      inputs_.push_back(
          part ? randomPart(builder_, eval_.getLoc(), part, argument.getType(),
                            seed_)
               : addInput(argument.getType(), signature.getArgAttrDict(index)));
    }
  }

  Value addInput(Type type, DictionaryAttr attributes) {
    unsigned index = eval_.getNumArguments();
    (void)eval_.insertArgument(index, type, attributes, eval_.getLoc());
    return eval_.getArgument(index);
  }

  SmallVector<Value> inlineFunction(func::FuncOp function) {
    IRMapping mapping;
    Block &body = function.getBody().front();
    for (BlockArgument argument : body.getArguments())
      mapping.map(argument, inputs_[argument.getArgNumber()]);
    for (Operation &op : body.without_terminator())
      builder_.clone(op, mapping);
    return llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  void addOutputs() {
    for (auto [index, value] : llvm::enumerate(inlineFunction(model_))) {
      auto name = getResultName(model_, index);
      std::string unnamed = "output" + std::to_string(index);
      addResult(value, name ? name.getValue() : StringRef(unnamed));
    }
  }

  /// Results have different names. A collision is an error, because one result
  /// would be lost.
  void addResult(Value value, StringRef text) {
    StringAttr name = builder_.getStringAttr(text);
    auto it = llvm::find(names_, name);
    if (it == names_.end()) {
      results_.push_back(value);
      names_.push_back(name);
    } else if (results_[it - names_.begin()] != value) {
      clash_ = model_.emitError()
               << "output '" << text
               << "' has the name of another result of the evaluation; give it "
                  "another name";
    }
  }

  /// A loss that is the model's output of the same name exists already.
  void addLoss(Value value) {
    auto output = loss_.getResultAttrOfType<StringAttr>(0, kLossOutput);
    StringAttr name = builder_.getStringAttr("loss");
    if (!llvm::is_contained(names_, name))
      return addResult(value, name);
    if (output != name)
      clash_ = model_.emitError()
               << "output 'loss' has the name of the computed loss; give it "
                  "another name, or take it as the loss: --loss=output:loss";
  }

  void addGradients() {
    SmallVector<Attribute> wrt;
    SmallVector<Type> types(loss_.getResultTypes());
    for (auto parameter : module_.getOps<ParameterOp>()) {
      if (parameter.getFrozen())
        continue;
      wrt.push_back(FlatSymbolRefAttr::get(parameter.getSymNameAttr()));
      types.push_back(parameter.getType());
    }
    GradientBuilder g(builder_, loss_.getLoc());
    SmallVector<Value> seeds;
    for (auto type : loss_.getResultTypes())
      seeds.push_back(
          g.splat(cast<RankedTensorType>(type), seeds.empty() ? 1.0 : 0.0));
    auto vjp =
        VJPOp::create(builder_, loss_.getLoc(), types, kLossFunction, inputs_,
                      seeds, builder_.getArrayAttr(wrt), ArrayRef<int64_t>());
    addLoss(vjp.getResult(0));
    for (auto [symbol, gradient] :
         llvm::zip(wrt, vjp.getResults().drop_front(seeds.size()))) {
      auto name = cast<FlatSymbolRefAttr>(symbol).getValue();
      addResult(g.wide(gradient), gradientName(name));
    }
  }

  void finish() {
    func::ReturnOp::create(builder_, eval_.getLoc(), results_);
    SmallVector<Type> types = llvm::map_to_vector(
        results_, [](Value value) { return value.getType(); });
    eval_.setFunctionType(
        builder_.getFunctionType(eval_.getArgumentTypes(), types));
    for (auto [index, name] : llvm::enumerate(names_))
      setResultName(eval_, index, name);
  }

  ModuleOp module_;
  func::FuncOp model_, loss_, eval_;
  int64_t seed_; ///< The seed of random numbers.
  OpBuilder builder_;
  SmallVector<Value> inputs_;
  SmallVector<Value> results_;
  SmallVector<StringAttr> names_;
  LogicalResult clash_ = success();
};

/// Makes @measure an entry with the same random numbers as @eval.
void finishMeasure(func::FuncOp measure, int64_t seed) {
  auto b = OpBuilder::atBlockBegin(&measure.getBody().front());
  for (unsigned i = measure.getNumArguments(); i-- > 0;) {
    auto part = measure.getArgAttrOfType<StringAttr>(i, kRandom);
    if (!part)
      continue;
    BlockArgument argument = measure.getArgument(i);
    argument.replaceAllUsesWith(
        randomPart(b, measure.getLoc(), part, argument.getType(), seed));
    (void)measure.eraseArgument(i);
  }
  amp::setEntryKind(measure, amp::EntryKind::Measure);
  measure.setPublic();
}

struct BuildEvalPass : mpc::nn::impl::BuildEvalPassBase<BuildEvalPass> {
  using BuildEvalPassBase::BuildEvalPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto model = module.lookupSymbol<func::FuncOp>(kModelFunction);
    auto loss = module.lookupSymbol<func::FuncOp>(kLossFunction);
    StringRef name = stringifyEntryKind(amp::EntryKind::Eval);
    if (!model || (evaluates && module.lookupSymbol(name))) {
      module.emitError(model ? takenSymbol(name) : "has no function @model");
      return signalPassFailure();
    }
    if (gradients && !loss) {
      module.emitError("has no @loss to take gradients of");
      return signalPassFailure();
    }
    if (evaluates &&
        failed(EvalBuilder(module, model, loss, seed).build(gradients)))
      return signalPassFailure();
    if (auto measure = module.lookupSymbol<func::FuncOp>(kMeasureFunction))
      finishMeasure(measure, seed);
    model.erase();
    if (loss && !gradients)
      loss.erase();
  }
};

} // namespace
