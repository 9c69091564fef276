// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Live bytes along a block.
#include "passes/Kernel/Peak.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace mlir;
using namespace mpc;

int64_t kernel::bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  return type.getNumElements() *
         std::max(type.getElementTypeBitWidth() / 8, 1U);
}

/// The last op of the block that uses `value`; who makes it where none does.
static Operation *lastUse(Block &block, Value value) {
  Operation *last = value.getDefiningOp();
  for (Operation *user : value.getUsers())
    if (Operation *ancestor = block.findAncestorOpInBlock(*user))
      last = last->isBeforeInBlock(ancestor) ? ancestor : last;
  return last;
}

Operation *kernel::findPeak(Block &block,
                            llvm::function_ref<int64_t(Value)> weigh) {
  llvm::DenseMap<Operation *, int64_t> freed;
  for (Operation &op : block)
    for (Value result : op.getResults())
      freed[lastUse(block, result)] += weigh(result);
  int64_t live = 0, most = 0;
  Operation *peak = nullptr;
  for (Operation &op : block) {
    for (Value result : op.getResults())
      live += weigh(result);
    if (live > most) {
      most = live;
      peak = &op;
    }
    live -= freed.lookup(&op);
  }
  return peak;
}
