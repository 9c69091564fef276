// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Chooses the blocking of a contraction whose rows are in windows.
#ifndef MPC_LIB_CODEGEN_CPU_WINDOWPLAN_H
#define MPC_LIB_CODEGEN_CPU_WINDOWPLAN_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Windows.h"

namespace mpc::cpu {

/// What a tile of a schedule with rows in windows has: whole images, or some
/// positions of the first axis of one image; taps of that axis at once.
struct WindowTile {
  int64_t images, lines, taps;
  /// The positions of the first axis that a piece has.
  int64_t pieceLines;
  /// Whether the rows of a micro-tile are the same position of several images;
  /// else they are neighbours along the last axis.
  bool alongImages;

  /// Whether all pieces have all positions and taps of the first axis.
  bool isWhole(const Windows &windows) const {
    return pieceLines == windows.first().position.extent &&
           taps == windows.first().tap.extent;
  }
};

/// The tile of `schedule`.
WindowTile getWindowTile(const Windows &windows, GemmAttr schedule);

/// The copy of what such a tile reads.
WindowCopy getTileCopy(const kernel::Contraction &contraction,
                       const Windows &windows, GemmAttr schedule);

/// The number of tiles of `schedule`, each of which is some pieces.
int64_t countWindowTiles(const kernel::Contraction &contraction,
                         const Windows &windows, GemmAttr schedule);

/// The schedule of `contraction` by windows on `unit`, for vectors of `lanes`
/// f32; null where it has none, or they would not pay.
GemmAttr planWindows(const kernel::Contraction &contraction, int64_t lanes,
                     Unit unit);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_WINDOWPLAN_H
