// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the part of an argument that indices are, and states their range there.
#include "dialects/NN/Ranges.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mpc::nn;

namespace {

/// The elements of a tensor that are read: all but the first and the last along
/// each axis.
struct ReadPart {
  SmallVector<int64_t> skipFirst, skipLast;

  /// All of `value`.
  explicit ReadPart(Value value) { takeAll(value); }

  void takeAll(Value value) {
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    skipFirst.assign(rank, 0);
    skipLast.assign(rank, 0);
  }

  [[nodiscard]] bool isWhole() const {
    return llvm::all_of(skipFirst, [](int64_t n) { return n == 0; }) &&
           llvm::all_of(skipLast, [](int64_t n) { return n == 0; });
  }

  bool isReadThrough(Operation *op);
  bool isReadThroughSlice(SliceOp slice);
  bool isReadThroughPad(PadOp pad);
  bool isReadThroughTranspose(TransposeOp transpose);
};

} // namespace

bool ReadPart::isReadThroughSlice(SliceOp slice) {
  if (!llvm::all_of(slice.getStrides(), [](int64_t n) { return n == 1; }))
    return false;
  ArrayRef<int64_t> shape = slice.getInput().getType().getShape();
  for (auto [axis, size] : llvm::enumerate(shape)) {
    skipFirst[axis] += slice.getStarts()[axis];
    skipLast[axis] += size - slice.getLimits()[axis];
  }
  return true;
}

/// What is added is a constant of the model's. Negative paddings crop.
bool ReadPart::isReadThroughPad(PadOp pad) {
  if (!llvm::all_of(pad.getInterior(), [](int64_t n) { return n == 0; }))
    return false;
  for (size_t axis = 0; axis < skipFirst.size(); ++axis) {
    skipFirst[axis] =
        std::max<int64_t>(0, skipFirst[axis] - pad.getLow()[axis]);
    skipLast[axis] = std::max<int64_t>(0, skipLast[axis] - pad.getHigh()[axis]);
  }
  return true;
}

bool ReadPart::isReadThroughTranspose(TransposeOp transpose) {
  SmallVector<int64_t> first(skipFirst), last(skipLast);
  for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) {
    skipFirst[from] = first[to];
    skipLast[from] = last[to];
  }
  return true;
}

/// Turns the part of the op's result into one of its operand. Fails where that
/// has no such part, or other values.
bool ReadPart::isReadThrough(Operation *op) {
  if (auto slice = dyn_cast<SliceOp>(op))
    return isReadThroughSlice(slice);
  if (auto pad = dyn_cast<PadOp>(op))
    return isReadThroughPad(pad);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return isReadThroughTranspose(transpose);
  if (auto cast = dyn_cast<CastOp>(op))
    return isa<IntegerType>(
        getElementTypeOrSelf(cast->getOperand(0).getType()));
  if (!isa<ReshapeOp>(op) || !isWhole())
    return false;
  takeAll(op->getOperand(0));
  return true;
}

void mpc::nn::addRange(Value indices, int64_t low, int64_t high,
                       std::optional<int64_t> except) {
  ReadPart part(indices);
  while (Operation *op = indices.getDefiningOp()) {
    if (!part.isReadThrough(op))
      return;
    indices = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(indices);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return;
  if (part.isWhole())
    part.skipFirst = part.skipLast = {};
  unsigned index = argument.getArgNumber();
  llvm::SetVector<Attribute> ranges;
  if (auto known = function.getArgAttrOfType<ArrayAttr>(index, kRanges))
    ranges.insert_range(known);
  MLIRContext *context = function.getContext();
  ranges.insert(RangeAttr::get(context, low, high, except, part.skipFirst,
                               part.skipLast));
  function.setArgAttr(index, kRanges,
                      ArrayAttr::get(context, ranges.getArrayRef()));
}
