// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on named state, and slabs.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"

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

/// Fails where `symbol` is no `SymbolOp` of the module.
template <typename SymbolOp>
static FailureOr<SymbolOp> lookup(Operation *op, SymbolTableCollection &symbols,
                                  FlatSymbolRefAttr symbol, StringRef what) {
  if (auto found = symbols.lookupNearestSymbolFrom<SymbolOp>(op, symbol))
    return found;
  return op->emitOpError() << "uses '" << symbol.getValue() << "', which is no "
                           << what << " of this module";
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
  if (failed(verifyNumbers(*this, "hyper-parameter", getHyper())))
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
  return success();
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
  auto optimizer =
      lookup<OptimizerOp>(*this, symbols, getOptimizerAttr(), "optimizer");
  if (failed(optimizer))
    return failure();
  if (!optimizer->getHyper().contains(getHyper()))
    return emitOpError("reads hyper-parameter '")
           << getHyper() << "', which optimizer '" << getOptimizer()
           << "' does not have";
  return success();
}

LogicalResult ApplyOp::verify() {
  if (getGradients().size() != getParameters().size())
    return emitOpError("has ") << getGradients().size() << " gradients for "
                               << getParameters().size() << " parameters";
  for (Attribute symbol :
       getNoDecay().value_or(ArrayAttr::get(getContext(), {})))
    if (!llvm::is_contained(getParameters(), symbol))
      return emitOpError("keeps decay from '")
             << cast<FlatSymbolRefAttr>(symbol).getValue()
             << "', which it does not update";
  return success();
}

/// Each gradient must have the shape of its parameter, which must be f32, or
/// bf16 where it has no master.
static LogicalResult verifyGradients(Operation *op,
                                     SymbolTableCollection &symbols,
                                     TypeRange gradients, ArrayAttr names) {
  if (gradients.size() != names.size())
    return op->emitOpError() << "has " << gradients.size() << " gradients for "
                             << names.size() << " parameters";
  for (auto [gradient, symbol] :
       llvm::zip_equal(gradients, names.getAsRange<FlatSymbolRefAttr>())) {
    auto parameter = lookup<nn::ParameterOp>(op, symbols, symbol, "parameter");
    if (failed(parameter))
      return failure();
    auto type = cast<RankedTensorType>(parameter->getType());
    if (!type.getElementType().isF32() && !type.getElementType().isBF16())
      return op->emitOpError()
             << "can only update parameters of f32 and bf16, "
             << "but '" << symbol.getValue() << "' is " << type;
    if (cast<RankedTensorType>(gradient).getShape() != type.getShape())
      return op->emitOpError() << "has a gradient of " << gradient << " for '"
                               << symbol.getValue() << "', " << type;
  }
  return success();
}

LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto optimizer =
      lookup<OptimizerOp>(*this, symbols, getOptimizerAttr(), "optimizer");
  if (failed(optimizer))
    return failure();
  bool rounds = optimizer->getHyper().contains("rounding_seed");
  for (auto symbol : getParameters().getAsRange<FlatSymbolRefAttr>())
    if (auto parameter =
            symbols.lookupNearestSymbolFrom<nn::ParameterOp>(*this, symbol);
        parameter && getElementTypeOrSelf(parameter.getType()).isBF16() &&
        !rounds)
      return emitOpError("updates '")
             << symbol.getValue() << "' in bf16, but optimizer '"
             << getOptimizer() << "' has no rounding_seed";
  return verifyGradients(*this, symbols, getGradients().getTypes(),
                         getParameters());
}

LogicalResult AccumulateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGradients(*this, symbols, getGradients().getTypes(),
                         getParameters());
}

LogicalResult
TakeGradientsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGradients(*this, symbols, getGradients().getTypes(),
                         getParameters());
}

LogicalResult RegularizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto [gradient, output] : llvm::zip(getGradients(), getOutputs()))
    if (failed(verifyCompatibleShape(gradient.getType(), output.getType())))
      return emitOpError("must yield a gradient for each, of its shape");
  return verifyGradients(*this, symbols, getOutputs().getTypes(),
                         getParameters());
}

LogicalResult LarcOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto [gradient, output] : llvm::zip(getGradients(), getOutputs()))
    if (failed(verifyCompatibleShape(gradient.getType(), output.getType())))
      return emitOpError("must yield a gradient for each, of its shape");
  return verifyGradients(*this, symbols, getOutputs().getTypes(),
                         getParameters());
}

//===----------------------------------------------------------------------===//
// EntryAttr, SlabOp
//===----------------------------------------------------------------------===//

LogicalResult EntryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef name, int64_t offset,
                                RankedTensorType type, StringRef role) {
  static constexpr StringRef kRoles[] = {
      "parameter", "low_precision", "gradient",  "slot",
      "buffer",    "loss_scale",    "optimizer", "hyperparameters"};
  if (!llvm::is_contained(kRoles, role))
    return emitError() << "entry '" << name << "' has unknown role '" << role
                       << "'";
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
