// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.gemm with rows in windows: a copy of the part of the images that a tile
// reads, the micro-kernel on windows of the copy, the map on the results.
#include "lib/Codegen/CPU/ContractionPlan.h"
#include "lib/Codegen/CPU/EmitEpilogue.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/MicroKernel.h"
#include "lib/Codegen/CPU/Transpose.h"
#include "lib/Codegen/CPU/Units.h"
#include "lib/Codegen/CPU/WindowPacker.h"
#include "lib/Codegen/CPU/WindowPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

/// The part of the result that a chunk computes: positions of the first axis of
/// some images, and columns.
struct WindowPart {
  Value batch;
  Value image, images;   ///< The first image, and how many.
  Value line, lines;     ///< The first position of the first axis.
  Value column, columns; ///< The first column.
};

/// Emits a contraction of windows.
class WindowEmitter {
public:
  WindowEmitter(Emitter &emitter, const Contraction &contraction,
                const Epilogue &epilogue, GemmAttr schedule)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), contraction_(contraction), epilogue_(epilogue),
        schedule_(schedule), windows_(*matchWindows(contraction)),
        depth_(getDepth(schedule.getUnit())),
        chains_(*getWindowChains(contraction, windows_, depth_)),
        tile_(getWindowTile(windows_, schedule)),
        copy_(getTileCopy(contraction, windows_, schedule)),
        numColumns_(
            contraction.sizes[Contraction::outerOf(schedule.getColumns())]),
        numBlocks_(divideCeil(windows_.first().tap.extent, tile_.taps)),
        mr_(schedule.getMicroRows()), nr_(schedule.getMicroColumns()) {}

  void emit();

private:
  using Body = llvm::function_ref<void(Value)>;
  /// A micro-tile: the place of its first row in the copy and in a panel of
  /// results, and its position along each axis; null where it has several.
  struct MicroTile {
    Value row, result;
    SmallVector<Value> positions;
  };
  using TileBody = llvm::function_ref<void(MicroTile)>;
  /// The taps of an axis that are not in the border; null where all are taken.
  struct TapRange {
    Value begin, end;
  };
  /// Neighbouring chains: the taps of the axes before the one that is cut into
  /// chains, counted from the block's first one on, and the range along that.
  struct ChainRange {
    SmallVector<Value> outer;
    Value from, to;
  };

  /// A chain: its place in the copy, its first k, how many taps or channels of
  /// the dimension that is cut it has, and how many taps its runs have, where
  /// these are clipped.
  struct ChainCall {
    Value place, k, count, taps;
  };

  void allocate();
  void clearCopy();
  WindowPart getPart(Value chunk);
  void emitChunk(Value chunk);
  void emitBlock(const WindowPart &part, Value block);
  void emitPanel(const WindowPart &part, Value panel, Value tap, Value taps);
  Value panelPlace(Value panel);
  void clearResults(Value results, Value tap);

  // Micro-tiles.
  void loopTiles(const WindowPart &part, TileBody body);
  void loopImageTiles(const WindowPart &part, TileBody body);
  void loopLineTiles(const WindowPart &part, TileBody body);
  Value rowPlace(Value image, Value line, ValueRange inner);

  // Chains.
  void loopChains(Value taps,
                  llvm::function_ref<void(const ChainRange &)> body);
  void emitChains(const ChainRange &range, Value firstTap,
                  const MicroTile &tile, MicroOperand columns);
  void emitRange(const ChainRange &range, Value firstTap, const MicroTile &tile,
                 MicroOperand columns);
  void emitChain(ArrayRef<Value> indices, Value count, Value firstTap,
                 const MicroTile &tile, MicroOperand columns);
  MicroRuns getRuns(const ChainCall &call, Value &steps);
  void emitCall(const ChainCall &call, Value result, MicroOperand columns);
  TapRange getTaps(const MicroTile &tile, unsigned axis);
  bool isClipped(unsigned axis) const;

  // Results.
  bool joinsImages() const;
  void emitMap(const WindowPart &part, Value panel);
  void emitGroup(const WindowPart &part, Value panel, Value image,
                 Value position, Value count);
  Value resultRow(Value image, Value position);

  void loop(Value to, int64_t step, Body body) {
    emitter_.emitLoop(math_.constant(0), to, step, body);
  }
  int64_t lineWidth() const { return windows_.last().position.extent; }
  /// The rows of results of a line along the last axis.
  int64_t lineRows() const {
    return tile_.alongImages ? lineWidth() : alignTo(lineWidth(), mr_);
  }
  int64_t imageRows() const {
    return tile_.lines * (windows_.countLine() / lineWidth()) * lineRows();
  }
  int64_t panelRows() const {
    int64_t images =
        tile_.alongImages ? alignTo(tile_.images, mr_) : tile_.images;
    return images * imageRows();
  }

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  const Contraction &contraction_;
  const Epilogue &epilogue_;
  GemmAttr schedule_;
  Windows windows_;
  int64_t depth_; ///< The number of k in a step of the unit.
  WindowChains chains_;
  WindowTile tile_;
  WindowCopy copy_;
  int64_t numColumns_, numBlocks_, mr_, nr_;
  /// Scratch memory: the copy of the images; a micro-tile of zeros, and then
  /// results, panel by panel; some results of a panel, transposed.
  Value images_, results_, transposed_;
  /// The panels of the weight.
  Value panels_;
  Value firstPanel_;
};

} // namespace

/// The most k of one panel that are multiplied by all micro-tiles in turn, so
/// that they stay in the L1 cache.
static constexpr int64_t kMostCachedSteps = 192;

void WindowEmitter::allocate() {
  Type f32 = builder_.getF32Type();
  Type factor = getFactorType(builder_.getContext(), schedule_.getUnit());
  // Rows of a micro-tile beyond the last image or position read what lies
  // there; nobody reads their results.
  int64_t images =
      tile_.alongImages ? alignTo(tile_.images, mr_) : tile_.images;
  int64_t beyond = mr_ * windows_.last().stride * copy_.pitches.back() * depth_;
  images_ = emitter_.allocate(images * copy_.image + beyond, factor);
  int64_t panels =
      numBlocks_ > 1 ? divideCeil(schedule_.getTileColumns(), nr_) : 1;
  results_ = emitter_.allocate(mr_ * nr_ + panels * panelRows() * nr_, f32);
  transposed_ = emitter_.allocate(schedule_.getLanes() * nr_, f32);
  panels_ = emitter_.getBuffer(
      contraction_.getOperand(schedule_.getColumns()).tensor);
}

void WindowEmitter::emit() {
  allocate();
  int64_t lanes = schedule_.getLanes();
  auto vector = VectorType::get({lanes}, builder_.getF32Type());
  Value zero = arith::ConstantOp::create(builder_, loc_,
                                         DenseElementsAttr::get(vector, 0.0f));
  loop(math_.constant(mr_ * nr_), lanes, [&](Value place) {
    vector::StoreOp::create(builder_, loc_, zero, results_, place);
  });
  clearCopy();
  emitter_.emitLoop(emitter_.begin, emitter_.end, 1,
                    [&](Value chunk) { emitChunk(chunk); });
}

/// Sets the copy to zero once, for a border that is read and has no memory. No
/// copy of images changes it.
void WindowEmitter::clearCopy() {
  const WindowAxis &last = windows_.last();
  bool hasMemory = last.memoryBegin < last.begin || last.memoryEnd > last.end;
  if (tile_.alongImages || !last.hasBorder() || hasMemory)
    return;
  auto type = cast<MemRefType>(images_.getType());
  auto vector = VectorType::get({8}, type.getElementType());
  Value zero =
      arith::ConstantOp::create(builder_, loc_, builder_.getZeroAttr(vector));
  loop(math_.constant(tile_.images * copy_.image), 8, [&](Value place) {
    vector::StoreOp::create(builder_, loc_, zero, images_, place);
  });
}

WindowPart WindowEmitter::getPart(Value chunk) {
  auto take = [&](int64_t total, int64_t size, Value &first, Value &count) {
    int64_t tiles = divideCeil(total, size);
    first = math_.mul(math_.rem(chunk, tiles), size);
    count = total % size == 0
                ? math_.constant(size)
                : math_.min(math_.constant(size),
                            math_.sub(math_.constant(total), first));
    chunk = math_.div(chunk, tiles);
  };
  WindowPart part;
  take(numColumns_, schedule_.getTileColumns(), part.column, part.columns);
  take(windows_.first().position.extent, tile_.lines, part.line, part.lines);
  take(windows_.images.extent, tile_.images, part.image, part.images);
  part.batch = chunk;
  return part;
}

void WindowEmitter::emitChunk(Value chunk) {
  WindowPart part = getPart(chunk);
  Value panel = math_.add(math_.mul(part.batch, divideCeil(numColumns_, nr_)),
                          math_.div(part.column, nr_));
  int64_t k = contraction_.sizes[Contraction::K];
  firstPanel_ =
      math_.mul(panel, getPanelStride(schedule_, schedule_.getColumns(), k));
  if (numBlocks_ == 1)
    return emitBlock(part, math_.constant(0));
  loop(math_.constant(numBlocks_), 1,
       [&](Value block) { emitBlock(part, block); });
}

void WindowEmitter::emitBlock(const WindowPart &part, Value block) {
  int64_t extent = windows_.first().tap.extent;
  Value tap = math_.mul(block, tile_.taps);
  Value taps = extent % tile_.taps == 0
                   ? math_.constant(tile_.taps)
                   : math_.min(math_.constant(tile_.taps),
                               math_.sub(math_.constant(extent), tap));
  emitWindowCopy(
      emitter_, contraction_, windows_, schedule_,
      {part.batch, part.image, part.images, part.line, part.lines, tap, taps},
      images_);
  loop(math_.ceilDiv(part.columns, nr_), 1, [&](Value panel) {
    emitPanel(part, panel, tap, taps);
    if (numBlocks_ == 1)
      return emitMap(part, panel);
    Value last = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::eq,
                                       block, math_.constant(numBlocks_ - 1));
    auto ifOp =
        scf::IfOp::create(builder_, loc_, last, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(ifOp.thenBlock());
    emitMap(part, panel);
  });
}

/// The place of the results of a panel.
Value WindowEmitter::panelPlace(Value panel) {
  Value first = math_.constant(mr_ * nr_);
  return numBlocks_ == 1
             ? first
             : math_.add(first, math_.mul(panel, panelRows() * nr_));
}

/// Multiplies all micro-tiles by one panel, some chains at a time.
void WindowEmitter::emitPanel(const WindowPart &part, Value panel, Value tap,
                              Value taps) {
  int64_t k = contraction_.sizes[Contraction::K];
  int64_t stride = getPanelStride(schedule_, schedule_.getColumns(), k);
  MicroOperand columns = {panels_,
                          math_.add(firstPanel_, math_.mul(panel, stride))};
  Value results = panelPlace(panel);
  if (windows_.hasBorder())
    clearResults(results, tap);
  auto loopRange = [&](const ChainRange &range) {
    loopTiles(part, [&](MicroTile tile) {
      tile.positions[0] = math_.add(part.line, tile.positions[0]);
      tile.result = math_.add(results, tile.result);
      emitChains(range, tap, tile, columns);
    });
  };
  loopChains(taps, loopRange);
}

/// Sets the results of a panel to zero before the first tap: any chain may be
/// the first that is added to them.
void WindowEmitter::clearResults(Value results, Value tap) {
  int64_t lanes = schedule_.getLanes();
  auto vector = VectorType::get({lanes}, builder_.getF32Type());
  Value zero = arith::ConstantOp::create(builder_, loc_,
                                         DenseElementsAttr::get(vector, 0.0f));
  // No rows after the first block of taps.
  Value isFirst = arith::CmpIOp::create(
      builder_, loc_, arith::CmpIPredicate::eq, tap, math_.constant(0));
  Value count = arith::SelectOp::create(builder_, loc_, isFirst,
                                        math_.constant(panelRows() * nr_),
                                        math_.constant(0));
  loop(count, lanes, [&](Value place) {
    vector::StoreOp::create(builder_, loc_, zero, results_,
                            math_.add(results, place));
  });
}

//===----------------------------------------------------------------------===//
// Micro-tiles
//===----------------------------------------------------------------------===//

/// The place in the copy of the first tap of the position `line`, `inner`.
Value WindowEmitter::rowPlace(Value image, Value line, ValueRange inner) {
  Value place = math_.mul(image, copy_.image);
  SmallVector<Value> positions = {line};
  llvm::append_range(positions, inner);
  for (auto [axis, position] : llvm::enumerate(positions)) {
    const WindowAxis &here = windows_.axes[axis];
    Value index = math_.mul(position, here.stride);
    // The copy may begin behind the border.
    if (axis > 0)
      index = math_.add(index, here.first - copy_.firsts[axis]);
    place = math_.add(place, math_.mul(index, copy_.pitches[axis]));
  }
  return place;
}

void WindowEmitter::loopTiles(const WindowPart &part, TileBody body) {
  if (tile_.alongImages)
    loopImageTiles(part, body);
  else
    loopLineTiles(part, body);
}

/// Loops over micro-tiles of one position of several images.
void WindowEmitter::loopImageTiles(const WindowPart &part, TileBody body) {
  SmallVector<int64_t> extents;
  for (const WindowAxis &axis : llvm::drop_begin(windows_.axes))
    extents.push_back(axis.position.extent);
  loop(part.images, mr_, [&](Value image) {
    loop(part.lines, 1, [&](Value line) {
      emitter_.emitNest(extents, [&](ValueRange inner) {
        Value position = line;
        for (auto [extent, index] : llvm::zip(extents, inner))
          position = math_.add(math_.mul(position, extent), index);
        Value row = math_.add(math_.mul(image, imageRows()), position);
        SmallVector<Value> positions = {line};
        llvm::append_range(positions, inner);
        body({rowPlace(image, line, inner), math_.mul(row, nr_), positions});
      });
    });
  });
}

/// Loops over micro-tiles of neighbours along the last axis.
void WindowEmitter::loopLineTiles(const WindowPart &part, TileBody body) {
  SmallVector<int64_t> extents;
  for (const WindowAxis &axis : llvm::drop_end(llvm::drop_begin(windows_.axes)))
    extents.push_back(axis.position.extent);
  loop(part.images, 1, [&](Value image) {
    loop(part.lines, 1, [&](Value line) {
      emitter_.emitNest(extents, [&](ValueRange middle) {
        Value row = line;
        for (auto [extent, index] : llvm::zip(extents, middle))
          row = math_.add(math_.mul(row, extent), index);
        row = math_.add(math_.mul(image, imageRows()),
                        math_.mul(row, lineRows()));
        loop(math_.constant(lineWidth()), mr_, [&](Value first) {
          SmallVector<Value> inner(middle);
          inner.push_back(first);
          SmallVector<Value> positions = {line};
          llvm::append_range(positions, middle);
          positions.push_back(Value());
          body({rowPlace(image, line, inner),
                math_.mul(math_.add(row, first), nr_), positions});
        });
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Calls `body` for each range of chains that stays in the L1 cache, of a block
/// of `taps` taps of the first axis.
void WindowEmitter::loopChains(
    Value taps, llvm::function_ref<void(const ChainRange &)> body) {
  unsigned rank = windows_.axes.size();
  int64_t extent = chains_.axis == rank
                       ? windows_.channel.extent
                       : windows_.axes[chains_.axis].tap.extent;
  int64_t most = kMostCachedSteps * depth_ / chains_.length;
  int64_t range = std::max<int64_t>(most, 1) * chains_.count;
  SmallVector<int64_t> extents;
  for (unsigned axis = 1; axis < chains_.axis && axis < rank; ++axis)
    extents.push_back(windows_.axes[axis].tap.extent);
  auto loopRanges = [&](SmallVector<Value> outer, Value end) {
    loop(end, range, [&](Value from) {
      Value to = math_.min(math_.add(from, math_.constant(range)), end);
      body({outer, from, to});
    });
  };
  if (chains_.axis == 0)
    return loopRanges({}, taps);
  loop(taps, 1, [&](Value tap) {
    emitter_.emitNest(extents, [&](ValueRange inner) {
      SmallVector<Value> outer = {tap};
      llvm::append_range(outer, inner);
      loopRanges(outer, math_.constant(extent));
    });
  });
}

/// The taps of `axis` that a micro-tile multiplies.
WindowEmitter::TapRange WindowEmitter::getTaps(const MicroTile &tile,
                                               unsigned axis) {
  const WindowAxis &here = windows_.axes[axis];
  if (!tile.positions[axis] || !here.hasBorder())
    return {};
  Value index =
      math_.add(math_.mul(tile.positions[axis], here.stride), here.first);
  auto tapAt = [&](int64_t limit) {
    Value distance = math_.sub(math_.max(math_.constant(limit), index), index);
    return math_.ceilDiv(distance, here.dilation);
  };
  return {tapAt(here.begin),
          math_.min(math_.constant(here.tap.extent), tapAt(here.end))};
}

/// Adds the chains of a range to a micro-tile, without taps in the border.
void WindowEmitter::emitChains(const ChainRange &range, Value firstTap,
                               const MicroTile &tile, MicroOperand columns) {
  unsigned rank = windows_.axes.size();
  Value inside;
  auto require = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    Value holds = arith::CmpIOp::create(builder_, loc_, predicate, a, b);
    inside =
        inside ? arith::AndIOp::create(builder_, loc_, inside, holds) : holds;
  };
  for (unsigned axis = 0; axis < rank; ++axis) {
    TapRange taps = getTaps(tile, axis);
    // Taps of the axis that is cut are chosen by chain, those of a run by run.
    if (!taps.begin || axis == chains_.axis || isClipped(axis))
      continue;
    Value tap = math_.constant(0);
    if (axis < range.outer.size())
      tap = axis == 0 ? math_.add(firstTap, range.outer[0]) : range.outer[axis];
    require(arith::CmpIPredicate::ule, taps.begin, tap);
    require(arith::CmpIPredicate::ult, tap, taps.end);
  }
  if (!inside)
    return emitRange(range, firstTap, tile, columns);
  auto ifOp =
      scf::IfOp::create(builder_, loc_, inside, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(ifOp.thenBlock());
  emitRange(range, firstTap, tile, columns);
}

/// Whether runs have only some of the taps of `axis` where others are in the
/// border.
bool WindowEmitter::isClipped(unsigned axis) const {
  return axis == windows_.axes.size() - 1 && axis > chains_.axis &&
         windows_.channel.extent % depth_ == 0;
}

/// Adds the chains of a range.
void WindowEmitter::emitRange(const ChainRange &range, Value firstTap,
                              const MicroTile &tile, MicroOperand columns) {
  unsigned rank = windows_.axes.size(), cut = chains_.axis;
  TapRange taps = cut < rank ? getTaps(tile, cut) : TapRange();
  Value blockTap = cut == 0 ? firstTap : math_.constant(0);
  emitter_.emitLoop(range.from, range.to, chains_.count, [&](Value from) {
    Value to = math_.min(math_.add(from, chains_.count), range.to);
    if (taps.begin) {
      // The taps count from the block's first one on.
      auto clip = [&](Value tap) {
        return math_.sub(math_.max(tap, blockTap), blockTap);
      };
      from = math_.min(math_.max(from, clip(taps.begin)), to);
      to = math_.max(math_.min(to, clip(taps.end)), from);
    }
    SmallVector<Value> indices(range.outer);
    indices.push_back(from);
    emitChain(indices, math_.sub(to, from), firstTap, tile, columns);
  });
}

/// Adds the chain that begins at `indices`, the first taps and the channel of
/// it, with `count` taps or channels of the dimension that is cut.
void WindowEmitter::emitChain(ArrayRef<Value> indices, Value count,
                              Value firstTap, const MicroTile &tile,
                              MicroOperand columns) {
  unsigned rank = windows_.axes.size();
  ChainCall call = {tile.row, math_.constant(0), count, Value()};
  for (unsigned axis = 0; axis < rank; ++axis) {
    const WindowAxis &here = windows_.axes[axis];
    call.k = math_.mul(call.k, here.tap.extent);
    TapRange taps = isClipped(axis) ? getTaps(tile, axis) : TapRange();
    if (axis >= indices.size() && !taps.begin)
      continue;
    Value tap = taps.begin ? taps.begin : indices[axis];
    if (taps.begin)
      call.taps = math_.sub(taps.end, taps.begin);
    call.place = math_.add(call.place,
                           math_.mul(tap, here.dilation * copy_.pitches[axis]));
    call.k = math_.add(call.k, axis == 0 ? math_.add(firstTap, tap) : tap);
  }
  call.k = math_.mul(call.k, windows_.channel.extent);
  if (indices.size() > rank) {
    call.place = math_.add(call.place, indices[rank]);
    call.k = math_.add(call.k, indices[rank]);
  }
  if (!windows_.hasBorder())
    return emitCall(call, tile.result, columns);
  // Where all taps are in the border, nothing is added.
  Value some = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ne,
                                     count, math_.constant(0));
  auto ifOp = scf::IfOp::create(builder_, loc_, some, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(ifOp.thenBlock());
  emitCall(call, tile.result, columns);
}

/// The runs of a chain, and the number of steps in each.
MicroRuns WindowEmitter::getRuns(const ChainCall &call, Value &steps) {
  unsigned rank = windows_.axes.size();
  int64_t channels = windows_.channel.extent;
  // Taps of the last axis, where a chain has more than one axis.
  Value taps =
      call.taps ? call.taps : math_.constant(windows_.last().tap.extent);
  bool isCut = chains_.runAxis == chains_.axis;
  if (chains_.axis >= rank || (chains_.runs == 1 && chains_.axis + 1 == rank)) {
    // Channels, or taps whose channels are one run.
    int64_t unit = chains_.length / chains_.count;
    steps = math_.div(math_.mul(call.count, unit), depth_);
    return {math_.constant(1), math_.constant(0), math_.constant(0)};
  }
  int64_t unit = isCut ? chains_.length / chains_.count : channels;
  steps = math_.constant(unit / depth_);
  if (isCut && call.taps)
    steps = math_.mul(taps, channels / depth_);
  int64_t distance =
      windows_.axes[chains_.runAxis].dilation * copy_.pitches[chains_.runAxis];
  return {isCut ? call.count : taps, math_.constant(distance),
          math_.constant(unit * nr_)};
}

/// Calls the micro-kernel for a chain of the micro-tile at `result`.
void WindowEmitter::emitCall(const ChainCall &call, Value result,
                             MicroOperand columns) {
  int64_t rowStride = tile_.alongImages
                          ? copy_.image
                          : windows_.last().stride * copy_.pitches.back();
  Value stride = math_.constant(tile_.alongImages ? imageRows() * nr_ : nr_);
  Value init = result, initStride = stride;
  if (!windows_.hasBorder()) {
    Value zero = math_.constant(0);
    Value isFirst = arith::CmpIOp::create(
        builder_, loc_, arith::CmpIPredicate::eq, call.k, zero);
    init = arith::SelectOp::create(builder_, loc_, isFirst, zero, result);
    initStride = arith::SelectOp::create(builder_, loc_, isFirst,
                                         math_.constant(nr_), stride);
  }
  MicroKernel shape = {mr_,
                       nr_,
                       schedule_.getLanes(),
                       contraction_.fused,
                       schedule_.getUnit(),
                       /*rowPanels=*/false,
                       /*hasRuns=*/true};
  Value steps;
  MicroRuns runs = getRuns(call, steps);
  emitMicroKernelCall(
      emitter_, shape, steps, {images_, call.place}, math_.constant(rowStride),
      {columns.buffer, math_.add(columns.offset, math_.mul(call.k, nr_))},
      {results_, init}, {results_, result}, runs, initStride, stride);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The row of a panel's results for a position of an image of the tile.
Value WindowEmitter::resultRow(Value image, Value position) {
  Value row = math_.mul(image, imageRows());
  if (lineRows() == lineWidth())
    return math_.add(row, position);
  row = math_.add(row, math_.mul(math_.div(position, lineWidth()), lineRows()));
  return math_.add(row, math_.rem(position, lineWidth()));
}

/// Whether the positions of an image and those of the next one are neighbours
/// in every result, as the taps of neighbouring channels are in the gradient of
/// a weight.
bool WindowEmitter::joinsImages() const {
  auto group = Contraction::outerOf(schedule_.getRows());
  return tile_.lines == windows_.first().position.extent &&
         llvm::all_of(epilogue_.stores, [&](const EpilogueStore &store) {
           return contraction_.getStridedIndex(store.index.strides, group)
                      .parts.size() == 1;
         });
}

/// Computes the map on a panel, some positions at a time: of an image, or of
/// all.
void WindowEmitter::emitMap(const WindowPart &part, Value panel) {
  Value count = math_.mul(part.lines, windows_.countLine());
  bool joins = joinsImages();
  if (joins)
    count = math_.mul(part.images, windows_.countPositions());
  loop(joins ? math_.constant(1) : part.images, 1, [&](Value image) {
    loop(count, schedule_.getLanes(), [&](Value position) {
      emitGroup(part, panel, image, position, count);
    });
  });
}

/// Transposes the results of some positions, from `position` on, so that they
/// are columns, and computes the map on them.
void WindowEmitter::emitGroup(const WindowPart &part, Value panel, Value image,
                              Value position, Value count) {
  int64_t lanes = schedule_.getLanes();
  Value results = panelPlace(panel);
  Value last = math_.sub(count, math_.constant(1));
  auto eights = VectorType::get({8}, builder_.getF32Type());
  for (int64_t first = 0; first < lanes; first += 8) {
    SmallVector<Value> rows;
    for (int64_t number = first; number < first + 8; ++number) {
      Value place = math_.min(math_.add(position, number), last);
      Value row = joinsImages()
                      ? resultRow(math_.div(place, windows_.countPositions()),
                                  math_.rem(place, windows_.countPositions()))
                      : resultRow(image, place);
      rows.push_back(math_.add(results, math_.mul(row, nr_)));
    }
    for (int64_t column = 0; column < nr_; column += 8) {
      SmallVector<Value> block =
          llvm::map_to_vector(rows, [&](Value row) -> Value {
            return vector::LoadOp::create(builder_, loc_, eights, results_,
                                          math_.add(row, column));
          });
      for (auto [number, value] :
           llvm::enumerate(transposeEights(emitter_, block)))
        vector::StoreOp::create(
            builder_, loc_, value, transposed_,
            math_.constant((column + number) * lanes + first));
    }
  }
  int64_t positions = windows_.countPositions();
  Value column = math_.mul(math_.add(part.image, image), positions);
  column = math_.add(
      column, math_.add(math_.mul(part.line, windows_.countLine()), position));
  Value row = math_.mul(panel, nr_);
  ResultTile tile = {
      part.batch, math_.add(part.column, row),
      math_.min(math_.constant(nr_), math_.sub(part.columns, row)), column,
      math_.min(math_.constant(lanes), math_.sub(count, position))};
  int64_t granule = std::gcd(tile_.lines * windows_.countLine(), positions);
  if (joinsImages())
    granule =
        std::gcd(tile_.images * positions, windows_.images.extent * positions);
  emitEpilogue(emitter_, contraction_, epilogue_,
               {lanes, lanes, schedule_.getColumns(), granule, positions},
               {tile, transposed_, math_.constant(0), math_.constant(0)});
}

void mpc::cpu::emitWindows(Emitter &emitter, const Contraction &contraction,
                           const Epilogue &epilogue, GemmAttr schedule) {
  WindowEmitter(emitter, contraction, epilogue, schedule).emit();
}
