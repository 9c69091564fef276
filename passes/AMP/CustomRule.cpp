// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of custom optimizers, from one element to slabs.
#include "passes/AMP/CustomRule.h"

#include "dialects/NN/EntryNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

/// Clones a function on scalars to slabs. What depends on scalars alone stays
/// one number, and is repeated where it meets a slab.
class RuleWriter {
public:
  RuleWriter(OpBuilder &builder, ApplyOp apply, ArrayRef<int64_t> shape)
      : b_(builder), apply_(apply), shape_(shape) {}

  void run(FunctionOpInterface rule, const llvm::StringMap<Value> &elements,
           const llvm::StringMap<Value> &scalars) {
    nn::GradientBuilder g(b_, apply_.getLoc());
    for (BlockArgument argument : rule.getArguments()) {
      StringAttr name = nn::getArgumentName(argument);
      Value value = elements.lookup(name.getValue());
      if (!value)
        value = g.cast(scalars.lookup(name.getValue()),
                       getElementTypeOrSelf(argument));
      mapping_.map(argument, value);
    }
    for (Operation &op : rule.getFunctionBody().front().without_terminator())
      write(op);
  }

  /// What `value` of the rule has become, for every element.
  Value spread(Value value) {
    Value mapped = mapping_.lookup(value);
    if (!isScalar(mapped))
      return mapped;
    return nn::GradientBuilder(b_, apply_.getLoc())
        .broadcast(mapped, {}, shape_);
  }

private:
  static bool isScalar(Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() == 0;
  }

  void write(Operation &op) {
    bool isUniform = llvm::all_of(op.getOperands(), [&](Value operand) {
      return isScalar(mapping_.lookup(operand));
    });
    Operation *clone = b_.clone(op, mapping_);
    if (isUniform)
      return;
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPoint(clone);
    for (auto [index, operand] : llvm::enumerate(op.getOperands()))
      clone->setOperand(index, spread(operand));
    for (Value result : clone->getResults())
      result.setType(cast<RankedTensorType>(result.getType()).clone(shape_));
  }

  OpBuilder &b_;
  ApplyOp apply_;
  ArrayRef<int64_t> shape_;
  IRMapping mapping_;
};

} // namespace

llvm::MapVector<StringRef, Value>
mpc::amp::emitCustomRule(OpBuilder &builder, ApplyOp apply,
                         CustomOptimizerOp optimizer,
                         const llvm::StringMap<Value> &elements,
                         const llvm::StringMap<Value> &scalars) {
  auto rule = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      optimizer, optimizer.getRuleAttr());
  auto slab = cast<RankedTensorType>(elements.lookup("parameter").getType());
  RuleWriter writer(builder, apply, slab.getShape());
  writer.run(rule, elements, scalars);
  nn::GradientBuilder g(builder, apply.getLoc());
  llvm::MapVector<StringRef, Value> results;
  Operation *terminator = rule.getFunctionBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    StringRef name = nn::getResultName(rule, index);
    Value next = writer.spread(value);
    if (apply.getSkip())
      next = g.select(g.broadcast(apply.getSkip(), {}, slab.getShape()),
                      elements.lookup(name), next);
    results[name] = next;
  }
  return results;
}
