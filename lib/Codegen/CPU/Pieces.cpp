// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many pieces a tile is cut into.
#include "lib/Codegen/CPU/Pieces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using llvm::divideCeil;

/// The chunks that there should be: four for each of so many workers, so that
/// one that is late by a chunk costs little.
static constexpr int64_t kWantedPieces = 256;
static constexpr int64_t kWorkers = 64;
/// The least work of a piece: a core takes some microseconds for it, which is
/// what it takes all workers to begin a launch and to end it.
static constexpr int64_t kLeastPieceFlops = 1 << 19;

static std::array<int64_t, 2> cut(int64_t wanted,
                                  std::array<int64_t, 2> units) {
  std::array<int64_t, 2> pieces = {1, 1};
  for (auto [count, most] : llvm::zip(pieces, units)) {
    int64_t size = divideCeil(most, std::clamp<int64_t>(wanted, 1, most));
    count = divideCeil(most, size);
    wanted /= count;
  }
  return pieces;
}

std::array<int64_t, 2> mpc::cpu::choosePieces(int64_t tiles, int64_t flops,
                                              std::array<int64_t, 2> units,
                                              std::array<int64_t, 2> smallest) {
  int64_t wanted = std::min<int64_t>(divideCeil(kWantedPieces, tiles),
                                     flops / kLeastPieceFlops);
  std::array<int64_t, 2> pieces = cut(wanted, units);
  return tiles * pieces[0] * pieces[1] < kWorkers ? cut(wanted, smallest)
                                                  : pieces;
}

int64_t mpc::cpu::getPieceSize(int64_t size, int64_t pieces, int64_t unit) {
  return llvm::alignTo(divideCeil(size, pieces), unit);
}
