// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lays out the elements that a tile touches in scratch memory.
#include "lib/Codegen/CPU/DepthwiseLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

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
