// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of whole tensors: what moves elements, and what goes along an axis in
// order.
#include "dialects/Kernel/Border.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mpc::kernel;

static bool differInSignAtMost(Type a, Type b) {
  auto left = dyn_cast<IntegerType>(a), right = dyn_cast<IntegerType>(b);
  return a == b || (left && right && left.getWidth() == right.getWidth());
}

LogicalResult PadOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  if (!isBorderOf(getBorder(), getResult().getType()))
    return emitOpError("has a border that does not fit into ")
           << getResult().getType();
  SmallVector<int64_t> inside;
  for (auto [low, high, size] :
       llvm::zip(getBorder().getLow(), getBorder().getHigh(),
                 cast<RankedTensorType>(getResult().getType()).getShape()))
    inside.push_back(size - low - high);
  auto type = cast<RankedTensorType>(getResult().getType()).clone(inside);
  if (source == type)
    return success();
  return emitOpError("has a border around ") << type << ", but pads " << source;
}

LogicalResult ViewOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!differInSignAtMost(source.getElementType(), result.getElementType()))
    return emitOpError("cannot change the element type");
  int64_t offset = getOffset();
  if (offset < 0 || offset + result.getNumElements() > source.getNumElements())
    return emitOpError("elements ")
           << offset << " to " << offset + result.getNumElements()
           << " lie outside of the source's " << source.getNumElements();
  return success();
}

OpFoldResult ViewOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  auto inner = getSource().getDefiningOp<ViewOp>();
  if (!inner)
    return {};
  // This view and the innermost source have equal types, so the two views
  // together take all elements of it, from the first on.
  if (inner.getSource().getType() == getResult().getType())
    return inner.getSource();
  setOffset(inner.getOffset() + getOffset());
  getSourceMutable().assign(inner.getSource());
  return getResult();
}

LogicalResult PackOp::verify() {
  if (getParts().size() != getOffsets().size())
    return emitOpError("has ") << getParts().size() << " parts but "
                               << getOffsets().size() << " offsets";
  auto result = cast<RankedTensorType>(getResult().getType());
  int64_t end = 0;
  for (auto [part, offset] : llvm::zip(getParts(), getOffsets())) {
    auto type = cast<RankedTensorType>(part.getType());
    if (type.getElementType() != result.getElementType())
      return emitOpError("parts and result must have one element type");
    if (offset < end)
      return emitOpError("parts overlap or are out of order");
    end = offset + type.getNumElements();
  }
  if (end > result.getNumElements())
    return emitOpError("parts reach beyond the result");
  return success();
}

LogicalResult ScatterOp::verify() {
  auto updates = cast<RankedTensorType>(getUpdates().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto init = cast<RankedTensorType>(getInit().getType());
  if (updates.getRank() != 3 || init.getRank() != 3)
    return emitOpError("updates and init must be [outer, index, inner]");
  if (!isa<IntegerType>(indices.getElementType()))
    return emitOpError("indices must be integers");
  bool shared = indices.getRank() == 1;
  if (!shared && (indices.getRank() != 2 ||
                  indices.getDimSize(0) != updates.getDimSize(0)))
    return emitOpError("indices must be [outer, index] or [index]");
  if (indices.getShape().back() != updates.getDimSize(1) ||
      init.getDimSize(0) != updates.getDimSize(0) ||
      init.getDimSize(2) != updates.getDimSize(2))
    return emitOpError("updates, indices and init disagree in shape");
  if (isa<IntegerType>(init.getElementType()) &&
      init.getElementType() != updates.getElementType())
    return emitOpError("integers are joined to integers of their type");
  return success();
}

SmallVector<utils::IteratorType> ScatterOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel,
          utils::IteratorType::reduction};
}

/// Loops from 0 to each of `extents`.
static SmallVector<Range> wholeRanges(OpBuilder &builder,
                                      ArrayRef<int64_t> extents) {
  return llvm::map_to_vector(extents, [&](int64_t extent) {
    return Range{builder.getIndexAttr(0), builder.getIndexAttr(extent),
                 builder.getIndexAttr(1)};
  });
}

SmallVector<Range> ScatterOp::getIterationDomain(OpBuilder &builder) {
  auto updates = cast<RankedTensorType>(getUpdates().getType());
  return wholeRanges(builder, {updates.getDimSize(0), updates.getDimSize(2),
                               updates.getDimSize(1)});
}

LogicalResult RankOp::verify() {
  auto keys = cast<RankedTensorType>(getKeys().getType());
  auto init = cast<RankedTensorType>(getInit().getType());
  if (keys.getRank() != 2 || !keys.getElementType().isSignlessInteger() ||
      keys.getElementTypeBitWidth() % 8 != 0)
    return emitOpError("keys must be [row, key] of i8, i16, i32 or i64");
  if (init != keys.clone(IntegerType::get(getContext(), 64)))
    return emitOpError("init must be i64 of the shape of keys");
  return success();
}

SmallVector<utils::IteratorType> RankOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::reduction};
}

SmallVector<Range> RankOp::getIterationDomain(OpBuilder &builder) {
  return wholeRanges(builder,
                     cast<RankedTensorType>(getKeys().getType()).getShape());
}

LogicalResult CumsumOp::verify() {
  if (cast<RankedTensorType>(getInput().getType()).getRank() == 3)
    return success();
  return emitOpError("input must be [outer, size, inner]");
}

SmallVector<utils::IteratorType> CumsumOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel,
          utils::IteratorType::reduction};
}

SmallVector<Range> CumsumOp::getIterationDomain(OpBuilder &builder) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getInput().getType()).getShape();
  return wholeRanges(builder, {shape[0], shape[2], shape[1]});
}
