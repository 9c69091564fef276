// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes depthwise contractions and chooses their tiles.
#include "lib/Codegen/CPU/Depthwise.h"

#include "lib/Codegen/CPU/Chains.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

Contraction::DimGroup
Depthwise::tiledGroup(const Contraction &contraction) const {
  return contraction.sizes[ownGroup()] > contraction.sizes[Contraction::K]
             ? ownGroup()
             : Contraction::K;
}

static bool usesOnly(const Linear &index, unsigned dim) {
  for (auto [other, stride] : llvm::enumerate(index.strides))
    if (other != dim && stride != 0)
      return false;
  return true;
}

static bool usesAny(const Linear &index, ArrayRef<unsigned> dims) {
  return llvm::any_of(dims,
                      [&](unsigned dim) { return index.strides[dim] != 0; });
}

/// The axes of `operand`; empty unless the channel axis is a separate one and
/// the elements of a channel are contiguous.
static std::optional<ChannelFactor> matchFactor(const Contraction &contraction,
                                                unsigned operand,
                                                unsigned channel) {
  const Statement &statement = contraction.statement;
  unsigned numDims = statement.numDims();
  linalg::GenericOp op = contraction.generic();
  AffineMap map = op.getIndexingMapsArray()[contraction.operands[operand]]
                      .replaceDimsAndSymbols(statement.indices, {}, numDims, 0);
  auto type =
      cast<RankedTensorType>(contraction.getOperand(operand).tensor.getType());
  ChannelFactor factor = {{}, 0};
  int64_t stride = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    std::optional<Linear> index = getLinear(map.getResult(axis), numDims);
    if (!index)
      return std::nullopt;
    if (index->strides[channel] == 0)
      factor.axes.push_back({*index, type.getDimSize(axis), stride});
    else if (factor.channelStride || !usesOnly(*index, channel) ||
             index->offset != 0)
      return std::nullopt;
    else
      factor.channelStride = index->strides[channel] * stride;
    stride *= type.getDimSize(axis);
  }
  if (factor.axes.empty() || factor.axes.front().stride != 1)
    return std::nullopt;
  std::reverse(factor.axes.begin(), factor.axes.end());
  return factor;
}

/// Whether an axis of `operand` is indexed by the sum of an own index and an
/// index of K. Neighbouring results then read the same elements.
static bool slides(const Contraction &contraction, const ChannelFactor &factor,
                   unsigned operand) {
  auto own = Contraction::outerOf(operand);
  return llvm::any_of(factor.axes, [&](const FactorAxis &axis) {
    return usesAny(axis.index, contraction.groups[own]) &&
           usesAny(axis.index, contraction.groups[Contraction::K]);
  });
}

/// Whether tiled and blocked dimensions go upwards through memory.
static bool goesUpwards(const Contraction &contraction,
                        const Depthwise &depthwise) {
  for (const ChannelFactor &factor : depthwise.factors)
    for (const FactorAxis &axis : factor.axes)
      for (auto group :
           {depthwise.ownGroup(), depthwise.tiledGroup(contraction)})
        for (unsigned dim : contraction.groups[group])
          if (axis.index.strides[dim] < 0)
            return false;
  return true;
}

// The least number of channels. With fewer, most lanes of a vector are empty.
static constexpr int64_t kLeastChannels = 4;

std::optional<Depthwise>
mpc::cpu::matchDepthwise(const Contraction &contraction) {
  if (contraction.groups[Contraction::Batch].size() != 1 ||
      contraction.sizes[Contraction::Batch] < kLeastChannels)
    return std::nullopt;
  Depthwise depthwise = {contraction.groups[Contraction::Batch].front(), 0, {}};
  bool found = false;
  for (unsigned operand = 0; operand < 2; ++operand) {
    std::optional<ChannelFactor> factor =
        matchFactor(contraction, operand, depthwise.channel);
    if (!factor)
      return std::nullopt;
    if (!found && slides(contraction, *factor, operand)) {
      depthwise.image = operand;
      found = true;
    }
    depthwise.factors[operand] = std::move(*factor);
  }
  if (!found || contraction.sizes[depthwise.otherGroup()] != 1 ||
      !goesUpwards(contraction, depthwise))
    return std::nullopt;
  return depthwise;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

DepthwiseLayout::DepthwiseLayout(const Contraction &contraction,
                                 const Depthwise &depthwise, DepthwiseTile tile,
                                 ArrayRef<int64_t> block)
    : contraction_(contraction), depthwise_(depthwise),
      extents_(contraction.statement.extents) {
  ArrayRef<unsigned> tiled =
      contraction.groups[depthwise.tiledGroup(contraction)];
  for (int64_t number = 0; number <= tile.cut; ++number) {
    int64_t &extent = extents_[tiled[number]];
    int64_t size = number < tile.cut ? 1 : tile.tile;
    tiles_.push_back(divideCeil(extent, size));
    extent = size;
  }
  padded_ = extents_;
  ArrayRef<unsigned> own = contraction.groups[depthwise.ownGroup()];
  padded_[own.back()] = alignTo(extents_[own.back()], block[1]);
  if (own.size() > 1)
    padded_[own[own.size() - 2]] =
        alignTo(extents_[own[own.size() - 2]], block[0]);
  for (unsigned operand = 0; operand < 2; ++operand)
    factors_[operand] = getFactor(operand);
  result_ = getResult();
}

int64_t DepthwiseLayout::vectors() const {
  return factors_[0].vectors + factors_[1].vectors + 2 * result_.vectors;
}

/// Whether no tile but the first uses `axis`.
static bool isFixed(const FactorAxis &axis, ArrayRef<int64_t> all,
                    ArrayRef<int64_t> tile) {
  for (auto [dim, stride] : llvm::enumerate(axis.index.strides))
    if (stride != 0 && all[dim] != tile[dim])
      return false;
  return true;
}

Footprint DepthwiseLayout::getFactor(unsigned operand) const {
  ArrayRef<FactorAxis> axes = depthwise_.factors[operand].axes;
  Footprint print;
  print.strides.assign(extents_.size(), 0);
  print.sizes.resize(axes.size());
  print.whole.resize(axes.size());
  int64_t vectors = 1, beyond = 0;
  for (size_t number = axes.size(); number-- > 0;) {
    const FactorAxis &axis = axes[number];
    int64_t size = 1, least = axis.index.offset;
    for (auto [dim, stride] : llvm::enumerate(axis.index.strides)) {
      size += std::abs(stride) * (extents_[dim] - 1);
      least += std::min<int64_t>(stride, 0) * (extents_[dim] - 1);
      print.strides[dim] += stride * vectors;
      beyond += std::max<int64_t>(stride, 0) * (padded_[dim] - extents_[dim]) *
                vectors;
    }
    // Packing a little more of a line is less work than handling its end.
    bool whole = isFixed(axis, contraction_.statement.extents, extents_) &&
                 4 * size >= 3 * axis.extent;
    print.whole[number] = whole;
    print.sizes[number] = whole ? axis.extent : size;
    print.offset += (axis.index.offset - (whole ? 0 : least)) * vectors;
    vectors *= print.sizes[number];
  }
  print.vectors = vectors + beyond;
  return print;
}

Footprint DepthwiseLayout::getResult() const {
  Footprint print;
  print.strides.assign(extents_.size(), 0);
  print.vectors = 1;
  for (auto group : {depthwise_.ownGroup(), depthwise_.otherGroup()})
    for (unsigned dim : llvm::reverse(contraction_.groups[group])) {
      print.strides[dim] = print.vectors;
      print.vectors *= padded_[dim];
    }
  // The transposition works on four at a time.
  print.vectors = alignTo(print.vectors, 4);
  return print;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

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
