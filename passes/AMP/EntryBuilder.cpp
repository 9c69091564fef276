// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments, results and state of one entry.
#include "passes/AMP/EntryBuilder.h"

#include "dialects/NN/EntryNames.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

EntryBuilder::EntryBuilder(const StepPlan &plan, ModuleOp module,
                           EntryKind kind)
    : plan(plan), recipe(plan.recipe),
      policy(rt::policyInfo(recipe.getPolicyKind())), loc(module.getLoc()),
      b(OpBuilder::atBlockEnd(module.getBody())), g(b, loc),
      function_(func::FuncOp::create(b, loc, stringifyEntryKind(kind),
                                     b.getFunctionType({}, {}))) {
  b.setInsertionPointToStart(function_.addEntryBlock());
  setEntryKind(function_, kind);
}

Value EntryBuilder::addArgument(Type type, DictionaryAttr attributes) {
  unsigned index = function_.getNumArguments();
  (void)function_.insertArgument(index, type, attributes, loc);
  return function_.getArgument(index);
}

Value EntryBuilder::addArgument(Type type, const Twine &name) {
  return addArgument(type, b.getDictionaryAttr(nn::nameAttribute(b, name)));
}

void EntryBuilder::addResult(StringRef name, Value value) {
  results_.emplace_back(name.str(), value);
}

void EntryBuilder::addFirstResults(ArrayRef<Result> results) {
  results_.insert(results_.begin(), results.begin(), results.end());
}

void EntryBuilder::finish() {
  SmallVector<Value> values =
      llvm::to_vector(llvm::make_second_range(results_));
  func::ReturnOp::create(b, loc, values);
  function_.setFunctionType(b.getFunctionType(function_.getArgumentTypes(),
                                              ValueRange(values).getTypes()));
  for (auto [index, result] : llvm::enumerate(results_))
    function_.setResultAttrs(
        index, b.getDictionaryAttr(nn::nameAttribute(b, result.first)));
}

RankedTensorType EntryBuilder::scalar(Type elementType) {
  return RankedTensorType::get({}, elementType);
}

Value EntryBuilder::constant(Type elementType, Attribute value) {
  RankedTensorType type = scalar(elementType);
  return nn::ConstantOp::create(b, loc, type,
                                DenseElementsAttr::get(type, value));
}

Value EntryBuilder::flag(bool value) {
  return constant(b.getI1Type(), b.getBoolAttr(value));
}

Value EntryBuilder::getScale(Type elementType) {
  return GetScaleOp::create(b, loc, scalar(elementType), kScaler);
}

Value EntryBuilder::read(nn::ParameterOp parameter) {
  return nn::GetOp::create(b, loc, parameter.getType(), parameter.getSymName());
}

void EntryBuilder::assign(nn::ParameterOp parameter, Value value, Value skip) {
  AssignOp::create(b, loc, value, parameter.getSymName(), skip);
}

Value EntryBuilder::hyper(StringRef name) {
  return GetHyperOp::create(b, loc, kOptimizer, name);
}

GradientsType EntryBuilder::typeOf(const ParameterSet &set) {
  return GradientsType::get(
      FlatSymbolRefAttr::get(b.getContext(), set.optimizer));
}
