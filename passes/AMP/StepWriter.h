// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes the entries of a training step from what a recipe comes to.
#ifndef MPC_PASSES_AMP_STEPWRITER_H
#define MPC_PASSES_AMP_STEPWRITER_H

#include "dialects/AMP/Optimizers.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/LossScale/PolicyInfo.h"

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

/// What the recipe comes to for one module.
struct StepRecipe {
  rt::PolicyKind policy;
  const Optimizer *optimizer = nullptr;
  llvm::StringRef clip;     ///< The hyper-parameter to clip by, or empty.
  bool regularizes = false; ///< Adds the gradients of penalties.
  bool larc = false;        ///< Rates from norms,
  bool larcClips = false;   ///< at most 1,
  bool larcDecays = false;  ///< that take weight decay in: Apex'.
  bool clipsScaled = false; ///< As if before the unscale.
  bool torchNorm = false;   ///< Clips by the norm as PyTorch sums it.
  int64_t accumulate = 1;   ///< Batches a step.
  mlir::func::FuncOp loss;  ///< Null where gradients are inputs,
  mlir::Type gradientType;  ///< of this type.
  llvm::SmallVector<nn::ParameterOp> parameters;
  llvm::SmallVector<mlir::Attribute> symbols; ///< Of `parameters`.
  llvm::SmallVector<mlir::Attribute> noDecay;
  llvm::SmallVector<ParameterSet> sets; ///< Of `parameters`.
  /// State that the loss yields, behind its value, in this order.
  llvm::SmallVector<nn::ParameterOp> buffers;

  const rt::PolicyInfo &info() const { return rt::policyInfo(policy); }
  bool scales() const { return policy != rt::PolicyKind::None; }
  bool trains() const { return !parameters.empty(); }
  bool updatesEarly() const {
    return info().update == rt::UpdatePoint::BeforeUnscale;
  }
};

/// The symbol of what a window of batches adds to buffer `name`.
inline std::string pendingName(llvm::StringRef name) {
  return (name + "/pending").str();
}

/// Adds @step to `module`, or @accumulate and @apply.
void writeEntries(const StepRecipe &recipe, mlir::ModuleOp module);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_STEPWRITER_H
