// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on named state, and slabs.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Ops/Verification.h"
#include "dialects/NN/NNDialect.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// Fails where `symbol` is not an optimizer of any kind.
static FailureOr<OptimizerInterface>
lookupOptimizer(Operation *op, SymbolTableCollection &symbols,
                FlatSymbolRefAttr symbol) {
  return lookup<OptimizerInterface>(op, symbols, symbol, "optimizer");
}

LogicalResult ScalerOp::verify() {
  return verifyNumbers(*this, "setting", getSettings());
}

//===----------------------------------------------------------------------===//
// Users of state
//===----------------------------------------------------------------------===//

LogicalResult GetScaleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookup<ScalerOp>(*this, symbols, getScalerAttr(), "scaler");
}

LogicalResult GetRateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookup<ScalerOp>(*this, symbols, getScalerAttr(), "scaler");
}

LogicalResult UpdateScaleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookup<ScalerOp>(*this, symbols, getScalerAttr(), "scaler");
}

LogicalResult GetHyperOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto optimizer = lookupOptimizer(*this, symbols, getOptimizerAttr());
  if (failed(optimizer))
    return failure();
  if (!optimizer->getHyper().contains(getHyper()))
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

LogicalResult AllGatherOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto output = cast<RankedTensorType>(getOutput().getType());
  if (input.getRank() == 0)
    return emitOpError("gathers rows, and ") << input << " has none";
  SmallVector<int64_t> shape(input.getShape());
  shape.front() *= static_cast<int64_t>(getRanks());
  if (output != input.clone(shape))
    return emitOpError("yields ")
           << output << " in place of " << input.clone(shape);
  return success();
}

//===----------------------------------------------------------------------===//
// Users of gradients
//===----------------------------------------------------------------------===//

/// The optimizer that `type` names as the owner of the gradients.
static FailureOr<OptimizerInterface>
lookupTrainer(Operation *op, SymbolTableCollection &symbols, Type type) {
  return lookupOptimizer(op, symbols, cast<GradientsType>(type).getOptimizer());
}

/// Checks that `gradients` match the parameters that an optimizer trains, in
/// order and shapes.
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

LogicalResult ExchangeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookupTrainer(*this, symbols, getInput().getType());
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
                                RankedTensorType type, rt::StateRole role,
                                StringAttr owner, StringAttr) {
  if (rt::hasOwner(role) && !owner)
    return emitError() << "entry '" << name << "' of role '" << rt::name(role)
                       << "' needs an owner";
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
  int64_t elements = type.getNumElements() * static_cast<int64_t>(getParts());
  if (end > elements)
    return emitOpError("entries reach element ") << end << " of " << elements;
  if (auto initial = getInitial())
    if (initial->size() != 1 &&
        static_cast<int64_t>(initial->size()) != type.getNumElements())
      return emitOpError("has ") << initial->size() << " initial values for "
                                 << type.getNumElements() << " elements";
  return success();
}
