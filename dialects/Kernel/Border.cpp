// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Borders of zeros around tensors.
#include "dialects/Kernel/Border.h"

using namespace mlir;
using namespace mpc::kernel;

static StringRef getBorderName() {
  return KernelDialect::BorderAttrHelper::getNameStr();
}
static StringRef getInputsName() {
  return KernelDialect::InputBordersAttrHelper::getNameStr();
}

bool mpc::kernel::isBorderOf(Attribute attribute, TypeRange types) {
  auto border = dyn_cast<BorderAttr>(attribute);
  auto type =
      types.size() == 1 ? dyn_cast<RankedTensorType>(types[0]) : nullptr;
  if (!border || !type ||
      border.getLow().size() != static_cast<size_t>(type.getRank()) ||
      border.getHigh().size() != border.getLow().size())
    return false;
  return llvm::all_of(
      llvm::zip(border.getLow(), border.getHigh(), type.getShape()),
      [](auto axis) {
        auto [low, high, size] = axis;
        return low >= 0 && high >= 0 && low <= size && high <= size - low;
      });
}

void mpc::kernel::setBorder(linalg::GenericOp op, ArrayRef<int64_t> low,
                            ArrayRef<int64_t> high) {
  op->setAttr(getBorderName(), BorderAttr::get(op.getContext(), low, high));
}

BorderAttr mpc::kernel::getBorder(linalg::GenericOp op) {
  return op->getAttrOfType<BorderAttr>(getBorderName());
}

/// `border`, of a tensor of `shape`, of a view of it of type `type`, which has
/// that of the last axes that both have, and nothing of one around others.
static BorderAttr viewBorder(BorderAttr border, ArrayRef<int64_t> shape,
                             RankedTensorType type) {
  int64_t kept = 0, rank = shape.size(), newRank = type.getRank();
  while (kept < std::min(rank, newRank) &&
         shape[rank - 1 - kept] == type.getDimSize(newRank - 1 - kept))
    ++kept;
  auto take = [&](ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> taken(newRank - kept, 0);
    llvm::append_range(taken, sizes.take_back(kept));
    return taken;
  };
  return BorderAttr::get(border.getContext(), take(border.getLow()),
                         take(border.getHigh()));
}

/// What the op that computes `tensor` states of its border.
static BorderAttr findBorder(Value tensor) {
  if (auto view = tensor.getDefiningOp<ViewOp>()) {
    BorderAttr border = findBorder(view.getSource());
    auto source = cast<RankedTensorType>(view.getSource().getType());
    auto type = cast<RankedTensorType>(view.getType());
    if (!border || source.getNumElements() != type.getNumElements())
      return {};
    return viewBorder(border, source.getShape(), type);
  }
  Operation *op = tensor.getDefiningOp();
  return op ? op->getAttrOfType<BorderAttr>(getBorderName()) : BorderAttr();
}

/// A border of nothing around `tensor`.
static BorderAttr getNoBorder(Value tensor) {
  SmallVector<int64_t> none(cast<ShapedType>(tensor.getType()).getRank(), 0);
  return BorderAttr::get(tensor.getContext(), none, none);
}

void mpc::kernel::noteInputBorders(linalg::GenericOp op) {
  SmallVector<Attribute> borders;
  bool isKnown = false;
  for (Value input : op.getInputs()) {
    BorderAttr border = findBorder(input);
    isKnown |= bool(border);
    borders.push_back(border ? border : getNoBorder(input));
  }
  if (isKnown)
    op->setAttr(getInputsName(), ArrayAttr::get(op.getContext(), borders));
}

void mpc::kernel::copyInputBorders(linalg::GenericOp from, linalg::GenericOp op,
                                   unsigned replaced) {
  auto known = from->getAttrOfType<ArrayAttr>(getInputsName());
  if (!known)
    return;
  SmallVector<Attribute> borders(known.begin(), known.end());
  borders[replaced] = getNoBorder(op.getInputs()[replaced]);
  op->setAttr(getInputsName(), ArrayAttr::get(op.getContext(), borders));
}

BorderAttr mpc::kernel::getInputBorder(linalg::GenericOp op, unsigned input) {
  auto borders = op->getAttrOfType<ArrayAttr>(getInputsName());
  if (!borders || input >= borders.size())
    return {};
  auto border = cast<BorderAttr>(borders[input]);
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(border.getLow(), isZero) &&
      llvm::all_of(border.getHigh(), isZero))
    return {};
  return border;
}
