// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The losses: what each is taken of, what may be said of it and how it is
/// built, in one table. Formulas, defaults and reductions are PyTorch's.
#ifndef MPC_DIALECTS_NN_LOSSES_H
#define MPC_DIALECTS_NN_LOSSES_H

#include "dialects/NN/Gradient.h"
#include "llvm/ADT/BitmaskEnum.h"
#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>

#include "dialects/NN/NNLossEnums.h.inc"

namespace mpc::nn {

LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

/// What a loss compares the model's output with.
enum class LossTarget : uint8_t {
  None,    ///< Nothing: the output is the loss.
  Labels,  ///< Integers in the output's shape without its class axis.
  Classes, ///< Labels, or probabilities of the classes in the output's shape.
  Values   ///< Numbers in the output's shape.
};

/// What may be said of a loss beside its name: bits of LossFunction::takes.
enum class LossParameter : uint32_t {
  None = 0,
  Reduction = 1 << 0,
  BatchMean = 1 << 1, ///< LossReduction::BatchMean.
  IgnoreIndex = 1 << 2,
  ClassWeights = 1 << 3,
  LabelSmoothing = 1 << 4,
  Delta = 1 << 5,
  ClassAxis = 1 << 6,
  LLVM_MARK_AS_BITMASK_ENUM(ClassAxis)
};

/// A parameter as users write it: the clause of amp.recipe, whose flag has
/// hyphens.
struct LossParameterName {
  LossParameter parameter;
  llvm::StringLiteral name;
};
llvm::ArrayRef<LossParameterName> lossParameterNames();

/// The values of the parameters.
struct LossSettings {
  LossReduction reduction = LossReduction::Mean;
  std::optional<int64_t> ignoreIndex = {}; ///< A label that takes no part.
  llvm::SmallVector<double> classWeights;  ///< One a class; none: all 1.
  double labelSmoothing = 0.0; ///< The share of a label that all classes have.
  double delta = 1.0;          ///< Where a square goes over to a line.
  /// Where the output has its classes, from the end where it is negative;
  /// none: as shapes tell.
  std::optional<int64_t> classAxis = {};

  /// The parameters whose values are not the defaults.
  [[nodiscard]] LossParameter given() const;
};

/// The values that a loss is built of. An output of 16 bits is cast to f32.
struct LossOperands {
  mlir::Value output;
  mlir::Value target;    ///< Null for LossTarget::None.
  int64_t classAxis = 0; ///< Of the output; for labels and classes.
};

/// A loss before it is one number.
struct LossElements {
  mlir::Value losses;  ///< Of each place of the target.
  mlir::Value weights; ///< What each counts in a mean; null: all the same.
};

struct LossFunction {
  llvm::StringLiteral name;
  /// The value of one element, or what else is computed, for people.
  llvm::StringLiteral summary;
  /// What the model's output has to be, for people: "logits".
  llvm::StringLiteral output;
  LossTarget target;
  LossParameter takes;
  /// The scalar loss in the type of `output`.
  mlir::Value (*build)(GradientBuilder &, const LossOperands &,
                       const LossSettings &);
  /// The loss before its reduction; null where the model reduces it.
  LossElements (*elements)(GradientBuilder &, const LossOperands &,
                           const LossSettings &) = nullptr;
  /// Where the output is right, as i1 in the target's shape; null, or a null
  /// value, where a target is neither right nor wrong.
  mlir::Value (*hits)(GradientBuilder &, const LossOperands &) = nullptr;
  /// Whether the elements of labels are -log p, so that there is a perplexity.
  bool isLikelihood = false;
  /// Whether the loss is 0 everywhere where `delta` is 0, which is refused.
  bool vanishesAtDelta0 = false;

  [[nodiscard]] bool has(LossParameter parameter) const {
    return (takes & parameter) == parameter;
  }
  /// Among `given` the first that the loss does not take; null where it takes
  /// all.
  [[nodiscard]] const LossParameterName *findForeign(LossParameter given) const;
};

llvm::ArrayRef<LossFunction> allLosses();
/// Null where there is none of that name.
const LossFunction *findLoss(llvm::StringRef name);
/// "cross_entropy, nll, ... and output".
std::string knownLosses();
/// The losses that take `parameter`: "cross_entropy and nll".
std::string lossesWith(LossParameter parameter);

/// A value of an option of a pass.
inline llvm::cl::OptionEnumValue optionValue(LossReduction reduction) {
  return {stringifyLossReduction(reduction), static_cast<int>(reduction), ""};
}

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_LOSSES_H
