// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves casts over data movement.
#include "passes/AMP/ExposeCasts.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/OpInterfaces.h"
#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc;

/// The operand whose elements `op` moves without changing them; null for any
/// other op.
static OpOperand *getMoved(Operation *op) {
  auto rule = dyn_cast_if_present<PrecisionOpInterface>(op);
  if (!rule || rule.getPrecisionRule() != PrecisionRule::Clear ||
      op->getNumResults() != 1)
    return nullptr;
  // Zero is zero in every type; another value may round.
  if (auto pad = dyn_cast<nn::PadOp>(op); pad && !pad.getValue().isZero())
    return nullptr;
  OpOperand *moved = nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<FloatType>(getElementTypeOrSelf(operand.get())))
      continue;
    if (moved)
      return nullptr;
    moved = &operand;
  }
  return moved;
}

/// Applies `op` to `value` in place of its moved operand.
static Value moveInstead(Operation *op, Value value) {
  OpBuilder builder(op);
  Operation *clone = builder.clone(*op);
  clone->setOperand(getMoved(op)->getOperandNumber(), value);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  clone->getResult(0).setType(type.clone(getElementTypeOrSelf(value)));
  return clone->getResult(0);
}

/// `value`, a moved parameter, in `elementType`; null if it is no moved
/// parameter.
static Value castParameter(Value value, Type elementType) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<nn::GetOp>(op)) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    auto type = cast<RankedTensorType>(value.getType());
    return nn::CastOp::create(builder, op->getLoc(), type.clone(elementType),
                              value);
  }
  OpOperand *moved = getMoved(op);
  if (!moved)
    return {};
  Value source = castParameter(moved->get(), elementType);
  return source ? moveInstead(op, source) : Value();
}

/// The 16-bit value of which `value` is an exact copy; null if there is none.
static Value narrowSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast_if_present<nn::CastOp>(op);
      cast && getElementTypeOrSelf(cast.getType()).isF32())
    return isLowPrecision(getElementTypeOrSelf(cast.getInput()))
               ? cast.getInput()
               : Value();
  OpOperand *moved = getMoved(op);
  if (!moved)
    return {};
  Value source = narrowSource(moved->get());
  return source ? moveInstead(op, source) : Value();
}

void mpc::amp::exposeCasts(func::FuncOp function) {
  Block &block = function.getBody().front();
  for (auto cast : llvm::make_early_inc_range(block.getOps<nn::CastOp>())) {
    if (!isLowPrecision(getElementTypeOrSelf(cast.getType())) ||
        cast.getInput().getDefiningOp<nn::GetOp>())
      continue;
    if (Value moved = castParameter(cast.getInput(),
                                    getElementTypeOrSelf(cast.getType()))) {
      cast.replaceAllUsesWith(moved);
      cast.erase();
    }
  }
  for (auto gather : block.getOps<amp::GatherOp>())
    for (OpOperand &operand : gather->getOpOperands())
      if (Value narrow = narrowSource(operand.get()))
        operand.set(narrow);
}
