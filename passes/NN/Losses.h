// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loss functions of a model's output and a target, with PyTorch's semantics.
#ifndef MPC_PASSES_NN_LOSSES_H
#define MPC_PASSES_NN_LOSSES_H

#include "dialects/NN/Gradient.h"

#include <optional>
#include <string>

namespace mpc::nn {

/// What a loss is, beside which function.
struct LossSettings {
  std::string reduction = "mean";          ///< Or sum, or batchmean.
  std::optional<int64_t> ignoreIndex = {}; ///< A label that takes no part.
  llvm::SmallVector<double> classWeights;  ///< One a class; none: all 1.
  double labelSmoothing = 0.0; ///< The share of a label that all classes have.
  double delta = 1.0;          ///< Where a square goes over to a line.
};

/// A loss of a prediction and a target.
struct LossFunction {
  llvm::StringLiteral name;
  /// Null for a loss of labels.
  mlir::Value (*ofElements)(GradientBuilder &, mlir::Value prediction,
                            mlir::Value target, const LossSettings &) = nullptr;
  /// Whether its prediction is logarithms of probabilities, not logits; of a
  /// loss of labels.
  bool ofLogProbabilities = false;

  [[nodiscard]] bool takesLabels() const { return !ofElements; }
};

/// Null where there is none of that name.
const LossFunction *findLossFunction(llvm::StringRef name);

/// The scalar loss of `prediction`, in its type, against a target of its shape.
mlir::Value buildElementLoss(GradientBuilder &g, const LossFunction &function,
                             mlir::Value prediction, mlir::Value target,
                             const LossSettings &settings);

/// The scalar loss of `scores`, whose classes are on `axis`, in their type,
/// against integer labels.
mlir::Value buildLabelLoss(GradientBuilder &g, const LossFunction &function,
                           mlir::Value scores, mlir::Value labels, int64_t axis,
                           const LossSettings &settings);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_LOSSES_H
