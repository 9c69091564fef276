// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on named state, and slabs.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

static LogicalResult verifyNumbers(Operation *op, StringRef what,
                                   DictionaryAttr numbers) {
  for (NamedAttribute entry : numbers) {
    auto number = dyn_cast<FloatAttr>(entry.getValue());
    if (!number || !number.getType().isF64())
      return op->emitOpError() << what << " '" << entry.getName().getValue()
                               << "' must be an f64";
  }
  return success();
}

/// Checks the numbers of an optimizer. Those of a policy are checked against
/// their ranges elsewhere.
static LogicalResult verifyTraining(Operation *op, StringRef what,
                                    DictionaryAttr numbers) {
  if (failed(verifyNumbers(op, what, numbers)))
    return failure();
  for (NamedAttribute entry : numbers)
    if (cast<FloatAttr>(entry.getValue()).getValue().isNaN())
      return op->emitOpError() << what << " '" << entry.getName().getValue()
                               << "' must be a number, not NaN";
  return success();
}

/// Fails where `symbol` is no `SymbolOp` of the module.
template <typename SymbolOp>
static FailureOr<SymbolOp> lookup(Operation *op, SymbolTableCollection &symbols,
                                  FlatSymbolRefAttr symbol, StringRef what) {
  if (auto found = symbols.lookupNearestSymbolFrom<SymbolOp>(op, symbol))
    return found;
  return op->emitOpError() << "uses '" << symbol.getValue() << "', which is no "
                           << what << " of this module";
}

/// Fails where `symbol` is no optimizer of either kind.
static FailureOr<Operation *> lookupOptimizer(Operation *op,
                                              SymbolTableCollection &symbols,
                                              FlatSymbolRefAttr symbol) {
  Operation *found = symbols.lookupNearestSymbolFrom(op, symbol);
  if (isa_and_present<OptimizerInterface>(found))
    return found;
  return op->emitOpError() << "uses '" << symbol.getValue()
                           << "', which is no optimizer of this module";
}

/// Checks that an optimizer trains parameters of f32 or, where it rounds
/// stochastically, of bf16.
static LogicalResult verifyTrains(OptimizerInterface op,
                                  SymbolTableCollection &symbols, bool rounds) {
  for (auto symbol : op.getTrains().getAsRange<FlatSymbolRefAttr>()) {
    auto parameter = lookup<nn::ParameterOp>(op, symbols, symbol, "parameter");
    if (failed(parameter))
      return failure();
    Type type = getElementTypeOrSelf(parameter->getType());
    if (!type.isF32() && !type.isBF16())
      return op.emitOpError()
             << "can only train parameters of f32 and bf16, "
             << "but '" << symbol.getValue() << "' is " << parameter->getType();
    if (type.isBF16() && !rounds)
      return op.emitOpError() << "trains '" << symbol.getValue()
                              << "' in bf16, but has no rounding_seed";
  }
  if (ArrayAttr noDecay = op.getNoDecayAttr())
    for (auto symbol : noDecay.getAsRange<FlatSymbolRefAttr>())
      if (!llvm::is_contained(op.getTrains(), Attribute(symbol)))
        return op.emitOpError() << "keeps decay from '" << symbol.getValue()
                                << "', which it does not train";
  return success();
}

//===----------------------------------------------------------------------===//
// ScalerOp, OptimizerOp
//===----------------------------------------------------------------------===//

LogicalResult ScalerOp::verify() {
  return verifyNumbers(*this, "setting", getSettings());
}

LogicalResult OptimizerOp::verify() {
  const Optimizer *optimizer = findOptimizer(getKind());
  if (!optimizer)
    return emitOpError("has no rule for kind '")
           << getKind() << "'; known are " << knownOptimizers();
  if (failed(verifyTraining(*this, "hyper-parameter", getHyper())))
    return failure();
  for (NamedAttribute entry : getHyper()) {
    StringRef name = entry.getName().getValue();
    bool known = llvm::is_contained(commonHypers(), name) ||
                 llvm::any_of(optimizer->hypers, [&](const NamedNumber &h) {
                   return h.name == name;
                 });
    if (!known)
      return emitOpError("of kind '")
             << getKind() << "' has no hyper-parameter '" << name << "'";
  }
  for (auto flag : getFlags().getAsRange<StringAttr>())
    if (!llvm::is_contained(optimizer->flags, flag.getValue()))
      return emitOpError("of kind '")
             << getKind() << "' has no flag '" << flag.getValue() << "'";
  if (std::optional<Type> type = getSlotType()) {
    std::string refusal = optimizer->refusal(*type, Flags(getFlags()));
    if (!refusal.empty())
      return emitOpError("cannot have slots of ") << *type << ": " << refusal;
    if (!type->isF32() && !getHyper().contains("rounding_seed"))
      return emitOpError("has slots of ") << *type << ", but no rounding_seed";
  }
  // Reports a number that has no effect because its flag is not set.
  for (NamedAttribute entry : getHyper()) {
    StringRef name = entry.getName().getValue();
    if (llvm::is_contained(optimizer->flags, name) &&
        !Flags(getFlags()).has(name) &&
        cast<FloatAttr>(entry.getValue()).getValueAsDouble() != 0.0)
      return emitOpError("has ") << name << " without the flag '" << name
                                 << "', which keeps its state";
  }
  return success();
}

LogicalResult OptimizerOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyTrains(*this, symbols, getHyper().contains("rounding_seed"));
}

//===----------------------------------------------------------------------===//
// CustomOptimizerOp
//===----------------------------------------------------------------------===//

LogicalResult CustomOptimizerOp::verify() {
  if (failed(verifyTraining(*this, "hyper-parameter", getHyper())) ||
      failed(verifyTraining(*this, "slot", getSlots())))
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

/// Whether a rule may have an argument `name`; sets `isScalar` where that is
/// one number for all elements.
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
           << getRule() << "', which is no function of one block";
  if (failed(verifyRuleArguments(*this, rule)) ||
      failed(verifyRuleResults(*this, rule)) ||
      failed(verifyRuleBody(*this, rule)))
    return failure();
  return verifyTrains(*this, symbols, /*rounds=*/false);
}

//===----------------------------------------------------------------------===//
// Users of state
//===----------------------------------------------------------------------===//

LogicalResult GetScaleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookup<ScalerOp>(*this, symbols, getScalerAttr(), "scaler");
}

LogicalResult UpdateScaleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookup<ScalerOp>(*this, symbols, getScalerAttr(), "scaler");
}

LogicalResult GetHyperOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto optimizer = lookupOptimizer(*this, symbols, getOptimizerAttr());
  if (failed(optimizer))
    return failure();
  auto hyper = (*optimizer)->getAttrOfType<DictionaryAttr>("hyper");
  if (!hyper.contains(getHyper()))
    return emitOpError("reads hyper-parameter '")
           << getHyper() << "', which optimizer '" << getOptimizer()
           << "' does not have";
  return success();
}

void UpdateScaleOp::build(OpBuilder &builder, OperationState &state,
                          StringRef scaler, Value found, Value maxAbs) {
  build(builder, state, scaler, found, maxAbs, Value());
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter =
      lookup<nn::ParameterOp>(*this, symbols, getParameterAttr(), "parameter");
  if (failed(parameter))
    return failure();
  if (parameter->getType() != getValue().getType())
    return emitOpError("gives '")
           << getParameter() << "', " << parameter->getType() << ", a value of "
           << getValue().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Users of gradients
//===----------------------------------------------------------------------===//

/// The optimizer whose gradients `type` is of.
static FailureOr<OptimizerInterface>
lookupTrainer(Operation *op, SymbolTableCollection &symbols, Type type) {
  auto found =
      lookupOptimizer(op, symbols, cast<GradientsType>(type).getOptimizer());
  if (failed(found))
    return failure();
  return cast<OptimizerInterface>(*found);
}

/// `gradients` are of what an optimizer trains, in its order and shapes.
static LogicalResult verifyGradients(Operation *op,
                                     SymbolTableCollection &symbols, Type type,
                                     TypeRange gradients) {
  auto trainer = lookupTrainer(op, symbols, type);
  if (failed(trainer))
    return failure();
  ArrayAttr names = trainer->getTrains();
  if (gradients.size() != names.size())
    return op->emitOpError()
           << "has " << gradients.size() << " gradients for the "
           << names.size() << " parameters that '" << trainer->getSymName()
           << "' trains";
  for (auto [gradient, symbol] :
       llvm::zip_equal(gradients, names.getAsRange<FlatSymbolRefAttr>())) {
    auto parameter = lookup<nn::ParameterOp>(op, symbols, symbol, "parameter");
    if (failed(parameter))
      return failure();
    auto type = cast<RankedTensorType>(parameter->getType());
    if (cast<RankedTensorType>(gradient).getShape() != type.getShape())
      return op->emitOpError() << "has a gradient of " << gradient << " for '"
                               << symbol.getValue() << "', " << type;
  }
  return success();
}

LogicalResult GatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGradients(*this, symbols, getOutput().getType(),
                         getGradients().getTypes());
}

LogicalResult SplitOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGradients(*this, symbols, getInput().getType(),
                         getGradients().getTypes());
}

LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookupTrainer(*this, symbols, getGradients().getType());
}

LogicalResult AccumulateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookupTrainer(*this, symbols, getGradients().getType());
}

LogicalResult
TakeGradientsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookupTrainer(*this, symbols, getGradients().getType());
}

//===----------------------------------------------------------------------===//
// EntryAttr, SlabOp
//===----------------------------------------------------------------------===//

LogicalResult EntryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef name, int64_t offset,
                                RankedTensorType type, rt::StateRole) {
  if (offset < 0 || !type.hasStaticShape())
    return emitError() << "entry '" << name
                       << "' needs a static shape and an offset from 0 on";
  return success();
}

LogicalResult SlabOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || !type.hasStaticShape())
    return emitOpError("must be a static tensor of rank 1, not ") << type;
  int64_t end = 0;
  for (auto entry : getEntries().getAsRange<EntryAttr>()) {
    if (entry.getType().getElementType() != type.getElementType())
      return emitOpError("entry '")
             << entry.getName() << "' is " << entry.getType()
             << " in a slab of " << type.getElementType();
    if (entry.getOffset() < end)
      return emitOpError("entry '")
             << entry.getName() << "' overlaps another or is out of order";
    end = entry.getOffset() + entry.getType().getNumElements();
  }
  if (end > type.getNumElements())
    return emitOpError("entries reach element ")
           << end << " of " << type.getNumElements();
  if (auto initial = getInitial())
    if (initial->size() != 1 &&
        static_cast<int64_t>(initial->size()) != type.getNumElements())
      return emitOpError("has ") << initial->size() << " initial values for "
                                 << type.getNumElements() << " elements";
  return success();
}
