// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Windows that slide over spatial axes, and what is computed over them.
#ifndef MPC_LIB_IMPORT_BUILD_WINDOWS_H
#define MPC_LIB_IMPORT_BUILD_WINDOWS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// One number for each spatial axis. The windows that `output` counts lie
/// within the input padded by `low` and `high`.
struct Window {
  llvm::SmallVector<int64_t> kernel;
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<int64_t> dilations;
  llvm::SmallVector<int64_t> low;
  llvm::SmallVector<int64_t> high;
  /// What `high` was before ceil_mode made it larger.
  llvm::SmallVector<int64_t> givenHigh;
  Shape output;
};

/// A window that slides by one over `input`, without pads.
Window slidingWindow(llvm::ArrayRef<int64_t> input,
                     llvm::ArrayRef<int64_t> kernel);

/// A transposed convolution as a pad (`low`, `high`, `interior` of all axes)
/// and a convolution of stride 1.
struct TransposedWindow {
  llvm::SmallVector<int64_t> low;
  llvm::SmallVector<int64_t> high;
  llvm::SmallVector<int64_t> interior;
  Window conv;
};

/// [batch, channels, spatial..] padded by the window's pads with zeros.
Operand paddedBy(TensorBuilder &b, const Operand &x, const Window &window);

/// The sum over each window of [batch, channels, spatial..], which is padded.
Operand sumOverWindows(TensorBuilder &b, const Operand &padded,
                       const Window &window);

/// The mean over each window, where windows tile the input; else nothing.
std::optional<Operand> averageTiles(TensorBuilder &b, const Operand &input,
                                    const Window &window);

/// Fails where windows that overlap have so many elements that an op for each
/// is too much; without a place.
llvm::Error checkPlaces(const Window &window);

/// The mean over each window; with a divisor the sum over that number. An error
/// without a place where windows are too large or too many.
llvm::Expected<Operand> averageOver(TensorBuilder &b, const Operand &input,
                                    const Window &window,
                                    std::optional<int64_t> divisor,
                                    bool countPadding);

/// How many elements each window averages over, f64; `input` are spatial
/// sizes. An error without a place where windows are too many.
llvm::Expected<Operand> windowCounts(TensorBuilder &b, const Window &window,
                                     llvm::ArrayRef<int64_t> input,
                                     bool countPadding);

/// The sum of all windows' elements, each where its window lies: `columns` is
/// [batch, channels * places of a window, windows].
Operand addWindows(TensorBuilder &b, const Operand &columns,
                   llvm::ArrayRef<int64_t> image, const Window &window);

/// Places among the spatial axes, row by row, as places in the whole tensor;
/// with `byColumns` the first spatial axis is the innermost.
Operand placesInTensor(TensorBuilder &b, Operand places,
                       llvm::ArrayRef<int64_t> input, bool byColumns);

Operand buildConv(TensorBuilder &b, const Operand &input, const Operand &weight,
                  const Operand *bias, const Window &window, int64_t groups);

/// The weight of the convolution that a transposed one is: [C, M/g, k..] to
/// [M, C/g, k..], its spatial axes reversed.
Operand transposedWeight(TensorBuilder &b, const Operand &weight,
                         int64_t groups);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_WINDOWS_H
