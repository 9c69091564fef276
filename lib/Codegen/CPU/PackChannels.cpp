// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs the elements that a tile of #cpu.depthwise reads, channels innermost,
// and converts them.
#include "lib/Codegen/CPU/DepthwiseKernel.h"
#include "lib/Codegen/CPU/Factor.h"
#include "lib/Codegen/CPU/Transpose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

using Values = SmallVector<Value>;

namespace {

/// Packs the part of one factor that a tile reads.
class ChannelPacker {
public:
  ChannelPacker(const DepthwiseKernel &kernel, const ChannelTile &tile,
                unsigned operand)
      : emitter_(kernel.emitter), builder_(emitter_.builder),
        loc_(emitter_.loc), math_(kernel.math), kernel_(kernel), tile_(tile),
        contraction_(kernel.contraction), layout_(kernel.layout),
        lanes_(kernel.lanes), operand_(operand),
        factor_(kernel.depthwise.factors[operand]),
        print_(kernel.layout.factor(operand)),
        tensor_(kernel.depthwise.factors[operand].source) {}

  void pack();

private:
  /// Elements of a factor that are contiguous both in the source and after
  /// packing: an axis and all axes after it.
  struct Run {
    unsigned axis;
    int64_t inner; ///< The elements of one of its indices.
  };
  Run getRun();
  int64_t leastLength(const Run &run);
  void packLines(ArrayRef<Value> channels, Value source, Value target,
                 unsigned axis, const Run &run);
  void packRun(ArrayRef<Value> channels, Value source, Value target,
               Value length, int64_t least);
  void packOnes(ArrayRef<Value> channels, Value source, Value target,
                Value length);
  void storePacked(Value value, Value position);
  Values getChannelPlaces(Value base);
  Value axisSize(const FactorAxis &axis, int64_t most);
  int64_t leastSize(const FactorAxis &axis, int64_t most);
  Value axisFirst(unsigned number);
  /// The indices of a packed axis that have memory, counted from the first.
  struct Inside {
    Value begin, end;
  };
  Inside findInside(unsigned number);
  void clear(Value from, Value to);
  Value loadFours(ArrayRef<Value> places);

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  const DepthwiseKernel &kernel_;
  const ChannelTile &tile_;
  const Contraction &contraction_;
  const DepthwiseLayout &layout_;
  int64_t lanes_;
  unsigned operand_;
  const ChannelFactor &factor_;
  const Footprint &print_; ///< Of the packed elements.
  Value tensor_;
};

} // namespace

/// The place at which each channel's elements begin. Lanes beyond the last
/// channel repeat it: their results are computed and not used.
SmallVector<Value> ChannelPacker::getChannelPlaces(Value base) {
  Values places;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    Value channel = math_.add(tile_.channel, lane);
    if (kernel_.channels % lanes_ != 0)
      channel = math_.min(channel, math_.constant(kernel_.channels - 1));
    places.push_back(
        math_.add(base, math_.mul(channel, factor_.channelStride)));
  }
  return places;
}

/// The number of indices of `axis` that the tile touches; the constant `most`
/// if the tile is a whole one.
Value ChannelPacker::axisSize(const FactorAxis &axis, int64_t most) {
  unsigned cut = kernel_.cut();
  int64_t stride = axis.index.strides[cut];
  if (stride == 0)
    return math_.constant(most);
  Value missing =
      math_.sub(math_.constant(kernel_.schedule.getTile()), tile_.cutCount);
  return math_.sub(math_.constant(most), math_.mul(missing, stride));
}

/// The number of indices that the last tile touches, which may be smaller.
int64_t ChannelPacker::leastSize(const FactorAxis &axis, int64_t most) {
  unsigned cut = kernel_.cut();
  int64_t left =
      contraction_.statement.extents[cut] % kernel_.schedule.getTile();
  int64_t missing = left == 0 ? 0 : kernel_.schedule.getTile() - left;
  return most - missing * axis.index.strides[cut];
}

/// The first index of axis `number` that is packed.
Value ChannelPacker::axisFirst(unsigned number) {
  if (print_.whole[number])
    return math_.constant(0);
  const FactorAxis &axis = factor_.axes[number];
  int64_t least = axis.index.offset;
  Value first = math_.constant(0);
  for (auto [dim, stride] : llvm::enumerate(axis.index.strides)) {
    if (stride < 0)
      least += stride * (layout_.extent(dim) - 1);
    else if (stride > 0)
      first = math_.add(first, math_.mul(tile_.starts[dim], stride));
  }
  return math_.add(first, least);
}

ChannelPacker::Inside ChannelPacker::findInside(unsigned number) {
  const FactorAxis &axis = factor_.axes[number];
  Value size = axisSize(axis, print_.sizes[number]);
  if (!axis.hasBorder())
    return {math_.constant(0), size};
  Value first = axisFirst(number);
  auto countTo = [&](int64_t index) {
    Value distance = math_.sub(math_.max(math_.constant(index), first), first);
    return math_.min(distance, size);
  };
  return {countTo(axis.low), countTo(axis.low + axis.inside)};
}

/// Packs zeros at the places from `from` to `to`.
void ChannelPacker::clear(Value from, Value to) {
  auto type = VectorType::get({lanes_}, builder_.getF32Type());
  Value zeros = arith::ConstantOp::create(builder_, loc_,
                                          DenseElementsAttr::get(type, 0.0f));
  emitter_.emitLoop(from, to, 1,
                    [&](Value position) { storePacked(zeros, position); });
}

/// The contiguous run of the factor. Axes that are touched whole are one run
/// with the axis before them.
ChannelPacker::Run ChannelPacker::getRun() {
  ArrayRef<FactorAxis> axes = factor_.axes;
  unsigned last = axes.size() - 1;
  int64_t inner = 1;
  while (last > 0 && print_.sizes[last] == axes[last].extent &&
         axes[last - 1].stride == axes[last].extent * axes[last].stride)
    inner *= print_.sizes[last--];
  return {last, inner};
}

void ChannelPacker::pack() {
  Value base = math_.constant(0);
  int64_t border = 0;
  for (auto [number, axis] : llvm::enumerate(factor_.axes)) {
    base = math_.add(base, math_.mul(axisFirst(number), axis.stride));
    border += axis.low * axis.stride;
  }
  base = math_.sub(base, math_.constant(border));
  packLines(getChannelPlaces(base), math_.constant(0), math_.constant(0), 0,
            getRun());
}

/// The elements of a run in the tile in which it is shortest; 0 where that
/// depends on the tile's border.
int64_t ChannelPacker::leastLength(const Run &run) {
  const FactorAxis &axis = factor_.axes[run.axis];
  if (!axis.hasBorder())
    return leastSize(axis, print_.sizes[run.axis]) * run.inner;
  std::optional<int64_t> begin =
      getConstantIntValue(findInside(run.axis).begin);
  std::optional<int64_t> end = getConstantIntValue(findInside(run.axis).end);
  return begin && end ? (*end - *begin) * run.inner : 0;
}

/// Loops over the axes from `axis` on, up to the one with which runs begin.
/// Borders are packed as zeros.
void ChannelPacker::packLines(ArrayRef<Value> channels, Value source,
                              Value target, unsigned axis, const Run &run) {
  const FactorAxis &here = factor_.axes[axis];
  int64_t step = 1;
  for (int64_t size : ArrayRef(print_.sizes).drop_front(axis + 1))
    step *= size;
  Inside inside = findInside(axis);
  auto placeOf = [&](Value index) {
    return math_.add(target, math_.mul(index, step));
  };
  if (here.hasBorder()) {
    clear(target, placeOf(inside.begin));
    clear(placeOf(inside.end), placeOf(axisSize(here, print_.sizes[axis])));
  }
  if (axis == run.axis)
    return packRun(channels,
                   math_.add(source, math_.mul(inside.begin, here.stride)),
                   placeOf(inside.begin),
                   math_.mul(math_.sub(inside.end, inside.begin), run.inner),
                   leastLength(run));
  auto line = [&](Value index) {
    packLines(channels, math_.add(source, math_.mul(index, here.stride)),
              placeOf(index), axis + 1, run);
  };
  if (print_.sizes[axis] == 1 && !here.hasBorder())
    return line(math_.constant(0));
  emitter_.emitLoop(inside.begin, inside.end, 1, line);
}

/// Four elements of each channel in f32. Each 16 bytes of a vector belong to
/// one channel: channels 0, 4, .. are in the vector of the first of `places`,
/// and so on.
Value ChannelPacker::loadFours(ArrayRef<Value> places) {
  Value buffer = emitter_.getBuffer(tensor_);
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Values parts;
  for (Value place : places)
    parts.push_back(vector::LoadOp::create(
        builder_, loc_, VectorType::get({4}, element), buffer, place));
  for (int64_t width = 8; parts.size() > 1; width *= 2) {
    Values joined;
    SmallVector<int64_t> mask = llvm::to_vector(llvm::seq<int64_t>(0, width));
    for (size_t part = 0; part < parts.size(); part += 2)
      joined.push_back(
          createShuffle(emitter_, parts[part], parts[part + 1], mask));
    parts = joined;
  }
  return emitFactor(emitter_, contraction_.factors[operand_],
                    contraction_.getArgument(operand_), parts.front());
}

void ChannelPacker::storePacked(Value value, Value position) {
  vector::StoreOp::create(builder_, loc_, value, kernel_.packed[operand_],
                          math_.mul(position, lanes_));
}

/// Packs `length` elements of each channel, one at a time.
void ChannelPacker::packOnes(ArrayRef<Value> channels, Value source,
                             Value target, Value length) {
  emitter_.emitLoop(math_.constant(0), length, 1, [&](Value position) {
    Value from = math_.add(source, position);
    Values elements;
    for (Value channel : channels)
      elements.push_back(emitter_.load(tensor_, math_.add(channel, from)));
    Value vector = vector::FromElementsOp::create(
        builder_, loc_, VectorType::get({lanes_}, elements[0].getType()),
        elements);
    storePacked(emitFactor(emitter_, contraction_.factors[operand_],
                           contraction_.getArgument(operand_), vector),
                math_.add(target, position));
  });
}

/// Packs `length` contiguous elements of each channel, four at a time where
/// `least` of them are there in every tile. The last four may overlap the four
/// before them.
void ChannelPacker::packRun(ArrayRef<Value> channels, Value source,
                            Value target, Value length, int64_t least) {
  if (least < 4)
    return packOnes(channels, source, target, length);
  Value last = math_.sub(length, math_.constant(4));
  emitter_.emitLoop(math_.constant(0), length, 4, [&](Value step) {
    Value position = math_.min(step, last);
    Value from = math_.add(source, position);
    Values rows;
    for (int64_t row = 0; row < 4; ++row) {
      Values places;
      for (int64_t lane = row; lane < lanes_; lane += 4)
        places.push_back(math_.add(channels[lane], from));
      rows.push_back(loadFours(places));
    }
    Value to = math_.add(target, position);
    for (auto [number, value] :
         llvm::enumerate(transposeFours(emitter_, rows, lanes_)))
      storePacked(value, math_.add(to, number));
  });
}

void mpc::cpu::packChannels(const DepthwiseKernel &kernel,
                            const ChannelTile &tile, unsigned operand) {
  ChannelPacker(kernel, tile, operand).pack();
}
