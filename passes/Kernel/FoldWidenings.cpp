// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces reads of wider copies by reads of the copied tensors.
#include "passes/Kernel/FoldWidenings.h"

#include "dialects/Kernel/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

bool mpc::kernel::isWidening(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumDpsInits() != 1 ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  Block *body = generic.getBody();
  auto widened =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
  return widened && widened.getIn() == body->getArgument(0);
}

/// Makes `op` read `narrow` in place of `operand`, its wider copy.
static void readNarrow(linalg::GenericOp op, OpOperand &operand, Value narrow) {
  BlockArgument element = op.getMatchingBlockArgument(&operand);
  Type wide = element.getType();
  element.setType(getElementTypeOrSelf(narrow.getType()));
  OpBuilder builder = OpBuilder::atBlockBegin(op.getBody());
  auto widened = arith::ExtFOp::create(builder, op.getLoc(), wide, element);
  element.replaceAllUsesExcept(widened, widened);
  operand.set(narrow);
}

void mpc::kernel::foldWidenings(Block &block) {
  SmallVector<linalg::GenericOp> copies;
  for (auto op : block.getOps<linalg::GenericOp>()) {
    if (mpc::kernel::isWidening(op)) {
      copies.push_back(op);
      continue;
    }
    if (mpc::kernel::isSumOfProducts(op))
      continue;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto copy = operand->get().getDefiningOp<linalg::GenericOp>();
      if (copy && mpc::kernel::isWidening(copy))
        readNarrow(op, *operand, copy.getInputs()[0]);
    }
  }
  for (linalg::GenericOp copy : llvm::reverse(copies))
    if (copy->use_empty())
      copy.erase();
}
