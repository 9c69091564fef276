// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One entry of a step under construction: arguments, ops on state, results.
#ifndef MPC_PASSES_AMP_ENTRYBUILDER_H
#define MPC_PASSES_AMP_ENTRYBUILDER_H

#include "dialects/AMP/AMPDialect.h"
#include "dialects/NN/Gradient.h"
#include "passes/AMP/StepWriter.h"

namespace mpc::amp {

/// Adds a function to a module, and writes its body from the start.
class EntryBuilder {
public:
  EntryBuilder(const StepPlan &plan, mlir::ModuleOp module, EntryKind kind);

  /// Arguments have their names in `attributes`, results in this struct.
  mlir::Value addArgument(mlir::Type type, mlir::DictionaryAttr attributes);
  mlir::Value addArgument(mlir::Type type, const llvm::Twine &name);
  using Result = std::pair<llvm::StringRef, mlir::Value>;
  void addResult(llvm::StringRef name, mlir::Value value);
  /// Adds results in front of all others.
  void addFirstResults(llvm::ArrayRef<Result> results);
  /// Returns the results.
  void finish();

  mlir::Value constant(mlir::Type elementType, mlir::Attribute value);
  mlir::Value flag(bool value);
  mlir::Value getScale(mlir::Type elementType);
  mlir::Value read(nn::ParameterOp parameter);
  /// Assigns `value` to the parameter, except where `skip` is true. `skip` may
  /// be null.
  void assign(nn::ParameterOp parameter, mlir::Value value,
              mlir::Value skip = {});
  /// A hyper-parameter of the optimizer.
  mlir::Value hyper(llvm::StringRef name);

  static mlir::RankedTensorType scalar(mlir::Type elementType);
  /// The type of all gradients of a parameter set.
  GradientsType typeOf(const ParameterSet &set);
  /// Whether the recipe's policy has a scale.
  bool scales() const { return policy.kind != rt::PolicyKind::None; }
  /// Whether the scale is updated before gradients are unscaled by it.
  bool updatesEarly() const {
    return policy.update == rt::UpdatePoint::BeforeUnscale;
  }

  const StepPlan &plan;
  RecipeOp recipe;
  const rt::PolicyInfo &policy;
  const mlir::Location loc;
  mlir::OpBuilder b;
  nn::GradientBuilder g; ///< Builds nn ops by `b`.

private:
  mlir::func::FuncOp function_;
  llvm::SmallVector<std::pair<std::string, mlir::Value>> results_;
};

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_ENTRYBUILDER_H
