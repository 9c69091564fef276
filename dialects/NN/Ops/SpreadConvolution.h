// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Convolutions that read a tensor with zeros between its elements: transposed
/// ones, and the gradient of the input of one with strides.
#ifndef MPC_DIALECTS_NN_OPS_SPREADCONVOLUTION_H
#define MPC_DIALECTS_NN_OPS_SPREADCONVOLUTION_H

#include "dialects/NN/Gradient.h"

namespace mpc::nn {

/// `count` taps along one spatial axis: start, start + step, ...
struct Taps {
  int64_t start = 0, step = 1, count = 0;
};

/// A convolution with stride 1, where `strides[i] - 1` zeros are between
/// neighbouring elements of the input's spatial axis i.
struct SpreadConvolution {
  mlir::Value input;                 ///< As it is before zeros are put into it.
  llvm::SmallVector<int64_t> kernel; ///< The taps along each spatial axis.
  mlir::Value bias;                  ///< Null if there is none.
  llvm::SmallVector<int64_t> strides;
  /// The zeros in front of the spread input; negative where it is cut.
  llvm::SmallVector<int64_t> low;
  llvm::SmallVector<int64_t> dilations;
  /// The sizes of the output's spatial axes.
  llvm::SmallVector<int64_t> output;
  int64_t groups = 1;

  /// The outputs whose index is one number modulo the stride read the same
  /// elements by the same taps. Each such phase is a convolution of the input
  /// without zeros, and their results are interleaved, so that no zero is
  /// multiplied. `weightOf` gives the weight of the taps of a phase.
  mlir::Value
  build(GradientBuilder &g,
        llvm::function_ref<mlir::Value(llvm::ArrayRef<Taps>)> weightOf) const;
};

/// With more phases than these, one convolution of an input with zeros in it
/// takes less than so many small ones.
constexpr int64_t kMostPhases = 9;

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_OPS_SPREADCONVOLUTION_H
