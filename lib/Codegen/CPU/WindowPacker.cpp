// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies the part of images that a tile's windows read, channels innermost.
#include "lib/Codegen/CPU/WindowPacker.h"

#include "lib/Codegen/CPU/Factor.h"
#include "lib/Codegen/CPU/Transpose.h"
#include "lib/Codegen/CPU/Units.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::divideCeil;

namespace {

class WindowPacker {
public:
  WindowPacker(Emitter &emitter, const Contraction &contraction,
               const Windows &windows, GemmAttr schedule,
               const WindowBlock &block, Value copy)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), windows_(windows), block_(block), copy_(copy),
        layout_(getTileCopy(contraction, windows, schedule)),
        tile_(getWindowTile(windows, schedule)), lanes_(schedule.getLanes()),
        factor_(findFactor(contraction, schedule)),
        unread_({math_.constant(0), {}, math_.constant(0), {}, 1, 1}),
        reader_(emitter, factor_, unread_) {}

  void pack();

private:
  /// A range of indices of an axis of the copy.
  struct Range {
    Value begin, end;
  };
  /// The same where it is known.
  struct FixedRange {
    int64_t begin, end;
    int64_t count() const { return end - begin; }
  };

  Factor findFactor(const Contraction &contraction, GemmAttr schedule);
  bool isFixed(unsigned axis) const;
  Value firstIndex(unsigned axis);
  FixedRange getIndices(unsigned axis) const;
  FixedRange getFixedRange(unsigned axis) const;
  Range getRange(unsigned axis);
  unsigned findRun() const;
  void walk(unsigned axis, Value from, Value to);
  void packRun(unsigned axis, Value from, Value to);
  void copyRun(Value from, Value to, Value length);
  int64_t chooseStep(int64_t least) const;
  void transposeRun(Value from, Value to, Value length, int64_t least);
  Value takePart(Value vector, int64_t part, int64_t count);
  void copyChannels(Value from, Value to);
  void store(Value value, Value place);
  using Body = llvm::function_ref<void(Value)>;
  void loop(Value count, int64_t step, Body body) {
    emitter_.emitLoop(math_.constant(0), count, step, body);
  }

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  const Windows &windows_;
  const WindowBlock &block_;
  Value copy_;
  WindowCopy layout_;
  WindowTile tile_;
  int64_t lanes_;
  Factor factor_;
  FactorBlock unread_;
  FactorReader reader_;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is copied
//===----------------------------------------------------------------------===//

/// Whether all blocks copy the same indices of `axis`.
bool WindowPacker::isFixed(unsigned axis) const {
  return axis > 0 || tile_.isWhole(windows_);
}

/// The index of `axis` that is the first in the copy.
Value WindowPacker::firstIndex(unsigned axis) {
  if (isFixed(axis))
    return math_.constant(layout_.firsts[axis]);
  const WindowAxis &first = windows_.first();
  Value index = math_.add(math_.mul(block_.line, first.stride),
                          math_.mul(block_.tap, first.dilation));
  return math_.add(index, first.first);
}

/// The factor from the first index of all axes of the first image on.
Factor WindowPacker::findFactor(const Contraction &contraction,
                                GemmAttr schedule) {
  unsigned operand = windows_.image;
  Value factor = getFactor(contraction, operand, schedule.getUnit());
  Value base =
      math_.add(math_.at(windows_.batches, block_.batch), windows_.origin);
  base = math_.add(base, math_.mul(block_.image, windows_.imagePitch));
  for (unsigned axis = 0; axis < windows_.axes.size(); ++axis)
    base =
        math_.add(base, math_.mul(firstIndex(axis), windows_.axes[axis].pitch));
  BlockArgument argument = contraction.getArgument(operand);
  return {factor.getType(),
          [this, factor, argument](Value element) {
            return emitFactor(emitter_, factor, argument, element);
          },
          emitter_.getBuffer(windows_.source),
          base,
          {},
          {}};
}

/// The indices of `axis` that are copied: without borders, where taps in them
/// are left out, and else what has memory.
WindowPacker::FixedRange WindowPacker::getIndices(unsigned axis) const {
  const WindowAxis &here = windows_.axes[axis];
  bool leaves = tile_.alongImages || axis + 1 < windows_.axes.size();
  return leaves ? FixedRange{here.begin, here.end}
                : FixedRange{here.memoryBegin, here.memoryEnd};
}

WindowPacker::FixedRange WindowPacker::getFixedRange(unsigned axis) const {
  FixedRange indices = getIndices(axis);
  int64_t first = layout_.firsts[axis], count = layout_.counts[axis];
  int64_t begin = std::clamp<int64_t>(indices.begin - first, 0, count);
  return {begin, std::clamp<int64_t>(indices.end - first, begin, count)};
}

/// The part of the copy's `axis` that the block fills.
WindowPacker::Range WindowPacker::getRange(unsigned axis) {
  if (isFixed(axis)) {
    FixedRange range = getFixedRange(axis);
    return {math_.constant(range.begin), math_.constant(range.end)};
  }
  const WindowAxis &first = windows_.first();
  FixedRange indices = getIndices(0);
  Value from = firstIndex(0);
  Value reach = math_.add(
      math_.mul(math_.sub(block_.lines, math_.constant(1)), first.stride),
      math_.mul(math_.sub(block_.taps, math_.constant(1)), first.dilation));
  auto at = [&](int64_t index) {
    return math_.sub(math_.max(math_.constant(index), from), from);
  };
  Value end = math_.min(at(indices.end), math_.add(reach, 1));
  return {math_.min(at(indices.begin), end), end};
}

/// The first axis from which on the indices that are copied are one run, both
/// in memory and in the copy.
unsigned WindowPacker::findRun() const {
  auto isWhole = [&](unsigned axis) {
    return getFixedRange(axis).count() == layout_.counts[axis];
  };
  unsigned axis = windows_.axes.size() - 1;
  while (axis > 0 && isWhole(axis) &&
         windows_.axes[axis - 1].pitch ==
             layout_.counts[axis] * windows_.axes[axis].pitch)
    --axis;
  return axis;
}

//===----------------------------------------------------------------------===//
// Copying
//===----------------------------------------------------------------------===//

void WindowPacker::store(Value value, Value place) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(builder_, loc_, value, copy_, place);
  else
    memref::StoreOp::create(builder_, loc_, value, copy_, place);
}

/// Copies the channels of one index.
void WindowPacker::copyChannels(Value from, Value to) {
  int64_t channels = windows_.channel.extent;
  int64_t whole = windows_.channelPitch == 1 ? channels / 8 * 8 : 0;
  loop(math_.constant(whole), 8, [&](Value channel) {
    store(reader_.load(math_.add(from, channel), 8), math_.add(to, channel));
  });
  emitter_.emitLoop(
      math_.constant(whole), math_.constant(channels), 1, [&](Value channel) {
        Value place = math_.mul(channel, windows_.channelPitch);
        store(reader_.load(math_.add(from, place), 1), math_.add(to, channel));
      });
}

/// The indices of a run of at least `least` that are copied at once: as many as
/// a vector of 16 bits has lanes, or fewer where the last ones would overlap
/// more of those before them.
int64_t WindowPacker::chooseStep(int64_t least) const {
  int64_t best = 8;
  if (factor_.type.getIntOrFloatBitWidth() != 16)
    return best;
  // 8 loads and 24 shuffles, and a store for each index.
  auto cost = [&](int64_t step) {
    return divideCeil(least, step) * (32 + step);
  };
  for (int64_t step : {16, 32})
    if (step <= std::min(least, 2 * lanes_) && cost(step) < cost(best))
      best = step;
  return best;
}

/// Copies a run of at least `least` indices, 8 channels of some indices at a
/// time, or all channels where there are fewer. The last ones may overlap those
/// before them.
void WindowPacker::transposeRun(Value from, Value to, Value length,
                                int64_t least) {
  int64_t channels = windows_.channel.extent;
  int64_t width = std::min<int64_t>(channels, 8), step = chooseStep(least);
  auto begin = [&](Value number, Value end, int64_t count) {
    return math_.min(number, math_.sub(end, math_.constant(count)));
  };
  loop(math_.constant(channels), width, [&](Value number) {
    Value channel = channels % width == 0
                        ? number
                        : begin(number, math_.constant(channels), width);
    SmallVector<Value> places;
    for (int64_t lane = 0; lane < 8; ++lane)
      places.push_back(math_.add(
          from, math_.mul(math_.add(channel, std::min(lane, width - 1)),
                          windows_.channelPitch)));
    loop(length, step, [&](Value number) {
      Value index = begin(number, length, step);
      // The next channels are other lines of memory, too many and too short for
      // the processor to expect them.
      if (channels > width)
        for (Value place : places)
          reader_.prefetch(math_.add(math_.add(place, index),
                                     width * windows_.channelPitch));
      SmallVector<Value> rows = reader_.loadTransposedParts(
          llvm::map_to_vector(
              places, [&](Value place) { return math_.add(place, index); }),
          step);
      Value place = math_.add(
          math_.add(to, math_.mul(index, layout_.pitches.back())), channel);
      for (int64_t row = 0; row < step; ++row)
        store(takePart(rows[row % 8], row / 8, width),
              math_.add(place, row * layout_.pitches.back()));
    });
  });
}

/// The first `count` elements of 8 in `vector`, of those in front of which are
/// `part` times 8.
Value WindowPacker::takePart(Value vector, int64_t part, int64_t count) {
  if (cast<VectorType>(vector.getType()).getDimSize(0) == count)
    return vector;
  return createShuffle(
      emitter_, vector, vector,
      llvm::to_vector(llvm::seq<int64_t>(8 * part, 8 * part + count)));
}

/// Copies a run of `length` indices, one by one.
void WindowPacker::copyRun(Value from, Value to, Value length) {
  loop(length, 1, [&](Value index) {
    copyChannels(math_.add(from, math_.mul(index, windows_.last().pitch)),
                 math_.add(to, math_.mul(index, layout_.pitches.back())));
  });
}

/// Copies the run that `axis` and those behind it are.
void WindowPacker::packRun(unsigned axis, Value from, Value to) {
  Range range = getRange(axis);
  Value length = math_.sub(range.end, range.begin);
  for (unsigned inner = axis + 1; inner < layout_.counts.size(); ++inner)
    length = math_.mul(length, layout_.counts[inner]);
  from = math_.add(from, math_.mul(range.begin, windows_.axes[axis].pitch));
  to = math_.add(to, math_.mul(range.begin, layout_.pitches[axis]));
  int64_t least =
      isFixed(axis)
          ? getFixedRange(axis).count() *
                llvm::product_of(ArrayRef(layout_.counts).drop_front(axis + 1))
          : 0;
  if (windows_.last().pitch != 1 || windows_.channel.extent < 2 ||
      (isFixed(axis) && least < 8))
    return copyRun(from, to, length);
  if (isFixed(axis))
    return transposeRun(from, to, length, least);
  Value isLong = arith::CmpIOp::create(
      builder_, loc_, arith::CmpIPredicate::uge, length, math_.constant(8));
  auto ifOp =
      scf::IfOp::create(builder_, loc_, isLong, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(ifOp.thenBlock());
  transposeRun(from, to, length, 8);
  builder_.setInsertionPointToStart(ifOp.elseBlock());
  copyRun(from, to, length);
}

/// Copies the indices from `axis` on; those of the axes before it are chosen.
void WindowPacker::walk(unsigned axis, Value from, Value to) {
  if (axis == findRun())
    return packRun(axis, from, to);
  Range range = getRange(axis);
  emitter_.emitLoop(range.begin, range.end, 1, [&](Value index) {
    walk(axis + 1, math_.add(from, math_.mul(index, windows_.axes[axis].pitch)),
         math_.add(to, math_.mul(index, layout_.pitches[axis])));
  });
}

void WindowPacker::pack() {
  loop(block_.images, 1, [&](Value image) {
    walk(0, math_.add(factor_.base, math_.mul(image, windows_.imagePitch)),
         math_.mul(image, layout_.image));
  });
}

void mpc::cpu::emitWindowCopy(Emitter &emitter, const Contraction &contraction,
                              const Windows &windows, GemmAttr schedule,
                              const WindowBlock &block, Value copy) {
  WindowPacker(emitter, contraction, windows, schedule, block, copy).pack();
}
