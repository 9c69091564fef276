// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The losses in one table: the kind of target, the settings and the way in
/// which each is built. Formulas, defaults and reductions are PyTorch's.
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

/// The target that a loss compares the model's output with.
enum class LossTarget : uint8_t {
  None,    ///< No target: the output is the loss.
  Labels,  ///< Integers in the output's shape without its class axis.
  Classes, ///< Labels, or probabilities of the classes in the output's shape.
  Values   ///< Numbers in the output's shape.
};

/// The settings that a loss may have beside its name, as bits of
/// LossFunction::takes.
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

/// The name of a parameter in a clause of amp.recipe. Its flag has hyphens.
struct LossParameterName {
  LossParameter parameter;
  llvm::StringLiteral name;
};
llvm::ArrayRef<LossParameterName> lossParameterNames();

/// The values of the parameters.
struct LossSettings {
  LossReduction reduction = LossReduction::Mean;
  std::optional<int64_t> ignoreIndex = {}; ///< A label that is excluded.
  /// One weight for each class; empty: all are 1.
  llvm::SmallVector<double> classWeights;
  /// The share of a label's weight that is spread over all classes.
  double labelSmoothing = 0.0;
  double delta = 1.0; ///< The distance at which the square becomes a line.
  /// The axis of the output's classes, counted from the end where negative;
  /// empty: the shapes decide.
  std::optional<int64_t> classAxis = {};

  /// The parameters whose values are not the defaults.
  [[nodiscard]] LossParameter given() const;
};

/// The values from which a loss is built. An output of 16 bits is cast to f32.
struct LossOperands {
  mlir::Value output;
  mlir::Value target; ///< Null for LossTarget::None.
  /// The class axis of the output, for labels and classes.
  int64_t classAxis = 0;
};

/// A loss before its reduction to one number.
struct LossElements {
  mlir::Value losses; ///< The loss at each place of the target.
  /// The weight of each place in a mean; null where all weights are equal.
  mlir::Value weights;
};

struct LossFunction {
  llvm::StringLiteral name;
  /// The formula of one element, or a sentence on what is computed, for people.
  llvm::StringLiteral summary;
  /// The meaning that the model's output must have, for people: "logits".
  llvm::StringLiteral output;
  LossTarget target;
  LossParameter takes;
  /// The scalar loss in the type of `output`.
  mlir::Value (*build)(GradientBuilder &, const LossOperands &,
                       const LossSettings &);
  /// The loss before its reduction; null where the model reduces it.
  LossElements (*elements)(GradientBuilder &, const LossOperands &,
                           const LossSettings &) = nullptr;
  /// Where the output is right, as i1 in the target's shape. Null, or a null
  /// value, where the loss does not tell right from wrong.
  mlir::Value (*hits)(GradientBuilder &, const LossOperands &) = nullptr;
  /// Whether the losses of labels are -log p, so that there is a perplexity.
  bool isLikelihood = false;
  /// Whether the loss is 0 everywhere for `delta` = 0, which is refused.
  bool vanishesAtDelta0 = false;

  [[nodiscard]] bool has(LossParameter parameter) const {
    return (takes & parameter) == parameter;
  }
  /// The first of `given` that the loss does not take; null where it takes all.
  [[nodiscard]] const LossParameterName *findForeign(LossParameter given) const;
};

llvm::ArrayRef<LossFunction> allLosses();
/// The loss of that name; null where there is none.
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
