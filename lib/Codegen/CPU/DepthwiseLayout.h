// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The scratch memory of a tile of a depthwise contraction.
#ifndef MPC_LIB_CODEGEN_CPU_DEPTHWISELAYOUT_H
#define MPC_LIB_CODEGEN_CPU_DEPTHWISELAYOUT_H

#include "lib/Codegen/CPU/Depthwise.h"

namespace mpc::cpu {

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

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_DEPTHWISELAYOUT_H
