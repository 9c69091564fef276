// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Contractions in which every channel is computed by itself and a window
/// slides over an image: depthwise convolutions and both their gradients.
#ifndef MPC_LIB_CODEGEN_CPU_DEPTHWISE_H
#define MPC_LIB_CODEGEN_CPU_DEPTHWISE_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CPU/CPUDialect.h"

namespace mpc::cpu {

/// An axis of a factor: its `extent`, the index that an iteration reads, and
/// the distance of neighbouring indices in elements.
struct FactorAxis {
  kernel::Linear index; ///< The index, over the statement's dimensions.
  int64_t extent;
  int64_t stride;
};

/// A factor by its axes, outermost first, without the channel axis.
struct ChannelFactor {
  llvm::SmallVector<FactorAxis> axes;
  int64_t channelStride; ///< The distance of neighbouring channels in elements.
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

/// A tile of the tiled dimensions: one index of each dimension before number
/// `cut`, up to `tile` indices of that one, and all indices of those after it.
struct DepthwiseTile {
  int64_t cut, tile;
};

/// Scratch memory for the elements of a factor or of the result that a tile
/// touches: a dense block, with `lanes` channels next to each other.
struct Footprint {
  /// For each axis the number of touched indices, and whether every tile
  /// touches the whole axis.
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<bool> whole;
  /// For each dimension of the statement the number of vectors from one index
  /// to the next; and the vector of the first iteration.
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  /// The number of vectors in all, with those that whole blocks touch beyond
  /// the end.
  int64_t vectors = 0;
};

/// The layout of scratch memory while a tile is computed.
class DepthwiseLayout {
public:
  DepthwiseLayout(const kernel::Contraction &contraction,
                  const Depthwise &depthwise, DepthwiseTile tile,
                  llvm::ArrayRef<int64_t> block);

  /// The most indices of a dimension that a tile has.
  int64_t extent(unsigned dim) const { return extents_[dim]; }
  /// The same number rounded up to whole blocks.
  int64_t padded(unsigned dim) const { return padded_[dim]; }
  const Footprint &factor(unsigned operand) const { return factors_[operand]; }
  /// The footprint of the result, by dimensions alone. The last own dimension
  /// is innermost.
  const Footprint &result() const { return result_; }
  /// The number of f32 in all footprints, for each lane.
  int64_t vectors() const;
  /// The number of tiles of each tiled dimension, up to the one that is cut.
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

/// The least tile: an index of the last tiled dimension, or a whole chain.
/// Tiles that are cut in the same dimension are multiples of it, except the
/// last.
DepthwiseTile getLeastTile(const kernel::Contraction &contraction,
                           const Depthwise &depthwise);

/// The schedule for vectors of up to `lanes` f32.
DepthwiseAttr planDepthwise(const kernel::Contraction &contraction,
                            const Depthwise &depthwise, int64_t lanes);

/// The number of independent pieces into which it can be cut.
int64_t countDepthwiseUnits(const kernel::Contraction &contraction,
                            const Depthwise &depthwise, DepthwiseAttr schedule);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_DEPTHWISE_H
