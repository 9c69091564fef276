// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Losses over classes, of logarithms of probabilities.
#ifndef MPC_LIB_IMPORT_BUILD_CLASSLOSS_H
#define MPC_LIB_IMPORT_BUILD_CLASSLOSS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// How the losses of a batch become one.
enum class Reduction { None, Mean, Sum };

Operand reduced(TensorBuilder &b, const Operand &loss, Reduction reduction);

/// That of the classes in scores [N, C, d..], and in [C] of one sample.
inline int64_t classAxis(const Operand &scores) {
  return std::min<int64_t>(scores.rank() - 1, 1);
}

struct ClassLoss {
  /// Of each class at each place.
  Operand logProbability;
  /// Labels, of the shape without the classes, or probabilities.
  Operand target;
  std::optional<Operand> weight = {}; ///< [C]
  std::optional<int64_t> ignored = {};
  double smoothing = 0.0;
  Reduction reduction = Reduction::Mean;
};

/// -weight[target] * logProbability[target]. The mean is over the weights of
/// the labels, where there are any.
Operand lossOfLabels(TensorBuilder &b, const ClassLoss &loss);

/// The same against probabilities of the classes, whose mean is over the
/// places, whatever the classes weigh.
Operand lossOfProbabilities(TensorBuilder &b, const ClassLoss &loss);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_CLASSLOSS_H
