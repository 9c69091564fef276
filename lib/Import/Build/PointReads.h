// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reading images at points between their elements.
#ifndef MPC_LIB_IMPORT_BUILD_POINTREADS_H
#define MPC_LIB_IMPORT_BUILD_POINTREADS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// How a point between elements, or outside of the image, is read.
struct Interpolation {
  /// "linear", "nearest" or "cubic".
  llvm::StringRef mode = "linear";
  /// "zeros", "border" or "reflection".
  llvm::StringRef padding = "zeros";
  /// Whether the image ends, and is reflected, at its outermost elements; else
  /// half an element further out.
  bool alignsCorners = false;
};

/// Reads `image` at points: [batch, points, channels] from [batch, elements,
/// channels], where the elements are those of `spatial`. `coordinates` are
/// [batch, points] for each spatial axis, in elements. Where several images are
/// stored one after the other, `first` is the first element of each point's
/// image, [batch, points] of int64. An error, without a place, where there are
/// too many elements.
llvm::Expected<Operand> readAtPoints(TensorBuilder &b, const Operand &image,
                                     llvm::ArrayRef<int64_t> spatial,
                                     llvm::ArrayRef<Operand> coordinates,
                                     const Interpolation &interpolation,
                                     const Operand *first = nullptr);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_POINTREADS_H
