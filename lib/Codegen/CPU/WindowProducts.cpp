// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The products of a contraction of windows: chains of taps and channels that
// the micro-kernel adds up, without those in a border.
#include "lib/Codegen/CPU/WindowKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

namespace {

class ProductEmitter {
public:
  ProductEmitter(const WindowKernel &kernel, Value tap, MicroOperand columns)
      : kernel_(kernel), emitter_(kernel.emitter), builder_(emitter_.builder),
        loc_(emitter_.loc), math_(kernel.math), tap_(tap), columns_(columns) {}

  void emit(Value taps, llvm::function_ref<void(TileBody)> loopTiles);

private:
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

  void loopChains(Value taps,
                  llvm::function_ref<void(const ChainRange &)> body);
  void emitChains(const ChainRange &range, const MicroTile &tile);
  void emitRange(const ChainRange &range, const MicroTile &tile);
  void emitChain(ArrayRef<Value> indices, Value count, const MicroTile &tile);
  MicroRuns getRuns(const ChainCall &call, Value &steps);
  void emitCall(const ChainCall &call, Value result);
  TapRange getTaps(const MicroTile &tile, unsigned axis);
  bool isClipped(unsigned axis) const;
  void loop(Value to, int64_t step, llvm::function_ref<void(Value)> body) {
    emitter_.emitLoop(math_.constant(0), to, step, body);
  }

  const WindowKernel &kernel_;
  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  Value tap_; ///< The first tap of the block.
  MicroOperand columns_;
};

} // namespace

/// The most k of one panel that are multiplied by all micro-tiles in turn, so
/// that they stay in the L1 cache.
static constexpr int64_t kMostCachedSteps = 192;

/// Calls `body` for each range of chains that stays in the L1 cache, of a block
/// of `taps` taps of the first axis.
void ProductEmitter::loopChains(
    Value taps, llvm::function_ref<void(const ChainRange &)> body) {
  unsigned rank = kernel_.windows.axes.size();
  int64_t extent = kernel_.chains.axis == rank
                       ? kernel_.windows.channel.extent
                       : kernel_.windows.axes[kernel_.chains.axis].tap.extent;
  int64_t most = kMostCachedSteps * kernel_.depth / kernel_.chains.length;
  int64_t range = std::max<int64_t>(most, 1) * kernel_.chains.count;
  SmallVector<int64_t> extents;
  for (unsigned axis = 1; axis < kernel_.chains.axis && axis < rank; ++axis)
    extents.push_back(kernel_.windows.axes[axis].tap.extent);
  auto loopRanges = [&](SmallVector<Value> outer, Value end) {
    loop(end, range, [&](Value from) {
      Value to = math_.min(math_.add(from, math_.constant(range)), end);
      body({outer, from, to});
    });
  };
  if (kernel_.chains.axis == 0)
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
ProductEmitter::TapRange ProductEmitter::getTaps(const MicroTile &tile,
                                                 unsigned axis) {
  const WindowAxis &here = kernel_.windows.axes[axis];
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
void ProductEmitter::emitChains(const ChainRange &range,
                                const MicroTile &tile) {
  unsigned rank = kernel_.windows.axes.size();
  Value inside;
  auto require = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    Value holds = arith::CmpIOp::create(builder_, loc_, predicate, a, b);
    inside =
        inside ? arith::AndIOp::create(builder_, loc_, inside, holds) : holds;
  };
  for (unsigned axis = 0; axis < rank; ++axis) {
    TapRange taps = getTaps(tile, axis);
    // Taps of the axis that is cut are chosen by chain, those of a run by run.
    if (!taps.begin || axis == kernel_.chains.axis || isClipped(axis))
      continue;
    Value tap = math_.constant(0);
    if (axis < range.outer.size())
      tap = axis == 0 ? math_.add(tap_, range.outer[0]) : range.outer[axis];
    require(arith::CmpIPredicate::ule, taps.begin, tap);
    require(arith::CmpIPredicate::ult, tap, taps.end);
  }
  if (!inside)
    return emitRange(range, tile);
  auto ifOp =
      scf::IfOp::create(builder_, loc_, inside, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(ifOp.thenBlock());
  emitRange(range, tile);
}

/// Whether runs have only some of the taps of `axis` where others are in the
/// border.
bool ProductEmitter::isClipped(unsigned axis) const {
  return axis == kernel_.windows.axes.size() - 1 &&
         axis > kernel_.chains.axis &&
         kernel_.windows.channel.extent % kernel_.depth == 0;
}

/// Adds the chains of a range.
void ProductEmitter::emitRange(const ChainRange &range, const MicroTile &tile) {
  unsigned rank = kernel_.windows.axes.size(), cut = kernel_.chains.axis;
  TapRange taps = cut < rank ? getTaps(tile, cut) : TapRange();
  Value blockTap = cut == 0 ? tap_ : math_.constant(0);
  emitter_.emitLoop(
      range.from, range.to, kernel_.chains.count, [&](Value from) {
        Value to = math_.min(math_.add(from, kernel_.chains.count), range.to);
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
        emitChain(indices, math_.sub(to, from), tile);
      });
}

/// Adds the chain that begins at `indices`, the first taps and the channel of
/// it, with `count` taps or channels of the dimension that is cut.
void ProductEmitter::emitChain(ArrayRef<Value> indices, Value count,
                               const MicroTile &tile) {
  unsigned rank = kernel_.windows.axes.size();
  ChainCall call = {tile.row, math_.constant(0), count, Value()};
  for (unsigned axis = 0; axis < rank; ++axis) {
    const WindowAxis &here = kernel_.windows.axes[axis];
    call.k = math_.mul(call.k, here.tap.extent);
    TapRange taps = isClipped(axis) ? getTaps(tile, axis) : TapRange();
    if (axis >= indices.size() && !taps.begin)
      continue;
    Value tap = taps.begin ? taps.begin : indices[axis];
    if (taps.begin)
      call.taps = math_.sub(taps.end, taps.begin);
    call.place = math_.add(
        call.place, math_.mul(tap, here.dilation * kernel_.copy.pitches[axis]));
    call.k = math_.add(call.k, axis == 0 ? math_.add(tap_, tap) : tap);
  }
  call.k = math_.mul(call.k, kernel_.windows.channel.extent);
  if (indices.size() > rank) {
    call.place = math_.add(call.place, indices[rank]);
    call.k = math_.add(call.k, indices[rank]);
  }
  if (!kernel_.windows.hasBorder())
    return emitCall(call, tile.result);
  // Where all taps are in the border, nothing is added.
  Value some = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ne,
                                     count, math_.constant(0));
  auto ifOp = scf::IfOp::create(builder_, loc_, some, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(ifOp.thenBlock());
  emitCall(call, tile.result);
}

/// The runs of a chain, and the number of steps in each.
MicroRuns ProductEmitter::getRuns(const ChainCall &call, Value &steps) {
  unsigned rank = kernel_.windows.axes.size();
  int64_t channels = kernel_.windows.channel.extent;
  // Taps of the last axis, where a chain has more than one axis.
  Value taps =
      call.taps ? call.taps : math_.constant(kernel_.windows.last().tap.extent);
  bool isCut = kernel_.chains.runAxis == kernel_.chains.axis;
  if (kernel_.chains.axis >= rank ||
      (kernel_.chains.runs == 1 && kernel_.chains.axis + 1 == rank)) {
    // Channels, or taps whose channels are one run.
    int64_t unit = kernel_.chains.length / kernel_.chains.count;
    steps = math_.div(math_.mul(call.count, unit), kernel_.depth);
    return {math_.constant(1), math_.constant(0), math_.constant(0)};
  }
  int64_t unit =
      isCut ? kernel_.chains.length / kernel_.chains.count : channels;
  steps = math_.constant(unit / kernel_.depth);
  if (isCut && call.taps)
    steps = math_.mul(taps, channels / kernel_.depth);
  int64_t distance = kernel_.windows.axes[kernel_.chains.runAxis].dilation *
                     kernel_.copy.pitches[kernel_.chains.runAxis];
  return {isCut ? call.count : taps, math_.constant(distance),
          math_.constant(unit * kernel_.columns)};
}

/// Calls the micro-kernel for a chain of the micro-tile at `result`.
void ProductEmitter::emitCall(const ChainCall &call, Value result) {
  int64_t rowStride =
      kernel_.tile.alongImages
          ? kernel_.copy.image
          : kernel_.windows.last().stride * kernel_.copy.pitches.back();
  Value stride = math_.constant(kernel_.tile.alongImages
                                    ? kernel_.imageRows() * kernel_.columns
                                    : kernel_.columns);
  Value init = result, initStride = stride;
  if (!kernel_.windows.hasBorder()) {
    Value zero = math_.constant(0);
    Value isFirst = arith::CmpIOp::create(
        builder_, loc_, arith::CmpIPredicate::eq, call.k, zero);
    init = arith::SelectOp::create(builder_, loc_, isFirst, zero, result);
    initStride = arith::SelectOp::create(
        builder_, loc_, isFirst, math_.constant(kernel_.columns), stride);
  }
  MicroKernel shape = {kernel_.rows,
                       kernel_.columns,
                       kernel_.schedule.getLanes(),
                       kernel_.contraction.fused,
                       kernel_.schedule.getUnit(),
                       /*rowPanels=*/false,
                       /*hasRuns=*/true};
  Value steps;
  MicroRuns runs = getRuns(call, steps);
  emitMicroKernelCall(
      emitter_, shape, steps, {kernel_.images, call.place},
      math_.constant(rowStride),
      {columns_.buffer,
       math_.add(columns_.offset, math_.mul(call.k, kernel_.columns))},
      {kernel_.results, init}, {kernel_.results, result}, runs, initStride,
      stride);
}

void ProductEmitter::emit(Value taps,
                          llvm::function_ref<void(TileBody)> loopTiles) {
  loopChains(taps, [&](const ChainRange &range) {
    loopTiles([&](MicroTile tile) { emitChains(range, tile); });
  });
}

void mpc::cpu::emitWindowProducts(
    const WindowKernel &kernel, Value tap, Value taps, MicroOperand columns,
    llvm::function_ref<void(TileBody)> loopTiles) {
  ProductEmitter(kernel, tap, columns).emit(taps, loopTiles);
}
