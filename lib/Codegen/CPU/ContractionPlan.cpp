// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the blocking of a contraction.
#include "lib/Codegen/CPU/ContractionPlan.h"

#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/Pieces.h"
#include "lib/Codegen/CPU/Units.h"
#include "lib/Codegen/CPU/WindowPlan.h"
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
  int64_t depth = 1; ///< The number of k in a step of the unit.
  Micro micro;
  RowLayout rowLayout = RowLayout::Packed;
  /// Whether columns are packed once, and read by all chunks.
  bool sharesColumns = false;
  /// The factor over which windows slide, if sums have several chains, which
  /// follow from how it is read: it is never packed once.
  std::optional<unsigned> image;
};

struct Tile {
  int64_t rows = 0, columns = 0;
};

} // namespace

/// The largest extent of k in a block, in steps of the unit, with which the
/// data of a micro-kernel stays in the L1 cache.
static constexpr int64_t kMaxKBlock = 384;
static constexpr int64_t kMaxThinKBlock = 2048;
/// The least work of a tile, whose packing it should repay, and how many there
/// should be nevertheless. Tiles are cut into pieces for more workers.
static constexpr int64_t kMinTileFlops = 1 << 21;
static constexpr int64_t kWantedTiles = 8;
/// How many tiles of all rows there should be, of which each packs its columns.
static constexpr int64_t kWantedReaders = 4;
/// The most rows and columns of a tile for which columns are packed, and the
/// fewest columns, in micro-tiles, where there are too few tiles.
static constexpr int64_t kMostRows = 480, kMostColumns = 128;
static constexpr int64_t kLeastPackedColumns = 2;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The number of rows in a panel that vectors fill, and of the rows in place
/// whose micro-tile has enough independent chains.
static constexpr int64_t kPanelRows = 8;

/// How the elements of factor `operand` lie along `group`.
static StridedIndex getStrides(const Contraction &contraction, unsigned operand,
                               Contraction::DimGroup group) {
  Linear linear = *getLinear(contraction.getOperand(operand).index,
                             contraction.statement.numDims());
  return contraction.getStridedIndex(linear.strides, group);
}

bool mpc::cpu::canReadInPlace(const Contraction &contraction, unsigned operand,
                              int64_t microRows, Unit unit) {
  auto group = Contraction::outerOf(operand);
  if (!isa<BlockArgument>(getFactor(contraction, operand, unit)) ||
      contraction.sizes[group] % microRows != 0 ||
      contraction.sizes[Contraction::K] % getDepth(unit) != 0)
    return false;
  StridedIndex k = getStrides(contraction, operand, Contraction::K);
  return k.parts.size() == 1 && k.parts.front().stride == 1 &&
         getStrides(contraction, operand, group).parts.size() <= 1;
}

/// Whether `count` neighbours in `operand`'s own dimensions lie side by side.
static bool hasRuns(const Contraction &contraction, unsigned operand,
                    int64_t count) {
  auto group = Contraction::outerOf(operand);
  return getStrides(contraction, operand, group).getRun(count, 1) == count;
}

static RowLayout chooseRowLayout(const Contraction &contraction,
                                 const Roles &roles, Unit unit) {
  if (canReadInPlace(contraction, roles.rowOperand, roles.micro.rows, unit))
    return RowLayout::InPlace;
  return roles.micro.rows == kPanelRows &&
                 hasRuns(contraction, roles.rowOperand, kPanelRows)
             ? RowLayout::Panels
             : RowLayout::Packed;
}

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
// many independent chains in another shape, or 8 of rows that are not packed.
static Micro chooseMicro(const Contraction &contraction, const Roles &roles,
                         int64_t lanes, Unit unit) {
  if (roles.columns <= lanes) {
    if (canReadInPlace(contraction, roles.rowOperand, kPanelRows, unit))
      return {kPanelRows, lanes};
    return {chooseMicroRows(roles.rows, 12), lanes};
  }
  int64_t most = lanes == 16 ? 8 : 6;
  if (roles.rows <= 3 && roles.columns > 2 * lanes)
    return {roles.rows, 4 * lanes};
  return {chooseMicroRows(roles.rows, most), 2 * lanes};
}

/// Whether each column can have one chunk that reads it, of all rows, and there
/// are enough chunks nevertheless.
static bool hasOneReader(const Roles &roles) {
  int64_t most =
      divideCeil(roles.columns, kLeastPackedColumns * roles.micro.columns);
  return roles.rows <= kMostRows && roles.batch * most >= kWantedReaders;
}

// The smaller factor is packed once and read by all chunks. A chunk packs its
// own blocks of the other factor. Columns are packed once, too, where they are
// the only factor that is packed and several chunks would pack the same; but
// not where elements count several times, as those of windows.
static bool sharesColumns(const Contraction &contraction, const Roles &roles) {
  if (roles.image == 1 - roles.rowOperand)
    return false;
  if (roles.columns <= roles.rows)
    return true;
  if (hasOneReader(roles))
    return false;
  Value columns = contraction.getOperand(1 - roles.rowOperand).tensor;
  int64_t elements = cast<RankedTensorType>(columns.getType()).getNumElements();
  return roles.rowLayout == RowLayout::InPlace &&
         elements >= roles.batch * roles.columns * roles.k;
}

/// The factor over which windows slide, if a sum has several chains.
static std::optional<unsigned> getChainedImage(const Contraction &contraction,
                                               Unit unit) {
  std::optional<Windows> windows = matchWindows(contraction);
  if (!windows ||
      getChainLength(contraction, unit) == contraction.sizes[Contraction::K])
    return std::nullopt;
  return windows->image;
}

static Roles getRoles(const Contraction &contraction, unsigned rowOperand,
                      int64_t lanes, Unit unit) {
  Roles roles;
  roles.rowOperand = rowOperand;
  roles.batch = contraction.sizes[Contraction::Batch];
  roles.rows = contraction.sizes[Contraction::M];
  roles.columns = contraction.sizes[Contraction::N];
  roles.k = contraction.sizes[Contraction::K];
  if (rowOperand == 1)
    std::swap(roles.rows, roles.columns);
  roles.depth = getDepth(unit);
  roles.micro = chooseMicro(contraction, roles, lanes, unit);
  roles.rowLayout = chooseRowLayout(contraction, roles, unit);
  roles.image = getChainedImage(contraction, unit);
  roles.sharesColumns = sharesColumns(contraction, roles);
  return roles;
}

/// The instructions that one element costs where it is packed: with its
/// neighbours, or out of a transposed block.
static constexpr double kCopyCost = 0.15, kTransposeCost = 0.3;

/// The cost of packing each factor once, in instructions for a step of k.
static double getPackCost(const Contraction &contraction, const Roles &roles) {
  bool columnsRun = hasRuns(contraction, 1 - roles.rowOperand, kPanelRows);
  double cost = roles.columns * (columnsRun ? kCopyCost : kTransposeCost);
  if (roles.rowLayout != RowLayout::InPlace)
    cost += roles.rows * kTransposeCost;
  return cost * roles.depth;
}

// The cost of padded micro-tiles and of packing, with a penalty for results
// that would be written element by element.
static double getRoleCost(const Contraction &contraction,
                          const Epilogue &epilogue, const Roles &roles,
                          int64_t lanes) {
  const Micro &micro = roles.micro;
  double rows = divideCeil(roles.rows, micro.rows) * (micro.rows + 1.0);
  double vectors = alignTo(roles.columns, micro.columns) / lanes;
  double cost = (rows * vectors + getPackCost(contraction, roles)) *
                divideCeil(roles.k, roles.depth);
  auto group = Contraction::outerOf(1 - roles.rowOperand);
  for (const EpilogueStore &store : epilogue.stores)
    if (contraction.getStridedIndex(store.index.strides, group)
            .getRun(lanes, 1) < lanes)
      cost += 4.0 * roles.rows * roles.columns;
  return cost;
}

static Roles chooseRoles(const Contraction &contraction,
                         const Epilogue &epilogue, int64_t lanes, Unit unit,
                         std::optional<unsigned> invariant) {
  if (invariant) {
    Roles roles = getRoles(contraction, 1 - *invariant, lanes, unit);
    roles.sharesColumns = true;
    return roles;
  }
  Roles first = getRoles(contraction, 0, lanes, unit);
  Roles second = getRoles(contraction, 1, lanes, unit);
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
static Tile splitForWorkers(const Roles &roles, Tile tile) {
  const Micro &micro = roles.micro;
  int64_t leastRows = 4 * micro.rows;
  int64_t leastColumns = kLeastPackedColumns * micro.columns;
  while (countTiles(roles, tile) < kWantedTiles &&
         2 * tile.rows * tile.columns * roles.k >= 2 * kMinTileFlops) {
    bool cut = roles.sharesColumns
                   ? halve(tile.rows, leastRows, micro.rows) ||
                         halve(tile.columns, 8 * micro.columns, micro.columns)
                   : halve(tile.columns, leastColumns, micro.columns) ||
                         halve(tile.rows, 16 * micro.rows, micro.rows);
    if (!cut && countTiles(roles, tile) < kWantedTiles / 2)
      cut = halve(tile.columns, micro.columns, micro.columns) ||
            halve(tile.rows, micro.rows, micro.rows);
    if (!cut)
      break;
  }
  return tile;
}

// Whether the result is thin. A thin result uses what it packs only once: its
// rows are read in long runs, few at a time.
static bool isThin(const Roles &roles) {
  return roles.sharesColumns && roles.columns <= 2 * roles.micro.columns &&
         roles.k > kMaxKBlock * roles.depth;
}

static Tile chooseTile(const Roles &roles) {
  bool oneBlock = roles.k <= kMaxKBlock * roles.depth;
  int64_t mostRows = !roles.sharesColumns ? kMostRows : isThin(roles) ? 24 : 96;
  int64_t mostColumns = !roles.sharesColumns ? kMostColumns
                        : oneBlock           ? 2048
                                             : 768;
  return splitForWorkers(
      roles, {balance(roles.rows, mostRows, roles.micro.rows),
              balance(roles.columns, mostColumns, roles.micro.columns)});
}

/// The micro-tiles of rows that a piece should have whose columns can be cut
/// too: with fewer, reading the columns takes longer than multiplying.
static constexpr int64_t kPieceRows = 3;

/// The pieces along the rows and the columns of a tile.
static std::array<int64_t, 2> cutTile(const Roles &roles, const Tile &tile) {
  int64_t rows = tile.rows / roles.micro.rows;
  int64_t columns = tile.columns / roles.micro.columns;
  int64_t groups = columns > 1 ? divideCeil(rows, kPieceRows) : rows;
  return choosePieces(countTiles(roles, tile),
                      2 * tile.rows * tile.columns * roles.k, {groups, columns},
                      {rows, columns});
}

static std::optional<unsigned> choosePacked(const Roles &roles,
                                            const Tile &tile) {
  int64_t readers = roles.sharesColumns
                        ? divideCeil(roles.rows, tile.rows)
                        : divideCeil(roles.columns, tile.columns);
  bool packs = roles.sharesColumns || roles.rowLayout != RowLayout::InPlace;
  unsigned shared =
      roles.sharesColumns ? 1 - roles.rowOperand : roles.rowOperand;
  if (readers == 1 || !packs || roles.image == shared)
    return std::nullopt;
  return shared;
}

GemmAttr mpc::cpu::planContraction(const Contraction &contraction,
                                   const Epilogue &epilogue, int64_t lanes,
                                   Unit unit,
                                   std::optional<unsigned> invariant) {
  if (GemmAttr windows = planWindows(contraction, lanes, unit))
    return windows;
  if (invariant == getChainedImage(contraction, unit))
    invariant = std::nullopt;
  Roles roles = chooseRoles(contraction, epilogue, lanes, unit, invariant);
  Tile tile = chooseTile(roles);
  int64_t kBlock = roles.k;
  int64_t most = (isThin(roles) ? kMaxThinKBlock : kMaxKBlock) * roles.depth;
  int64_t chain = getChainLength(contraction, unit);
  if (roles.k > most)
    kBlock = balance(roles.k, most / chain * chain, chain);
  std::array<int64_t, 2> pieces = cutTile(roles, tile);
  return GemmAttr::get(contraction.generic().getContext(),
                       countTiles(roles, tile) * pieces[0] * pieces[1], lanes,
                       roles.rowOperand,
                       invariant ? invariant : choosePacked(roles, tile),
                       {tile.rows, tile.columns, kBlock},
                       {roles.micro.rows, roles.micro.columns}, pieces[0],
                       pieces[1], unit, roles.rowLayout);
}

/// Panels that lie a multiple of this many bytes apart fall into the same sets
/// of the L1 cache, where rows are written to several of them in turn.
static constexpr int64_t kSetPeriod = 1024;
/// The bytes that move a panel to other sets.
static constexpr int64_t kPanelShift = 192;

int64_t mpc::cpu::getPanelStride(GemmAttr schedule, unsigned operand,
                                 int64_t k) {
  int64_t depth = getDepth(schedule.getUnit());
  int64_t width = schedule.getPanelWidth(operand);
  int64_t steps = divideCeil(k, depth), stepBytes = width * sizeof(float);
  // Linalg lets a plain k reach no further than its loop, so that panels of
  // single k lie side by side.
  if (depth > 1 && steps * stepBytes % kSetPeriod == 0)
    steps += divideCeil(kPanelShift, stepBytes);
  return steps * depth * width;
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
  if (!schedule.hasPanels(operand)) {
    shape = {batch, count(k, schedule.getKBlock()),
             count(outer, schedule.getMicroRows()), schedule.getMicroRows(),
             schedule.getRowStride()};
  } else {
    int64_t width = schedule.getPanelWidth(operand),
            depth = getDepth(schedule.getUnit());
    shape = {batch, count(outer, width),
             getPanelStride(schedule, operand, k) / width / depth, width};
    if (depth > 1)
      shape.push_back(depth);
  }
  return RankedTensorType::get(
      shape, getFactorType(schedule.getContext(), schedule.getUnit()));
}
