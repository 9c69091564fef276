// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp.custom_optimizer: an optimizer rule that the module writes.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Ops/Verification.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult CustomOptimizerOp::verify() {
  if (failed(verifyNotNaN(*this, "hyper-parameter", getHyper())) ||
      failed(verifyNotNaN(*this, "slot", getSlots())))
    return failure();
  static constexpr StringRef kOwn[] = {"parameter", "gradient", "lr", "step",
                                       "decay"};
  for (DictionaryAttr names : {getSlots(), getHyper()})
    for (NamedAttribute entry : names)
      if (llvm::is_contained(kOwn, entry.getName().getValue()))
        return emitOpError("gives another meaning to '")
               << entry.getName().getValue() << "'";
  for (NamedAttribute slot : getSlots())
    if (getHyper().contains(slot.getName()))
      return emitOpError("has a slot and a hyper-parameter '")
             << slot.getName().getValue() << "'";
  return success();
}

/// Whether a rule may have an argument `name`; sets `isScalar` where the
/// argument is one number for all elements.
static bool isRuleArgument(CustomOptimizerOp op, StringRef name,
                           bool &isScalar) {
  isScalar = name == "lr" || name == "step" || name == "decay" ||
             op.getHyper().contains(name);
  return isScalar || name == "parameter" || name == "gradient" ||
         op.getSlots().contains(name);
}

static bool isScalarOf(Type type, bool mayBeF64) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         (tensor.getElementType().isF32() ||
          (mayBeF64 && tensor.getElementType().isF64()));
}

static LogicalResult verifyRuleArguments(CustomOptimizerOp op,
                                         FunctionOpInterface rule) {
  for (auto [index, type] : llvm::enumerate(rule.getArgumentTypes())) {
    StringAttr name = nn::getArgumentName(rule, index);
    bool isScalar = false;
    if (!name || !isRuleArgument(op, name, isScalar))
      return op.emitOpError("rule '")
             << op.getRule() << "': argument " << index << " has "
             << (name ? "name '" + name.getValue().str() + "'"
                      : std::string("no name"))
             << "; expected parameter, gradient, lr, step, decay, a slot or a "
                "hyper-parameter";
    if (!isScalarOf(type, isScalar))
      return op.emitOpError("rule '")
             << op.getRule() << "': argument '" << name.getValue() << "' is "
             << type << ", expected tensor<f32>"
             << (isScalar ? " or tensor<f64>" : "");
  }
  return success();
}

static LogicalResult verifyRuleResults(CustomOptimizerOp op,
                                       FunctionOpInterface rule) {
  llvm::StringSet<> seen;
  for (auto [index, type] : llvm::enumerate(rule.getResultTypes())) {
    StringAttr name = nn::getResultName(rule, index);
    if (!name ||
        (name != "parameter" && !op.getSlots().contains(name.getValue())) ||
        !seen.insert(name.getValue()).second)
      return op.emitOpError("rule '")
             << op.getRule() << "': result " << index
             << " must be named parameter or as a slot, each once";
    if (!isScalarOf(type, /*mayBeF64=*/false))
      return op.emitOpError("rule '")
             << op.getRule() << "': result '" << name.getValue() << "' is "
             << type << ", expected tensor<f32>";
  }
  if (!seen.contains("parameter"))
    return op.emitOpError("rule '")
           << op.getRule() << "' does not yield the new 'parameter'";
  return success();
}

/// A rule computes one element and is applied to all, so it may hold
/// elementwise ops only.
static LogicalResult verifyRuleBody(CustomOptimizerOp op,
                                    FunctionOpInterface rule) {
  for (Operation &inner : rule.getFunctionBody().front().without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>() ||
        isa<ScalarBodyOpInterface>(inner))
      continue;
    InFlightDiagnostic error = inner.emitOpError(
        "is not elementwise, and has no place in an optimizer's rule");
    error.attachNote(op.getLoc()) << "which is that of this optimizer";
    return error;
  }
  return success();
}

LogicalResult
CustomOptimizerOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto rule = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getRuleAttr());
  if (!rule || rule.isExternal() || !rule.getFunctionBody().hasOneBlock())
    return emitOpError("uses rule '")
           << getRule() << "', which is not a function of one block";
  if (failed(verifyRuleArguments(*this, rule)) ||
      failed(verifyRuleResults(*this, rule)) ||
      failed(verifyRuleBody(*this, rule)))
    return failure();
  return verifyTrains(*this, symbols, /*rounds=*/false);
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

SmallVector<NamedNumber> CustomOptimizerOp::getAllHypers() {
  return numbersOf(getHyper());
}

SmallVector<SlotTensor> CustomOptimizerOp::getAllSlots() {
  return llvm::map_to_vector(
      numbersOf(getSlots()), [&](const NamedNumber &slot) -> SlotTensor {
        return {slot.name, Float32Type::get(getContext()), slot.value};
      });
}

SmallVector<NamedNumber> CustomOptimizerOp::getScalarState() {
  return {{"step", 0.0}};
}

int64_t CustomOptimizerOp::getAppliedIndex() { return 0; }

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

namespace {

/// Clones a function on scalars to slabs. A value that depends on scalars alone
/// stays one number, and is broadcast where it meets a slab.
class RuleWriter {
public:
  RuleWriter(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape)
      : b_(builder), loc_(loc), shape_(shape) {}

  void run(FunctionOpInterface rule, const llvm::StringMap<Value> &elements,
           const llvm::StringMap<Value> &scalars) {
    nn::GradientBuilder g(b_, loc_);
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

  /// The slab form of `value` of the rule: one value for every element.
  Value spread(Value value) {
    Value mapped = mapping_.lookup(value);
    if (!isScalar(mapped))
      return mapped;
    return nn::GradientBuilder(b_, loc_).broadcast(mapped, {}, shape_);
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
  Location loc_;
  ArrayRef<int64_t> shape_;
  IRMapping mapping_;
};

} // namespace

/// The scalars are the step's number and then the hyper-parameters.
void CustomOptimizerOp::buildPrepare(OpBuilder &b, OptimizerStep &step) {
  nn::GradientBuilder g(b, step.loc);
  Value next = g.add(step.applied, g.splat(step.applied, 1.0));
  step.scalars = {next};
  for (const NamedNumber &number : getAllHypers())
    step.scalars.push_back(step.hyper(number.name));
  step.state = {step.skip ? g.select(step.skip, step.applied, next) : next};
}

/// The scalars, by the names of the rule's arguments.
static llvm::StringMap<Value> scalarsOf(CustomOptimizerOp op, OpBuilder &b,
                                        const OptimizerStep &step, bool decay) {
  Value factor =
      nn::GradientBuilder(b, step.loc).splat(step.lr, decay ? 1.0 : 0.0);
  llvm::StringMap<Value> scalars = {
      {"lr", step.lr}, {"step", step.scalars.front()}, {"decay", factor}};
  for (auto [number, value] :
       llvm::zip_equal(op.getAllHypers(), llvm::drop_begin(step.scalars)))
    scalars[number.name] = value;
  return scalars;
}

/// Runs the rule on each element. State that the rule does not yield stays the
/// same.
void CustomOptimizerOp::buildUpdate(OpBuilder &b, const OptimizerStep &step,
                                    ParameterRange &range) {
  auto rule = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getRuleAttr());
  llvm::StringMap<Value *> places = {{"parameter", &range.parameter}};
  for (auto [slot, value] : llvm::zip_equal(getAllSlots(), range.slots))
    places[slot.name] = &value;
  llvm::StringMap<Value> elements = {{"gradient", range.gradient}};
  for (auto &place : places)
    elements[place.getKey()] = *place.getValue();
  auto slab = cast<RankedTensorType>(range.parameter.getType());
  RuleWriter writer(b, step.loc, slab.getShape());
  writer.run(rule, elements, scalarsOf(*this, b, step, range.decay));
  nn::GradientBuilder g(b, step.loc);
  Operation *terminator = rule.getFunctionBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    Value &place = *places.lookup(nn::getResultName(rule, index));
    Value next = writer.spread(value);
    place = step.skip ? g.select(g.broadcast(step.skip, {}, slab.getShape()),
                                 place, next)
                      : next;
  }
  range.low = Value();
}
