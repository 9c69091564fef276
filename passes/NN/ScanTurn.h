// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A turn of a loop and its gradient as one function, before they are cut into
/// the bodies of a forward and a backward loop.
#ifndef MPC_PASSES_NN_SCANTURN_H
#define MPC_PASSES_NN_SCANTURN_H

#include "passes/NN/ScanGradient.h"

namespace mpc::nn {

/// Whether `value` has a gradient by its type.
bool hasGradient(mlir::Value value);

struct ScanTurn {
  /// (arguments, cotangents) -> (results, gradients).
  mlir::func::FuncOp function;
  mlir::func::FuncOp callee; ///< What it was differentiated from.
  /// The results with a cotangent of each turn, which the function takes behind
  /// those of what is carried.
  llvm::SmallVector<unsigned> seeded;
  /// In the function: its results, the cotangents that it takes of carried
  /// values and of each turn, and the gradients of its arguments, null for
  /// none.
  llvm::SmallVector<mlir::Value> results, carriedSeeds, seeds, gradients;

  void erase(mlir::SymbolTable &symbols);
};

/// Makes the functions, of which `expand` expands the gradient.
mlir::FailureOr<ScanTurn> buildScanTurn(ScanOp scan,
                                        const ScanCotangents &cotangents,
                                        mlir::SymbolTable &symbols,
                                        ExpandFunction expand);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_SCANTURN_H
