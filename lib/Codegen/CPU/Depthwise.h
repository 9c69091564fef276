// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Contractions of many channels, each by itself, in which a window slides over
/// an image: depthwise convolutions and both their gradients.
#ifndef MPC_LIB_CODEGEN_CPU_DEPTHWISE_H
#define MPC_LIB_CODEGEN_CPU_DEPTHWISE_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CPU/CPUDialect.h"

namespace mpc::cpu {

/// An axis of a factor: which of its `extent` indices an iteration reads, and
/// the elements from one to the next.
struct FactorAxis {
  kernel::Linear index; ///< Over the statement's dimensions.
  int64_t extent;
  int64_t stride;
};

/// A factor as its axes, outermost first, without that of the channels.
struct ChannelFactor {
  llvm::SmallVector<FactorAxis> axes;
  int64_t channelStride; ///< Elements from one channel to the next.
};

/// How a depthwise contraction is made. Of one channel it is the sum over K of
/// image(own, K) * other(other, K), and an axis of the image goes by the sum of
/// an own index and one of K: in a convolution own indices are positions and
/// K is the window, in the gradient of its weight it is the other way round.
struct Depthwise {
  unsigned channel; ///< The dimension that lanes go along.
  unsigned image;   ///< The operand that the window slides over.
  std::array<ChannelFactor, 2> factors;

  kernel::Contraction::DimGroup ownGroup() const {
    return image == 0 ? kernel::Contraction::M : kernel::Contraction::N;
  }
  kernel::Contraction::DimGroup otherGroup() const {
    return image == 0 ? kernel::Contraction::N : kernel::Contraction::M;
  }
  /// The larger one of the own dimensions and of K, which is done in tiles.
  kernel::Contraction::DimGroup
  tiledGroup(const kernel::Contraction &contraction) const;
};

/// `contraction` as a depthwise one, if it is one of enough channels.
std::optional<Depthwise> matchDepthwise(const kernel::Contraction &contraction);

/// A tile of the tiled dimensions: one index of each before number `cut`, up to
/// `tile` of that one, all of those behind it.
struct DepthwiseTile {
  int64_t cut, tile;
};

/// Memory of a factor's or the result's elements that a tile touches: in a
/// dense block, `lanes` channels next to each other.
struct Footprint {
  /// Of each axis the indices that are touched, and whether that is all of it
  /// whatever the tile.
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<bool> whole;
  /// Vectors from one index of each statement's dimension to the next, and the
  /// vector of the first iteration.
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  int64_t vectors = 0; ///< In all, with those that whole blocks touch beyond.
};

/// Where things lie while a tile is computed.
class DepthwiseLayout {
public:
  DepthwiseLayout(const kernel::Contraction &contraction,
                  const Depthwise &depthwise, DepthwiseTile tile,
                  llvm::ArrayRef<int64_t> block);

  /// The indices that a tile has of a dimension, at most.
  int64_t extent(unsigned dim) const { return extents_[dim]; }
  /// The same rounded up to whole blocks.
  int64_t padded(unsigned dim) const { return padded_[dim]; }
  const Footprint &factor(unsigned operand) const { return factors_[operand]; }
  /// Of the result, by dimensions alone: the last own one is innermost.
  const Footprint &result() const { return result_; }
  /// f32 of all that is touched, for each lane.
  int64_t vectors() const;
  /// Tiles of each tiled dimension up to the one that is cut.
  llvm::SmallVector<int64_t> tiles() const { return tiles_; }

private:
  Footprint getFactor(unsigned operand) const;
  Footprint getResult() const;

  const kernel::Contraction &contraction_;
  const Depthwise &depthwise_;
  llvm::SmallVector<int64_t> extents_, padded_, tiles_;
  std::array<Footprint, 2> factors_;
  Footprint result_;
};

/// The least tile: an index of the last tiled dimension, or a whole chain. Of
/// those that are cut in the same dimension all but the last are multiples.
DepthwiseTile getLeastTile(const kernel::Contraction &contraction,
                           const Depthwise &depthwise);

/// The schedule for vectors of up to `lanes` f32.
DepthwiseAttr planDepthwise(const kernel::Contraction &contraction,
                            const Depthwise &depthwise, int64_t lanes);

/// Into how many independent pieces it can be cut.
int64_t countDepthwiseUnits(const kernel::Contraction &contraction,
                            const Depthwise &depthwise, DepthwiseAttr schedule);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_DEPTHWISE_H
