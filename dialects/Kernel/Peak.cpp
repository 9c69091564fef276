// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Live bytes along a block.
#include "dialects/Kernel/Peak.h"

#include "dialects/Kernel/KernelDialect.h"
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

bool kernel::isReturned(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// The last op of the block that uses `value`; the op that makes it where none
/// does.
static Operation *lastUse(Block &block, Value value) {
  Operation *last = value.getDefiningOp();
  for (Operation *user : value.getUsers())
    if (Operation *ancestor = block.findAncestorOpInBlock(*user))
      last = last->isBeforeInBlock(ancestor) ? ancestor : last;
  return last;
}

kernel::Peak kernel::findPeak(Block &block,
                              llvm::function_ref<int64_t(Value)> weigh) {
  llvm::DenseMap<Operation *, int64_t> freed;
  for (Operation &op : block)
    for (Value result : op.getResults())
      freed[lastUse(block, result)] += weigh(result);
  int64_t live = 0;
  Peak peak;
  for (Operation &op : block) {
    for (Value result : op.getResults())
      live += weigh(result);
    if (live > peak.bytes)
      peak = {&op, live};
    live -= freed.lookup(&op);
  }
  return peak;
}

Operation *kernel::findExcess(Block &block,
                              llvm::function_ref<int64_t(Value)> weigh) {
  int64_t budget = 0;
  if (TargetAttrInterface target = getTarget(block.getParentOp())) {
    std::optional<int64_t> given = target.getMemoryBudget();
    if (!given)
      return nullptr;
    budget = *given;
  }
  Peak peak = findPeak(block, weigh);
  return peak.bytes > budget ? peak.op : nullptr;
}
