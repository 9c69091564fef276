// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the blocking of a contraction.
#include "passes/Kernel/ContractionPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

struct Micro {
  int64_t rows = 0, columns = 0;
};

/// Sizes with a role: rows go to broadcasts, columns to vectors.
struct Roles {
  unsigned rowOperand = 0;
  int64_t batch = 1, rows = 1, columns = 1, k = 1;
};

struct Tile {
  int64_t rows = 0, columns = 0;
};

} // namespace

/// k in a block: what a micro-kernel reads stays in the first cache.
static constexpr int64_t maxKBlock = 384;
/// A chunk should be worth handing to a worker, and there should be some for
/// each of 16 workers.
static constexpr int64_t minChunkFlops = 1 << 21;
static constexpr int64_t wantedChunks = 32;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

// Rows of a micro-kernel: the most that registers hold, or a few less where
// that fills the last one better.
static int64_t chooseMicroRows(int64_t rows, int64_t most) {
  int64_t best = std::min(rows, most);
  auto cost = [&](int64_t micro) {
    // A step of k issues the rows' multiply-adds and about one more.
    return divideCeil(rows, micro) * (micro + 1);
  };
  for (int64_t micro = best; micro >= std::max<int64_t>(most / 2, 1); --micro)
    if (cost(micro) < cost(best))
      best = micro;
  return best;
}

// 12 accumulators of 16 registers, 16 of 32. Thin results keep as many
// independent chains by another aspect.
static Micro chooseMicro(int64_t rows, int64_t columns, int64_t lanes) {
  if (columns <= lanes)
    return {chooseMicroRows(rows, 12), lanes};
  int64_t most = lanes == 16 ? 8 : 6;
  if (rows <= 3 && columns > 2 * lanes)
    return {rows, 4 * lanes};
  return {chooseMicroRows(rows, most), 2 * lanes};
}

static Roles getRoles(const Contraction &contraction, unsigned rowOperand) {
  Roles roles;
  roles.rowOperand = rowOperand;
  roles.batch = contraction.sizes[Contraction::Batch];
  roles.rows = contraction.sizes[Contraction::M];
  roles.columns = contraction.sizes[Contraction::N];
  roles.k = contraction.sizes[Contraction::K];
  if (rowOperand == 1)
    std::swap(roles.rows, roles.columns);
  return roles;
}

// What the padded micro-tiles cost, and a penalty for results that would be
// written element by element.
static double getRoleCost(const Contraction &contraction,
                          const Epilogue &epilogue, const Roles &roles,
                          int64_t lanes) {
  Micro micro = chooseMicro(roles.rows, roles.columns, lanes);
  double rows = divideCeil(roles.rows, micro.rows) * (micro.rows + 1.0);
  double vectors = alignTo(roles.columns, micro.columns) / lanes;
  double cost = rows * vectors * roles.k;
  auto group = roles.rowOperand == 0 ? Contraction::N : Contraction::M;
  for (const EpilogueStore &store : epilogue.stores)
    if (contraction.getPath(store.index.strides, group).getRun(lanes, 1) < lanes)
      cost += 4.0 * roles.rows * roles.columns;
  return cost;
}

static Roles chooseRoles(const Contraction &contraction,
                         const Epilogue &epilogue, int64_t lanes) {
  Roles first = getRoles(contraction, 0);
  Roles second = getRoles(contraction, 1);
  bool swap = getRoleCost(contraction, epilogue, second, lanes) <
              getRoleCost(contraction, epilogue, first, lanes);
  return swap ? second : first;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

// Cuts `size` into equal parts of at most `most`, each a multiple of `unit`.
static int64_t balance(int64_t size, int64_t most, int64_t unit) {
  int64_t parts = divideCeil(size, std::max(most, unit));
  return alignTo(divideCeil(size, parts), unit);
}

static int64_t countTiles(const Roles &roles, const Tile &tile) {
  return roles.batch * divideCeil(roles.rows, tile.rows) *
         divideCeil(roles.columns, tile.columns);
}

// Halves the tile until there are chunks enough, as long as chunks are worth
// their while.
static Tile splitForWorkers(const Roles &roles, Tile tile, const Micro &micro) {
  auto flops = [&](const Tile &tile) {
    return 2 * tile.rows * tile.columns * roles.k;
  };
  while (countTiles(roles, tile) < wantedChunks &&
         flops(tile) >= 2 * minChunkFlops) {
    Tile next = tile;
    if (tile.columns > 2 * tile.rows && tile.columns > 4 * micro.columns)
      next.columns = balance(tile.columns, tile.columns / 2, micro.columns);
    else if (tile.rows > 4 * micro.rows)
      next.rows = balance(tile.rows, tile.rows / 2, micro.rows);
    else if (tile.columns > micro.columns)
      next.columns = balance(tile.columns, tile.columns / 2, micro.columns);
    if (next.rows == tile.rows && next.columns == tile.columns)
      break;
    tile = next;
  }
  return tile;
}

// The smaller factor is packed once and read by all chunks; the blocks of the
// other one are packed by their chunk into the second cache.
static Tile chooseTile(const Roles &roles, const Micro &micro) {
  bool shareColumns = roles.columns <= roles.rows;
  bool oneBlock = roles.k <= maxKBlock;
  int64_t mostRows = shareColumns ? 96 : 240;
  int64_t mostColumns = shareColumns ? (oneBlock ? 2048 : 512) : 128;
  Tile tile = {balance(roles.rows, mostRows, micro.rows),
               balance(roles.columns, mostColumns, micro.columns)};
  return splitForWorkers(roles, tile, micro);
}

static std::optional<unsigned> choosePacked(const Roles &roles,
                                            const Tile &tile) {
  bool shareColumns = roles.columns <= roles.rows;
  int64_t readers = shareColumns ? divideCeil(roles.rows, tile.rows)
                                 : divideCeil(roles.columns, tile.columns);
  if (readers == 1)
    return std::nullopt;
  return shareColumns ? 1 - roles.rowOperand : roles.rowOperand;
}

GemmAttr mpc::kernel::planContraction(const Contraction &contraction,
                                      const Epilogue &epilogue,
                                      int64_t lanes) {
  Roles roles = chooseRoles(contraction, epilogue, lanes);
  Micro micro = chooseMicro(roles.rows, roles.columns, lanes);
  Tile tile = chooseTile(roles, micro);
  int64_t kBlock = roles.k;
  if (roles.k > maxKBlock)
    kBlock = balance(roles.k, maxKBlock, 16);
  return GemmAttr::get(contraction.generic().getContext(),
                       countTiles(roles, tile), lanes, roles.rowOperand,
                       choosePacked(roles, tile),
                       {tile.rows, tile.columns, kBlock},
                       {micro.rows, micro.columns});
}
