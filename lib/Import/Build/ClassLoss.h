// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Losses over classes, from logarithms of probabilities.
#ifndef MPC_LIB_IMPORT_BUILD_CLASSLOSS_H
#define MPC_LIB_IMPORT_BUILD_CLASSLOSS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// How the losses of a batch are reduced.
enum class Reduction { None, Mean, Sum };

Operand reduced(TensorBuilder &b, const Operand &loss, Reduction reduction);

/// The class axis in scores [N, C, d..], and in [C] for one sample.
inline int64_t classAxis(const Operand &scores) {
  return std::min<int64_t>(scores.rank() - 1, 1);
}

struct ClassLoss {
  /// The logarithms of probabilities, of each class at each place.
  Operand logProbability;
  /// Labels, without the class axis, or probabilities.
  Operand target;
  std::optional<Operand> weight = {}; ///< The weight of each class, [C]
  std::optional<int64_t> ignored = {};
  double smoothing = 0.0;
  Reduction reduction = Reduction::Mean;
};

/// States which labels the target may have: see nn::addRange().
void stateLabels(const ClassLoss &loss);

/// -weight[target] * logProbability[target]. The mean is over the weights of
/// the labels, where there are any.
Operand lossOfLabels(TensorBuilder &b, const ClassLoss &loss);

/// The loss against probabilities of classes. Its mean is over places, whatever
/// the weights of classes.
Operand lossOfProbabilities(TensorBuilder &b, const ClassLoss &loss);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_CLASSLOSS_H
