// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Resamples each axis by itself: nearest neighbours by a gather, linear and
/// cubic interpolation by a product with a matrix of weights.
#ifndef MPC_LIB_IMPORT_BUILD_RESIZE_H
#define MPC_LIB_IMPORT_BUILD_RESIZE_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// How one axis is resampled.
struct AxisResize {
  int64_t from, to;
  double scale;
  /// The extent of the output by which corners are placed: `to`, or `to` before
  /// it was rounded.
  double extent;
  /// The part of the input that is used, as fractions of its extent.
  double start = 0.0, end = 1.0;

  bool isIdentity() const {
    return from == to && scale == 1.0 && start == 0.0 && end == 1.0;
  }
};

/// How all axes are resampled.
struct Sampling {
  llvm::StringRef mode;
  llvm::StringRef coordinates;
  llvm::StringRef rounding;
  double cubicA;
  double extrapolation;
  bool excludesOutside;
  bool isAntialiased;
  /// Whether the distance of corners decides the scale, with centres aligned.
  bool scalesByCorners = false;

  bool isCrop() const { return coordinates == "tf_crop_and_resize"; }
};

/// `input`, resampled along one axis. An error, without a place, where
/// constants get too large.
llvm::Expected<Operand> resizedAxis(TensorBuilder &b, const Operand &input,
                                    int64_t axis, const AxisResize &resize,
                                    const Sampling &sampling);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_RESIZE_H
