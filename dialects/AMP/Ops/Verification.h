// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checks shared by the verifiers of several ops.
#ifndef MPC_DIALECTS_AMP_OPS_VERIFICATION_H
#define MPC_DIALECTS_AMP_OPS_VERIFICATION_H

#include "dialects/AMP/AMPDialect.h"

namespace mpc::amp {

/// Fails where an entry of `numbers` is not an f64. Messages call an entry
/// `what`.
mlir::LogicalResult verifyNumbers(mlir::Operation *op, llvm::StringRef what,
                                  mlir::DictionaryAttr numbers);

/// Fails also where an entry is NaN.
mlir::LogicalResult verifyNotNaN(mlir::Operation *op, llvm::StringRef what,
                                 mlir::DictionaryAttr numbers);

/// Checks that an optimizer trains parameters of f32 or, where it rounds
/// stochastically, of bf16.
mlir::LogicalResult verifyTrains(OptimizerInterface op,
                                 mlir::SymbolTableCollection &symbols,
                                 bool rounds);

/// Fails where `symbol` is not a `SymbolOp` of the module. Messages call it
/// `what`.
template <typename SymbolOp>
mlir::FailureOr<SymbolOp>
lookup(mlir::Operation *op, mlir::SymbolTableCollection &symbols,
       mlir::FlatSymbolRefAttr symbol, llvm::StringRef what) {
  if (auto found = llvm::dyn_cast_if_present<SymbolOp>(
          symbols.lookupNearestSymbolFrom(op, symbol)))
    return found;
  return op->emitOpError() << "uses '" << symbol.getValue()
                           << "', but the module has no " << what
                           << " of that name";
}

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_OPS_VERIFICATION_H
