// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is known while a kernel of #cpu.depthwise is emitted: the contraction,
/// its layout in scratch memory, and the tile that is computed.
#ifndef MPC_LIB_CODEGEN_CPU_DEPTHWISEKERNEL_H
#define MPC_LIB_CODEGEN_CPU_DEPTHWISEKERNEL_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/DepthwiseLayout.h"
#include "lib/Codegen/CPU/IndexMath.h"

namespace mpc::cpu {

/// A kernel and its scratch memory.
struct DepthwiseKernel {
  /// Allocates the scratch memory. All arguments must outlive this object.
  DepthwiseKernel(Emitter &emitter, const kernel::Contraction &contraction,
                  const Depthwise &depthwise, const kernel::Epilogue &epilogue,
                  DepthwiseAttr schedule);

  /// The dimension that is cut into tiles.
  unsigned cut() const { return tiled[schedule.getCut()]; }
  /// The operand that is not the image.
  unsigned other() const { return 1 - depthwise.image; }
  /// A vector of f32 with all lanes.
  mlir::Value loadVector(mlir::Value buffer, mlir::Value place) const;

  Emitter &emitter;
  IndexMath math;
  const kernel::Contraction &contraction;
  const Depthwise &depthwise;
  const kernel::Epilogue &epilogue;
  DepthwiseAttr schedule;
  int64_t lanes;
  DepthwiseLayout layout;
  mlir::ArrayRef<unsigned> own, tiled; ///< Dimensions of the contraction.
  int64_t channels;
  bool sumsTiles; ///< Whether tiles divide the sum, and not the result.

  /// A tile's factors and results, channels innermost; results, channels
  /// outermost, `pitch` elements apart.
  std::array<mlir::Value, 2> packed;
  mlir::Value sums, results;
  int64_t pitch;
};

/// A tile of the channels of one vector.
struct ChannelTile {
  mlir::Value channel; ///< The first channel.
  /// The first index of each dimension of the contraction.
  llvm::SmallVector<mlir::Value> starts;
  mlir::Value cutCount; ///< The number of indices of the cut dimension.

  /// The tile at `place`, an index for each tiled dimension up to the cut one.
  ChannelTile(const DepthwiseKernel &kernel, mlir::Value channel,
              mlir::ValueRange place);
  /// The number of indices of `dim` in the tile.
  mlir::Value count(const DepthwiseKernel &kernel, unsigned dim) const;
};

/// Packs the elements of a factor that the tile reads, channels innermost, and
/// converts them.
void packChannels(const DepthwiseKernel &kernel, const ChannelTile &tile,
                  unsigned operand);

/// Sets the sums of the tile to zero.
void clearSums(const DepthwiseKernel &kernel);
/// Computes the sums of a tile of packed factors. Where tiles divide the sum it
/// adds to the sums of earlier tiles.
void sumTile(const DepthwiseKernel &kernel, const ChannelTile &tile);

/// Transposes the sums back, and stores the map on them.
void finishTile(const DepthwiseKernel &kernel, const ChannelTile &tile);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_DEPTHWISEKERNEL_H
