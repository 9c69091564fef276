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
                         TypeRange types, CollectiveKind kind, int64_t ranks,
                         ValueRange inputs) {
  build(builder, state, types, kind, ranks, inputs, ValueRange());
}

void CollectiveOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // On tensors it is pure.
  for (OpOperand &out : getOutsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &out);
}

/// The type of what comes, as a tensor or in memory.
static ShapedType targetOf(CollectiveOp op, size_t index) {
  Value target =
      op.getOuts().empty() ? op.getResults()[index] : op.getOuts()[index];
  return cast<ShapedType>(target.getType());
}

static int64_t sizeOf(CollectiveOp op, size_t index, bool isInput) {
  auto type = isInput ? cast<ShapedType>(op.getInputs()[index].getType())
                      : targetOf(op, index);
  return type.getNumElements();
}

int64_t CollectiveOp::getPartSize(size_t index) {
  switch (getKind()) {
  case CollectiveKind::AllToAll:
    return sizeOf(*this, index, /*isInput=*/false) /
           static_cast<int64_t>(getRanks());
  case CollectiveKind::AllGather:
    return sizeOf(*this, index, /*isInput=*/true);
  case CollectiveKind::TakePart:
    return sizeOf(*this, index, /*isInput=*/false);
  }
  llvm_unreachable("a kind of collectives");
}

int64_t CollectiveOp::getWholeSize(size_t index) {
  return sizeOf(*this, index, getKind() != CollectiveKind::AllGather);
}

static LogicalResult verifyTensor(CollectiveOp op, size_t index) {
  auto ranks = static_cast<int64_t>(op.getRanks());
  ShapedType target = targetOf(op, index);
  Type given = op.getInputs()[index].getType();
  auto input = dyn_cast<ShapedType>(given);
  if (!input || input.getElementType() != target.getElementType() ||
      !input.hasStaticShape() || !target.hasStaticShape())
    return op.emitOpError("moves ") << given << " to " << target;
  bool isWhole = op.getKind() != CollectiveKind::AllToAll ||
                 target.getNumElements() % ranks == 0;
  if (!isWhole || op.getPartSize(index) * ranks < op.getWholeSize(index))
    return op.emitOpError("has no ") << ranks << " parts of equal size for "
                                     << op.getWholeSize(index) << " elements";
  return success();
}

LogicalResult CollectiveOp::verify() {
  auto ranks = static_cast<int64_t>(getRanks());
  if (ranks < 1)
    return emitOpError("is among ") << ranks << " ranks";
  size_t outs = getOuts().size(), results = getResults().size();
  if ((outs == 0) == (results == 0))
    return emitOpError("on tensors has a result, and on memrefs none");
  if (outs + results != getInputs().size())
    return emitOpError("has ") << getInputs().size() << " inputs and "
                               << outs + results << " targets";
  for (size_t index = 0; index < getInputs().size(); ++index)
    if (failed(verifyTensor(*this, index)))
      return failure();
  return success();
}
