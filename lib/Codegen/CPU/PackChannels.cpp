// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs the elements that a tile of #cpu.depthwise reads, channels innermost,
// and converts them.
#include "lib/Codegen/CPU/DepthwiseEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

using Values = SmallVector<Value>;

/// The place at which each channel's elements begin. Lanes beyond the last
/// channel repeat it: their results are computed and not used.
SmallVector<Value> DepthwiseEmitter::getChannelPlaces(unsigned operand,
                                                      Value base) {
  Values places;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    Value channel = math_.add(channel_, lane);
    if (channels_ % lanes_ != 0)
      channel = math_.min(channel, math_.constant(channels_ - 1));
    places.push_back(math_.add(
        base, math_.mul(channel, depthwise_.factors[operand].channelStride)));
  }
  return places;
}

/// The number of indices of `axis` that the tile touches; the constant `most`
/// if the tile is a whole one.
Value DepthwiseEmitter::axisSize(const FactorAxis &axis, int64_t most) {
  unsigned cut = tiled_[schedule_.getCut()];
  int64_t stride = axis.index.strides[cut];
  if (stride == 0)
    return math_.constant(most);
  Value missing = math_.sub(math_.constant(schedule_.getTile()), cutCount_);
  return math_.sub(math_.constant(most), math_.mul(missing, stride));
}

/// The number of indices that the last tile touches, which may be smaller.
int64_t DepthwiseEmitter::leastSize(const FactorAxis &axis, int64_t most) {
  unsigned cut = tiled_[schedule_.getCut()];
  int64_t left = contraction_.statement.extents[cut] % schedule_.getTile();
  int64_t missing = left == 0 ? 0 : schedule_.getTile() - left;
  return most - missing * axis.index.strides[cut];
}

/// The first index of `axis` that the tile touches.
Value DepthwiseEmitter::axisFirst(const FactorAxis &axis) {
  int64_t least = axis.index.offset;
  Value first = math_.constant(0);
  for (auto [dim, stride] : llvm::enumerate(axis.index.strides)) {
    if (stride < 0)
      least += stride * (layout_.extent(dim) - 1);
    else if (stride > 0)
      first = math_.add(first, math_.mul(starts_[dim], stride));
  }
  return math_.add(first, least);
}

/// The contiguous run of `operand`. Axes that are touched whole are one run
/// with the axis before them.
DepthwiseEmitter::Run DepthwiseEmitter::getRun(unsigned operand) {
  ArrayRef<FactorAxis> axes = depthwise_.factors[operand].axes;
  const Footprint &print = layout_.factor(operand);
  unsigned last = axes.size() - 1;
  int64_t inner = 1;
  while (last > 0 && print.sizes[last] == axes[last].extent &&
         axes[last - 1].stride == axes[last].extent * axes[last].stride)
    inner *= print.sizes[last--];
  int64_t most = print.sizes[last];
  return {last, math_.mul(axisSize(axes[last], most), inner),
          leastSize(axes[last], most) * inner};
}

void DepthwiseEmitter::pack(unsigned operand) {
  const Footprint &print = layout_.factor(operand);
  Value base = math_.constant(0);
  for (auto [number, axis] : llvm::enumerate(depthwise_.factors[operand].axes))
    if (!print.whole[number])
      base = math_.add(base, math_.mul(axisFirst(axis), axis.stride));
  packLines(operand, getChannelPlaces(operand, base), math_.constant(0),
            math_.constant(0), 0, getRun(operand));
}

/// Loops over the axes from `axis` on, up to the one with which runs begin.
void DepthwiseEmitter::packLines(unsigned operand, ArrayRef<Value> channels,
                                 Value source, Value target, unsigned axis,
                                 const Run &run) {
  if (axis == run.axis)
    return packRun(operand, channels, source, target, run);
  const FactorAxis &here = depthwise_.factors[operand].axes[axis];
  ArrayRef<int64_t> sizes = layout_.factor(operand).sizes;
  int64_t step = 1;
  for (int64_t size : sizes.drop_front(axis + 1))
    step *= size;
  auto line = [&](Value index) {
    packLines(operand, channels,
              math_.add(source, math_.mul(index, here.stride)),
              math_.add(target, math_.mul(index, step)), axis + 1, run);
  };
  if (sizes[axis] == 1)
    return line(math_.constant(0));
  emitter_.emitLoop(math_.constant(0), axisSize(here, sizes[axis]), 1, line);
}

/// Four elements of each channel in f32. Each 16 bytes of a vector belong to
/// one channel: channels 0, 4, .. are in the vector of the first of `places`,
/// and so on.
Value DepthwiseEmitter::loadFours(unsigned operand, ArrayRef<Value> places) {
  Value buffer = emitter_.getBuffer(contraction_.getOperand(operand).tensor);
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Values parts;
  for (Value place : places)
    parts.push_back(vector::LoadOp::create(builder_, loc_, vectorOf(4, element),
                                           buffer, place));
  for (int64_t width = 8; parts.size() > 1; width *= 2) {
    Values joined;
    SmallVector<int64_t> mask = llvm::to_vector(llvm::seq<int64_t>(0, width));
    for (size_t part = 0; part < parts.size(); part += 2)
      joined.push_back(shuffle(parts[part], parts[part + 1], mask));
    parts = joined;
  }
  return emitFactor(emitter_, contraction_.factors[operand],
                    contraction_.getArgument(operand), parts.front());
}

/// Transposes 4 x 4 elements in each 16 bytes of 4 vectors.
SmallVector<Value> DepthwiseEmitter::transposeFours(ArrayRef<Value> rows) {
  auto pick = [&](Value a, Value b, std::array<int64_t, 4> quad) {
    SmallVector<int64_t> mask;
    for (int64_t first = 0; first < lanes_; first += 4)
      for (int64_t place : quad)
        mask.push_back(first + (place < 4 ? place : lanes_ + place - 4));
    return shuffle(a, b, mask);
  };
  Value low0 = pick(rows[0], rows[1], {0, 4, 1, 5});
  Value high0 = pick(rows[0], rows[1], {2, 6, 3, 7});
  Value low1 = pick(rows[2], rows[3], {0, 4, 1, 5});
  Value high1 = pick(rows[2], rows[3], {2, 6, 3, 7});
  return {pick(low0, low1, {0, 1, 4, 5}), pick(low0, low1, {2, 3, 6, 7}),
          pick(high0, high1, {0, 1, 4, 5}), pick(high0, high1, {2, 3, 6, 7})};
}

void DepthwiseEmitter::storePacked(unsigned operand, Value value,
                                   Value position) {
  vector::StoreOp::create(builder_, loc_, value, packed_[operand],
                          math_.mul(position, lanes_));
}

/// Packs `length` elements of each channel, one at a time.
void DepthwiseEmitter::packOnes(unsigned operand, ArrayRef<Value> channels,
                                Value source, Value target, Value length) {
  emitter_.emitLoop(math_.constant(0), length, 1, [&](Value position) {
    Value from = math_.add(source, position);
    Values elements;
    for (Value channel : channels)
      elements.push_back(emitter_.load(contraction_.getOperand(operand).tensor,
                                       math_.add(channel, from)));
    Value vector = vector::FromElementsOp::create(
        builder_, loc_, vectorOf(lanes_, elements[0].getType()), elements);
    storePacked(operand,
                emitFactor(emitter_, contraction_.factors[operand],
                           contraction_.getArgument(operand), vector),
                math_.add(target, position));
  });
}

/// Packs a run of each channel, four elements at a time where every tile has
/// four. The last four may overlap the four before them.
void DepthwiseEmitter::packRun(unsigned operand, ArrayRef<Value> channels,
                               Value source, Value target, const Run &run) {
  if (run.least < 4)
    return packOnes(operand, channels, source, target, run.length);
  Value last = math_.sub(run.length, math_.constant(4));
  emitter_.emitLoop(math_.constant(0), run.length, 4, [&](Value step) {
    Value position = math_.min(step, last);
    Value from = math_.add(source, position);
    Values rows;
    for (int64_t row = 0; row < 4; ++row) {
      Values places;
      for (int64_t lane = row; lane < lanes_; lane += 4)
        places.push_back(math_.add(channels[lane], from));
      rows.push_back(loadFours(operand, places));
    }
    Value to = math_.add(target, position);
    for (auto [number, value] : llvm::enumerate(transposeFours(rows)))
      storePacked(operand, value, math_.add(to, number));
  });
}
