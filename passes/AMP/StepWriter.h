// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes the entries of a training step from a recipe and the StepPlan that
/// follows from it.
#ifndef MPC_PASSES_AMP_STEPWRITER_H
#define MPC_PASSES_AMP_STEPWRITER_H

#include "dialects/AMP/Recipe.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mpc::amp {

/// Symbols of the state that the entries use.
inline constexpr llvm::StringLiteral kScaler = "scaler";
inline constexpr llvm::StringLiteral kOptimizer = "optimizer";

/// Parameters that have a gradient in the same steps.
struct ParameterSet {
  std::string optimizer; ///< Symbol of the state that they share.
  std::string present;   ///< Input that says when; empty for always.
  llvm::SmallVector<unsigned> members; ///< Among those that are trained.

  template <typename T>
  llvm::SmallVector<T> select(const llvm::SmallVector<T> &all) const {
    return llvm::map_to_vector(members, [&](unsigned i) { return all[i]; });
  }
};

/// What a recipe comes to for one module.
struct StepPlan {
  RecipeOp recipe;
  mlir::func::FuncOp loss; ///< Null where gradients are inputs.
  llvm::SmallVector<nn::ParameterOp> parameters;
  llvm::SmallVector<mlir::Attribute> symbols; ///< Of `parameters`.
  llvm::SmallVector<mlir::Attribute> noDecay;
  llvm::SmallVector<ParameterSet> sets; ///< Of `parameters`.
  /// State that the loss yields, behind its value, in this order.
  llvm::SmallVector<nn::ParameterOp> buffers;
  /// For each result of the loss behind its value: the buffer whose next value
  /// it is, or null for one that the step yields.
  llvm::SmallVector<nn::ParameterOp> results;

  bool trains() const { return !parameters.empty(); }
};

/// The hyper-parameter that bounds what `kind` clips.
inline std::string clipHyper(ClipKind kind) {
  return ("clip_" + stringifyClipKind(kind)).str();
}

/// The symbol of what a window of batches adds to buffer `name`.
inline std::string pendingName(llvm::StringRef name) {
  return (name + "/pending").str();
}

/// Adds @step to `module`, or @accumulate and @apply.
void writeEntries(const StepPlan &plan, mlir::ModuleOp module);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_STEPWRITER_H
