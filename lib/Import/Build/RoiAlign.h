// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads regions of images at the points of a grid of bins.
#ifndef MPC_LIB_IMPORT_BUILD_ROIALIGN_H
#define MPC_LIB_IMPORT_BUILD_ROIALIGN_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// How a region is divided along one axis of the image.
struct RoiAxis {
  int64_t bins = 1, samples = 1;
  /// The factor from a region's numbers to elements of the image.
  double scale = 1.0;
};

struct RoiAlignment {
  /// Whether an element's centre is half an element after its number.
  bool isHalfPixel = true;
  RoiAxis rows, columns;
};

/// [regions, channels, bins of rows, bins of columns]: means of [batch,
/// channels, rows, columns] over the bins of regions [x, y, x, y]. `numbers`
/// has the image of each region. An error, without a place, where there are too
/// many elements.
llvm::Expected<Operand> roiAligned(TensorBuilder &b, const Operand &images,
                                   const Operand &regions,
                                   const Operand &numbers,
                                   const RoiAlignment &how);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_ROIALIGN_H
