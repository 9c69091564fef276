// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the argument that indices are, and marks it.
#include "lib/Import/Build/Ranges.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mpc::build {

/// `value`, or what it has all elements of, in another shape or as other
/// integers.
static Value skipMoves(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto cast = dyn_cast<nn::CastOp>(op);
    bool isSame =
        isa<nn::ReshapeOp, nn::TransposeOp>(op) ||
        (cast &&
         isa<IntegerType>(getElementTypeOrSelf(cast->getOperand(0).getType())));
    if (!isSame)
      return value;
    value = op->getOperand(0);
  }
  return value;
}

void stateRange(const Operand &indices, int64_t low, int64_t high,
                std::optional<int64_t> except) {
  auto argument = dyn_cast_if_present<BlockArgument>(skipMoves(indices.value));
  if (!argument)
    return;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return;
  unsigned index = argument.getArgNumber();
  llvm::SetVector<Attribute> ranges;
  if (auto known = function.getArgAttrOfType<ArrayAttr>(index, nn::kRanges))
    ranges.insert_range(known);
  MLIRContext *context = function.getContext();
  ranges.insert(nn::RangeAttr::get(context, low, high, except));
  function.setArgAttr(index, nn::kRanges,
                      ArrayAttr::get(context, ranges.getArrayRef()));
}

} // namespace mpc::build
