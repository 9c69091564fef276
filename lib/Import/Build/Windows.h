// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Windows that slide over spatial axes, and computations over them.
#ifndef MPC_LIB_IMPORT_BUILD_WINDOWS_H
#define MPC_LIB_IMPORT_BUILD_WINDOWS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// A window, with one number for each spatial axis. The windows of `output` lie
/// within the input padded by `low` and `high`.
struct Window {
  llvm::SmallVector<int64_t> kernel;
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<int64_t> dilations;
  llvm::SmallVector<int64_t> low;
  llvm::SmallVector<int64_t> high;
  /// The value of `high` before ceil_mode increased it.
  llvm::SmallVector<int64_t> givenHigh;
  Shape output;
};

/// A window that slides over `input` by one element, without padding.
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

/// [batch, channels, spatial..] padded with zeros by the window's padding.
Operand paddedBy(TensorBuilder &b, const Operand &x, const Window &window);

/// The sum over each window of [batch, channels, spatial..], which is padded
/// already.
Operand sumOverWindows(TensorBuilder &b, const Operand &padded,
                       const Window &window);

/// The mean over each window, where windows tile the input; else empty.
std::optional<Operand> averageTiles(TensorBuilder &b, const Operand &input,
                                    const Window &window);

/// Fails, without a place, where overlapping windows have too many elements for
/// an op for each.
llvm::Error checkPlaces(const Window &window);

/// The mean over each window; with a divisor, the sum divided by it. An error,
/// without a place, where windows are too large or too many.
llvm::Expected<Operand> averageOver(TensorBuilder &b, const Operand &input,
                                    const Window &window,
                                    std::optional<int64_t> divisor,
                                    bool countPadding);

/// The number of elements over which each window averages, f64; `input` has the
/// spatial sizes. An error, without a place, where there are too many windows.
llvm::Expected<Operand> windowCounts(TensorBuilder &b, const Window &window,
                                     llvm::ArrayRef<int64_t> input,
                                     bool countPadding);

/// The sum of all windows' elements at the places of their windows: `columns`
/// is [batch, channels * places of a window, windows].
Operand addWindows(TensorBuilder &b, const Operand &columns,
                   llvm::ArrayRef<int64_t> image, const Window &window);

/// Converts places among the spatial axes, row by row, to places in the whole
/// tensor. With `byColumns` the first spatial axis is the innermost.
Operand placesInTensor(TensorBuilder &b, Operand places,
                       llvm::ArrayRef<int64_t> input, bool byColumns);

Operand buildConv(TensorBuilder &b, const Operand &input, const Operand &weight,
                  const Operand *bias, const Window &window, int64_t groups);

/// The weight of the convolution that equals a transposed one: [C, M/g, k..]
/// becomes [M, C/g, k..], with spatial axes reversed.
Operand transposedWeight(TensorBuilder &b, const Operand &weight,
                         int64_t groups);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_WINDOWS_H
