// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes depthwise contractions.
#include "lib/Codegen/CPU/Depthwise.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

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
  Value tensor = contraction.getOperand(operand).tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  auto pad = tensor.getDefiningOp<PadOp>();
  ChannelFactor factor = {{}, 0, 0, pad ? pad.getSource() : tensor};
  auto source = cast<RankedTensorType>(factor.source.getType());
  int64_t stride = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    std::optional<Linear> index = getLinear(map.getResult(axis), numDims);
    if (!index)
      return std::nullopt;
    FactorAxis here = {*index, type.getDimSize(axis), stride,
                       pad ? pad.getBorder().getLow()[axis] : 0,
                       source.getDimSize(axis)};
    if (index->strides[channel] == 0)
      factor.axes.push_back(here);
    else if (factor.channelStride || !usesOnly(*index, channel) ||
             index->offset != 0 || here.hasBorder())
      return std::nullopt;
    else
      std::tie(factor.channelStride, factor.channelAxis) =
          std::pair(index->strides[channel] * stride, axis);
    stride *= here.inside;
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
