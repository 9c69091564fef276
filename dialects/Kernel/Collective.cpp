// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors that move between ranks.
#include "dialects/Kernel/KernelDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::kernel;

int64_t mpc::kernel::partOf(int64_t elements, int64_t ranks,
                            int64_t blockSize) {
  int64_t blocks = llvm::divideCeil(elements, blockSize);
  return static_cast<int64_t>(llvm::divideCeil(blocks, ranks)) * blockSize;
}

void CollectiveOp::build(OpBuilder &builder, OperationState &state,
                         RankedTensorType type, CollectiveKind kind,
                         int64_t ranks, Value input) {
  build(builder, state, type, kind, ranks, input, Value());
}

void CollectiveOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // On tensors it is pure.
  if (getOut())
    effects.emplace_back(MemoryEffects::Write::get(), &getOutMutable()[0]);
}

/// The type of what comes, as a tensor or in memory.
static ShapedType targetOf(CollectiveOp op) {
  Value memory = op.getOut(), tensor = op.getResult();
  return cast<ShapedType>((memory ? memory : tensor).getType());
}

static int64_t sizeOf(CollectiveOp op, bool isInput) {
  auto type =
      isInput ? cast<ShapedType>(op.getInput().getType()) : targetOf(op);
  return type.getNumElements();
}

int64_t CollectiveOp::getPartSize() {
  switch (getKind()) {
  case CollectiveKind::AllToAll:
    return sizeOf(*this, /*isInput=*/false) / static_cast<int64_t>(getRanks());
  case CollectiveKind::AllGather:
    return sizeOf(*this, /*isInput=*/true);
  case CollectiveKind::TakePart:
    return sizeOf(*this, /*isInput=*/false);
  }
  llvm_unreachable("a kind of collectives");
}

int64_t CollectiveOp::getWholeSize() {
  return sizeOf(*this, getKind() != CollectiveKind::AllGather);
}

LogicalResult CollectiveOp::verify() {
  auto ranks = static_cast<int64_t>(getRanks());
  if (ranks < 1)
    return emitOpError("is among ") << ranks << " ranks";
  if (static_cast<bool>(getOut()) == static_cast<bool>(getResult()))
    return emitOpError("on tensors has a result, and on memrefs none");
  ShapedType target = targetOf(*this);
  auto input = dyn_cast<ShapedType>(getInput().getType());
  if (!input || input.getElementType() != target.getElementType() ||
      !input.hasStaticShape() || !target.hasStaticShape())
    return emitOpError("moves ") << getInput().getType() << " to " << target;
  bool isWhole = getKind() != CollectiveKind::AllToAll ||
                 target.getNumElements() % ranks == 0;
  if (!isWhole || getPartSize() * ranks < getWholeSize())
    return emitOpError("has no ") << ranks << " parts of equal size for "
                                  << getWholeSize() << " elements";
  return success();
}
