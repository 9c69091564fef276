// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Contractions by tiles in shared memory: how the factors lie in memory and
/// get into tiles, and what a block of #cuda.mma or #cuda.simt has.
#ifndef MPC_LIB_CODEGEN_CUDA_TILES_H
#define MPC_LIB_CODEGEN_CUDA_TILES_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CUDA/CUDADialect.h"

namespace mpc::cuda {

/// What is said of a kernel whose schedule no grid has blocks for, in front of
/// the number.
inline constexpr const char *kTooLarge = "is too large for one launch: ";

/// What #cuda.mma and #cuda.simt have in common.
struct TileSchedule {
  int64_t threads; ///< Of a block: twice `side`.
  unsigned rows;   ///< The factor that gives the rows of a tile.
  int64_t side;    ///< Rows and columns of the result that a block does.
  int64_t depth;   ///< k of a stage.
  int64_t stages;
  int64_t elementBytes; ///< Of an element in shared memory.

  template <typename Attr>
  TileSchedule(Attr attr, int64_t elementBytes)
      : threads(attr.getThreads()), rows(attr.getRows()),
        side(attr.getTile()[0]), depth(attr.getTile()[1]),
        stages(attr.getStages()), elementBytes(elementBytes) {}
};

/// One of the two factors: its rows or columns (outer) by k.
struct Factor {
  mlir::Value tensor;
  kernel::StridedIndex batch, outer, k;
  int64_t offset = 0;
  int64_t numOuter = 1;
  int64_t numK = 1;
  /// Elements that are loaded at once: those of 16 bytes, where all else moves
  /// in multiples of them, or one.
  int64_t width = 1;
  /// A line of the tile holds k, else rows or columns: what lies together in
  /// memory lies together in a line.
  bool hasLines = true;
  /// What is multiplied is the element as it is in memory.
  bool isPlain = true;

  /// Whether elements go to shared memory without passing through registers.
  [[nodiscard]] bool isCopied() const { return isPlain && width > 1; }
  /// Whether a thread's elements lie at places that it has to remember: in
  /// several lines, each somewhere else.
  [[nodiscard]] bool isScattered() const {
    return width == 1 && hasLines && outer.parts.size() + k.parts.size() > 2;
  }
  /// Elements from one line of a tile to the next, and of the whole tile.
  [[nodiscard]] int64_t pitch(const TileSchedule &schedule) const;
  [[nodiscard]] int64_t tileElements(const TileSchedule &schedule) const;
};

/// Factor `operand`; empty where its memory is walked by more than strides.
/// It is plain where what is multiplied is what `unit` takes: an f32, or for a
/// unit of 16 bits what was widened to that.
std::optional<Factor> getFactor(const kernel::Contraction &contraction,
                                unsigned operand,
                                const kernel::MultiplyUnit &unit);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_TILES_H
