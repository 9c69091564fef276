// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the blocking of a contraction.
#include "lib/Codegen/CPU/ContractionPlan.h"

#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/Units.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

struct Micro {
  int64_t rows = 0, columns = 0;
};

/// Sizes by role: rows are broadcast, columns are vectors.
struct Roles {
  unsigned rowOperand = 0;
  int64_t batch = 1, rows = 1, columns = 1, k = 1;
};

struct Tile {
  int64_t rows = 0, columns = 0;
};

} // namespace

/// The largest extent of k in a block, in steps of the unit, with which the
/// data of a micro-kernel stays in the L1 cache.
static constexpr int64_t kMaxKBlock = 384;
static constexpr int64_t kMaxThinKBlock = 2048;
/// The least work of a chunk that is worth handing to a worker. There should
/// still be some chunks for each of 16 workers.
static constexpr int64_t kMinChunkFlops = 1 << 21;
static constexpr int64_t kWantedChunks = 32;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

// The rows of a micro-kernel: the most that registers hold, or a few less where
// the last micro-tile is then fuller.
static int64_t chooseMicroRows(int64_t rows, int64_t most) {
  int64_t best = std::min(rows, most);
  auto cost = [&](int64_t micro) {
    // Each step of k issues one multiply-add for each row and about one more
    // instruction.
    return divideCeil(rows, micro) * (micro + 1);
  };
  for (int64_t micro = best; micro >= std::max<int64_t>(most / 2, 1); --micro)
    if (cost(micro) < cost(best))
      best = micro;
  return best;
}

// 12 accumulators with 16 registers, 16 with 32. Results that are thin have as
// many independent chains in another shape.
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

// The cost of padded micro-tiles, with a penalty for results that would be
// written element by element.
static double getRoleCost(const Contraction &contraction,
                          const Epilogue &epilogue, const Roles &roles,
                          int64_t lanes) {
  Micro micro = chooseMicro(roles.rows, roles.columns, lanes);
  double rows = divideCeil(roles.rows, micro.rows) * (micro.rows + 1.0);
  double vectors = alignTo(roles.columns, micro.columns) / lanes;
  double cost = rows * vectors * roles.k;
  auto group = Contraction::outerOf(1 - roles.rowOperand);
  for (const EpilogueStore &store : epilogue.stores)
    if (contraction.getStridedIndex(store.index.strides, group)
            .getRun(lanes, 1) < lanes)
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

// Whether the columns are the smaller factor. The smaller factor is packed once
// and read by all chunks. A chunk packs its own blocks of the other factor.
static bool sharesColumns(const Roles &roles) {
  return roles.columns <= roles.rows;
}

// Halves `size`, but not below `least`.
static bool halve(int64_t &size, int64_t least, int64_t unit) {
  int64_t half = balance(size, size / 2, unit);
  if (half < least || half == size)
    return false;
  size = half;
  return true;
}

// Cuts the tile until there are enough chunks, as long as a chunk is large
// enough. What a chunk packs should serve many rows or columns, so that the
// packed side is cut first.
static Tile splitForWorkers(const Roles &roles, Tile tile, const Micro &micro) {
  int64_t leastRows = 4 * micro.rows, leastColumns = 2 * micro.columns;
  while (countTiles(roles, tile) < kWantedChunks &&
         2 * tile.rows * tile.columns * roles.k >= 2 * kMinChunkFlops) {
    bool cut = sharesColumns(roles)
                   ? halve(tile.rows, leastRows, micro.rows) ||
                         halve(tile.columns, 8 * micro.columns, micro.columns)
                   : halve(tile.columns, leastColumns, micro.columns) ||
                         halve(tile.rows, 16 * micro.rows, micro.rows);
    if (!cut && countTiles(roles, tile) < kWantedChunks / 2)
      cut = halve(tile.columns, micro.columns, micro.columns) ||
            halve(tile.rows, micro.rows, micro.rows);
    if (!cut)
      break;
  }
  return tile;
}

// Whether the result is thin. A thin result uses what it packs only once: its
// rows are read in long runs, few at a time.
static bool isThin(const Roles &roles, const Micro &micro, int64_t depth) {
  return sharesColumns(roles) && roles.columns <= 2 * micro.columns &&
         roles.k > kMaxKBlock * depth;
}

static Tile chooseTile(const Roles &roles, const Micro &micro, int64_t depth) {
  bool oneBlock = roles.k <= kMaxKBlock * depth;
  int64_t mostRows = !sharesColumns(roles)         ? 240
                     : isThin(roles, micro, depth) ? 24
                                                   : 96;
  int64_t mostColumns = !sharesColumns(roles) ? 128 : oneBlock ? 2048 : 512;
  Tile tile = {balance(roles.rows, mostRows, micro.rows),
               balance(roles.columns, mostColumns, micro.columns)};
  return splitForWorkers(roles, tile, micro);
}

static std::optional<unsigned> choosePacked(const Roles &roles,
                                            const Tile &tile) {
  bool shareColumns = sharesColumns(roles);
  int64_t readers = shareColumns ? divideCeil(roles.rows, tile.rows)
                                 : divideCeil(roles.columns, tile.columns);
  if (readers == 1)
    return std::nullopt;
  return shareColumns ? 1 - roles.rowOperand : roles.rowOperand;
}

GemmAttr mpc::cpu::planContraction(const Contraction &contraction,
                                   const Epilogue &epilogue, int64_t lanes,
                                   Unit unit) {
  Roles roles = chooseRoles(contraction, epilogue, lanes);
  Micro micro = chooseMicro(roles.rows, roles.columns, lanes);
  int64_t depth = getDepth(unit);
  Tile tile = chooseTile(roles, micro, depth);
  int64_t kBlock = roles.k;
  int64_t most =
      (isThin(roles, micro, depth) ? kMaxThinKBlock : kMaxKBlock) * depth;
  int64_t chain = getChainLength(contraction, unit);
  if (roles.k > most)
    kBlock = balance(roles.k, most / chain * chain, chain);
  return GemmAttr::get(
      contraction.generic().getContext(), countTiles(roles, tile), lanes,
      roles.rowOperand, choosePacked(roles, tile),
      {tile.rows, tile.columns, kBlock}, {micro.rows, micro.columns}, unit);
}

int64_t mpc::cpu::getPanelStride(GemmAttr schedule, int64_t k) {
  return alignTo(k, getDepth(schedule.getUnit())) * schedule.getMicroColumns();
}

RankedTensorType mpc::cpu::getPackedType(const Contraction &contraction,
                                         GemmAttr schedule, unsigned operand) {
  int64_t batch = contraction.sizes[Contraction::Batch];
  int64_t k = contraction.sizes[Contraction::K];
  int64_t outer = contraction.sizes[Contraction::outerOf(operand)];
  auto count = [](int64_t size, int64_t unit) -> int64_t {
    return llvm::divideCeil(size, unit);
  };
  SmallVector<int64_t> shape;
  if (operand == schedule.getRows())
    shape = {batch, count(k, schedule.getKBlock()),
             count(outer, schedule.getMicroRows()), schedule.getMicroRows(),
             schedule.getRowStride()};
  else {
    int64_t columns = schedule.getMicroColumns(),
            depth = getDepth(schedule.getUnit());
    shape = {batch, count(outer, columns),
             getPanelStride(schedule, k) / columns / depth, columns};
    if (depth > 1)
      shape.push_back(depth);
  }
  return RankedTensorType::get(
      shape, getFactorType(schedule.getContext(), schedule.getUnit()));
}
