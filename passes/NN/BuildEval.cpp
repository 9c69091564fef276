// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-build-eval: makes the entry @eval from @model and @loss.
#include "passes/NN/Passes.h"

#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/IRMapping.h"

namespace mpc::nn {
#define GEN_PASS_DEF_BUILDEVALPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

static constexpr StringLiteral kName = "nn.name";

namespace {

/// Builds @eval; results are collected with their names.
class EvalBuilder {
public:
  EvalBuilder(ModuleOp module, func::FuncOp model, func::FuncOp loss)
      : module(module), model(model), loss(loss),
        builder(OpBuilder::atBlockEnd(module.getBody())) {}

  void build(bool gradients) {
    func::FuncOp signature = loss ? loss : model;
    eval = func::FuncOp::create(
        builder, model.getLoc(), "eval",
        builder.getFunctionType(signature.getArgumentTypes(), {}));
    for (unsigned i = 0, e = signature.getNumArguments(); i < e; ++i)
      eval.setArgAttrs(i, signature.getArgAttrDict(i));
    builder.setInsertionPointToStart(eval.addEntryBlock());
    addOutputs();
    if (loss && gradients)
      addGradients();
    else if (loss)
      addResults(inlineFunction(loss), loss);
    finish();
  }

private:
  SmallVector<Value> inlineFunction(func::FuncOp function) {
    IRMapping mapping;
    Block &body = function.getBody().front();
    for (BlockArgument argument : body.getArguments())
      mapping.map(argument, eval.getArgument(argument.getArgNumber()));
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    return llvm::map_to_vector(
        body.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  void addOutputs() { addResults(inlineFunction(model), model); }

  void addResults(ArrayRef<Value> values, func::FuncOp function) {
    for (auto [index, value] : llvm::enumerate(values)) {
      auto name = function.getResultAttrOfType<StringAttr>(index, kName);
      std::string unnamed = "output" + std::to_string(index);
      addResult(value, name ? name.getValue() : StringRef(unnamed));
    }
  }

  void addResult(Value value, StringRef name) {
    // A loss that is an output of the model has its name already.
    if (llvm::is_contained(names, builder.getStringAttr(name)))
      return;
    results.push_back(value);
    names.push_back(builder.getStringAttr(name));
  }

  void addGradients() {
    SmallVector<Attribute> wrt;
    SmallVector<Type> types(loss.getResultTypes());
    for (auto parameter : module.getOps<ParameterOp>()) {
      if (parameter.getFrozen())
        continue;
      wrt.push_back(FlatSymbolRefAttr::get(parameter.getSymNameAttr()));
      types.push_back(parameter.getType());
    }
    GradientBuilder g(builder, loss.getLoc());
    Value seed =
        g.splat(cast<RankedTensorType>(loss.getResultTypes().front()), 1.0);
    auto vjp = VJPOp::create(builder, loss.getLoc(), types, "loss",
                             eval.getArguments(), seed,
                             builder.getArrayAttr(wrt), ArrayRef<int64_t>());
    addResult(vjp.getResult(0), "loss");
    for (auto [symbol, gradient] :
         llvm::zip(wrt, vjp.getResults().drop_front())) {
      auto name = cast<FlatSymbolRefAttr>(symbol).getValue();
      addResult(g.wide(gradient), ("grad." + name).str());
    }
  }

  void finish() {
    func::ReturnOp::create(builder, eval.getLoc(), results);
    SmallVector<Type> types = llvm::map_to_vector(
        results, [](Value value) { return value.getType(); });
    eval.setFunctionType(
        builder.getFunctionType(eval.getArgumentTypes(), types));
    for (auto [index, name] : llvm::enumerate(names))
      eval.setResultAttr(index, kName, name);
  }

  ModuleOp module;
  func::FuncOp model, loss, eval;
  OpBuilder builder;
  SmallVector<Value> results;
  SmallVector<StringAttr> names;
};

struct BuildEvalPass : mpc::nn::impl::BuildEvalPassBase<BuildEvalPass> {
  using BuildEvalPassBase::BuildEvalPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto model = module.lookupSymbol<func::FuncOp>("model");
    auto loss = module.lookupSymbol<func::FuncOp>("loss");
    if (!model || module.lookupSymbol("eval")) {
      module.emitError(model ? "already has a symbol @eval"
                             : "has no function @model");
      return signalPassFailure();
    }
    if (gradients && !loss) {
      module.emitError("has no @loss to take gradients of");
      return signalPassFailure();
    }
    EvalBuilder(module, model, loss).build(gradients);
    model.erase();
    if (loss && !gradients)
      loss.erase();
  }
};

} // namespace
