// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Contractions in which every channel is computed by itself and a window
/// slides over an image: depthwise convolutions and both their gradients.
#ifndef MPC_LIB_CODEGEN_CPU_DEPTHWISE_H
#define MPC_LIB_CODEGEN_CPU_DEPTHWISE_H

#include "dialects/Kernel/Contraction.h"

namespace mpc::cpu {

/// The least number of channels. With fewer, most lanes of a vector are empty.
inline constexpr int64_t kLeastChannels = 4;

/// An axis of a factor: its `extent`, the index that an iteration reads, and
/// the distance of neighbouring indices in elements.
struct FactorAxis {
  kernel::Linear index; ///< The index, over the statement's dimensions.
  int64_t extent;
  int64_t stride;
  /// The first index that has memory, and how many have; what is around them is
  /// a border of zeros.
  int64_t low, inside;

  bool hasBorder() const { return inside != extent; }
};

/// A factor by its axes, outermost first, without the channel axis.
struct ChannelFactor {
  llvm::SmallVector<FactorAxis> axes;
  int64_t channelStride; ///< The distance of neighbouring channels in elements.
  unsigned channelAxis;  ///< The number of their axis.
  /// The tensor in memory: the factor, or what kernel.pad puts a border around.
  mlir::Value source;
};

/// A depthwise contraction. For one channel it is the sum over K of image(own,
/// K) * other(other, K). An axis of the image is indexed by the sum of an own
/// index and an index of K. In a convolution the own indices are positions and
/// K is the window; in the gradient of its weight it is the other way round.
struct Depthwise {
  unsigned channel; ///< The channel dimension, along which lanes run.
  unsigned image;   ///< The operand over which the window slides.
  std::array<ChannelFactor, 2> factors;

  kernel::Contraction::DimGroup ownGroup() const {
    return kernel::Contraction::outerOf(image);
  }
  kernel::Contraction::DimGroup otherGroup() const {
    return kernel::Contraction::outerOf(1 - image);
  }
  /// The larger of the own dimensions and K. It is computed in tiles.
  kernel::Contraction::DimGroup
  tiledGroup(const kernel::Contraction &contraction) const;
};

/// Reads `contraction` as a depthwise one; empty where it is none, or has too
/// few channels.
std::optional<Depthwise> matchDepthwise(const kernel::Contraction &contraction);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_DEPTHWISE_H
