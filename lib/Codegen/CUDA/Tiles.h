// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Contractions by tiles in shared memory: the layout of factors in memory and
/// in tiles, and the size of a block of #cuda.mma or #cuda.simt.
#ifndef MPC_LIB_CODEGEN_CUDA_TILES_H
#define MPC_LIB_CODEGEN_CUDA_TILES_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CUDA/CUDADialect.h"

namespace mpc::cuda {

/// The beginning of the error for a kernel for whose schedule no grid has
/// enough blocks. The number follows.
inline constexpr const char *kTooLarge = "is too large for one launch: ";

/// The common parts of #cuda.mma and #cuda.simt.
struct TileSchedule {
  int64_t threads; ///< The threads of a block: twice `side`.
  unsigned rows;   ///< The factor that gives the rows of a tile.
  int64_t side;  ///< The rows and columns of the result that a block computes.
  int64_t depth; ///< The number of k in a stage.
  int64_t stages;
  int64_t elementBytes; ///< The bytes of an element in shared memory.

  template <typename Attr>
  TileSchedule(Attr attr, int64_t elementBytes)
      : threads(attr.getThreads()), rows(attr.getRows()),
        side(attr.getTile()[0]), depth(attr.getTile()[1]),
        stages(attr.getStages()), elementBytes(elementBytes) {}
};

/// One of the two factors: a matrix of rows or columns (outer) by k.
struct Factor {
  mlir::Value tensor;
  kernel::StridedIndex batch, outer, k;
  int64_t offset = 0;
  int64_t numOuter = 1;
  int64_t numK = 1;
  /// The number of elements that are loaded at once: 16 bytes of them, where
  /// all other dimensions move in multiples of that, else one.
  int64_t width = 1;
  /// Whether a line of the tile holds k, else it holds rows or columns.
  /// Elements that are contiguous in memory are contiguous in a line.
  bool hasLines = true;
  /// Whether the element is multiplied as it is in memory.
  bool isPlain = true;

  /// Whether elements go to shared memory without passing through registers.
  [[nodiscard]] bool isCopied() const { return isPlain && width > 1; }
  /// Whether the places of a thread's elements must be remembered, because they
  /// lie in several lines without a common distance.
  [[nodiscard]] bool isScattered() const {
    return width == 1 && hasLines && outer.parts.size() + k.parts.size() > 2;
  }
  /// The distance of lines of a tile, and the size of a tile, in elements.
  [[nodiscard]] int64_t pitch(const TileSchedule &schedule) const;
  [[nodiscard]] int64_t tileElements(const TileSchedule &schedule) const;
};

/// Factor `operand`; empty where strides do not describe its layout. It is
/// plain where its element is multiplied as `unit` takes it: an f32, or for a
/// unit of 16 bits an f32 widened from them.
std::optional<Factor> getFactor(const kernel::Contraction &contraction,
                                unsigned operand,
                                const kernel::MultiplyUnit &unit);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_TILES_H
