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

/// The symbols of the state that the entries use.
inline constexpr llvm::StringLiteral kScaler = "scaler";
inline constexpr llvm::StringLiteral kOptimizer = "optimizer";

/// Parameters that have gradients in the same steps.
struct ParameterSet {
  std::string optimizer; ///< The symbol of the optimizer state that they share.
  /// The input that says whether the set is present; empty for always.
  std::string present;
  /// Indices among the trained parameters.
  llvm::SmallVector<unsigned> members;

  template <typename T>
  llvm::SmallVector<T> select(const llvm::SmallVector<T> &all) const {
    return llvm::map_to_vector(members, [&](unsigned i) { return all[i]; });
  }
};

/// How a buffer advances with each batch: it is multiplied by `decay`, and what
/// the batch says is added. A count grows by the value of `count` instead.
struct BufferRule {
  double decay;
  nn::ConstantOp count; ///< Null for other buffers.
};

/// The facts that follow from a recipe for one module.
struct StepPlan {
  RecipeOp recipe;
  mlir::func::FuncOp loss; ///< Null where gradients are inputs.
  llvm::SmallVector<nn::ParameterOp> parameters;
  llvm::SmallVector<mlir::Attribute> symbols; ///< The symbols of `parameters`.
  llvm::SmallVector<mlir::Attribute> noDecay;
  /// The symbols of each group with numbers of its own.
  llvm::SmallVector<llvm::SmallVector<mlir::Attribute>> groups;
  /// The sets into which `parameters` are divided.
  llvm::SmallVector<ParameterSet> sets;
  /// The buffers whose next values the loss yields after its value, in this
  /// order.
  llvm::SmallVector<nn::ParameterOp> buffers;
  /// With ranks, the rule of each buffer. The loss yields what the batch adds
  /// in place of the buffer's next value.
  llvm::SmallVector<BufferRule> rules;
  /// For each result of the loss after its value: the buffer whose next value
  /// it is, or null for a result that the step yields.
  llvm::SmallVector<nn::ParameterOp> results;
  /// The arguments of the loss whose gradients the step yields.
  llvm::SmallVector<int64_t> inputs;

  bool trains() const { return !parameters.empty(); }
};

/// The hyper-parameter that is the bound of clipping by `kind`.
inline std::string clipHyper(ClipKind kind) {
  return ("clip_" + stringifyClipKind(kind)).str();
}

/// The symbol of the sum of changes that a window of batches makes to buffer
/// `name`.
inline std::string pendingName(llvm::StringRef name) {
  return (name + "/pending").str();
}

/// The symbol of what the batches of a window on one rank add to buffer `name`,
/// one row for each batch.
inline std::string batchesName(llvm::StringRef name) {
  return (name + "/batches").str();
}

/// Adds @step to `module`, or @accumulate and @apply.
void writeEntries(const StepPlan &plan, mlir::ModuleOp module);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_STEPWRITER_H
