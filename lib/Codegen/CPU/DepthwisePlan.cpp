// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses blocks, tiles and chunks of depthwise contractions.
#include "lib/Codegen/CPU/DepthwisePlan.h"

#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/DepthwiseLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

/// The memory that a tile touches should stay in a part of the L2 cache.
static constexpr int64_t kMostBytes = 128 << 10;
/// There should be a chunk for each of 16 workers, or two if the work is
/// enough.
static constexpr int64_t kWantedUnits = 32;
static constexpr int64_t kLeastWork = 1 << 15;
static constexpr int64_t kMostChunks = 256;

/// The number of channels in a vector. Few channels are split over two vectors,
/// for two workers.
static int64_t chooseLanes(int64_t channels, int64_t lanes) {
  while (lanes > kLeastChannels &&
         (channels <= lanes / 2 || (channels < 2 * lanes && lanes > 8)))
    lanes /= 2;
  return lanes;
}

/// The cycles that blocks of `rows` x `columns` results take for each step of
/// K. A cycle has two multiply-adds or two loads. An element alone takes 4
/// cycles.
static double getCost(int64_t height, int64_t width, int64_t rows,
                      int64_t columns) {
  double blocks = divideCeil(height, rows) * divideCeil(width, columns);
  double cycles = std::max(4.0, (rows * columns + 1) / 2.0);
  // Lines that do not fill their last block are completed one result at a time,
  // after the sum.
  return blocks * cycles * (width % columns == 0 ? 1 : 1.1);
}

// The most sums that are in registers at once, beside one factor. More would
// not be much faster, and different sizes would then have different code.
static constexpr int64_t kMostSums = 10;

static SmallVector<int64_t> chooseBlock(const Contraction &contraction,
                                        const Depthwise &depthwise) {
  ArrayRef<unsigned> own = contraction.groups[depthwise.ownGroup()];
  ArrayRef<int64_t> extents = contraction.statement.extents;
  int64_t width = extents[own.back()];
  int64_t height = own.size() > 1 ? extents[own[own.size() - 2]] : 1;
  SmallVector<int64_t> best = {1, 1};
  for (int64_t columns = std::min(width, kMostSums); columns > 0; --columns)
    for (int64_t rows = 1; rows <= std::min(height, kMostSums / columns);
         ++rows)
      if (getCost(height, width, rows, columns) <
          getCost(height, width, best[0], best[1]))
        best = {rows, columns};
  return best;
}

DepthwiseTile mpc::cpu::getLeastTile(const Contraction &contraction,
                                     const Depthwise &depthwise) {
  Contraction::DimGroup tiled = depthwise.tiledGroup(contraction);
  if (tiled != Contraction::K)
    return {static_cast<int64_t>(contraction.groups[tiled].size()) - 1, 1};
  Chains chains = getChains(contraction.getExtents(tiled));
  return {chains.dim, chains.count};
}

/// The largest tile that stays in the cache and leaves enough work for other
/// workers.
static DepthwiseTile chooseTile(const Contraction &contraction,
                                const Depthwise &depthwise,
                                ArrayRef<int64_t> block, int64_t lanes) {
  ArrayRef<unsigned> tiled =
      contraction.groups[depthwise.tiledGroup(contraction)];
  ArrayRef<int64_t> extents = contraction.statement.extents;
  int64_t blocks = divideCeil(extents[depthwise.channel], lanes);
  bool cutsResult = depthwise.tiledGroup(contraction) != Contraction::K;
  int64_t work = contraction.statement.numIterations() / blocks;
  auto fits = [&](DepthwiseTile tile) {
    DepthwiseLayout layout(contraction, depthwise, tile, block);
    int64_t tiles = blocks;
    for (int64_t count : layout.tiles())
      tiles *= count;
    bool leavesWork = !cutsResult || tiles >= kWantedUnits ||
                      work / (tiles / blocks) <= kLeastWork;
    return layout.vectors() * lanes * 4 <= kMostBytes && leavesWork;
  };
  const DepthwiseTile least = getLeastTile(contraction, depthwise);
  DepthwiseTile best = least;
  for (int64_t cut = best.cut; cut >= 0; --cut) {
    int64_t extent = extents[tiled[cut]];
    int64_t unit = cut == least.cut ? least.tile : 1;
    // As few parts as fit, of about equal size.
    int64_t parts = 1;
    auto tileOf = [&]() -> DepthwiseTile {
      int64_t even = alignTo(divideCeil(extent, parts), unit);
      return {cut, std::min(even, extent)};
    };
    while (parts < extent && !fits(tileOf()))
      ++parts;
    DepthwiseTile tile = tileOf();
    if (!fits(tile))
      break;
    best = tile;
    if (parts > 1)
      break;
  }
  return best;
}

int64_t mpc::cpu::countDepthwiseUnits(const Contraction &contraction,
                                      const Depthwise &depthwise,
                                      DepthwiseAttr schedule) {
  int64_t channels = contraction.sizes[Contraction::Batch];
  int64_t units = divideCeil(channels, schedule.getLanes());
  if (depthwise.tiledGroup(contraction) == Contraction::K)
    return units;
  DepthwiseLayout layout(contraction, depthwise,
                         {schedule.getCut(), schedule.getTile()},
                         schedule.getBlock());
  for (int64_t tiles : layout.tiles())
    units *= tiles;
  return units;
}

DepthwiseAttr mpc::cpu::planDepthwise(const Contraction &contraction,
                                      const Depthwise &depthwise,
                                      int64_t lanes) {
  lanes = chooseLanes(contraction.sizes[Contraction::Batch], lanes);
  SmallVector<int64_t> block = chooseBlock(contraction, depthwise);
  DepthwiseTile tile = chooseTile(contraction, depthwise, block, lanes);
  MLIRContext *context = contraction.generic().getContext();
  auto get = [&](int64_t chunks) {
    return DepthwiseAttr::get(context, chunks, lanes, tile.cut, tile.tile,
                              block);
  };
  int64_t units = countDepthwiseUnits(contraction, depthwise, get(1));
  int64_t work = contraction.statement.numIterations();
  return get(
      std::clamp<int64_t>(work / kLeastWork, 1, std::min(units, kMostChunks)));
}
