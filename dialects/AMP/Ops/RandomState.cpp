// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op that reads the state from which random numbers follow.
#include "dialects/AMP/RandomState.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

#define GET_OP_CLASSES
#include "dialects/AMP/AMPRandomState.cpp.inc"

LogicalResult RandomStateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto optimizer = symbols.lookupNearestSymbolFrom<OptimizerInterface>(
      *this, getOptimizerAttr());
  if (!optimizer)
    return emitOpError("names '")
           << getOptimizer() << "', which is no optimizer";
  if (!optimizer.getHyper().contains(kRandomSeed))
    return emitOpError("draws by optimizer '")
           << getOptimizer() << "', which has no " << kRandomSeed;
  return success();
}
