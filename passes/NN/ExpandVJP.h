// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Expansion of nn.vjp.
#ifndef MPC_PASSES_NN_EXPANDVJP_H
#define MPC_PASSES_NN_EXPANDVJP_H

#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace mpc::nn {

using RunPasses = llvm::function_ref<mlir::LogicalResult(mlir::OpPassManager &,
                                                         mlir::func::FuncOp)>;

/// Expands every nn.vjp of functions of one module, and before that those of
/// the functions that it calls.
class VJPExpander {
public:
  /// `run`, which outlives this, runs passes on a function, as a pass may.
  VJPExpander(mlir::SymbolTable &symbols, RunPasses run)
      : symbols_(symbols), run_(run) {}

  mlir::LogicalResult expandAll(mlir::func::FuncOp function);
  /// Counts further ops that a gradient made. Fails, with an error at `loc`,
  /// where all together are too many.
  mlir::LogicalResult count(size_t ops, mlir::Location loc);
  /// Expands what buildScanGradient() makes of a loop's body, and simplifies
  /// it.
  mlir::LogicalResult expandBody(mlir::func::FuncOp body);

private:
  mlir::LogicalResult expand(VJPOp op, mlir::func::FuncOp callee);

  mlir::SymbolTable &symbols_;
  RunPasses run_;
  size_t made_ = 0; ///< The number of ops that all expansions have made.
  llvm::DenseSet<mlir::Operation *> visiting_;
};

} // namespace mpc::nn

#endif // MPC_PASSES_NN_EXPANDVJP_H
