// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the blocking of a contraction whose rows are in windows.
#include "lib/Codegen/CPU/WindowPlan.h"

#include "lib/Codegen/CPU/Pieces.h"
#include "lib/Codegen/CPU/Units.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::divideCeil;

/// The bytes of the L2 cache that the copy of a tile's images may take, and
/// those for results that are kept between blocks of taps.
static constexpr int64_t kMostCopy = 448 << 10;
static constexpr int64_t kMostResults = 160 << 10;
/// There should be so many tiles, of at least this work, and no fewer columns,
/// since every tile of columns copies the images anew.
static constexpr int64_t kWantedTiles = 32;
static constexpr int64_t kLeastFlops = 1 << 21;
static constexpr int64_t kLeastColumns = 64;
/// Shorter sums do not repay the copy.
static constexpr int64_t kLeastK = 64;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The number of k that one tap of the first axis has.
static int64_t countInnerK(const Windows &windows) {
  int64_t count = windows.channel.extent;
  for (const WindowAxis &axis : llvm::drop_begin(windows.axes))
    count *= axis.tap.extent;
  return count;
}

WindowTile mpc::cpu::getWindowTile(const Windows &windows, GemmAttr schedule) {
  int64_t positions = windows.countPositions();
  int64_t rows = schedule.getTileRows();
  bool isWhole = rows >= positions;
  int64_t lines =
      isWhole ? windows.first().position.extent : rows / windows.countLine();
  return {isWhole ? rows / positions : 1, lines,
          schedule.getKBlock() / countInnerK(windows),
          getPieceSize(lines, schedule.getRowPieces(), 1),
          windows.last().position.extent < schedule.getMicroRows()};
}

static int64_t getFactorBytes(Unit unit) { return unit == Unit::FMA ? 4 : 2; }

WindowCopy mpc::cpu::getTileCopy(const Contraction &contraction,
                                 const Windows &windows, GemmAttr schedule) {
  Unit unit = schedule.getUnit();
  WindowTile tile = getWindowTile(windows, schedule);
  return getWindowCopy(windows,
                       *getWindowChains(contraction, windows, getDepth(unit)),
                       {getFactorBytes(unit), tile.lines, tile.taps,
                        tile.isWhole(windows), tile.alongImages});
}

int64_t mpc::cpu::countWindowTiles(const Contraction &contraction,
                                   const Windows &windows, GemmAttr schedule) {
  WindowTile tile = getWindowTile(windows, schedule);
  auto columns = Contraction::outerOf(1 - windows.image);
  return contraction.sizes[Contraction::Batch] *
         divideCeil(windows.images.extent, tile.images) *
         divideCeil(windows.first().position.extent, tile.lines) *
         divideCeil(contraction.sizes[columns], schedule.getTileColumns());
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {

class Planner {
public:
  Planner(const Contraction &contraction, const Windows &windows,
          const WindowChains &chains, int64_t lanes, Unit unit)
      : contraction_(contraction), windows_(windows), chains_(chains),
        lanes_(lanes), unit_(unit),
        columns_(contraction.sizes[Contraction::outerOf(1 - windows.image)]),
        nr_(columns_ > lanes ? 2 * lanes : lanes) {}

  GemmAttr plan();

private:
  bool chooseTile(int64_t leastImages);
  void chooseRows();
  void split();
  GemmAttr getSchedule() const;
  int64_t getBytes(int64_t images, int64_t lines, int64_t taps) const {
    int64_t bytes = getFactorBytes(unit_);
    WindowTile tile = {images, lines, taps, lines, tile_.alongImages};
    CopyShape shape = {bytes, lines, taps, tile.isWhole(windows_),
                       tile.alongImages};
    return images * bytes * getWindowCopy(windows_, chains_, shape).image;
  }
  bool fits(int64_t images, int64_t lines, int64_t taps) const {
    return getBytes(images, lines, taps) <= kMostCopy;
  }
  int64_t tileFlops() const;

  const Contraction &contraction_;
  const Windows &windows_;
  const WindowChains &chains_;
  int64_t lanes_;
  Unit unit_;
  int64_t columns_, nr_, mr_ = 1;
  WindowTile tile_ = {1, 1, 1, 1, false};
  int64_t tileColumns_ = 0;
};

} // namespace

/// The rows of a micro-tile along `extent` neighbours: as many as registers
/// hold, or a few less where the last micro-tile is then fuller.
static int64_t chooseMicroRows(int64_t extent, int64_t most) {
  int64_t best = std::min(extent, most);
  auto cost = [&](int64_t rows) {
    return divideCeil(extent, rows) * (rows + 1);
  };
  for (int64_t rows = best; rows >= std::max<int64_t>(most / 2, 1); --rows)
    if (cost(rows) < cost(best))
      best = rows;
  return best;
}

GemmAttr Planner::getSchedule() const {
  int64_t rows = tile_.images * tile_.lines * windows_.countLine();
  auto get = [&](int64_t chunks, std::array<int64_t, 2> pieces) {
    return GemmAttr::get(
        contraction_.generic().getContext(), chunks, lanes_, windows_.image,
        1 - windows_.image,
        {rows, tileColumns_, tile_.taps * countInnerK(windows_)}, {mr_, nr_},
        pieces[1], pieces[0], unit_, RowLayout::Windows);
  };
  int64_t tiles = countWindowTiles(contraction_, windows_, get(1, {1, 1}));
  // Columns are the side that is cut first, and lines the other. A tile that
  // has no fixed lines takes a few percent longer.
  int64_t panels = tileColumns_ / nr_;
  std::array<int64_t, 2> pieces =
      choosePieces(tiles, tileFlops(), {panels, 1}, {panels, tile_.lines});
  return get(tiles * pieces[0] * pieces[1], pieces);
}

/// Finds a tile whose copy stays in the cache: all taps and some lines of an
/// image, or all lines and some taps.
bool Planner::chooseTile(int64_t leastImages) {
  const WindowAxis &first = windows_.first();
  int64_t lines = first.position.extent, taps = first.tap.extent;
  int64_t unit = chains_.axis == 0 ? chains_.count : 1;
  bool cutsTaps = taps > lines;
  while (!fits(leastImages, lines, taps)) {
    int64_t &cut = cutsTaps ? taps : lines;
    // A tile of several images has all of their lines.
    if (cut <= (cutsTaps ? unit : 1) || (!cutsTaps && leastImages > 1))
      return false;
    --cut;
  }
  // Equal parts, which are whole chains.
  if (cutsTaps)
    taps = llvm::alignDown(taps, unit);
  else
    lines = divideCeil(first.position.extent,
                       divideCeil(first.position.extent, lines));
  tile_ = {leastImages, lines, taps, lines, tile_.alongImages};
  return taps > 0;
}

/// Takes more images while their copy stays in the cache.
void Planner::chooseRows() {
  if (tile_.lines < windows_.first().position.extent)
    return;
  int64_t unit = tile_.alongImages ? mr_ : 1;
  while (tile_.images < windows_.images.extent &&
         fits(tile_.images + unit, tile_.lines, tile_.taps))
    tile_.images += unit;
}

int64_t Planner::tileFlops() const {
  return 2 * tile_.images * tile_.lines * windows_.countLine() * tileColumns_ *
         contraction_.sizes[Contraction::K];
}

/// Cuts the tile until there are enough, as long as they are large enough.
void Planner::split() {
  int64_t unit = tile_.alongImages ? mr_ : 1;
  auto halve = [](int64_t &size, int64_t unit, int64_t least) {
    int64_t half = llvm::alignTo(divideCeil(size, 2), unit);
    if (half < least || half == size)
      return false;
    size = half;
    return true;
  };
  int64_t line = windows_.countLine();
  auto countTiles = [&] {
    GemmAttr schedule = getSchedule();
    return schedule.getChunks() / schedule.getPieces();
  };
  while (countTiles() < kWantedTiles && tileFlops() >= 2 * kLeastFlops) {
    if (halve(tile_.images, unit, unit))
      continue;
    if (tileColumns_ > kLeastColumns && halve(tileColumns_, nr_, kLeastColumns))
      continue;
    bool cutsLines = !tile_.alongImages &&
                     tile_.taps >= windows_.first().tap.extent &&
                     tile_.lines * line >= 16 * mr_;
    if (!cutsLines || !halve(tile_.lines, 1, 1))
      break;
  }
}

GemmAttr Planner::plan() {
  int64_t most = lanes_ == 16 ? 8 : 6;
  int64_t neighbours = windows_.last().position.extent;
  mr_ = chooseMicroRows(neighbours, most);
  // A run without some taps has whole steps only if each tap has.
  bool canLeaveTaps = windows_.channel.extent % getDepth(unit_) == 0;
  if (neighbours < most && windows_.images.extent >= most && canLeaveTaps) {
    mr_ = most;
    tile_.alongImages = true;
    if (!chooseTile(mr_)) {
      tile_.alongImages = false;
      mr_ = chooseMicroRows(neighbours, most);
    }
  }
  if (!tile_.alongImages && !chooseTile(1))
    return {};
  chooseRows();
  tileColumns_ = llvm::alignTo(columns_, nr_);
  bool keeps = tile_.taps < windows_.first().tap.extent;
  while (keeps && tileColumns_ > nr_ &&
         tile_.images * tile_.lines * windows_.countLine() * tileColumns_ * 4 >
             kMostResults)
    tileColumns_ = llvm::alignTo(divideCeil(tileColumns_, 2), nr_);
  split();
  return getSchedule();
}

GemmAttr mpc::cpu::planWindows(const Contraction &contraction, int64_t lanes,
                               Unit unit) {
  std::optional<Windows> windows = matchWindows(contraction);
  if (!windows)
    return {};
  std::optional<WindowChains> chains =
      getWindowChains(contraction, *windows, getDepth(unit));
  int64_t columns = contraction.sizes[Contraction::outerOf(1 - windows->image)];
  if (!chains || columns < lanes / 2 ||
      contraction.sizes[Contraction::K] < kLeastK)
    return {};
  return Planner(contraction, *windows, *chains, lanes, unit).plan();
}
