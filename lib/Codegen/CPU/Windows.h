// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Contractions in which a window slides over an image, all channels at once:
/// convolutions and both their gradients. Micro-tiles read the rows of such a
/// contraction from a copy of the image in which channels are innermost, so
/// that each element is packed once, however many windows it is in.
#ifndef MPC_LIB_CODEGEN_CPU_WINDOWS_H
#define MPC_LIB_CODEGEN_CPU_WINDOWS_H

#include "dialects/Kernel/Contraction.h"
#include "llvm/ADT/STLExtras.h"

namespace mpc::cpu {

/// A dimension that may be missing, since its extent is 1.
struct WindowDim {
  std::optional<unsigned> dim;
  int64_t extent = 1;
};

/// An axis of the image. Position p of the window reads index
/// first + stride * p + dilation * t at tap t.
struct WindowAxis {
  WindowDim position, tap;
  int64_t first = 0, stride = 1, dilation = 1;
  int64_t pitch = 0; ///< The distance of neighbouring indices in elements.
  /// The indices that are not of a border of zeros.
  int64_t begin = 0, end = 1;
  /// The indices that have memory: all, or those between begin and end.
  int64_t memoryBegin = 0, memoryEnd = 1;
  std::optional<unsigned> axis = {}; ///< Its number in the tensor.

  /// Whether some window has taps in the border.
  bool hasBorder() const {
    return first < begin || first + getReach(position.extent, tap.extent) > end;
  }

  /// The number of indices that `positions` and `taps` neighbours reach.
  int64_t getReach(int64_t positions, int64_t taps) const {
    return (positions - 1) * stride + (taps - 1) * dilation + 1;
  }
};

/// A contraction whose factor `image` is read by windows. In a convolution,
/// positions are those of the result, taps those of the weight. In the gradient
/// of its weight it is the other way round, its images are the channels, and
/// its channels the images.
struct Windows {
  unsigned image;
  WindowDim images, channel;
  int64_t imagePitch = 0, channelPitch = 0;
  llvm::SmallVector<WindowAxis> axes; ///< At least two, outermost first.
  /// The tensor in memory, which is the factor or what kernel.pad puts a border
  /// around.
  mlir::Value source;
  /// In it the place of the index 0 of all axes, images and channels, where a
  /// border has places too; and how it moves along the contraction's batch.
  int64_t origin = 0;
  kernel::StridedIndex batches;

  const WindowAxis &first() const { return axes.front(); }
  const WindowAxis &last() const { return axes.back(); }
  /// Whether some window has taps in a border.
  bool hasBorder() const {
    return llvm::any_of(
        axes, [](const WindowAxis &axis) { return axis.hasBorder(); });
  }
  /// Whether windows go along all axes of the tensor around which `border` has
  /// something, so that it need not be in memory.
  bool goAlong(kernel::BorderAttr border) const;
  /// The number of positions of one image, and of those that have one index of
  /// the first axis.
  int64_t countPositions() const;
  int64_t countLine() const;
};

/// Reads `contraction` as one of windows; empty where it is none. Its positions
/// are in the order of the axes, with images outermost, and K is the taps in
/// the order of the axes, and then the channels.
std::optional<Windows> matchWindows(const kernel::Contraction &contraction);

/// Brings the reduction loops of `op` into that order where it is a contraction
/// of windows then: taps of the axes, and channels innermost. So its sums have
/// one order in every schedule.
void orderWindowLoops(mlir::linalg::GenericOp op);

/// The chains of a contraction of windows, as a micro-kernel adds them up: runs
/// of neighbouring k, one for each of several taps.
struct WindowChains {
  int64_t length; ///< The number of k in a chain.
  /// A chain has `count` consecutive taps of `axis`, or, if that is the number
  /// of axes, channels; and all of what is behind that axis. The last chain of
  /// the outermost axis may have fewer.
  unsigned axis;
  int64_t count;
  /// The axis of which consecutive taps begin a run: that one, or the last. The
  /// number of runs in a chain, and of k in a run.
  unsigned runAxis;
  int64_t runs, run;
};

/// The chains of `contraction` on a unit that takes `depth` neighbouring k at
/// once; empty where they are no such runs, or where a run is no whole steps.
std::optional<WindowChains>
getWindowChains(const kernel::Contraction &contraction, const Windows &windows,
                int64_t depth);

/// The copy of the part of the images that a tile reads: `[image][axes..]
/// [channel]`, with the distances of neighbours in elements. Of the first axis
/// it has what the tile's positions and a block of taps reach, from their first
/// index on, of other axes what all of them reach.
struct WindowCopy {
  llvm::SmallVector<int64_t> counts, pitches; ///< Of indices, by axis.
  /// The first index, by axis; of the first axis that of the first block.
  llvm::SmallVector<int64_t> firsts;
  int64_t image = 0; ///< The distance of images.
};

/// What a copy is for: elements of `bytes`; up to `lines` positions and `taps`
/// of the first axis, or always all of both; and whether all taps in borders
/// are left out, so that no border is copied, but for that of the first axis
/// where a block has a part of it.
struct CopyShape {
  int64_t bytes, lines, taps;
  bool isWhole, leavesBorders;
};

WindowCopy getWindowCopy(const Windows &windows, const WindowChains &chains,
                         CopyShape shape);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_WINDOWS_H
