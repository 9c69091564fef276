// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of attention on GPUs.
#include "lib/Codegen/CUDA/AttentionPlan.h"

#include "dialects/Interfaces/Precision.h"
#include "lib/Codegen/CUDA/Limits.h"
#include "lib/Codegen/CUDA/Tiles.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

/// The columns of sums that a warp keeps in registers for 16 rows.
static constexpr int64_t kColumnsInRegisters = 128;
/// Up to so many elements a row leaves registers for two tiles of 16 rows a
/// warp, or for steps of 64 in a gradient.
static constexpr int64_t kShortRow = 64;

namespace {

struct Tile {
  int64_t warps = 1, rowTiles = 1, step = 16, stages = 1;

  [[nodiscard]] int64_t rows() const { return warps * rowTiles * 16; }
};

} // namespace

static bool isForward(AttentionOpInterface op) {
  return isa<AttentionOp>(op.getOperation());
}

static AttentionOpInterface getAttention(const Body &body) {
  return cast<AttentionOpInterface>(body.statements.front().op);
}

static int64_t getElementBytes(AttentionOpInterface op) {
  Type element = getElementTypeOrSelf(op.getQueryMutable().get().getType());
  return element.getIntOrFloatBitWidth() / 8;
}

int64_t mpc::cuda::getTileColumns(int64_t columns) {
  return alignTo(columns, 16);
}

/// The least number of equal parts of rows of `first` and of `second` elements
/// that leave registers for a part of each. One, and spilled registers, where
/// none is equal.
static int64_t countParts(int64_t first, int64_t second) {
  constexpr int64_t kMostParts = 4;
  for (int64_t parts = 1; parts <= kMostParts; ++parts)
    if (llvm::all_of(std::initializer_list<int64_t>{first, second},
                     [&](int64_t columns) {
                       int64_t whole = getTileColumns(columns);
                       return whole % (16 * parts) == 0 &&
                              whole / parts <= kColumnsInRegisters;
                     }))
      return parts;
  return 1;
}

AttentionGrid mpc::cuda::getGrid(AttentionOpInterface op, int64_t rows,
                                 bool isByLoops) {
  AttentionSizes sizes = getSizes(op);
  AttentionGrid grid;
  grid.queryBlocks = divideCeil(sizes.queries, rows);
  if (isForward(op))
    return grid;
  grid.keyBlocks = divideCeil(sizes.keys, rows);
  if (isByLoops)
    return grid;
  grid.queryParts = countParts(sizes.depth, sizes.depth);
  grid.keyParts = countParts(sizes.depth, sizes.width);
  return grid;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The bytes of shared memory for rows of `depth` and `width` elements of
/// `bytes`, as mpc_attention_memory of the prelude has it.
static int64_t countSharedBytes(const Tile &tile, int64_t bytes, int64_t depth,
                                int64_t width, bool isForward) {
  auto pitch = [&](int64_t columns) {
    return getTileColumns(columns) * bytes + 16;
  };
  int64_t both = pitch(depth) + pitch(width);
  int64_t steps = tile.stages * tile.step;
  if (isForward)
    return tile.rows() * pitch(depth) + steps * both;
  constexpr int64_t kRowNumbers = 4 * sizeof(float);
  return tile.rows() * both + steps * (both + kRowNumbers);
}

static int64_t countSharedBytes(AttentionOpInterface op, const Tile &tile) {
  AttentionSizes sizes = getSizes(op);
  return countSharedBytes(tile, getElementBytes(op), sizes.depth, sizes.width,
                          isForward(op));
}

int64_t mpc::cuda::getSharedBytes(const Body &body, AttentionAttr schedule) {
  if (schedule.isByLoops())
    return 0;
  int64_t warps = schedule.getThreads() / 32;
  return countSharedBytes(getAttention(body),
                          {warps, schedule.getTile()[0] / (warps * 16),
                           schedule.getTile()[1], schedule.getStages()});
}

/// What a block may have of it.
static int64_t getSharedLimit(TargetAttr target) {
  Limits limits = limitsOf(target.getArch());
  return limits.shared - limits.reserved;
}

bool mpc::cuda::hasAttention(TargetAttr target, Type element, int64_t longest) {
  bool isMultiplied =
      llvm::any_of(target.getMultiplyUnits(), [&](const MultiplyUnit &unit) {
        return typeOf(unit.factors, element.getContext()) == element;
      });
  return isMultiplied &&
         countSharedBytes(Tile(), element.getIntOrFloatBitWidth() / 8, longest,
                          longest,
                          /*isForward=*/false) <= getSharedLimit(target);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// The tile for shared memory without a limit.
static Tile getLargestTile(AttentionOpInterface op) {
  AttentionSizes sizes = getSizes(op);
  int64_t longest = std::max(sizes.depth, sizes.width);
  bool isShort = longest <= kShortRow && getElementBytes(op) == 2;
  Tile tile{4, 1, 64, 2};
  bool isLong = longest > kColumnsInRegisters;
  if (!isForward(op))
    tile.step = isShort && !op.getDropout() ? 64 : isLong ? 16 : 32;
  else if (isLong)
    tile.step = 32;
  // Masks and dropout need registers, too.
  bool isPlain = op.getMaskMutable().empty() && !op.getDropout();
  if (isForward(op) && isShort && isPlain && sizes.queries > tile.rows())
    tile.rowTiles = 2;
  return tile;
}

/// The next smaller tile; false if there is none.
static bool shrink(Tile &tile) {
  if (tile.stages > 1)
    --tile.stages;
  else if (tile.rowTiles > 1)
    --tile.rowTiles;
  else if (tile.step > 32)
    tile.step /= 2;
  else if (tile.warps > 1)
    tile.warps /= 2;
  else if (tile.step > 16)
    tile.step /= 2;
  else
    return false;
  return true;
}

static AttentionAttr make(AttentionOpInterface op, int64_t threads,
                          int64_t rows, int64_t step, int64_t stages) {
  AttentionSizes sizes = getSizes(op);
  AttentionGrid grid = getGrid(op, rows, /*isByLoops=*/stages == 0);
  int64_t tile[] = {rows, step};
  return AttentionAttr::getChecked(
      [&] { return op->emitOpError(kTooLarge); }, op->getContext(),
      grid.countKeys(sizes) + grid.countQueries(sizes), threads,
      ArrayRef<int64_t>(tile), stages);
}

ScheduleAttrInterface mpc::cuda::scheduleAttention(const Body &body,
                                                   TargetAttr target) {
  AttentionOpInterface op = getAttention(body);
  if (target.getNaive())
    return make(op, /*threads=*/64, /*rows=*/64, /*step=*/16, /*stages=*/0);
  Tile tile = getLargestTile(op);
  while (countSharedBytes(op, tile) > getSharedLimit(target))
    if (!shrink(tile)) {
      op->emitOpError("has rows that are too long for shared memory");
      return {};
    }
  return make(op, tile.warps * 32, tile.rows(), tile.step, tile.stages);
}
