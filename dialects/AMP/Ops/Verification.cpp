// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks shared by the verifiers of several ops.
#include "dialects/AMP/Ops/Verification.h"

#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

LogicalResult mpc::amp::verifyNumbers(Operation *op, StringRef what,
                                      DictionaryAttr numbers) {
  for (NamedAttribute entry : numbers) {
    auto number = dyn_cast<FloatAttr>(entry.getValue());
    if (!number || !number.getType().isF64())
      return op->emitOpError() << what << " '" << entry.getName().getValue()
                               << "' must be an f64";
  }
  return success();
}

LogicalResult mpc::amp::verifyNotNaN(Operation *op, StringRef what,
                                     DictionaryAttr numbers) {
  if (failed(verifyNumbers(op, what, numbers)))
    return failure();
  for (NamedAttribute entry : numbers)
    if (cast<FloatAttr>(entry.getValue()).getValue().isNaN())
      return op->emitOpError() << what << " '" << entry.getName().getValue()
                               << "' must be a number, not NaN";
  return success();
}

LogicalResult mpc::amp::verifyTrains(OptimizerInterface op,
                                     SymbolTableCollection &symbols,
                                     bool rounds) {
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
