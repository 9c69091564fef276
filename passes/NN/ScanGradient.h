// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The gradient of a loop: a loop that runs the other way.
///
/// The body and its VJP are expanded as one function, which is then cut in two.
/// The forward body also yields what the gradient reads of it, and the backward
/// body has what depends on a cotangent. A constant's gradient that is a
/// product of two matrices, or a sum of rows, is taken once, of all turns
/// together; others are added up from turn to turn, in f32.
#ifndef MPC_PASSES_NN_SCANGRADIENT_H
#define MPC_PASSES_NN_SCANGRADIENT_H

#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::nn {

/// Expands the nn.vjp of a function, and simplifies that.
using ExpandFunction =
    llvm::function_ref<mlir::LogicalResult(mlir::func::FuncOp)>;

/// A loop whose gradient is wanted, and the cotangents around it.
struct ScanCotangents {
  /// One for each result; null where nothing depends on it.
  llvm::ArrayRef<mlir::Value> results;
  /// Of which operands a cotangent is wanted.
  llvm::ArrayRef<bool> isWanted;
  /// One for each operand, which buildScanGradient() sets.
  llvm::MutableArrayRef<mlir::Value> operands;
};

/// A loop that also yields what the gradient reads, and the values that replace
/// the results of the loop before.
struct ForwardScan {
  ScanOp loop;
  llvm::SmallVector<mlir::Value> results;
};

/// Builds the gradient of `scan` at `builder`, and before `scan` a loop that
/// shall replace it. Bodies are made among `symbols`; `scan` itself need not be
/// in that module yet.
mlir::FailureOr<ForwardScan> buildScanGradient(mlir::OpBuilder &builder,
                                               ScanOp scan,
                                               const ScanCotangents &cotangents,
                                               mlir::SymbolTable &symbols,
                                               ExpandFunction expand);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_SCANGRADIENT_H
